//! Zip files, read from the blob store piece by piece.
//!
//! An archive is not believed: sizes are counted while the bytes come out, names are names only and
//! never paths, and what is neither stored nor deflated is refused.

use rc_zip::fsm::{ArchiveFsm, EntryFsm, FsmResult};
use rc_zip::parse::{Entry, EntryKind};
use shared::blob::{self, Writer};
use shared::{Error, Result};

/// The most bytes of a list of entries.
const MAX_DIRECTORY_BYTES: usize = 4 * 1024 * 1024;
const PIECE: usize = 64 * 1024;
/// The flag of an entry that only a password opens.
const ENCRYPTED: u16 = 1;

/// Why an archive or an entry cannot be read, for the one who sent it.
pub(crate) type Unreadable = String;

/// An archive in the blob store.
pub(crate) struct Archive {
    blob: String,
    size: usize,
    entries: Vec<Entry>,
}

/// The number of bytes that may still be unpacked.
pub(crate) struct Room(pub(crate) usize);

impl Room {
    /// Takes some of it; false, and nothing is left, where there is not enough.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or_default();
        left.is_some()
    }
}

impl Archive {
    /// Reads the list of entries.
    pub(crate) async fn open(blob: &str, size: usize) -> Result<Result<Self, Unreadable>> {
        let mut machine = ArchiveFsm::new(u64::try_from(size).map_err(Error::internal)?);
        let mut read = 0;
        loop {
            if let Some(offset) = machine.wants_read() {
                let Some(offset) = usize::try_from(offset).ok().filter(|offset| *offset < size) else {
                    return Ok(Err("The zip file is damaged".to_owned()));
                };
                let bytes = blob::read(blob, offset, machine.space().len().min(size - offset)).await?;
                read += bytes.len();
                if bytes.is_empty() || read > MAX_DIRECTORY_BYTES {
                    return Ok(Err("The zip file is damaged or has too many entries".to_owned()));
                }
                fill(machine.space(), &bytes);
                machine.fill(bytes.len());
            }
            machine = match machine.process() {
                Ok(FsmResult::Continue(machine)) => machine,
                Ok(FsmResult::Done(archive)) => {
                    let entries = archive.entries().filter(|entry| entry.kind() == EntryKind::File).cloned().collect();
                    return Ok(Ok(Self { blob: blob.to_owned(), size, entries }));
                }
                Err(error) => return Ok(Err(format!("The zip file cannot be read: {error}"))),
            };
        }
    }

    /// The files in it.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Writes the bytes of an entry to another blob, and tells how many they are. Whatever becomes of it they take up
    /// room, and more than there is room for are not read.
    pub(crate) async fn extract(
        &self,
        entry: &Entry,
        to: &str,
        room: &mut Room,
        mut at_each_piece: impl AsyncFnMut() -> Result<()>,
    ) -> Result<Result<usize, Unreadable>> {
        if entry.flags & ENCRYPTED != 0 {
            return Ok(Err("The file is encrypted".to_owned()));
        }
        let fits = usize::try_from(entry.compressed_size).is_ok_and(|size| size <= self.size);
        let Some(mut at) = usize::try_from(entry.header_offset).ok().filter(|_| fits) else {
            return Ok(Err("The zip file is damaged".to_owned()));
        };
        let mut machine = EntryFsm::new(Some(entry.clone()), None);
        let mut writer = Writer::new(to).await?;
        let mut out = vec![0; PIECE];
        loop {
            let mut read = 0;
            if machine.wants_read() && at < self.size {
                let bytes = blob::read(&self.blob, at, machine.space().len().min(self.size - at)).await?;
                fill(machine.space(), &bytes);
                read = machine.fill(bytes.len());
                at += read;
            }
            let outcome = match machine.process(&mut out) {
                Ok(FsmResult::Continue((next, outcome))) => {
                    machine = next;
                    outcome
                }
                Ok(FsmResult::Done(_)) => return Ok(Ok(writer.finish().await?)),
                Err(error) => {
                    writer.discard().await?;
                    return Ok(Err(format!("The file cannot be unpacked: {error}")));
                }
            };
            if !room.take(outcome.bytes_written) {
                writer.discard().await?;
                return Ok(Err("The file is too large".to_owned()));
            }
            if read == 0 && outcome.bytes_read == 0 && outcome.bytes_written == 0 {
                writer.discard().await?;
                return Ok(Err("The zip file is cut off".to_owned()));
            }
            writer.write(out.get(..outcome.bytes_written).unwrap_or_default()).await?;
            at_each_piece().await?;
        }
    }
}

fn fill(space: &mut [u8], bytes: &[u8]) {
    if let Some(space) = space.get_mut(..bytes.len()) {
        space.copy_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_one_file_does_not_fit_no_other_does() {
        let mut room = Room(10);
        assert!(room.take(4) && room.take(6) && room.take(0));
        let mut room = Room(10);
        assert!(!room.take(11));
        assert!(!room.take(1));
    }
}
