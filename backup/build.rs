//! Counts the migrations of this release: that is the number of its schema.

use std::io;
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let migrations = "../shared/database/migrations";
    println!("cargo::rerun-if-changed={migrations}");
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or(io::ErrorKind::NotFound)?;
    let count = std::fs::read_dir(migrations)?.count();
    std::fs::write(out.join("migration_count"), count.to_string())
}
