//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod bank_entries;
pub(crate) mod bank_items;
pub(crate) mod banks;
pub(crate) mod entries;
pub(crate) mod items;
pub(crate) mod media;
pub(crate) mod media_upload_url;
pub(crate) mod stimuli;
