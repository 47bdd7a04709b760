//! The contract tests of Lectern: one file for each area.

#![cfg(test)]

mod authorization;
mod course_audit;
mod coursework;
mod crash;
mod directory;
mod oauth;
mod quiz_groups;
mod quiz_items;
mod service;
