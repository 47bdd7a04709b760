//! Writes the API description. With `--check` it changes nothing and fails if the files are stale.

#![expect(clippy::print_stderr, reason = "it speaks to the person at the terminal")]

use anyhow::{Context, Result, bail};
use api_description::files;

fn main() -> Result<()> {
    let check = std::env::args().any(|argument| argument == "--check");
    for file in files().into_iter().filter(api_description::File::is_stale) {
        let path = file.path.display();
        if check {
            bail!("{path} is stale: run `cargo xtask openapi`");
        }
        std::fs::write(&file.path, &file.text).with_context(|| format!("cannot write {path}"))?;
        eprintln!("Wrote {path}");
    }
    Ok(())
}
