//! The limits that were hit, as an instance has counted them, written to the figures of the installation.

use std::time::Instant;

use database::{Db, Json};
use web::after_response::{after_response, unless_busy};
use web::limits_hit::{self, Hits};

/// Writes after the response what the instance has counted, if it is time, and nobody else is writing.
pub fn write_limits_hit() {
    let Some(hits) = limits_hit::take_due(Instant::now()) else { return };
    after_response(async move {
        let written = write(&hits).await;
        if written.is_err() {
            limits_hit::put_back(hits);
        }
        unless_busy(written)
    });
}

async fn write(hits: &Hits) -> database::Result<()> {
    let hits: Vec<_> = hits.iter().map(|(limit, number)| (limit.name(), number)).collect();
    let sql = "INSERT INTO event_totals (figure, kind, total)
         SELECT 'limits_hit', value ->> 0, value ->> 1 FROM json_each(?1) WHERE true
         ON CONFLICT (figure, kind) DO UPDATE SET total = total + excluded.total";
    Db::default().without_waiting().execute(sql, (Json(hits),)).await
}
