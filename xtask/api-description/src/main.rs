//! Writes the API description. With `--check` it changes nothing and fails if the files are stale. With `--release` it
//! writes the outline too that later changes are compared with. With `--examples FOLDER` it takes what the contract
//! tests have recorded there (`LECTERN_RECORD_EXAMPLES=FOLDER`) into the examples first.

#![expect(clippy::print_stderr, reason = "it speaks to the person at the terminal")]

use std::path::Path;

use anyhow::{Context, Result, bail};
use api_description::{File, files, left_over, released, renewed_examples};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (mut check, mut is_release) = (false, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => check = true,
            "--release" => is_release = true,
            "--examples" => {
                let folder = arguments.next().context("--examples needs the folder of the recordings")?;
                write(&renewed_examples(Path::new(&folder))?)?;
            }
            other => bail!("{other} is none of --check, --release and --examples FOLDER"),
        }
    }
    let mut files = files()?;
    let left_over = left_over(&files)?;
    files.extend(is_release.then(released));
    let stale: Vec<_> = files.iter().filter(|file| file.is_stale()).collect();
    if check {
        let first = stale.first().map(|file| &file.path).or(left_over.first());
        return match first {
            Some(path) => bail!("{} is stale: run `cargo xtask openapi`", path.display()),
            None => Ok(()),
        };
    }
    for path in left_over {
        std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        eprintln!("Removed {}", path.display());
    }
    stale.into_iter().try_for_each(write)
}

fn write(file: &File) -> Result<()> {
    let path = file.path.display();
    if let Some(folder) = file.path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::write(&file.path, &file.text).with_context(|| format!("cannot write {path}"))?;
    eprintln!("Wrote {path}");
    Ok(())
}
