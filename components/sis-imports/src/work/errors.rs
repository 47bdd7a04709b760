//! The file of what an import has to say: all of its messages as CSV, for people.

use shared::error::Kind;
use shared::ids::SisImportId;
use shared::{Db, Result, background, blob};
use uuid::Uuid;

use crate::store::errors::{self as store, Message};

/// The number of messages that are read at a time.
const MESSAGES_AT_ONCE: usize = 1000;
const HEADER: &str = "sis_import_id,file,message,row\r\n";

/// Keeps the messages of an import that has no more to say, if there are some and they are not kept yet. Where there is no
/// room for them, the import ends without the file.
pub(crate) async fn keep(db: &Db, id: SisImportId) -> Result<()> {
    if !store::lacks_file(db, id).await? {
        return Ok(());
    }
    let uuid = Uuid::new_v4().to_string();
    let name = format!("sis-errors/{uuid}");
    let size = match written(db, id, &name).await {
        Ok(size) => size,
        Err(error) if matches!(error.kind(), Kind::InsufficientStorage) => {
            background::log_failure(&error);
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    if !store::name_file(db, id, &name, &uuid, size).await? {
        blob::delete(&name, size).await?;
    }
    Ok(())
}

async fn written(db: &Db, id: SisImportId, name: &str) -> Result<usize> {
    let mut writer = blob::Writer::new(name).await?;
    writer.write(HEADER.as_bytes()).await?;
    let mut after = 0;
    loop {
        let messages = store::messages(db, id, after, MESSAGES_AT_ONCE).await?;
        let Some(last) = messages.last() else { return writer.finish().await };
        after = last.id;
        let lines: String = messages.iter().map(|message| line(id, message)).collect();
        writer.write(lines.as_bytes()).await?;
    }
}

fn line(id: SisImportId, message: &Message) -> String {
    let file = message.file.as_deref().unwrap_or_default();
    let row = message.row.map(|row| row.to_string()).unwrap_or_default();
    format!("{id},{},{},{row}\r\n", field(file), field(&message.message))
}

/// A text as a field of CSV.
fn field(text: &str) -> String {
    match text.contains(['"', ',', '\r', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_field_stands_in_quotes() {
        let message = |file: Option<&str>, row, message: &str| {
            let message = Message { id: 1, file: file.map(str::to_owned), row, message: message.to_owned() };
            line(SisImportId(7), &message)
        };
        assert_eq!(message(Some("users.csv"), Some(3), "No login_id given"), "7,users.csv,No login_id given,3\r\n");
        assert_eq!(message(None, None, "a \"b\", c\nd"), "7,,\"a \"\"b\"\", c\nd\",\r\n");
    }
}
