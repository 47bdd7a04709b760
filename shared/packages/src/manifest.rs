//! `imsmanifest.xml`: what a package holds.

mod read;

use std::collections::BTreeSet;
use std::io::Write;

use crate::error::{Error, Result};
use crate::plan::Format;
use crate::xml::{Document, Element};
use crate::{ident, path};

pub use read::{ReadItem, ReadManifest, ReadResource};

/// Its path in the package.
pub const PATH: &str = "imsmanifest.xml";

/// The content of a package.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The form of the package.
    pub format: Format,
    /// Any text that is unique to the package.
    pub id: String,
    /// In plain text.
    pub title: String,
    /// The outline that students see, in its order. QTI has no such thing.
    pub items: Vec<Item>,
    /// Every file of the package belongs to one of them.
    pub resources: Vec<Resource>,
}

/// A heading, or a thing to open.
#[derive(Debug, Clone, Default)]
pub struct Item {
    /// Any text that is unique among the ids of items and resources.
    pub id: String,
    /// In plain text.
    pub title: String,
    /// The id of what opens; none for a heading.
    pub resource: Option<String>,
    /// The entries below it.
    pub items: Vec<Self>,
}

/// Files that make up one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Any text that is unique among the ids of items and resources.
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// The path of the file to open first.
    pub href: Option<String>,
    /// The paths of all its files.
    pub files: Vec<String>,
    /// The ids of other resources that it needs.
    pub dependencies: Vec<String>,
}

/// The kind of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file, or a page with its files.
    Web,
    /// A quiz in QTI 1.2.
    Assessment,
    /// The parts that only some systems understand.
    Extension,
    /// A discussion topic of Common Cartridge.
    Topic,
    /// A web link of Common Cartridge.
    WebLink,
    /// An assignment of Common Cartridge 1.3.
    Assignment,
    /// A question in QTI 2.1.
    QtiItem,
    /// A quiz in QTI 2.1.
    QtiTest,
}

impl Kind {
    fn name(self, format: Format) -> &'static str {
        let is_1_3 = format == Format::CommonCartridge13;
        match self {
            Self::Web => "webcontent",
            Self::Assessment => match format {
                Format::CommonCartridge11 => "imsqti_xmlv1p2/imscc_xmlv1p1/assessment",
                Format::CommonCartridge13 => "imsqti_xmlv1p2/imscc_xmlv1p3/assessment",
                Format::Qti12 | Format::Qti21 => "imsqti_xmlv1p2",
            },
            Self::Extension if is_1_3 => "associatedcontent/imscc_xmlv1p3/learning-application-resource",
            Self::Extension => "associatedcontent/imscc_xmlv1p1/learning-application-resource",
            Self::Topic => {
                if is_1_3 {
                    "imsdt_xmlv1p3"
                } else {
                    "imsdt_xmlv1p1"
                }
            }
            Self::WebLink => {
                if is_1_3 {
                    "imswl_xmlv1p3"
                } else {
                    "imswl_xmlv1p1"
                }
            }
            Self::Assignment => "assignment_xmlv1p0",
            Self::QtiItem => "imsqti_item_xmlv2p1",
            Self::QtiTest => "imsqti_test_xmlv2p1",
        }
    }
}

impl Manifest {
    /// Writes it; refuses ids that are not unique, references that lead nowhere, and paths that lead out of the package.
    pub fn write<W: Write>(&self, out: W) -> Result<()> {
        self.check()?;
        let mut document = Document::new(out)?;
        document.open(&self.root())?;
        document.element(&self.metadata())?;
        document.element(&self.organizations())?;
        document.open(&Element::new("resources"))?;
        for resource in &self.resources {
            document.element(&self.resource(resource))?;
        }
        document.finish()?.flush()?;
        Ok(())
    }

    fn check(&self) -> Result<()> {
        let mut ids = BTreeSet::from([ident::part(&self.id, "manifest"), ORGANIZATION.to_owned(), ROOT.to_owned()]);
        let mut unique = |id: &str| match ids.insert(ident::of(id)) {
            true => Ok(()),
            false => Err(Error::invalid_package(format!("{id:?} is the id of two things"))),
        };
        self.resources.iter().try_for_each(|resource| unique(&resource.id))?;
        let known: BTreeSet<_> = self.resources.iter().map(|resource| ident::of(&resource.id)).collect();
        let refers = |id: &String| match known.contains(&ident::of(id)) {
            true => Ok(()),
            false => Err(Error::invalid_package(format!("{id:?} is the id of no resource"))),
        };
        for resource in &self.resources {
            resource.dependencies.iter().try_for_each(refers)?;
            if let Some(file) = resource.href.iter().chain(&resource.files).find(|file| !path::is_inside(file)) {
                return Err(Error::invalid_package(format!("{file:?} is not a path inside of a package")));
            }
        }
        let mut open: Vec<_> = self.items.iter().collect();
        while let Some(item) = open.pop() {
            unique(&item.id)?;
            item.resource.iter().try_for_each(refers)?;
            open.extend(&item.items);
        }
        Ok(())
    }

    fn root(&self) -> Element {
        let root = Element::new("manifest").with("identifier", ident::part(&self.id, "manifest"));
        let (own, others): (_, &[(&str, &str)]) = match self.format {
            Format::CommonCartridge11 => (CP_CC11, &[("lom", LOM_CC11)]),
            Format::CommonCartridge13 => (CP_CC13, &[("lom", LOM_CC13)]),
            Format::Qti12 | Format::Qti21 => (CP, &[]),
        };
        let root = root.with("xmlns", own.0);
        let root =
            others.iter().fold(root, |root, (prefix, namespace)| root.with(&format!("xmlns:{prefix}"), *namespace));
        let locations = match self.format {
            Format::CommonCartridge11 => format!("{} {} {LOM_CC11} {}", own.0, own.1, LOM_CC11_LOCATION),
            Format::CommonCartridge13 => format!("{} {} {LOM_CC13} {}", own.0, own.1, LOM_CC13_LOCATION),
            Format::Qti12 => format!("{} {}", own.0, own.1),
            Format::Qti21 => format!("{} {CP_QTI21_LOCATION}", own.0),
        };
        root.with("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance").with("xsi:schemaLocation", locations)
    }

    fn metadata(&self) -> Element {
        let (schema, version) = match self.format {
            Format::CommonCartridge11 => ("IMS Common Cartridge", "1.1.0"),
            Format::CommonCartridge13 => ("IMS Common Cartridge", "1.3.0"),
            Format::Qti12 => ("IMS Content", "1.1.3"),
            Format::Qti21 => ("QTIv2.1 Package", "1.0.0"),
        };
        let metadata = Element::new("metadata")
            .child(Element::new("schema").text(schema))
            .child(Element::new("schemaversion").text(version));
        if !self.format.is_common_cartridge() {
            return metadata;
        }
        let title = Element::new("lom:title").child(Element::new("lom:string").text(self.title.as_str()));
        metadata.child(Element::new("lom:lom").child(Element::new("lom:general").child(title)))
    }

    /// A cartridge has one item without a title, with all others below it.
    fn organizations(&self) -> Element {
        let organizations = Element::new("organizations");
        if !self.format.is_common_cartridge() {
            return organizations;
        }
        let root = Element::new("item").with("identifier", ROOT).children(self.items.iter().map(item));
        let organization = Element::new("organization")
            .with("identifier", ORGANIZATION)
            .with("structure", "rooted-hierarchy")
            .child(root);
        organizations.child(organization)
    }

    fn resource(&self, own: &Resource) -> Element {
        let file = |file: &String| Element::new("file").with("href", file.as_str());
        let dependency = |id: &String| Element::new("dependency").with("identifierref", ident::of(id));
        Element::new("resource")
            .with("identifier", ident::of(&own.id))
            .with("type", own.kind.name(self.format))
            .with_some("href", own.href.as_deref())
            .children(own.files.iter().map(file))
            .children(own.dependencies.iter().map(dependency))
    }
}

const ORGANIZATION: &str = "organization";
const ROOT: &str = "root-item";

/// Namespaces, and where their schemas are.
const CP: (&str, &str) = ("http://www.imsglobal.org/xsd/imscp_v1p1", "http://www.imsglobal.org/xsd/imscp_v1p1.xsd");
const CP_QTI21_LOCATION: &str = "http://www.imsglobal.org/xsd/qti/qtiv2p1/qtiv2p1_imscpv1p2_v1p0.xsd";
const CP_CC11: (&str, &str) = (
    "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1",
    "http://www.imsglobal.org/profile/cc/ccv1p1/ccv1p1_imscp_v1p2_v1p0.xsd",
);
const CP_CC13: (&str, &str) = (
    "http://www.imsglobal.org/xsd/imsccv1p3/imscp_v1p1",
    "http://www.imsglobal.org/profile/cc/ccv1p3/ccv1p3_imscp_v1p2_v1p0.xsd",
);
const LOM_CC11: &str = "http://ltsc.ieee.org/xsd/imsccv1p1/LOM/manifest";
const LOM_CC11_LOCATION: &str = "http://www.imsglobal.org/profile/cc/ccv1p1/LOM/ccv1p1_lommanifest_v1p0.xsd";
const LOM_CC13: &str = "http://ltsc.ieee.org/xsd/imsccv1p3/LOM/manifest";
const LOM_CC13_LOCATION: &str = "http://www.imsglobal.org/profile/cc/ccv1p3/LOM/ccv1p3_lommanifest_v1p0.xsd";

fn item(own: &Item) -> Element {
    Element::new("item")
        .with("identifier", ident::of(&own.id))
        .with_some("identifierref", own.resource.as_ref().map(|id| ident::of(id)))
        .child(Element::new("title").text(own.title.as_str()))
        .children(own.items.iter().map(item))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let leaf = Item { id: "item-1".into(), title: "Leaf".into(), resource: Some("1".into()), items: Vec::new() };
        Manifest {
            format: Format::CommonCartridge13,
            id: "course-1".into(),
            title: "Botany & more".into(),
            items: vec![Item { id: "module-1".into(), title: "Week 1".into(), resource: None, items: vec![leaf] }],
            resources: vec![Resource {
                id: "1".into(),
                kind: Kind::Web,
                href: Some("web_resources/a leaf.png".into()),
                files: vec!["web_resources/a leaf.png".into()],
                dependencies: Vec::new(),
            }],
        }
    }

    #[test]
    fn it_is_written_and_read() {
        let mut bytes = Vec::new();
        manifest().write(&mut bytes).unwrap();
        let read = ReadManifest::read(&bytes).unwrap();
        assert_eq!(read.title.as_deref(), Some("Botany & more"));
        assert_eq!(read.resources.len(), 1);
        assert_eq!(read.resources[0].files, ["web_resources/a leaf.png"]);
        assert_eq!(read.items[0].items[0].resource.as_deref(), Some(read.resources[0].id.as_str()));
    }

    #[test]
    fn what_would_be_wrong_is_refused() {
        let mut twice = manifest();
        twice.resources.extend(manifest().resources);
        let mut same = manifest();
        same.items[0].id = "1".into();
        let mut nowhere = manifest();
        nowhere.items[0].resource = Some("2".into());
        let mut dangling = manifest();
        dangling.resources[0].dependencies.push("2".into());
        let mut escape = manifest();
        escape.resources[0].files.push("../x".into());
        for manifest in [twice, same, nowhere, dangling, escape] {
            assert!(manifest.write(&mut Vec::new()).unwrap_err().is_refusal());
        }
    }
}
