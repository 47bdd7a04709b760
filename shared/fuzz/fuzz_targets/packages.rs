//! Packages that come in: archives, and in a sound archive manifests, documents of questions, and pages.

#![no_main]

use std::borrow::Cow;

use content_packages::archive::{Archive, Limits};
use content_packages::classic::ClassicQuestion;
use content_packages::import;
use content_packages::items::QuestionItem;
use content_packages::model::{Quiz, Report};
use content_packages::pack::Packer;
use futures::executor::block_on;
use fuzz::{BARE, Frame};
use libfuzzer_sys::fuzz_target;

const QUESTION: &str = "<questestinterop><item ident='i' title='T'><presentation><material><mattext>Q</mattext>\
                        </material></presentation></item></questestinterop>";
const MANIFEST_OF_A_PAGE: &str = "<manifest><resources><resource identifier='p' type='webcontent'>\
                                  <file href='wiki_content/p.html'/></resource></resources></manifest>";
const FRAMES: [Frame; 9] = [
    BARE,
    Frame { before: "<questestinterop>", after: "</questestinterop>" },
    Frame { before: "<questestinterop><item ident='i' title='T'>", after: "</item></questestinterop>" },
    Frame {
        before: "<questestinterop><item ident='i'><presentation><material><mattext texttype='text/html'>",
        after: "</mattext></material></presentation></item></questestinterop>",
    },
    Frame { before: "<assessmentItem identifier='i' title='T'><itemBody>", after: "</itemBody></assessmentItem>" },
    Frame { before: "<assessmentItem identifier='i' title='T'>", after: "</assessmentItem>" },
    Frame { before: "<manifest><resources>", after: "</resources></manifest>" },
    Frame { before: "<manifest><organizations>", after: "</organizations><resources/></manifest>" },
    Frame { before: "<html><body>", after: "</body></html>" },
];

/// An archive as it is, or one around the document.
fn package(document: &[u8]) -> Cow<'_, [u8]> {
    if document.starts_with(b"PK") {
        return Cow::Borrowed(document);
    }
    let files: &[(&str, &[u8])] = if document.starts_with(b"<manifest") {
        &[("imsmanifest.xml", document), ("q.xml", QUESTION.as_bytes()), ("web_resources/a.txt", b"a")]
    } else if document.starts_with(b"<html") {
        &[("imsmanifest.xml", MANIFEST_OF_A_PAGE.as_bytes()), ("wiki_content/p.html", document)]
    } else {
        &[("q.xml", document)]
    };
    let mut packer = Packer::new();
    for (path, bytes) in files {
        packer.add(path, bytes).expect("it is packed");
    }
    Cow::Owned(packer.finish().expect("it is packed"))
}

fn read(document: &[u8]) {
    let limits = Limits { ratio: u64::MAX, total: 64 << 20, in_memory: 16 << 20, ..Limits::default() };
    block_on(async {
        let Ok(archive) = Archive::open(package(document).into_owned(), limits).await else { return };
        let Ok(import) = import::read(&archive).await else { return };
        let mut report = Report::default();
        for question in import.quizzes.iter().flat_map(Quiz::questions) {
            drop(ClassicQuestion::of(question, &mut report));
            drop(QuestionItem::of(question, &mut report));
        }
        for page in &import.pages {
            drop(import::with_addresses(&page.html, &mut |address| Some(format!("/{address}"))));
        }
    });
}

fuzz_target!(|data: &[u8]| fuzz::check(data, &FRAMES, None, read));
