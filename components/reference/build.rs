//! Compresses the two documents, which are larger than all else in the component, and takes out the page's style, whose
//! hash stands in its policy.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> io::Result<()> {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or(io::ErrorKind::NotFound)?;
    for name in ["openapi.json", "docs.html"] {
        println!("cargo::rerun-if-changed={name}");
        let mut encoder = GzEncoder::new(File::create(out.join(name).with_added_extension("gz"))?, Compression::best());
        encoder.write_all(&fs::read(name)?)?;
        encoder.finish()?;
    }
    let page = fs::read_to_string("docs.html")?;
    let style = page.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
    let (style, _) = style.ok_or_else(|| io::Error::other("docs.html has no style"))?;
    fs::write(out.join("docs.css.html"), format!("<style>{style}</style>"))
}
