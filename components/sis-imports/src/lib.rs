//! Imports of what an institution's other systems know: accounts, terms, users, courses, sections, enrollments and groups,
//! from the CSV files that those systems export.
//!
//! An upload is stored first, and answered. Then it is read batch by batch, after the response (`work`) and by the tick:
//! what a batch changes, the events that it causes and how far it has come are one transaction.
//!
//! Each state that such a transaction changes is noted by triggers, which look for the import that is `at_work`: statistics
//! and the way back (`work/restoration`) need no word of those who change records.

mod model;
mod routes;
mod rows;
mod store;
mod work;

use shared::{LmsErrors, background, component};

component!("sis-imports", LmsErrors, [sis_imports], internal: [background::jobs(work::jobs)]);
