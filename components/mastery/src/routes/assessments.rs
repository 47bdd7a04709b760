//! A tracker, which is a classroom: its standards, their assessments, and the items of these, as one tree.

use shared::error::OrNotFound;
use shared::params::Params;
use shared::{Context, Path, Query, Reply, Result, endpoint, endpoints};

use crate::access;
use crate::answer::{self, RecordPath};
use crate::model::reader::Reader;
use crate::query::require_known;
use crate::store::readings::{Found, Reading};
use crate::store::trackers as store;

pub(crate) const SCOPE: &str = "assessments:read";

endpoints![list_tracker_assessments];

/// Reads the assessments of a tracker by standard, with their items.
#[endpoint(
    GET "/api/v2/trackers/:tracker_id/assessments",
    public,
    takes(access::MASTERY_TOKEN),
    sends(&["application/json"]),
)]
async fn list_tracker_assessments(cx: Context, Path(path): Path<RecordPath>, params: Query<Params>) -> Result<Reply> {
    let asked = tree(&path, params).map(|reading| ((), reading));
    let make = async |(), reader: Reader, found: Found| {
        found.require_parent(&reader, true)?;
        Ok(format!("{{\"data\":{}}}", found.data.or_not_found()?))
    };
    access::answer(&cx, SCOPE, asked, make).await
}

fn tree(path: &RecordPath, params: Query<Params>) -> Result<Reading> {
    require_known(&[], &params.into_params()?)?;
    Ok(store::tree(answer::id(path, "tracker_id")?))
}
