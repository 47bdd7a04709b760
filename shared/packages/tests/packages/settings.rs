//! Draws and settings: what is written is read again, whatever the format has words for, and others are told what they miss.

use content_packages::import::Import;
use content_packages::manifest::{Manifest, PATH};
use content_packages::model::{Entry, Quiz, Report, Settings};
use content_packages::pack::Packer;
use content_packages::plan::{Format, Plan};
use serde_json::{Value, json};

use crate::forms::FORMATS;
use crate::round_trips::imported;
use crate::sample;

/// The files of a quiz that draws, with those of its bank where the format has banks, as a package.
pub(crate) fn package(
    quiz: &Quiz,
    bank: &content_packages::model::Bank,
    format: Format,
    report: &mut Report,
) -> Vec<(String, Vec<u8>)> {
    let mut quiz = quiz.clone();
    let mut plans = Vec::new();
    if format == Format::Qti21 {
        quiz.draw_from(std::slice::from_ref(bank), report);
    } else {
        plans.push(Plan::of_bank(bank, format));
    }
    plans.push(Plan::of_quiz(&quiz, format));
    let (mut files, mut resources) = (Vec::new(), Vec::new());
    for plan in plans {
        for file in &plan.files {
            files.push((file.path.clone(), file.render(&|_: &str| None, report).unwrap()));
        }
        resources.extend(plan.resources);
    }
    let manifest = Manifest { format, id: "c".to_owned(), title: "C".to_owned(), items: Vec::new(), resources };
    let mut bytes = Vec::new();
    manifest.write(&mut bytes).unwrap();
    files.push((PATH.to_owned(), bytes));
    files
}

pub(crate) fn zipped(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut packer = Packer::new();
    for (path, bytes) in files {
        packer.add(path, bytes).unwrap();
    }
    packer.finish().unwrap()
}

/// Texts in the place of numbers and truth, as a package has them.
fn as_texts(value: &Value) -> Value {
    match value {
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), as_texts(value))).collect(),
        Value::Array(items) => items.iter().map(as_texts).collect(),
        Value::String(text) => json!(text),
        other => json!(other.to_string()),
    }
}

/// How many each draw picks, what each is worth, its bank, and the number of its own questions.
type Draw<'q> = (Option<u32>, Option<f64>, Option<&'q str>, usize);

fn draws(quiz: &Quiz) -> Vec<Draw<'_>> {
    quiz.entries.iter().filter_map(draw).collect()
}

fn draw(entry: &Entry) -> Option<Draw<'_>> {
    match entry {
        Entry::Group(own) => Some((own.pick_count, own.points, own.bank.as_deref(), own.questions.len())),
        _ => None,
    }
}

#[tokio::test]
async fn draws_and_settings_come_back_in_every_format() {
    for format in FORMATS {
        let (own, bank) = sample::drawing_quiz();
        let files = package(&own, &bank, format, &mut Report::default());
        let Import { quizzes, banks, report, .. } = imported(zipped(&files)).await;
        assert!(report.is_empty(), "{format:?}: {report}");
        assert_eq!((quizzes.len(), banks.len()), (1, 1), "{format:?}");
        assert_eq!(draws(&quizzes[0]), draws(&own), "{format:?}");
        assert_eq!((&banks[0].id, &banks[0].title), (&bank.id, &bank.title), "{format:?}");
        assert_eq!(banks[0].entries.len(), 3, "{format:?}");
        let (read, new_quiz) = (quizzes[0].settings.clone(), own.settings.new_quiz.clone().unwrap());
        let expected = Settings { new_quiz: as_texts(&json!(new_quiz)).as_object().cloned(), ..own.settings.clone() };
        assert_eq!(read, expected, "{format:?}");
        let Some(Entry::Question(question)) = quizzes[0].entries.get(1) else { panic!("{format:?}") };
        assert_eq!(question.calculator.as_deref(), Some("scientific"), "{format:?}");
        // What was read is written as it was.
        let again = Quiz { settings: own.settings.clone(), ..quizzes[0].clone() };
        let with_sizes = again.entries.into_iter().map(|entry| match entry {
            Entry::Group(group) => {
                Entry::Group(content_packages::model::Group { bank_size: Some(3), title: bank.title.clone(), ..group })
            }
            other => other,
        });
        let again = Quiz { entries: with_sizes.collect(), ..again };
        let written = package(&again, &banks[0], format, &mut Report::default());
        for ((path, bytes), (same, before)) in written.iter().zip(&files) {
            assert_eq!(path, same, "{format:?}");
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(text(bytes), text(before), "{format:?} {path}");
        }
    }
}

#[test]
fn a_draw_has_the_words_of_its_standard() {
    let (own, bank) = sample::drawing_quiz();
    let text = |format: Format, path: &str| {
        let files = package(&own, &bank, format, &mut Report::default());
        let file = files.into_iter().find(|(own, _)| own == path).unwrap_or_else(|| panic!("{path}"));
        String::from_utf8(file.1).unwrap().split_whitespace().collect::<Vec<_>>().join(" ").replace("> <", "><")
    };
    let old = text(Format::Qti12, "new-quiz-9/new-quiz-9.xml");
    assert!(old.contains("<selection_ordering><order order_type=\"Random\"/></selection_ordering>"), "{old}");
    for count in [2, 3] {
        let selection =
            format!("<sourcebank_ref>item-bank-4</sourcebank_ref><selection_number>{count}</selection_number>");
        assert!(old.contains(&selection), "{old}");
    }
    let new = text(Format::Qti21, "tests/new-quiz-9.xml");
    assert!(new.contains("<selection select=\"2\"/><ordering shuffle=\"true\"/>"), "{new}");
    assert!(new.contains("<selection select=\"3\"/><assessmentItemRef"), "all of a bank stand in its order: {new}");
    assert!(new.contains("maxTime=\"95\"") && new.contains("navigationMode=\"linear\""), "{new}");
    let meta = text(Format::CommonCartridge13, "new-quiz-9/assessment_meta.xml");
    for setting in ["<ip_filter>10.0.0.0/8</ip_filter>", "<one_time_results>true</one_time_results>"] {
        assert!(meta.contains(setting), "{meta}");
    }
}

#[test]
fn what_other_systems_miss_is_told_by_name() {
    let (own, bank) = sample::drawing_quiz();
    let told = |format: Format| {
        let mut report = Report::default();
        package(&own, &bank, format, &mut report);
        report.to_string()
    };
    let (old, new) = (told(Format::Qti12), told(Format::Qti21));
    for name in ["the calculator", "the waiting time", "the first score", "the seconds", "the type of grading"] {
        assert!(old.contains(name) && new.contains(name), "{name}: {old} {new}");
    }
    for name in ["the access code", "the number of attempts", "the banks that it draws from", "the dates"] {
        assert!(!old.contains(name) && new.contains(name), "{name}: {old} {new}");
    }
    let report = Report::default();
    let plain = Quiz { settings: Settings::default(), ..own };
    assert!(report.is_empty());
    assert!(
        !Plan::of_quiz(&sample::classic_quiz(), Format::Qti12).files.iter().any(|file| file.path.contains("lectern"))
    );
    assert!(Plan::of_quiz(&plain, Format::Qti12).files.iter().any(|file| file.path.contains("lectern")), "its draws");
}

#[tokio::test]
async fn settings_of_the_reference_system_are_read_and_what_is_unknown_is_told() {
    let meta = "<quiz identifier='q'><title>Leaves</title><ip_filter>10.0.0.1</ip_filter><hide_results></hide_results>\
        <shuffle_answers>true</shuffle_answers><scoring_policy>keep_latest</scoring_policy>\
        <show_correct_answers_last_attempt>true</show_correct_answers_last_attempt>\
        <show_correct_answers_at>2026-03-01T00:00:00</show_correct_answers_at><one_time_results>true</one_time_results>\
        <allowed_attempts>-1</allowed_attempts><require_lockdown_browser>true</require_lockdown_browser>\
        <assignment_overrides><override set_type='Noop' set_id='1'/></assignment_overrides>\
        <assignment><due_at>2026-02-01T00:00:00</due_at><peer_reviews>true</peer_reviews></assignment></quiz>";
    let qti = "<questestinterop><assessment ident='q' title='Q'><section ident='root'>\
        <section ident='a'><selection_ordering><order order_type='Random'/></selection_ordering>\
        <itemref linkrefid='elsewhere'/></section></section></assessment></questestinterop>";
    let manifest = "<manifest identifier='m'><resources>\
        <resource identifier='q' type='imsqti_xmlv1p2' href='q.xml'><file href='q.xml'/><dependency identifierref='s'/></resource>\
        <resource identifier='s' type='associatedcontent/x'><file href='q/assessment_meta.xml'/><file href='q/lectern_quiz.xml'/>\
        </resource></resources></manifest>";
    let other = "<quiz xmlns='urn:lectern:quiz:1' identifier='another'><settings><access_code>x</access_code></settings></quiz>";
    let files =
        [("imsmanifest.xml", manifest), ("q.xml", qti), ("q/assessment_meta.xml", meta), ("q/lectern_quiz.xml", other)];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let import = imported(zipped(&files)).await;
    let settings = &import.quizzes[0].settings;
    assert_eq!((settings.ip_filter.as_deref(), settings.hide_results.as_deref()), (Some("10.0.0.1"), None));
    assert_eq!((settings.show_correct_answers_last_attempt, settings.one_time_results), (Some(true), Some(true)));
    assert_eq!(settings.due_at.as_deref(), Some("2026-02-01T00:00:00"));
    assert_eq!(settings.access_code, None, "of another quiz");
    let report = import.report.to_string();
    for told in [
        "lockdown browser",
        "peer reviews",
        "dates of single students",
        "another quiz",
        "elsewhere",
        "whole quiz is shuffled",
    ] {
        assert!(report.contains(told), "{told}: {report}");
    }
}

#[tokio::test]
async fn rules_of_qti_2_1_that_no_quiz_has_are_told() {
    let test = "<assessmentTest xmlns='http://www.imsglobal.org/xsd/imsqti_v2p1' identifier='t' title='T'>\
        <testPart identifier='p' navigationMode='nonlinear' submissionMode='simultaneous'>\
        <itemSessionControl showSolution='false'/>\
        <assessmentSection identifier='s' title='S' visible='true'><timeLimits maxTime='90'/><ordering shuffle='true'/>\
        <assessmentSection identifier='a' title='A' visible='true'><preCondition><baseValue baseType='boolean'>true</baseValue>\
        </preCondition><timeLimits maxTime='10'/><selection select='1' withReplacement='true'/></assessmentSection>\
        <assessmentSection identifier='b' title='B' visible='true'><ordering shuffle='true'/></assessmentSection>\
        </assessmentSection></testPart></assessmentTest>";
    let import = imported(zipped(&[("t.xml".to_owned(), test.as_bytes().to_vec())])).await;
    let settings = &import.quizzes[0].settings;
    assert_eq!((settings.time_limit, settings.shuffle_questions), (Some(2), Some(true)));
    assert_eq!(settings.show_correct_answers, Some(false));
    let report = import.report.to_string();
    for told in ["left out or passed over", "drawn again", "time limits of parts", "stays in its order"] {
        assert!(report.contains(told), "{told}: {report}");
    }
}

#[tokio::test]
async fn a_bank_that_differs_from_what_it_says_to_be_is_not_taken_for_another() {
    let (mut own, bank) = sample::drawing_quiz();
    own.draw_from(std::slice::from_ref(&bank), &mut Report::default());
    if let Some(Entry::Group(group)) = own.entries.last_mut() {
        group.questions.pop();
    }
    let files = package(&own, &bank, Format::Qti21, &mut Report::default());
    let import = imported(zipped(&files)).await;
    assert_eq!(import.banks.len(), 1);
    let kept: Vec<_> =
        draws(&import.quizzes[0]).into_iter().map(|(_, _, bank, count)| (bank.is_some(), count)).collect();
    assert_eq!(kept, [(true, 0), (true, 0), (false, 2)]);
    assert!(import.report.to_string().contains("keeps its own"), "{}", import.report);
}
