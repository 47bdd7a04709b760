//! The first step of an import: which files there are, of which kind, and in which order they are imported.

use shared::{Db, Result, blob, clock};

use crate::model::kind::Kind;
use crate::model::note::Note;
use crate::store::sis_imports::{self as store, Claimed, File};
use crate::work::archive::{Archive, Room};
use crate::work::differences;
use crate::work::watch::LEASE_SECONDS;
use crate::work::watch::Watch;
use shared::csv::Table;
use uuid::Uuid;

/// The most files of an archive, and the most bytes of them together. Those that are passed over count too: reading them
/// is work.
const MAX_FILES: usize = 100;
const MAX_BYTES: usize = 1024 * 1024 * 1024;
/// The beginning of a zip file.
const ZIP: &[u8] = b"PK";

/// The content of an upload, and the messages about it.
#[derive(Default)]
struct Contents {
    files: Vec<File>,
    notes: Vec<(String, Note)>,
}

/// Unpacks the upload, and notes its files. False, if the import is not ours any more. A file that was unpacked for
/// nothing is forgotten.
pub(crate) async fn prepare(db: &Db, import: &Claimed) -> Result<bool> {
    let folder = folder_of(import);
    let prepared = noted(db, import, &folder).await;
    if !matches!(prepared, Ok(true)) {
        blob::delete_below(&folder).await?;
    }
    prepared
}

/// The folder to which the files of a zip are unpacked. Each attempt has a folder of its own, so that one which has
/// lost the import does not mix its bytes with those of the next.
fn folder_of(import: &Claimed) -> String {
    format!("{}/{}", import.upload, import.lease)
}

async fn noted(db: &Db, import: &Claimed, folder: &str) -> Result<bool> {
    let name = import.upload_name.clone();
    let contents = match blob::read(&import.upload, 0, ZIP.len()).await?.as_ref() == ZIP {
        true => unpacked(db, import, folder).await?,
        false => {
            let mut contents = Contents::default();
            let name = name.unwrap_or_else(|| "attachment.csv".to_owned());
            contents.add(name, &import.upload, import.upload_size).await?;
            contents
        }
    };
    let Contents { files, notes } = contents;
    let until = clock::now().plus_seconds(LEASE_SECONDS);
    db.transaction(async |db| {
        let is_ours = store::prepared(db, import, &files, notes, until).await?;
        if is_ours {
            differences::begin(db, import, &files).await?;
        }
        Ok(is_ours)
    })
    .await
}

/// The files of a zip.
async fn unpacked(db: &Db, import: &Claimed, folder: &str) -> Result<Contents> {
    let mut contents = Contents::default();
    let archive = match Archive::open(&import.upload, import.upload_size).await? {
        Ok(archive) => archive,
        Err(why) => {
            contents.refuse(import.upload_name.clone().unwrap_or_default(), why);
            return Ok(contents);
        }
    };
    let mut room = Room(MAX_BYTES);
    let mut watch = Watch::new(db, import);
    let entries = archive.entries().iter().filter_map(|entry| Some((entry, shown_name(&entry.name)?)));
    for (index, (entry, name)) in entries.enumerate() {
        if index >= MAX_FILES {
            contents.refuse(name, format!("An import has {MAX_FILES} files at most"));
            break;
        }
        if !name.to_ascii_lowercase().ends_with(".csv") {
            contents.refuse(name, "The file is not a CSV file".to_owned());
            continue;
        }
        let blob = format!("{folder}/{index}");
        match archive.extract(entry, &blob, &mut room, async || watch.look().await).await? {
            Ok(size) => {
                if !contents.add(name, &blob, size).await? {
                    blob::delete(&blob, size).await?;
                }
            }
            Err(why) => contents.refuse(name, why),
        }
    }
    contents.files.sort_by_key(|file| (file.kind, file.ordinal));
    for (ordinal, file) in contents.files.iter_mut().enumerate() {
        file.ordinal = ordinal;
    }
    if contents.files.is_empty() && contents.notes.is_empty() {
        contents.refuse(String::new(), "The zip file has no CSV files in it".to_owned());
    }
    Ok(contents)
}

impl Contents {
    /// Adds a file, if its header tells what it is; false, and says why, where it does not.
    async fn add(&mut self, name: String, blob: &str, size: usize) -> Result<bool> {
        match kind(blob, size).await? {
            Ok((kind, has_passwords)) => {
                let (ordinal, uuid) = (self.files.len(), Uuid::new_v4().to_string());
                self.files.push(File { name, kind, ordinal, blob: blob.to_owned(), size, uuid, has_passwords });
                Ok(true)
            }
            Err(why) => {
                self.refuse(name, why);
                Ok(false)
            }
        }
    }

    fn refuse(&mut self, file: String, why: String) {
        self.notes.push((file, Note::of_file(why)));
    }
}

/// The columns that have passwords.
const PASSWORDS: [&str; 2] = ["password", "ssha_password"];

/// The kind of a file and whether it has passwords, or the reason why it has no kind.
async fn kind(blob: &str, size: usize) -> Result<Result<(Kind, bool), String>> {
    let start = blob::read(blob, 0, 2).await?;
    if matches!(start.as_ref(), [0xFF, 0xFE] | [0xFE, 0xFF]) {
        return Ok(Err("The file is UTF-16; it must be UTF-8".to_owned()));
    }
    let table = match Table::open(blob, size).await? {
        Ok(table) => table,
        Err(why) => return Ok(Err(why)),
    };
    let columns = table.columns();
    let Some(kind) = Kind::of(columns) else {
        return Ok(Err("Couldn't find Canvas CSV import headers".to_owned()));
    };
    let missing = kind.required().iter().find(|name| !columns.iter().any(|column| column == *name));
    let twice = columns
        .iter()
        .enumerate()
        .find(|(at, name)| !name.is_empty() && columns.iter().skip(at + 1).any(|other| other == *name));
    Ok(match (missing, twice) {
        (Some(column), _) => Err(format!("The column {column} is missing")),
        (_, Some((_, column))) => Err(format!("The column {column} is there twice")),
        _ => Ok((kind, columns.iter().any(|column| PASSWORDS.contains(&column.as_str())))),
    })
}

/// The name of an entry as messages show it: never a path that something is written to. `None`: nobody means it.
fn shown_name(name: &str) -> Option<String> {
    const MAX_NAME_CHARS: usize = 255;
    let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect();
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_meant = !last.is_empty() && !last.starts_with('.') && !name.starts_with("__MACOSX/");
    is_meant.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_and_not_paths() {
        assert_eq!(shown_name("../../etc/users.csv").as_deref(), Some("../../etc/users.csv"));
        assert_eq!(shown_name("a\u{0}\n.csv").as_deref(), Some("a.csv"));
        for name in ["__MACOSX/._users.csv", "a/.hidden", "folder/", ""] {
            assert_eq!(shown_name(name), None, "{name}");
        }
    }
}
