//! The contract tests of Lectern: one file for each area, or a folder with a file for each story.

#![cfg(test)]

mod ai_conversations;
mod authorization;
mod badge_limits;
mod badge_races;
mod badge_trust;
mod badges;
mod blobs;
mod communication_channels;
mod content_exports;
mod content_imports;
mod content_limits;
mod course_audit;
mod coursework;
mod coursework_updates;
mod crash;
mod directory;
mod error_reports;
mod files;
mod groups;
mod input_cost;
mod live_events;
mod log_ins;
mod mastery;
mod messages;
mod notices;
mod notification_preferences;
mod oauth;
mod pages;
mod partial_updates;
mod polls;
mod quiz_groups;
mod quiz_items;
mod quiz_submissions;
mod reads;
mod service;
mod sis_imports;
mod submissions;
mod tokens;
mod transports;
mod uploads;
mod webhook_crash;
mod webhook_deliveries;
mod webhooks;
mod writers;
