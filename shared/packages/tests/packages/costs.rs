//! Twice as much takes about twice as long, whatever it is that there is twice as much of.

use std::time::{Duration, Instant};

use content_packages::archive::{Archive, Limits};
use content_packages::classic::ClassicQuestion;
use content_packages::import;
use content_packages::items::QuestionItem;
use content_packages::model::{Quiz, Report};
use content_packages::pack::Packer;
use serde_json::json;

/// Twice as much may take that many times as long: four times would be quadratic.
const MAX_GROWTH: f64 = 3.0;
const TRIES: usize = 3;
const ROUNDS: usize = 4;

/// Checks how the time of some work grows, by the best of several tries: what else the machine does only makes it longer.
fn grows_little<T>(name: &str, size: usize, make: impl Fn(usize) -> T, work: impl Fn(&T)) {
    let best = |input: &T| {
        let took = |_| {
            let began = Instant::now();
            work(input);
            began.elapsed()
        };
        (0..TRIES).map(took).min().unwrap_or(Duration::MAX)
    };
    let (one, two) = (make(size), make(size * 2));
    let growth = || best(&two).as_secs_f64() / best(&one).as_secs_f64();
    let mut tries = (0..ROUNDS).map(|_| growth());
    let least = tries.find(|growth| *growth < MAX_GROWTH);
    assert!(least.is_some(), "{name}: twice as much takes more than {MAX_GROWTH} times as long, {ROUNDS} times over");
}

fn zipped(files: impl IntoIterator<Item = (String, String)>) -> Vec<u8> {
    let mut packer = Packer::new();
    for (path, text) in files {
        packer.add(&path, text.as_bytes()).unwrap();
    }
    packer.finish().unwrap()
}

/// Reads a package, and makes of its questions what is stored of them.
#[expect(clippy::ptr_arg, reason = "what is made is given as it is")]
fn read(bytes: &Vec<u8>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let limits = Limits { ratio: u64::MAX, entries: 100_000, ..Limits::default() };
    let import = runtime.block_on(async {
        let archive = Archive::open(bytes.clone(), limits).await.unwrap();
        import::read(&archive).await.unwrap()
    });
    let mut report = Report::default();
    for question in import.quizzes.iter().flat_map(Quiz::questions) {
        drop(ClassicQuestion::of(question, &mut report));
        drop(QuestionItem::of(question, &mut report));
    }
}

fn repeated(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}

fn single(text: String) -> Vec<u8> {
    zipped([("q.xml".to_owned(), text)])
}

fn item12(inner: &str) -> Vec<u8> {
    single(format!("<questestinterop><item ident='i' title='T'>{inner}</item></questestinterop>"))
}

fn item21(inner: &str) -> Vec<u8> {
    single(format!("<assessmentItem identifier='i' title='T'>{inner}</assessmentItem>"))
}

fn kind12(kind: &str) -> String {
    format!(
        "<itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>question_type</fieldlabel><fieldentry>{kind}</fieldentry>
         </qtimetadatafield></qtimetadata></itemmetadata>"
    )
}

fn page(html: &str) -> Vec<u8> {
    let resource = "<resource identifier='p' type='webcontent'><file href='wiki_content/p.html'/></resource>";
    let manifest = format!("<manifest><resources>{resource}</resources></manifest>");
    zipped([("imsmanifest.xml".to_owned(), manifest), ("wiki_content/p.html".to_owned(), html.to_owned())])
}

#[test]
fn pages() {
    let size = 100_000;
    grows_little("ampersands", size, |n| page(&format!("<title>{0}</title><img src='{0}'>", "&".repeat(n))), read);
    grows_little("references", size, |n| page(&format!("<title>{0}</title>", "&#38".repeat(n))), read);
    grows_little("brackets", size, |n| page(&"<".repeat(n)), read);
    grows_little("quotes", size, |n| page(&"<a b='".repeat(n)), read);
    grows_little("tags", size / 4, |n| page(&"<p><img src='x.png'></p>".repeat(n)), read);
    grows_little("attributes", size, |n| page(&format!("<p {}>", "a=b ".repeat(n))), read);
    let missing = |n| page(&repeated(n, |number| format!("<img src='{number}.png'>")));
    grows_little("addresses that lead nowhere", size / 10, missing, read);
}

#[test]
fn documents() {
    let bank = |n: usize, of: &str| single(format!("<questestinterop>{}</questestinterop>", of.repeat(n)));
    let text = "<item><presentation><material><mattext>Q</mattext></material></presentation></item>";
    grows_little("questions", 3_000, |n| bank(n, text), read);
    grows_little("entities", 50_000, |n| bank(1, &format!("{text}<x>{}</x>", "&amp;".repeat(n))), read);
    grows_little("comments", 50_000, |n| bank(1, &format!("{text}{}", "<!-- -->".repeat(n))), read);
    let subset = |n: usize| {
        let entities = repeated(n, |number| format!("<!ENTITY e{number} '<x>'>"));
        single(format!("<!DOCTYPE q [{entities}]><questestinterop>{text}</questestinterop>"))
    };
    grows_little("a document type", 20_000, subset, read);
}

#[test]
fn manifests() {
    let files = |n: usize| {
        let names: Vec<_> = (0..n).map(|number| format!("web_resources/{}/{number}.txt", number % 100)).collect();
        let resource = |(number, name): (usize, &String)| {
            format!("<resource identifier='r{number}' type='webcontent'><file href='{name}'/></resource>")
        };
        let resources: String = names.iter().enumerate().map(resource).collect();
        let manifest = format!("<manifest><resources>{resources}</resources></manifest>");
        let names = names.into_iter().map(|name| (name, "x".to_owned()));
        zipped([("imsmanifest.xml".to_owned(), manifest)].into_iter().chain(names))
    };
    grows_little("files", 5_000, files, read);
    // Each quiz needs the resource that has all the files.
    let needy = |n: usize| {
        let quizzes = repeated(n, |number| {
            format!(
                "<resource identifier='q{number}' type='imsqti_xmlv1p2'><dependency identifierref='all'/></resource>"
            )
        });
        let files = repeated(n, |number| format!("<file href='{number}.png'/>"));
        let all = format!("<resource identifier='all' type='associatedcontent/x'>{files}</resource>");
        zipped([("imsmanifest.xml".to_owned(), format!("<manifest><resources>{quizzes}{all}</resources></manifest>"))])
    };
    grows_little("dependencies", 3_000, needy, read);
}

#[test]
fn questions_of_qti_1_2() {
    let label =
        |n: usize| format!("<response_label ident='{n}'><material><mattext>o{n}</mattext></material></response_label>");
    let condition = |response: usize, value: usize| {
        format!(
            "<respcondition><conditionvar><varequal respident='r{response}'>{value}</varequal></conditionvar>
             <setvar>1</setvar></respcondition>"
        )
    };
    let responses = |kind: &str, n: usize| {
        let own = |number: usize| {
            let material = format!("<material><mattext>m{number}</mattext></material>");
            format!(
                "<response_lid ident='r{number}'>{material}<render_choice>{}</render_choice></response_lid>",
                label(number)
            )
        };
        let body = format!("<material><mattext>{}</mattext></material>", repeated(n, |number| format!("[m{number}] ")));
        let right = repeated(n, |number| condition(number, number));
        let presentation = format!("<presentation>{body}{}</presentation>", repeated(n, own));
        item12(&format!("{}{presentation}<resprocessing>{right}</resprocessing>", kind12(kind)))
    };
    for kind in [
        "matching_question",
        "categorization_question",
        "fill_in_multiple_blanks_question",
        "multiple_dropdowns_question",
    ] {
        grows_little(kind, 400, |n| responses(kind, n), read);
    }
    let one = |kind: &str, n: usize| {
        let list =
            format!("<response_lid ident='r0'><render_choice>{}</render_choice></response_lid>", repeated(n, label));
        let right = repeated(n, |number| condition(0, number));
        item12(&format!("{}<presentation>{list}</presentation><resprocessing>{right}</resprocessing>", kind12(kind)))
    };
    for kind in ["multiple_choice_question", "multiple_answers_question", "ordering_question", "short_answer_question"]
    {
        grows_little(kind, 600, |n| one(kind, n), read);
    }
    let brackets = |n: usize| {
        let body = format!("<material><mattext>{}</mattext></material>", "[".repeat(n));
        let blank = "<response_lid ident='r'><render_choice/></response_lid>".repeat(500);
        item12(&format!("{}<presentation>{body}{blank}</presentation>", kind12("fill_in_multiple_blanks_question")))
    };
    grows_little("brackets", 50_000, brackets, read);
}

#[test]
fn questions_of_qti_2() {
    let declared = |n: usize| {
        format!(
            "<responseDeclaration identifier='R{n}' cardinality='single' baseType='string'><correctResponse><value>v</value></correctResponse></responseDeclaration>"
        )
    };
    let blanks = |n: usize| {
        let entry = |number: usize| {
            format!("<textEntryInteraction responseIdentifier='R{number}'><prompt>x</prompt></textEntryInteraction>")
        };
        let test = |number: usize| {
            format!("<substring><baseValue>v</baseValue><variable identifier='R{number}'/></substring>")
        };
        item21(&format!(
            "{}<itemBody><p>{}</p></itemBody><responseProcessing>{}</responseProcessing>",
            repeated(n, declared),
            repeated(n, entry),
            repeated(n, test)
        ))
    };
    grows_little("blanks", 400, blanks, read);
    let choices = |n: usize| {
        let value = |number: usize| format!("<value>c{number}</value>");
        let choice = |number: usize| format!("<simpleChoice identifier='c{number}'>x</simpleChoice>");
        let told = |number: usize| format!("<modalFeedback identifier='feedback-c{number}'>x</modalFeedback>");
        item21(&format!(
            "<responseDeclaration identifier='R' cardinality='multiple'><correctResponse>{}</correctResponse>
             </responseDeclaration><itemBody><choiceInteraction responseIdentifier='R'>{}</choiceInteraction></itemBody>{}",
            repeated(n, value),
            repeated(n, choice),
            repeated(n, told)
        ))
    };
    grows_little("choices", 1_000, choices, read);
    let matches = |class: &str, n: usize| {
        let value = |number: usize| format!("<value>l{number} r{number}</value>");
        let half = |side: &'static str| {
            move |number: usize| {
                format!("<simpleAssociableChoice identifier='{side}{number}'>{side}{number}</simpleAssociableChoice>")
            }
        };
        item21(&format!(
            "<responseDeclaration identifier='R' cardinality='multiple'><correctResponse>{}</correctResponse>
             </responseDeclaration><itemBody><matchInteraction class='{class}' responseIdentifier='R'><simpleMatchSet>{}</simpleMatchSet>
             <simpleMatchSet>{}</simpleMatchSet></matchInteraction></itemBody>",
            repeated(n, value),
            repeated(n, half("l")),
            repeated(n, half("r"))
        ))
    };
    for class in ["", "categorization"] {
        grows_little("matches", 1_000, |n| matches(class, n), read);
    }
    // An element that is nested in its like is read once.
    let nested = |n: usize| {
        let text = "x".repeat(n);
        let (open, close) = ("<simpleChoice identifier='a'>".repeat(80), "</simpleChoice>".repeat(80));
        item21(&format!(
            "<responseDeclaration identifier='R' cardinality='single'/><itemBody><choiceInteraction responseIdentifier='R'>
             {open}{text}{close}</choiceInteraction></itemBody>"
        ))
    };
    grows_little("nested choices", 100_000, nested, read);
}

#[test]
fn questions_that_are_stored() {
    let matching = |n: usize| {
        let answers: Vec<_> =
            (0..n).map(|number| json!({ "left": format!("l{number}"), "right": format!("r{number}") })).collect();
        let lines = repeated(n, |number| format!("d{number}\n"));
        let data = json!({ "matching_answer_incorrect_matches": lines });
        classic("matching_question", json!(answers), data)
    };
    let blanks = |n: usize| {
        let answers: Vec<_> = (0..n).map(|number| json!({ "text": "x", "blank_id": format!("b{number}") })).collect();
        classic("fill_in_multiple_blanks_question", json!(answers), json!({}))
    };
    grows_little("halves of matches", 2_000, matching, |own| drop(own.to_question("q")));
    grows_little("named blanks", 2_000, blanks, |own| drop(own.to_question("q")));
}

fn classic(kind: &str, answers: serde_json::Value, data: serde_json::Value) -> ClassicQuestion {
    let question = json!({
        "question_name": "Q", "question_type": kind, "question_text": "[".repeat(50_000), "points_possible": 1,
        "correct_comments": "", "incorrect_comments": "", "neutral_comments": "", "answers": answers,
        "question_data": data,
    });
    serde_json::from_value(question).unwrap()
}
