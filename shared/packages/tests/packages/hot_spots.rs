//! Hot spots, one or several: what is stored comes back the same from every format.

use std::collections::BTreeSet;

use content_packages::items::QuestionItem;
use content_packages::manifest::{Manifest, PATH};
use content_packages::model::{Entry, Interaction, Quiz, Report};
use content_packages::pack::Packer;
use content_packages::plan::{Format, Plan};
use serde_json::{Value, json};

use crate::foreign::{item12, read, text21};
use crate::forms::FORMATS;
use crate::round_trips::imported;

const IDS: [&str; 3] = [
    "0b7c1b8e-1111-4222-8333-44445555666a",
    "ab7c1b8e-1111-4222-8333-44445555666b",
    "1b7c1b8e-1111-4222-8333-44445555666c",
];

/// Numbers from 0 to 1 with all the digits that they can have, the same ones each time.
struct Parts(u64);

impl Parts {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("0.{:016}", self.0 % 10_000_000_000_000_000).parse().unwrap()
    }

    fn point(&mut self) -> Value {
        json!({"x": self.next(), "y": self.next()})
    }

    fn spot(&mut self, shape: &str) -> Value {
        let count = if shape == "polygon" { 5 } else { 2 };
        json!({"type": shape, "coordinates": (0..count).map(|_| self.point()).collect::<Vec<_>>()})
    }

    /// A list of spots of all shapes.
    fn list(&mut self, length: usize) -> Value {
        let shapes = IDS.iter().zip(["oval", "square", "polygon"]).take(length);
        let with_id = shapes.map(|(id, shape)| {
            let mut spot = self.spot(shape);
            spot["id"] = json!(id);
            spot
        });
        with_id.collect()
    }
}

fn item(scoring_data: Value, properties: Value) -> QuestionItem {
    QuestionItem {
        title: Some("Where?".to_owned()),
        item_body: "<p>Where?</p>".to_owned(),
        interaction_type_slug: "hot-spot".to_owned(),
        interaction_data: json!({"image_url": "https://store.test/item_media/2b/9c"}),
        scoring_algorithm: "HotSpot".to_owned(),
        scoring_data,
        properties,
        ..QuestionItem::default()
    }
}

fn quiz(item: &QuestionItem) -> Quiz {
    let entries = vec![Entry::Question(item.to_question("question-1", 2.0))];
    Quiz { id: "quiz-1".to_owned(), title: "Spots".to_owned(), entries, ..Quiz::default() }
}

/// The item through a package of that format, with what was told of it.
async fn returned(item: &QuestionItem, format: Format) -> (QuestionItem, Report) {
    let (own, mut report, mut packer) = (quiz(item), Report::default(), Packer::new());
    let plan = Plan::of_quiz(&own, format);
    for file in &plan.files {
        packer.add(&file.path, &file.render(&|_: &str| None, &mut report).unwrap()).unwrap();
    }
    let mut manifest = Vec::new();
    let resources = plan.resources;
    Manifest { format, id: "c".to_owned(), title: "C".to_owned(), items: Vec::new(), resources }
        .write(&mut manifest)
        .unwrap();
    packer.add(PATH, &manifest).unwrap();
    let import = imported(packer.finish().unwrap()).await;
    assert!(import.report.is_empty(), "{format:?}: {}", import.report);
    let question = import.quizzes[0].questions().next().unwrap().clone();
    let mut lost = Report::default();
    let again = QuestionItem::of(&question, &mut lost).unwrap();
    assert!(lost.is_empty(), "{format:?}: {lost}");
    (again, report)
}

#[tokio::test]
async fn what_is_stored_comes_back_from_every_format() {
    let mut parts = Parts(7);
    for round in 0..5 {
        let mut stored: Vec<_> =
            ["oval", "square", "polygon"].map(|shape| item(json!({ "value": parts.spot(shape) }), json!({}))).into();
        for (length, places) in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)] {
            let properties = json!({ "hotspots_count": places });
            stored.push(item(json!({ "value": parts.list(length) }), properties.clone()));
            let whole = json!({ "value": parts.list(length), "score_method": "all_or_nothing" });
            stored.push(item(whole, properties));
        }
        // The first round goes through all formats; the form of a cartridge is that of QTI 1.2.
        let formats = if round == 0 { &FORMATS[..] } else { &[Format::Qti12, Format::Qti21] };
        for item in &stored {
            for format in formats {
                let (again, _) = returned(item, *format).await;
                assert_eq!(again.scoring_data, item.scoring_data, "{format:?}");
                assert_eq!(again.properties, item.properties, "{format:?} {}", item.scoring_data);
                assert_eq!(again.interaction_data, item.interaction_data, "{format:?}");
                assert_eq!(again.item_body, item.item_body, "{format:?}");
            }
        }
    }
}

#[tokio::test]
async fn only_what_is_lost_is_told() {
    let mut parts = Parts(11);
    let mut told = async |places: usize, whole: bool, format: Format| {
        let method = if whole { "all_or_nothing" } else { "" };
        let scoring = json!({ "value": parts.list(3), "score_method": method });
        returned(&item(scoring, json!({ "hotspots_count": places })), format).await.1.to_string()
    };
    for format in [Format::Qti12, Format::Qti21] {
        for (places, whole) in [(1, false), (2, false), (3, false), (3, true)] {
            assert_eq!(told(places, whole, format).await, "", "{format:?} {places} {whole}");
        }
    }
    assert_eq!(told(2, true, Format::Qti21).await, "");
    assert!(told(2, true, Format::Qti12).await.contains("in other systems each place has its share"));
}

#[tokio::test]
async fn several_spots_of_others_are_read() {
    let areas = "<responseDeclaration identifier='R' cardinality='multiple' baseType='point'><areaMapping defaultValue='0'>
         <areaMapEntry shape='rect' coords='0,0,20,10' mappedValue='1'/><areaMapEntry shape='circle' coords='100,50,10' mappedValue='1'/>
         <areaMapEntry shape='rect' coords='1,1,2,2' mappedValue='0'/></areaMapping></responseDeclaration>
         <itemBody><selectPointInteraction responseIdentifier='R' maxChoices='0'><object type='image/png' data='map.png' width='200' height='100'/>
         </selectPointInteraction></itemBody>";
    let import = read(&[("map.png", "png"), ("q.xml", &text21(areas))]).await;
    let question = import.quizzes[0].questions().next().unwrap().clone();
    let Interaction::HotSpot(own) = &question.interaction else { panic!("{question:?}") };
    assert_eq!((own.spots.len(), own.places, own.whole), (2, Some(2), false), "what is worth nothing is no spot");
    let stored = QuestionItem::of(&question, &mut Report::default()).unwrap();
    let ids: Vec<_> = stored.scoring_data["value"].as_array().unwrap().iter().map(|spot| &spot["id"]).collect();
    assert!(ids[0].is_string() && ids[0] != ids[1], "{ids:?}");
    assert_eq!(stored.properties, json!({"hotspots_count": 2}));

    let question = item12(
        "<presentation><response_xy ident='r' rcardinality='Multiple'><material><mattext>Where?</mattext></material><render_hotspot>
         <material><matimage uri='https://x.test/map.png'/></material><response_label ident='a' rarea='Rectangle'>0,0,0.5,0.5</response_label>
         <response_label ident='b' rarea='Ellipse'>0.5 0.5 0.1 0.1</response_label><response_label ident='c' rarea='Rectangle'>0,0,1,1</response_label>
         </render_hotspot></response_xy></presentation><resprocessing>
         <respcondition><conditionvar><varinside respident='r' areatype='Rectangle'>0,0,0.5,0.5</varinside></conditionvar><setvar>50</setvar></respcondition>
         <respcondition><conditionvar><varequal respident='r'>b</varequal></conditionvar><setvar>50</setvar></respcondition></resprocessing>",
    )
    .await;
    let Interaction::HotSpot(own) = &question.interaction else { panic!("{question:?}") };
    assert_eq!(own.spots.iter().map(|spot| spot.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!((own.places, own.whole), (Some(2), false));
}

#[tokio::test]
async fn a_question_has_fifty_spots_at_most_with_ids_that_differ() {
    let stored = item(json!({ "value": Parts(3).list(1) }), json!({ "hotspots_count": 1 }));
    let mut question = stored.to_question("question-1", 1.0);
    let Interaction::HotSpot(own) = &mut question.interaction else { panic!("{question:?}") };
    own.spots = vec![own.spots[0].clone(); 51];
    own.places = Some(51);
    let mut report = Report::default();
    let many = QuestionItem::of(&question, &mut report).unwrap();
    let ids: BTreeSet<_> =
        many.scoring_data["value"].as_array().unwrap().iter().map(|spot| spot["id"].to_string()).collect();
    assert_eq!((ids.len(), &many.properties), (50, &json!({ "hotspots_count": 50 })));
    assert!(report.to_string().contains("of its spots the first 50 are kept"), "{report}");
}
