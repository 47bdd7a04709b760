//! The things that the areas have in common beside the way of a request: rights, files and blobs, channels and messages,
//! events, limits of how often.

mod account_tree;
pub mod auth;
pub mod background;
pub mod blob;
pub mod channels;
pub mod course_events;
pub mod courses;
pub mod csv;
pub mod date_shift;
pub mod features;
pub mod files;
pub mod leases;
pub mod live_events;
pub mod needs;
pub mod notify;
pub mod outbox;
pub mod people;
pub mod progress;
pub mod quiz_order;
pub mod retries;
pub mod rich_text;
pub mod selection;
pub mod signed_forms;
pub mod signed_links;
pub mod signed_pages;
pub mod standard_webhooks;
pub mod status;
pub mod throttle;
pub mod time_zones;
pub mod users;
pub mod wiki_pages;
