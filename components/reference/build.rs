//! Compresses the description and the pages, which are larger than all else in the component, and writes the list of
//! them.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

/// The folder of the pages, each in a file that is named as its address, with `.html` behind it.
const PAGES: &str = "pages";

fn main() -> io::Result<()> {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or(io::ErrorKind::NotFound)?;
    println!("cargo::rerun-if-changed={PAGES}");
    println!("cargo::rerun-if-changed=openapi.json");
    let mut files = vec![PathBuf::from("openapi.json")];
    // What makes the pages is built with this component, so that it is built without them, too.
    if Path::new(PAGES).is_dir() {
        add_files(Path::new(PAGES), &mut files)?;
    }
    files.sort();
    let mut documents = String::from("&[\n");
    for (number, file) in files.iter().enumerate() {
        let mut encoder = GzEncoder::new(File::create(out.join(format!("{number}.gz")))?, Compression::best());
        encoder.write_all(&fs::read(file)?)?;
        encoder.finish()?;
        let kind = content_type(file).ok_or_else(|| io::Error::other(format!("{} has no type", file.display())))?;
        writeln!(
            documents,
            "Document {{ name: {:?}, content_type: {kind:?}, \
             compressed: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{number}.gz\")) }},",
            name(file),
        )
        .map_err(io::Error::other)?;
    }
    documents.push(']');
    fs::write(out.join("documents.rs"), documents)
}

fn add_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            add_files(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The address of a file, without the slash before it. That of the front page is empty.
fn name(file: &Path) -> String {
    let below = file.strip_prefix(PAGES).unwrap_or(file);
    let name = below.to_string_lossy().replace('\\', "/");
    let name = name.strip_suffix(".html").unwrap_or(&name);
    if name == "index" { String::new() } else { name.to_owned() }
}

fn content_type(file: &Path) -> Option<&'static str> {
    match file.extension()?.to_str()? {
        "html" => Some("text/html; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "json" => Some("application/json; charset=utf-8"),
        _ => None,
    }
}
