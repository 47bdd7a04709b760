//! Every manifest and every file of a type that the standards know is valid by their schemas.
//!
//! The schemas are no part of the product: they lie where `LECTERN_XSD` says, or beside the repository. Where they or
//! xmllint are missing, only the rules that are checked in Rust count, which continuous integration may not pass over.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use content_packages::model::{Quiz, Report};
use content_packages::plan::{Format, Plan, Planned};

use crate::forms::{FORMATS, Package, package};
use crate::sample;

/// Web addresses of schemas that import each other, and the folders where they lie here.
const ADDRESSES: [(&str, &str); 9] = [
    ("http://www.w3.org/2001/xml.xsd", "w3/xml.xsd"),
    ("http://www.imsglobal.org/xsd/w3/2001/", "w3/"),
    ("http://www.w3.org/Math/XMLSchema/mathml2/", "w3/mathml2/"),
    ("http://www.imsglobal.org/profile/apip/apipv1p0/", "apipv1p0/"),
    ("http://www.imsglobal.org/profile/cc/ccv1p1/LOM/", "cc11/"),
    ("http://www.imsglobal.org/profile/cc/ccv1p1/", "cc11/"),
    ("http://www.imsglobal.org/profile/cc/ccv1p3/LOM/", "cc13/"),
    ("http://www.imsglobal.org/profile/cc/ccv1p3/", "cc13/"),
    ("http://www.imsglobal.org/xsd/imsmd_loose_v1p3p2.xsd", "cp/imsmd_loose_v1p3p2.xsd"),
];

struct Validator {
    schemas: PathBuf,
    /// Answers imports by web address from the folder of schemas, so that nothing is fetched.
    catalog: PathBuf,
    folder: tempfile::TempDir,
}

impl Validator {
    fn find() -> Option<Self> {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/xsd");
        let schemas = env::var_os("LECTERN_XSD").map_or(beside, PathBuf::from).canonicalize().ok()?;
        Command::new("xmllint").arg("--version").output().ok()?;
        let folder = tempfile::tempdir().unwrap();
        let rewrite = |(address, place): &(&str, &str)| {
            let place = schemas.join(place).display().to_string();
            let place = if address.ends_with('/') { format!("{place}/").replace("//", "/") } else { place };
            ["system", "uri"].map(|kind| match kind {
                "system" => {
                    format!("<rewriteSystem systemIdStartString=\"{address}\" rewritePrefix=\"file://{place}\"/>")
                }
                _ => format!("<rewriteURI uriStartString=\"{address}\" rewritePrefix=\"file://{place}\"/>"),
            })
        };
        let mut entries: Vec<_> = ADDRESSES.iter().flat_map(rewrite).collect();
        let (from, to) = (schemas.join("cp/w3/xml.xsd"), schemas.join("w3/xml.xsd"));
        for prefix in ["", "file://"] {
            entries.push(format!("<uri name=\"{prefix}{}\" uri=\"file://{}\"/>", from.display(), to.display()));
            entries.push(format!("<system systemId=\"{prefix}{}\" uri=\"file://{}\"/>", from.display(), to.display()));
        }
        let metadata = "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_metadata_v2p1p1.xsd";
        let place = schemas.join("qtiv2p1p2/imsqti_metadata_v2p1.xsd");
        entries.push(format!("<uri name=\"{metadata}\" uri=\"file://{}\"/>", place.display()));
        entries.push(format!("<system systemId=\"{metadata}\" uri=\"file://{}\"/>", place.display()));
        let catalog = folder.path().join("catalog.xml");
        let head = "<catalog xmlns=\"urn:oasis:names:tc:entity:xmlns:xml:catalog\">";
        fs::write(&catalog, format!("{head}{}</catalog>", entries.concat())).unwrap();
        Some(Self { schemas, catalog, folder })
    }

    /// The complaints of xmllint about files, by a schema; nothing if all of them are valid.
    fn complaints(&self, schema: &str, files: &[(String, &[u8])]) -> String {
        let paths = files.iter().map(|(name, bytes)| {
            let path = self.folder.path().join(name.replace('/', "_"));
            fs::write(&path, bytes).unwrap();
            path
        });
        let paths: Vec<_> = paths.collect();
        let output = Command::new("xmllint")
            .env("XML_CATALOG_FILES", &self.catalog)
            .args(["--nonet", "--noout", "--schema"])
            .arg(self.schemas.join(schema))
            .args(&paths)
            .output()
            .unwrap();
        match output.status.success() {
            true => String::new(),
            false => {
                String::from_utf8_lossy(&output.stderr).lines().filter(|line| !line.ends_with(" validates")).collect()
            }
        }
    }
}

/// The schema of a file of a package; `None` for those of no public one.
fn schema(package: &Package, path: &str) -> Option<&'static str> {
    let is_1_3 = package.format == Format::CommonCartridge13;
    match (package.format, path) {
        (Format::CommonCartridge11, "imsmanifest.xml") => Some("cc11/ccv1p1_imscp_v1p2_v1p0.xsd"),
        (Format::CommonCartridge13, "imsmanifest.xml") => Some("cc13/ccv1p3_imscp_v1p2_v1p0.xsd"),
        (Format::Qti12, "imsmanifest.xml") => Some("cp/imscp_v1p1.xsd"),
        (Format::Qti21, "imsmanifest.xml") => Some("qtiv2p1p2/qtiv2p1_imscpv1p2_v1p0.xsd"),
        (Format::Qti21, path) if path.ends_with(".xml") && !path.ends_with("/lectern_quiz.xml") => {
            Some("qtiv2p1p2/imsqti_v2p1p2.xsd")
        }
        (_, path) if path.ends_with("/assessment_qti.xml") => Some("cc11/ccv1p1_qtiasiv1p2p1_v1p0.xsd"),
        (_, "link-1.xml") => Some(if is_1_3 { "cc13/ccv1p3_imswl_v1p3.xsd" } else { "cc11/ccv1p1_imswl_v1p1.xsd" }),
        (_, "topic-1.xml") => Some(if is_1_3 { "cc13/ccv1p3_imsdt_v1p3.xsd" } else { "cc11/ccv1p1_imsdt_v1p1.xsd" }),
        _ => None,
    }
}

fn rendered(quiz: &Quiz, format: Format) -> Vec<(String, Vec<u8>)> {
    let mut report = Report::default();
    let mut render = |file: &Planned<'_>| (file.path.clone(), file.render(&|_: &str| None, &mut report).unwrap());
    Plan::of_quiz(quiz, format).files.iter().map(&mut render).collect()
}

#[test]
fn files_are_valid_by_their_schemas() {
    let Some(validator) = Validator::find() else {
        const MISSING: &str = "there are no schemas (LECTERN_XSD says where they are), or there is no xmllint";
        assert!(env::var_os("CI").is_none_or(|ci| ci.is_empty()), "packages are not validated: {MISSING}");
        eprintln!("skipped: packages are not validated: {MISSING}");
        return;
    };
    let mut by_schema: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let packages = FORMATS.map(package);
    for package in &packages {
        for (path, bytes) in &package.files {
            if let Some(schema) = schema(package, path) {
                by_schema.entry(schema).or_default().push((format!("{:?} {path}", package.format), bytes.as_slice()));
            }
        }
    }
    let odd = sample::odd_quiz();
    let odd_files = [Format::Qti21, Format::CommonCartridge13].map(|format| Package {
        format,
        files: rendered(&odd, format),
        report: Report::default(),
    });
    let (mut drawing, bank) = sample::drawing_quiz();
    drawing.draw_from(&[bank], &mut Report::default());
    let drawn_files =
        Package { format: Format::Qti21, files: rendered(&drawing, Format::Qti21), report: Report::default() };
    for (path, bytes) in &drawn_files.files {
        if let Some(schema) = schema(&drawn_files, path) {
            by_schema.entry(schema).or_default().push((format!("drawn {path}"), bytes.as_slice()));
        }
    }
    for package in &odd_files {
        for (path, bytes) in &package.files {
            if let Some(schema) = schema(package, path) {
                by_schema.entry(schema).or_default().push((format!("odd {path}"), bytes.as_slice()));
            }
        }
    }
    assert!(by_schema.len() >= 10);
    let odd = by_schema.values().flatten().filter(|(name, _)| name.starts_with("odd "));
    assert_eq!(odd.count(), 29, "each question, the test, and the file of the cartridge");
    for (schema, files) in by_schema {
        assert_eq!(validator.complaints(schema, &files), "");
        let wrong = b"<wrong/>";
        assert_ne!(validator.complaints(schema, &[("wrong.xml".to_owned(), wrong)]), "", "{schema} takes anything");
    }
}
