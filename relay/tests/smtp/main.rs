//! The relay as a program, between whoever posts messages and a mail server.

#![cfg(test)]

mod encryption;
mod exim;
mod http;
mod process;
mod refusals;
mod sending;
