//! Whole packages.

use std::collections::BTreeSet;

use content_packages::cartridge::{self, Assignment, Page};
use content_packages::links::Link;
use content_packages::manifest::{Item, Manifest, PATH, Resource};
use content_packages::model::Report;
use content_packages::opening::Opening;
use content_packages::pack::Packer;
use content_packages::plan::{Format, Plan};

use crate::sample;

pub(crate) const FORMATS: [Format; 4] =
    [Format::CommonCartridge11, Format::CommonCartridge13, Format::Qti12, Format::Qti21];

/// A package, file by file.
pub(crate) struct Package {
    pub(crate) format: Format,
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) report: Report,
}

fn links(address: &str) -> Option<Link> {
    let known = ["/courses/1/files/2", "/courses/1/files/2/preview", "https://store.test/item_media/2b/9c"];
    known.contains(&address).then(|| Link::File(cartridge::file_path("a leaf.png"), Opening::default()))
}

/// A package with a quiz of each kind, a bank, and, in a cartridge, all else that it may hold.
pub(crate) fn package(format: Format) -> Package {
    let (mut files, mut resources, mut report) = (Vec::new(), Vec::new(), Report::default());
    let (mut items, quizzes, bank) = (Vec::new(), [sample::classic_quiz(), sample::new_quiz()], sample::bank());
    let plans = quizzes.iter().map(|quiz| (quiz.title.as_str(), Plan::of_quiz(quiz, format)));
    for (title, plan) in plans.chain([("", Plan::of_bank(&bank, format))]) {
        for file in &plan.files {
            files.push((file.path.clone(), file.render(&links, &mut report).unwrap()));
        }
        items.extend(plan.main.filter(|_| !title.is_empty()).map(|id| leaf(title, id)));
        resources.extend(plan.resources);
    }
    let image = cartridge::file_path("a leaf.png");
    files.push((image.clone(), b"\x89PNG".to_vec()));
    resources.push(cartridge::file("file-2", &image));
    if format.is_common_cartridge() {
        let assignment = Assignment {
            id: "assignment-1".to_owned(),
            title: "Draw".to_owned(),
            description: "<p>Draw a leaf</p>".to_owned(),
            points: Some(10.0),
            submission_types: vec!["online_upload".to_owned(), "online_url".to_owned()],
            ..Assignment::default()
        };
        let page = Page {
            id: "page-1".to_owned(),
            name: "a-page".to_owned(),
            title: "A page".to_owned(),
            html: "<p><img src=\"/courses/1/files/2\"></p>".to_owned(),
            published: true,
            editing_roles: Some("teachers,students".to_owned()),
            ..Page::default()
        };
        let contents = [
            cartridge::web_link(format, "link-1", "More & more", "https://leaf.test/?a=1&b=2").unwrap(),
            cartridge::topic(format, "topic-1", "Talk", "<p>Which <b>leaf</b>?</p>", &links).unwrap(),
            cartridge::page(&page, &links),
            cartridge::assignment(format, &assignment, &links).unwrap(),
        ];
        for content in contents {
            items.push(leaf("Something", content.resource.id.clone()));
            files.extend(content.files);
            resources.push(content.resource);
            resources.extend(content.beside);
        }
    }
    let modules = Item { id: "module-1".to_owned(), title: "Week 1".to_owned(), resource: None, items };
    let manifest = manifest(format, modules, resources);
    let mut bytes = Vec::new();
    manifest.write(&mut bytes).unwrap();
    files.insert(0, (PATH.to_owned(), bytes));
    Package { format, files, report }
}

fn manifest(format: Format, module: Item, resources: Vec<Resource>) -> Manifest {
    Manifest { format, id: "course-1".to_owned(), title: "Botany".to_owned(), items: vec![module], resources }
}

fn leaf(title: &str, resource: String) -> Item {
    Item { id: format!("leaf-{resource}"), title: title.to_owned(), resource: Some(resource), items: Vec::new() }
}

impl Package {
    pub(crate) fn zipped(&self) -> Vec<u8> {
        let mut packer = Packer::new();
        for (path, bytes) in &self.files {
            packer.add(path, bytes).unwrap();
        }
        packer.finish().unwrap()
    }
}

#[test]
fn the_same_content_gives_the_same_bytes() {
    for format in FORMATS {
        assert!(package(format).zipped() == package(format).zipped(), "{format:?}");
    }
}

#[test]
fn every_file_is_declared_and_there() {
    for format in FORMATS {
        let package = package(format);
        let manifest = content_packages::manifest::ReadManifest::read(&package.files[0].1).unwrap();
        let declared: BTreeSet<_> = manifest.resources.iter().flat_map(|resource| resource.files.clone()).collect();
        let there: BTreeSet<_> =
            package.files.iter().map(|(path, _)| path.clone()).filter(|path| path != PATH).collect();
        assert_eq!(declared, there, "{format:?}");
        for resource in &manifest.resources {
            assert!(resource.dependencies.iter().all(|id| manifest.resources.iter().any(|own| own.id == *id)));
            assert!(resource.href.iter().all(|href| resource.files.contains(href)));
        }
    }
}

#[test]
fn what_a_format_cannot_say_is_told() {
    let report = package(Format::Qti21).report.to_string();
    for told in ["labels above", "formula is only told", "misspelling", "how many files"] {
        assert!(report.contains(told), "{told}: {report}");
    }
    let report = package(Format::CommonCartridge13).report.to_string();
    for told in ["ordering item: Common Cartridge has no question", "Some of them: Common Cartridge has no groups"] {
        assert!(report.contains(told), "{told}: {report}");
    }
    assert!(package(Format::Qti12).report.is_empty(), "{}", package(Format::Qti12).report);
}

/// Leaves the packages where `LECTERN_PACKAGES` says, for readers that are not of this repository.
#[test]
fn packages_are_left_for_other_readers() {
    let Some(folder) = std::env::var_os("LECTERN_PACKAGES") else { return };
    for format in FORMATS {
        let name = format!("{format:?}.{}", if format.is_common_cartridge() { "imscc" } else { "zip" });
        std::fs::write(std::path::Path::new(&folder).join(name), package(format).zipped()).unwrap();
    }
    let (odd, mut packer, mut report) = (sample::odd_quiz(), Packer::new(), Report::default());
    for file in Plan::of_quiz(&odd, Format::Qti21).files {
        packer.add(&file.path, &file.render(&links, &mut report).unwrap()).unwrap();
    }
    std::fs::write(std::path::Path::new(&folder).join("odd.zip"), packer.finish().unwrap()).unwrap();
}
