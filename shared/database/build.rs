//! Compresses the migrations: as text they were larger than the code of a small component.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=migrations");
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or(io::ErrorKind::NotFound)?;
    let migrations = migrations()?;
    fs::write(out.join("migration_count"), migrations.len().to_string())?;
    let mut encoder = GzEncoder::new(File::create(out.join("migrations.json.gz"))?, Compression::best());
    serde_json::to_writer(&mut encoder, &migrations)?;
    encoder.finish().map(drop)
}

/// The texts in their order. They are numbered from one on, none is left out and none is there twice.
fn migrations() -> io::Result<Vec<String>> {
    let files = fs::read_dir("migrations")?.map(|file| Ok(file?.path()));
    let mut files = files.collect::<io::Result<Vec<_>>>()?;
    files.sort();
    let texts = files.iter().zip(1..).map(|(file, number)| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with(&format!("{number:04}_")) {
            return Err(io::Error::other(format!("{name} should be migration number {number}")));
        }
        fs::read_to_string(file)
    });
    texts.collect()
}
