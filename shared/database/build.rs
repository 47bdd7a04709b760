//! Compresses the migrations, and what a new database is made of: as text they were larger than the code of a small component.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

const SCHEMA: &str = "schema.sql";
const FIRST_ROWS: &str = "first_rows.sql";

fn main() -> io::Result<()> {
    for source in ["migrations", SCHEMA, FIRST_ROWS] {
        println!("cargo::rerun-if-changed={source}");
    }
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or(io::ErrorKind::NotFound)?;
    let migrations = migrations()?;
    fs::write(out.join("migration_count"), migrations.len().to_string())?;
    let new = fs::read_to_string(SCHEMA)? + &fs::read_to_string(FIRST_ROWS)?;
    compress(&out.join("migrations.json.gz"), &migrations)?;
    compress(&out.join("new_database.json.gz"), &new)
}

fn compress(file: &Path, text: &impl Serialize) -> io::Result<()> {
    let mut encoder = GzEncoder::new(File::create(file)?, Compression::best());
    serde_json::to_writer(&mut encoder, text)?;
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
