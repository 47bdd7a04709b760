//! Whether students see something, and when: what is written is read again, and so is what the reference exporter writes.

use content_packages::archive::{Archive, Limits};
use content_packages::cartridge::{self, Assignment, Content, Page};
use content_packages::files_meta::{FileMeta, FilesMeta, Restriction};
use content_packages::import::{self, Import};
use content_packages::manifest::{Kind, Manifest, PATH};
use content_packages::model::{Entry, Interaction, Question, Quiz, Report, Settings};
use content_packages::pack::Packer;
use content_packages::plan::{Format, Plan};

use crate::foreign::read;
use crate::sample;

const CARTRIDGES: [Format; 2] = [Format::CommonCartridge11, Format::CommonCartridge13];

async fn returned(format: Format, contents: Vec<Content>) -> Import {
    let (mut packer, mut resources) = (Packer::new(), Vec::new());
    for Content { files, resource, beside } in contents {
        files.iter().for_each(|(path, bytes)| packer.add(path, bytes).unwrap());
        // What stands beside something may come first.
        resources.extend(beside);
        resources.push(resource);
    }
    let manifest = Manifest { format, id: "c".to_owned(), title: "C".to_owned(), items: Vec::new(), resources };
    let mut bytes = Vec::new();
    manifest.write(&mut bytes).unwrap();
    packer.add(PATH, &bytes).unwrap();
    let archive = Archive::open(packer.finish().unwrap(), Limits::default()).await.unwrap();
    import::read(&archive).await.unwrap()
}

#[tokio::test]
async fn pages_come_back_as_students_see_them() {
    let page = |id: &str, published: bool, front_page: bool, roles: &str| Page {
        id: id.to_owned(),
        name: id.to_owned(),
        title: format!("{id} & more"),
        html: "<p>x</p>".to_owned(),
        published,
        front_page,
        editing_roles: Some(roles.to_owned()),
    };
    let pages = [page("a", false, false, "teachers"), page("b", true, true, "teachers,\"students\"")];
    for format in CARTRIDGES {
        let contents = pages.iter().map(|page| cartridge::page(page, &|_| None)).collect();
        let import = returned(format, contents).await;
        assert!(import.report.is_empty(), "{}", import.report);
        assert_eq!(format!("{:?}", import.pages), format!("{pages:?}"), "{format:?}");
    }
}

#[tokio::test]
async fn an_assignment_comes_back_with_its_dates_and_once() {
    let own = Assignment {
        id: "assignment-1".to_owned(),
        title: "Paper".to_owned(),
        description: "<p>Press a leaf</p>".to_owned(),
        points: Some(2.5),
        submission_types: vec!["on_paper".to_owned()],
        grading_type: Some("pass_fail".to_owned()),
        due_at: Some("2026-02-01T00:00:00Z".to_owned()),
        unlock_at: Some("2026-01-01T00:00:00Z".to_owned()),
        lock_at: Some("2026-02-02T00:00:00Z".to_owned()),
        allowed_attempts: Some(3),
        anonymous_grading: true,
        post_manually: Some(false),
        published: true,
    };
    for format in CARTRIDGES {
        let import = returned(format, vec![cartridge::assignment(format, &own, &|_| None).unwrap()]).await;
        assert!(import.report.is_empty(), "{}", import.report);
        assert_eq!(format!("{:?}", import.assignments), format!("{:?}", [&own]), "{format:?}");
    }
}

#[tokio::test]
async fn the_settings_of_the_reference_exporter_stand_in_the_assignment() {
    let manifest = "<manifest identifier='m'><resources><resource identifier='a' type='assignment_xmlv1p0' href='a/assignment.xml'>\
        <file href='a/assignment.xml'/></resource></resources></manifest>";
    let assignment = "<assignment xmlns='http://www.imsglobal.org/xsd/imscc_extensions/assignment' identifier='a'>\
        <title>Paper</title><text texttype='text/html'>x</text><gradable points_possible='5'>true</gradable>\
        <extensions><assignment xmlns='http://canvas.instructure.com/xsd/cccv1p0' identifier='a_canvas'><title>Paper</title>\
        <due_at>2026-02-01T00:00:00</due_at><lock_at/><workflow_state>published</workflow_state><allowed_attempts/>\
        <assignment_overrides/><peer_reviews>true</peer_reviews><grading_type>percent</grading_type>\
        <submission_types>on_paper</submission_types></assignment></extensions></assignment>";
    let import = read(&[("imsmanifest.xml", manifest), ("a/assignment.xml", assignment)]).await;
    let [own] = import.assignments.as_slice() else { panic!("{:?}", import.assignments) };
    assert_eq!((own.published, own.points, own.grading_type.as_deref()), (true, Some(5.0), Some("percent")));
    assert_eq!((own.due_at.as_deref(), own.lock_at.as_deref()), (Some("2026-02-01T00:00:00"), None));
    assert_eq!(own.submission_types, ["on_paper"]);
    assert_eq!(import.report.to_string(), "Paper: peer reviews are not imported\n");
}

#[tokio::test]
async fn what_keeps_files_from_students_is_known_by_their_paths() {
    let restriction = Restriction { hidden: true, ..Restriction::default() };
    let meta = FileMeta { name: Some("a: leaf.png".to_owned()), restriction: restriction.clone() };
    let own = FilesMeta {
        folders: [("img".to_owned(), restriction)].into(),
        files: [("7".to_owned(), meta.clone()), ("gone".to_owned(), meta.clone())].into(),
    };
    for format in CARTRIDGES {
        let path = cartridge::file_path("img/a_ leaf.png");
        let (files, resource) = (vec![(path.clone(), b"png".to_vec())], cartridge::file("7", &path));
        let import =
            returned(format, vec![own.write().unwrap(), Content { files, resource, beside: Vec::new() }]).await;
        assert!(import.report.is_empty(), "{}", import.report);
        assert_eq!(import.files, ["web_resources/img/a_ leaf.png"], "what says it is no file of the course");
        let expected = FilesMeta { folders: own.folders.clone(), files: [(path, meta.clone())].into() };
        assert_eq!(import.files_meta, expected, "{format:?}");
    }
}

#[tokio::test]
async fn a_quiz_of_which_the_profile_knows_nothing_is_associated_content_alone() {
    let settings = Settings { time_limit: Some(20), access_code: Some("fern".to_owned()), ..Settings::default() };
    let quiz = |id: &str, entries: Vec<Entry>| Quiz {
        id: id.to_owned(),
        title: id.to_owned(),
        description: String::new(),
        settings: settings.clone(),
        entries,
    };
    let is_numeric = |question: &&Question| matches!(question.interaction, Interaction::Numeric(_));
    let numeric = Entry::Question(sample::classic_quiz().questions().find(is_numeric).unwrap().clone());
    for own in [quiz("quiz-1", Vec::new()), quiz("new-quiz-2", vec![numeric])] {
        for format in CARTRIDGES {
            let (plan, mut report) = (Plan::of_quiz(&own, format), Report::default());
            let [resource] = plan.resources.as_slice() else { panic!("{:?}", plan.resources) };
            assert_eq!((resource.kind, &plan.main), (Kind::Extension, &Some(own.id.clone())));
            let rendered =
                plan.files.iter().map(|file| (file.path.clone(), file.render(&|_: &str| None, &mut report).unwrap()));
            let content = Content { files: rendered.collect(), resource: resource.clone(), beside: Vec::new() };
            assert!(report.to_string().contains("it is only in the form of the reference importer"), "{report}");
            let import = returned(format, vec![content]).await;
            assert!(import.report.is_empty(), "{}", import.report);
            let [read] = import.quizzes.as_slice() else { panic!("{:?}", import.quizzes) };
            assert_eq!((&read.id, &read.title, read.entries.len()), (&own.id, &own.title, own.entries.len()));
            assert_eq!((read.settings.time_limit, &read.settings.access_code), (Some(20), &settings.access_code));
        }
    }
}
