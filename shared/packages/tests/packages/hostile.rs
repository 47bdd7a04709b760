//! Packages that are broken, or made to do harm.

use content_packages::archive::{Archive, Limits};
use content_packages::import::{self, Import};
use content_packages::model::Quiz;
use content_packages::pack::Packer;

use crate::round_trips::imported;

fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut packer = Packer::new();
    for (path, text) in files {
        packer.add(path, text.as_bytes()).unwrap();
    }
    packer.finish().unwrap()
}

async fn refusal(files: &[(&str, &str)]) -> String {
    refusal_with(Limits::default(), files).await
}

async fn refusal_with(limits: Limits, files: &[(&str, &str)]) -> String {
    let archive = Archive::open(zipped(files), limits).await.unwrap();
    let error = import::read(&archive).await.unwrap_err();
    assert!(error.is_refusal());
    error.to_string()
}

fn manifest(resources: &str) -> String {
    format!("<manifest identifier='m'><resources>{resources}</resources></manifest>")
}

async fn with_quiz(qti: &str) -> Import {
    let resource = "<resource identifier='q' type='imsqti_xmlv1p2' href='q.xml'><file href='q.xml'/></resource>";
    imported(zipped(&[("imsmanifest.xml", &manifest(resource)), ("q.xml", qti)])).await
}

fn quiz(items: &str) -> String {
    format!(
        "<questestinterop><assessment ident='a' title='A'><section ident='s'>{items}</section></assessment></questestinterop>"
    )
}

#[tokio::test]
async fn what_is_no_package_is_refused() {
    for (files, reason) in [
        (vec![("readme.txt", "x")], "no imsmanifest.xml"),
        (vec![("imsmanifest.xml", "<manifest>")], "not complete"),
        (vec![("imsmanifest.xml", "<html/>")], "not a manifest"),
        (vec![("imsmanifest.xml", "<!DOCTYPE m [<!ENTITY x 'x'>]><manifest>&x;</manifest>")], "not defined"),
    ] {
        let told = refusal(&files).await;
        assert!(told.contains(reason), "{told}");
    }
}

#[tokio::test]
async fn a_broken_file_is_told_and_the_rest_is_read() {
    let import = with_quiz("<!DOCTYPE q [<!ENTITY x 'x'>]><questestinterop>&x;</questestinterop>").await;
    assert!(import.quizzes.is_empty());
    assert!(
        import.report.to_string().contains("q.xml: the XML has an entity that is not defined"),
        "{}",
        import.report
    );
}

#[tokio::test]
async fn references_out_of_the_package_lead_nowhere() {
    let resources =
        "<resource identifier='a' type='webcontent' href='../../etc/passwd'><file href='../../etc/passwd'/></resource>
                     <resource identifier='b' type='imsqti_xmlv1p2'><file href='/etc/passwd'/></resource>
                     <resource identifier='c' type='imsqti_item_xmlv2p1' href='%2e%2e/x.xml'/>
                     <resource identifier='d' type='imswl_xmlv1p3'><file href='gone.xml'/></resource>";
    let import = imported(zipped(&[("imsmanifest.xml", &manifest(resources))])).await;
    assert!(import.files.is_empty() && import.quizzes.is_empty() && import.web_links.is_empty());
    let report = import.report.to_string();
    for told in
        ["etc/passwd: this file is not in the package", "b: the file of this quiz", "d: its file is not in the package"]
    {
        assert!(report.contains(told), "{told}: {report}");
    }
}

#[tokio::test]
async fn what_cannot_be_imported_is_told() {
    let item = |id: &str, kind: &str| {
        format!(
            "<item ident='{id}' title='{id}'><itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>question_type</fieldlabel>\
             <fieldentry>{kind}</fieldentry></qtimetadatafield></qtimetadata></itemmetadata><presentation/></item>"
        )
    };
    let kinds = [
        "multiple_choice_question",
        "hot_spot_question",
        "calculated_question",
        "ordering_question",
        "riddle_question",
    ];
    let items: String = kinds.iter().map(|kind| item(kind, kind)).collect();
    let import = with_quiz(&quiz(&format!("{items}<bankentry_item item_ref='elsewhere'/>"))).await;
    let report = import.report.to_string();
    let count = import.quizzes.iter().flat_map(Quiz::questions).count();
    assert_eq!(count, 1, "a riddle without responses is text");
    for kind in kinds {
        assert!(report.contains(kind), "{kind}: {report}");
    }
    assert!(report.contains("elsewhere"), "{report}");
}

#[tokio::test]
async fn odd_numbers_never_panic() {
    let fields = |points: &str| {
        format!(
            "<itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>points_possible</fieldlabel><fieldentry>{points}</fieldentry>\
                 </qtimetadatafield></qtimetadata></itemmetadata>"
        )
    };
    for points in ["NaN", "inf", "-3", "1e999", "", "many"] {
        let numeric = format!(
            "<item ident='n'>{}<presentation><response_str ident='r'><render_fib fibtype='Decimal'/></response_str></presentation>\
             <resprocessing><respcondition><conditionvar><or><varequal respident='r'>{points}</varequal><and><vargt respident='r'>0</vargt>\
             <varlte respident='r'>{points}</varlte></and></or></conditionvar><setvar action='Set'>100</setvar></respcondition></resprocessing></item>",
            fields(points)
        );
        let import = with_quiz(&quiz(&numeric)).await;
        let question = import.quizzes[0].questions().next().unwrap();
        assert!((question.points - 1.0).abs() < f64::EPSILON, "{points}");
        let mut report = import.report;
        let stored = content_packages::classic::ClassicQuestion::of(question, &mut report).unwrap();
        assert!(serde_json::to_string(&stored).is_ok());
    }
}

#[tokio::test]
async fn a_package_in_a_folder_or_without_a_manifest_is_read() {
    let text = quiz(
        "<item ident='t' title='Text'><presentation><material><mattext>Read</mattext></material></presentation></item>",
    );
    let resource = "<resource identifier='q' type='imsqti_xmlv1p2'><file href='q.xml'/></resource>";
    let folder = zipped(&[("export/imsmanifest.xml", &manifest(resource)), ("export/q.xml", &text)]);
    for bytes in [folder, zipped(&[("q.xml", &text)])] {
        let import = imported(bytes).await;
        assert_eq!(import.quizzes[0].questions().next().unwrap().body, "Read");
    }
}

/// Whatever is changed in a document, reading it ends, and without a panic.
#[tokio::test]
async fn changed_documents_are_read_or_refused() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % u64::try_from(below.max(1)).unwrap()).unwrap()
    };
    let pieces =
        ["", "<", ">", "&", "\"", "</item>", "-1", "999999999999999999999", "NaN", " ", "[", "%", "\u{fffd}", "<p>"];
    for round in 0..60 {
        let package = crate::forms::package(crate::forms::FORMATS[round % 4]);
        let mut packer = Packer::new();
        for (path, bytes) in &package.files {
            let mut text = String::from_utf8_lossy(bytes).into_owned();
            for _ in 0..3 {
                let from = text.floor_char_boundary(next(text.len()));
                let to = text.floor_char_boundary((from + next(12)).min(text.len()));
                text.replace_range(from..to, pieces[next(pieces.len())]);
            }
            packer.add(path, text.as_bytes()).unwrap();
        }
        let archive = Archive::open(packer.finish().unwrap(), Limits::default()).await.unwrap();
        match import::read(&archive).await {
            Ok(import) => {
                let mut report = import.report;
                for question in import.quizzes.iter().flat_map(Quiz::questions) {
                    drop(content_packages::classic::ClassicQuestion::of(question, &mut report));
                    drop(content_packages::items::QuestionItem::of(question, &mut report));
                }
            }
            Err(error) => assert!(error.is_refusal(), "{error}"),
        }
    }
}

#[tokio::test]
async fn a_document_that_is_referred_to_too_often_ends_the_reading() {
    let large = quiz(&format!("<!--{}-->", "x".repeat(4 << 20)));
    let resources: String = (0..40)
        .map(|n| format!("<resource identifier='q{n}' type='imsqti_xmlv1p2'><file href='q.xml'/></resource>"))
        .collect();
    let told = refusal_with(
        Limits { ratio: u64::MAX, ..Limits::default() },
        &[("imsmanifest.xml", &manifest(&resources)), ("q.xml", &large)],
    )
    .await;
    assert!(told.contains("too much to read"), "{told}");
}

#[tokio::test]
async fn more_than_is_stored_at_once_is_refused() {
    let item = "<item ident='i'><presentation><material><mattext>Q</mattext></material></presentation></item>";
    let resource = "<resource identifier='q' type='imsqti_xmlv1p2'><file href='q.xml'/></resource>";
    let told = refusal_with(
        Limits { ratio: u64::MAX, ..Limits::default() },
        &[("imsmanifest.xml", &manifest(resource)), ("q.xml", &quiz(&item.repeat(20_001)))],
    )
    .await;
    assert!(told.contains("too many quizzes"), "{told}");
}
