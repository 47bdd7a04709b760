//! The SQL of the area.

pub(crate) mod assertions;
pub(crate) mod award_lists;
pub(crate) mod backpack;
pub(crate) mod claim_codes;
pub(crate) mod classes;
pub(crate) mod collections;
pub(crate) mod images;
pub(crate) mod imports;
pub(crate) mod issuers;
pub(crate) mod kept;
pub(crate) mod keys;
pub(crate) mod public;
pub(crate) mod status;
pub(crate) mod tokens;
pub(crate) mod users;
