//! Reads the manifest of a package, whichever format and version it is of.

use crate::error::{Error, Result};
use crate::path;
use crate::xml::{Element, parse};

/// The most bytes of what is put before the paths of a manifest: it stands before each of them.
const MAX_BASE_BYTES: usize = 255;
/// The most resources with their files and dependencies: no archive has as many files.
const MAX_REFERENCES: usize = 50_000;

/// The content of a package, as it says itself.
#[derive(Debug, Clone, Default)]
pub struct ReadManifest {
    /// The name that it gives itself, for example `IMS Common Cartridge` and `1.3.0`.
    pub schema: Option<String>,
    /// The version of that.
    pub version: Option<String>,
    /// In plain text.
    pub title: Option<String>,
    /// The outline that students see, in its order.
    pub items: Vec<ReadItem>,
    /// The things that its files make up.
    pub resources: Vec<ReadResource>,
}

/// A heading, or a thing to open.
#[derive(Debug, Clone, Default)]
pub struct ReadItem {
    /// In plain text.
    pub title: String,
    /// The identifier of what opens.
    pub resource: Option<String>,
    /// The entries below it.
    pub items: Vec<Self>,
}

/// Files that make up one thing.
#[derive(Debug, Clone, Default)]
pub struct ReadResource {
    /// Its identifier.
    pub id: String,
    /// Its type, as the package says it.
    pub kind: String,
    /// The path of the file to open first.
    pub href: Option<String>,
    /// The paths of all its files, as they are written.
    pub files: Vec<String>,
    /// The identifiers of other resources.
    pub dependencies: Vec<String>,
}

impl ReadManifest {
    /// Reads it.
    /// Reads it.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let root = parse(bytes)?;
        if root.name != "manifest" {
            return Err(Error::invalid_package("imsmanifest.xml is not a manifest"));
        }
        let base = root.attribute("base").unwrap_or_default();
        let resources = root.first("resources");
        let base = [base, resources.and_then(|own| own.attribute("base")).unwrap_or_default()].concat();
        if let Some(resources) = resources {
            check(resources, &base)?;
        }
        let organization = root.at(&["organizations", "organization"]);
        let metadata = root.first("metadata");
        let title = metadata.and_then(|metadata| metadata.find("general").next());
        let title = title.and_then(|general| general.first("title")).map(Element::content);
        Ok(Self {
            schema: root.content_at(&["metadata", "schema"]),
            version: root.content_at(&["metadata", "schemaversion"]),
            title: title.filter(|title| !title.is_empty()),
            items: organization.map(items).unwrap_or_default(),
            resources: resources
                .into_iter()
                .flat_map(|own| own.all("resource"))
                .map(|own| resource(own, &base))
                .collect(),
        })
    }
}

fn check(resources: &Element, base: &str) -> Result<()> {
    let own = |resource: &Element| resource.attribute("base").unwrap_or_default().len();
    if base.len() + resources.all("resource").map(own).max().unwrap_or_default() > MAX_BASE_BYTES {
        return Err(Error::invalid_package(format!(
            "imsmanifest.xml has a base that is too long (maximum is {MAX_BASE_BYTES})"
        )));
    }
    match resources.descendants().nth(MAX_REFERENCES).is_some() {
        true => Err(Error::invalid_package(format!(
            "imsmanifest.xml has too many resources and files (maximum is {MAX_REFERENCES})"
        ))),
        false => Ok(()),
    }
}

/// The items of an organization or of another item; one without a title gives its place to those below it.
fn items(own: &Element) -> Vec<ReadItem> {
    let item = |item: &Element| {
        let title = item.content_at(&["title"]);
        let resource = item.attribute("identifierref").map(str::to_owned);
        match (title, resource) {
            (None, None) => items(item),
            (title, resource) => {
                vec![ReadItem { title: title.unwrap_or_default(), resource, items: items(item) }]
            }
        }
    };
    own.all("item").flat_map(item).collect()
}

fn resource(own: &Element, base: &str) -> ReadResource {
    let base = [base, own.attribute("base").unwrap_or_default()].concat();
    let based = |href: &str| [base.as_str(), href].concat();
    ReadResource {
        id: own.attribute("identifier").unwrap_or_default().to_owned(),
        kind: own.attribute("type").unwrap_or_default().to_owned(),
        href: own.attribute("href").map(based),
        files: own.all("file").filter_map(|file| file.attribute("href")).map(based).collect(),
        dependencies: own
            .all("dependency")
            .filter_map(|dependency| dependency.attribute("identifierref"))
            .map(str::to_owned)
            .collect(),
    }
}

impl ReadResource {
    /// The path in the package that a reference of the manifest means, of those that are there.
    pub(crate) fn resolve(reference: &str, is_there: &dyn Fn(&str) -> bool) -> Option<String> {
        // Some systems write paths, others addresses.
        let written = path::is_inside(reference).then(|| reference.to_owned()).filter(|path| is_there(path));
        written.or_else(|| path::resolved("", reference).filter(|path| is_there(path)))
    }
}
