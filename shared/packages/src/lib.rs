//! Quizzes and courses in the formats in which learning-management systems exchange them. Nothing here knows a database,
//! a request or a clock: what goes in decides every byte that comes out.
//!
//! # What there is
//!
//! | Module | What it does |
//! |---|---|
//! | [`model`] | [`model::Quiz`], [`model::Bank`], and their questions; [`model::Report`] of what a format cannot say |
//! | [`classic`] | questions of classic quizzes as they are stored, to and from the model |
//! | [`items`] | items of new quizzes as they are stored, to and from the model |
//! | [`plan`] | which files a quiz or a bank becomes in a [`plan::Format`], and the bytes of one file at a time |
//! | [`cartridge`] | web links, discussion topics, assignments and pages of a Common Cartridge |
//! | [`files_meta`] | what keeps files and folders from students |
//! | [`manifest`] | `imsmanifest.xml`, written and read |
//! | [`pack`] | writes a zip archive chunk by chunk |
//! | [`opening`] | says whether a link shows a file or downloads it |
//! | [`archive`] | reads one from wherever it lies, within limits |
//! | [`import`] | reads the quizzes, pages, topics, links and files of a package |
//!
//! # How a package is written
//!
//! 1. Make the quizzes: [`classic::ClassicQuestion::to_question`] and [`items::QuestionItem::to_question`] turn rows into
//!    questions of a [`model::Quiz`].
//!    Where a format has no banks (QTI 2.1), [`model::Quiz::draw_from`] puts their questions into the groups that draw on them.
//! 2. `Plan::of_quiz(&quiz, format)` tells the files (their paths are fixed now) and the [`manifest::Resource`]s.
//! 3. For each planned file: `file.render(&links, &mut report)` gives its bytes; add them to a [`pack::Packer`] by
//!    `packer.add(path, &bytes)`, or `begin`, `write` and `end` for what does not fit into memory, and send on what
//!    `packer.take()` gives.
//! 4. Write the [`manifest::Manifest`] of all resources, and the report as a text file of the package.
//!
//! `links` is a `&dyn Fn(&str) -> Option<Link>`: given an address of the HTML, the path of that file in the package
//! (such as `web_resources/leaf.png`), a [`references::Reference`] to something else of the course, or `None` to leave the
//! address as it is.
//!
//! # How a package is read
//!
//! [`archive::Archive::open`] over an [`archive::Source`], then [`import::read`]. Addresses in the HTML that lead to a file
//! of the package then read `package:` and its path, which [`import::file_of`] reads; [`model::Quiz::map_addresses`] replaces them when the files have their place.
//! Those that lead to other content of the course stay as they are: [`references::Reference::of`] reads them.
//! HTML is what the package says: sanitize it before it is stored.

pub mod archive;
pub mod cartridge;
pub mod classic;
pub mod error;
mod extension;
pub mod files_meta;
mod html;
pub mod ident;
pub mod import;
pub mod items;
pub mod links;
pub mod manifest;
pub mod model;
pub mod opening;
pub mod pack;
pub mod path;
pub mod plan;
mod points;
mod qti12;
mod qti21;
pub mod references;
mod xml;
