//! Tables of comma-separated values: all rows are read in batches, to the end of the table and no further.

#![no_main]

use bytes::Bytes;
use futures::executor::block_on;
use fuzz::{BARE, Frame};
use libfuzzer_sys::fuzz_target;
use shared::csv::Table;

const FRAMES: [Frame; 4] = [
    BARE,
    Frame { before: "user_id,login_id,status\n", after: "" },
    Frame { before: "user_id\n\"", after: "\"\n1\n" },
    Frame { before: "user_id,a,b\n1,\"", after: "\n" },
];

fn read(text: &[u8]) {
    block_on(async {
        let Ok(Ok(mut table)) = Table::in_memory(Bytes::copy_from_slice(text)).await else { return };
        let mut last = table.place();
        while let Some(batch) = table.batch(7).await.expect("it is in memory") {
            assert!(batch.rows.len() + batch.unreadable.len() <= 7);
            assert!(last.0 < batch.bytes_read && batch.bytes_read <= text.len(), "{last:?}, {}", batch.bytes_read);
            assert!(last.1 <= batch.lines_read);
            last = (batch.bytes_read, batch.lines_read);
            for row in batch.rows {
                assert!(row.line <= batch.lines_read + 1);
                let _text = row.info();
            }
        }
        assert_eq!(table.place().0, text.len(), "the table was not read to its end");
    });
}

fuzz_target!(|data: &[u8]| fuzz::check(data, &FRAMES, None, read));
