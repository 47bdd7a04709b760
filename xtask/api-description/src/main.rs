//! Writes the API description. With `--check` it changes nothing and fails if the files are stale. With `--release` it writes
//! the outline too that later changes are compared with.

#![expect(clippy::print_stderr, reason = "it speaks to the person at the terminal")]

use anyhow::{Context, Result, bail};
use api_description::files;

fn main() -> Result<()> {
    let check = std::env::args().any(|argument| argument == "--check");
    let is_release = std::env::args().any(|argument| argument == "--release");
    let outline = is_release.then(api_description::released);
    for file in files().into_iter().chain(outline).filter(api_description::File::is_stale) {
        let path = file.path.display();
        if check {
            bail!("{path} is stale: run `cargo xtask openapi`");
        }
        std::fs::write(&file.path, &file.text).with_context(|| format!("cannot write {path}"))?;
        eprintln!("Wrote {path}");
    }
    Ok(())
}
