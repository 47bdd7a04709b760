//! Forms that other tools write, in the smallest examples of them.

use content_packages::classic::ClassicQuestion;
use content_packages::import::Import;
use content_packages::items::QuestionItem;
use content_packages::model::{Accepted, BlankAnswer, HotSpot, Interaction, Question, Report, Shape, Spot, TextRule};
use content_packages::pack::Packer;

use crate::round_trips::imported;

pub(crate) async fn read(files: &[(&str, &str)]) -> Import {
    let mut packer = Packer::new();
    for (path, text) in files {
        packer.add(path, text.as_bytes()).unwrap();
    }
    imported(packer.finish().unwrap()).await
}

async fn question(text: &str) -> Question {
    let import = read(&[("q.xml", text)]).await;
    assert!(import.report.is_empty(), "{}", import.report);
    import.quizzes[0].questions().next().unwrap().clone()
}

pub(crate) async fn item12(inner: &str) -> Question {
    question(&format!(
        "<q:questestinterop xmlns:q='urn:any'><item ident='i' title='T'>{inner}</item></q:questestinterop>"
    ))
    .await
}

pub(crate) fn text21(inner: &str) -> String {
    format!(
        "<assessmentItem xmlns='http://www.imsglobal.org/xsd/imsqti_v2p2' identifier='i' title='T'>{inner}</assessmentItem>"
    )
}

async fn item21(inner: &str) -> Question {
    question(&text21(inner)).await
}

#[tokio::test]
async fn types_are_known_by_their_form() {
    let choice = item12(
        "<presentation><flow><material><mattext>Which?</mattext></material><response_lid ident='r' rcardinality='Single'><render_choice>
         <flow_label><response_label ident='A'><material><mattext>oak</mattext></material></response_label></flow_label>
         <flow_label><response_label ident='B'><material><mattext texttype='text/html'><![CDATA[<b>elm</b>]]></mattext></material></response_label>
         </flow_label></render_choice></response_lid></flow></presentation>
         <resprocessing><outcomes><decvar maxvalue='3'/></outcomes><respcondition><conditionvar><varequal respident='r'>B</varequal></conditionvar>
         <setvar action='Set'>3</setvar><displayfeedback linkrefid='yes'/></respcondition></resprocessing>
         <itemfeedback ident='yes'><material><mattext>Well done</mattext></material></itemfeedback>",
    )
    .await;
    assert_eq!((choice.body.as_str(), choice.points), ("Which?", 3.0));
    assert_eq!(choice.feedback.correct, "Well done");
    let Interaction::Choice(own) = choice.interaction else { panic!("{choice:?}") };
    assert_eq!(own.options.iter().map(|option| option.right).collect::<Vec<_>>(), [false, true]);
    assert_eq!(own.options[1].text.html(), "<b>elm</b>");

    let number = item12(
        "<presentation><material><mattext>How many?</mattext></material><response_num ident='n'><render_fib/></response_num></presentation>
         <resprocessing><respcondition><conditionvar><vargte respident='n'>2</vargte><varlte respident='n'>4</varlte></conditionvar>
         <setvar>1</setvar></respcondition></resprocessing>",
    )
    .await;
    let Interaction::Numeric(own) = number.interaction else { panic!("{number:?}") };
    assert_eq!(own[0].accepted, Accepted::Range { start: "2".to_owned(), end: "4".to_owned() });

    let essay = item12("<presentation><material><mattext>Why?</mattext></material><response_str ident='e'><render_fib/></response_str></presentation>").await;
    assert!(matches!(essay.interaction, Interaction::Essay(_)));
}

#[tokio::test]
async fn a_sentence_in_pieces_is_put_together() {
    let blanks = item12(
        "<presentation><flow><material><mattext>Roses are </mattext></material><response_str ident='c1'><render_fib/></response_str>
         <material><mattext>, violets </mattext></material><response_str ident='c2'><render_fib/></response_str></flow></presentation>
         <resprocessing><respcondition><conditionvar><varequal respident='c1'>red</varequal><varequal respident='c2'>blue</varequal></conditionvar>
         <setvar>100</setvar></respcondition></resprocessing>",
    )
    .await;
    assert_eq!(blanks.body, "Roses are [c1] , violets [c2] ");
    let Interaction::Blanks(own) = blanks.interaction else { panic!("{blanks:?}") };
    let BlankAnswer::Typed(typed) = &own.blanks[1].answer else { panic!("{own:?}") };
    assert_eq!(typed.accepted[0].text.as_str(), "blue");
}

#[tokio::test]
async fn a_pattern_of_common_cartridge_is_one_to_contain() {
    let pattern = item12(
        "<itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>cc_profile</fieldlabel><fieldentry>cc.pattern_match.v0p2</fieldentry>
         </qtimetadatafield><qtimetadatafield><fieldlabel>cc_weighting</fieldlabel><fieldentry>4</fieldentry></qtimetadatafield></qtimetadata></itemmetadata>
         <presentation><material><mattext>Name</mattext></material><response_str ident='r'><render_fib/></response_str></presentation>
         <resprocessing><respcondition><conditionvar><varsubstring respident='r'>oak</varsubstring></conditionvar><setvar>100</setvar>
         </respcondition></resprocessing>",
    )
    .await;
    let Interaction::ShortAnswer(own) = pattern.interaction else { panic!("{pattern:?}") };
    assert_eq!((own.rule, own.accepted[0].text.as_str(), pattern.points), (TextRule::Contains, "oak", 4.0));
}

#[tokio::test]
async fn gaps_are_blanks_with_a_bank_of_words() {
    let gaps = item21(
        "<responseDeclaration identifier='R' cardinality='multiple' baseType='directedPair'><correctResponse><value>W G1</value>
         <value>Su   G2</value></correctResponse></responseDeclaration><itemBody><gapMatchInteraction responseIdentifier='R'>
         <prompt>Fill it</prompt><gapText identifier='W' matchMax='1'>winter</gapText><gapText identifier='Su' matchMax='1'>summer</gapText>
         <blockquote><p>Now is the <gap identifier='G1'/> and <gap identifier='G2'/></p></blockquote></gapMatchInteraction></itemBody>",
    )
    .await;
    assert!(gaps.body.contains("Now is the [G1] and [G2]") && gaps.body.contains("Fill it"), "{}", gaps.body);
    let Interaction::Blanks(own) = gaps.interaction else { panic!("{gaps:?}") };
    assert_eq!(own.blanks[1].answer, BlankAnswer::Word("Su".to_owned()));
    assert!(!own.reuse_words);
}

#[tokio::test]
async fn spots_in_pixels_are_parts_of_the_image() {
    let spot = read(&[("map.png", "png"), ("q.xml", &text21(
        "<responseDeclaration identifier='R' cardinality='single' baseType='identifier'><correctResponse><value>B</value></correctResponse>
         </responseDeclaration><itemBody><p>Where?</p><hotspotInteraction responseIdentifier='R' maxChoices='1'>
         <object type='image/png' data='map.png' width='200' height='100'/><hotspotChoice identifier='A' shape='rect' coords='0,0,10,10'/>
         <hotspotChoice identifier='B' shape='circle' coords='100,50,20'/></hotspotInteraction></itemBody>",
    ))])
    .await;
    let spot = spot.quizzes[0].questions().next().unwrap().clone();
    let Interaction::HotSpot(HotSpot { image, spots, places, .. }) = spot.interaction else { panic!("{spot:?}") };
    assert_eq!((image.as_str(), places), ("package:map.png", None));
    assert_eq!(spots, [Spot { id: "B".to_owned(), shape: Shape::Oval, points: vec![(0.5, 0.5), (0.2, 0.4)] }]);
}

#[tokio::test]
async fn a_choice_may_only_have_a_mapping() {
    let choice = item21(
        "<responseDeclaration identifier='R' cardinality='multiple' baseType='identifier'><mapping defaultValue='-1'><mapEntry mapKey='H' mappedValue='1'/>
         <mapEntry mapKey='O' mappedValue='1'/><mapEntry mapKey='Cl' mappedValue='-1'/></mapping></responseDeclaration>
         <itemBody><choiceInteraction responseIdentifier='R' maxChoices='0'><prompt>Which are in water?</prompt>
         <simpleChoice identifier='H'>Hydrogen</simpleChoice><simpleChoice identifier='O'>Oxygen</simpleChoice><simpleChoice identifier='Cl'>Chlorine</simpleChoice>
         </choiceInteraction></itemBody>",
    )
    .await;
    assert_eq!(choice.body, "<p>Which are in water?</p>");
    let Interaction::MultipleAnswers(own) = choice.interaction else { panic!("{choice:?}") };
    assert_eq!(own.options.iter().map(|option| option.right).collect::<Vec<_>>(), [true, true, false]);
}

#[tokio::test]
async fn video_sound_and_frames_are_kept_in_the_form_that_html_has_for_them() {
    let question = item21(
        "<itemBody><p>Watch</p><video controls='controls'> <source src='https://media.test/a.mp4' type='video/mp4'/> </video>
         <div><iframe src='https://frames.test/1'> </iframe></div><p><video src='https://media.test/b.mp4'/></p>
         <object type='video/mp4' data='https://media.test/c.mp4' width='320' height='240'> </object>
         <object type='audio/mpeg' data='https://media.test/d.mp3'>A song</object>
         <p><object type='image/png' data='https://media.test/e.png'>A leaf</object></p>
         <object type='text/html' data='https://frames.test/2'/>
         <object type='application/pdf' data='https://media.test/f.pdf'/></itemBody>",
    )
    .await;
    for kept in [
        "<video controls=\"controls\"> <source src=\"https://media.test/a.mp4\" type=\"video/mp4\"> </video>",
        "<div><iframe src=\"https://frames.test/1\"></iframe></div>",
        "<p><video src=\"https://media.test/b.mp4\"></video></p>",
        "<video controls=\"\" src=\"https://media.test/c.mp4\" width=\"320\" height=\"240\"></video>",
        "<audio controls=\"\" src=\"https://media.test/d.mp3\"></audio>",
        "<p><img src=\"https://media.test/e.png\" alt=\"A leaf\"></p>",
        "<iframe src=\"https://frames.test/2\"></iframe>",
        "<a href=\"https://media.test/f.pdf\">f.pdf</a>",
    ] {
        assert!(question.body.contains(kept), "{kept} in {}", question.body);
    }
}

#[tokio::test]
async fn media_in_choices_are_kept_too() {
    let choice = item21(
        "<responseDeclaration identifier='R' cardinality='single' baseType='identifier'><correctResponse><value>B</value></correctResponse>
         </responseDeclaration><itemBody><choiceInteraction responseIdentifier='R' maxChoices='1'><prompt>Which?</prompt>
         <simpleChoice identifier='A'><object type='video/mp4' data='https://media.test/a.mp4'/></simpleChoice>
         <simpleChoice identifier='B'><iframe src='https://frames.test/1'/></simpleChoice></choiceInteraction></itemBody>",
    )
    .await;
    let Interaction::Choice(own) = choice.interaction else { panic!("{choice:?}") };
    assert_eq!(own.options[0].text.html(), "<video controls=\"\" src=\"https://media.test/a.mp4\"></video>");
    assert_eq!(own.options[1].text.html(), "<iframe src=\"https://frames.test/1\"></iframe>");
}

#[tokio::test]
async fn interactions_that_no_quiz_has_are_told() {
    let associate = "<assessmentItem identifier='i' title='Pairs'><responseDeclaration identifier='R' cardinality='multiple' baseType='pair'/>
         <itemBody><associateInteraction responseIdentifier='R'/></itemBody></assessmentItem>";
    let import = read(&[("q.xml", associate)]).await;
    assert!(import.quizzes.is_empty());
    assert_eq!(import.report.to_string(), "Pairs: a question with associateInteraction cannot be imported\n");
}

#[tokio::test]
async fn points_that_are_no_numbers_are_told() {
    let item = |label: &str, points: &str| {
        format!(
            "<questestinterop><item ident='i' title='T'><itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>{label}</fieldlabel>
             <fieldentry>{points}</fieldentry></qtimetadatafield></qtimetadata></itemmetadata><presentation><material><mattext>Q</mattext>
             </material></presentation></item></questestinterop>"
        )
    };
    for (label, points, worth, told) in [
        ("points_possible", "two", 1.0, true),
        ("qmd_weighting", "-3", 1.0, true),
        ("cc_weighting", "NaN", 1.0, true),
        ("points_possible", "", 1.0, false),
        ("points_possible", "2.5", 2.5, false),
    ] {
        let import = read(&[("q.xml", &item(label, points))]).await;
        assert_eq!(import.quizzes[0].questions().next().unwrap().points, worth, "{points}");
        let message = format!("T: its points \u{201c}{points}\u{201d} are no number: it is worth 1\n");
        assert_eq!(import.report.to_string(), if told { message } else { String::new() });
    }
    let test = "<assessmentTest xmlns='http://www.imsglobal.org/xsd/imsqti_v2p1' identifier='t' title='T'><testPart><assessmentSection>
        <assessmentItemRef href='i.xml'><weight identifier='w' value='two'/></assessmentItemRef></assessmentSection></testPart>
        </assessmentTest>";
    let manifest =
        "<manifest identifier='m'><resources><resource identifier='t' type='imsqti_test_xmlv2p1' href='t.xml'>
        <file href='t.xml'/></resource></resources></manifest>";
    let essay = "<responseDeclaration identifier='R' cardinality='single' baseType='string'/><itemBody><p>Why?</p>
        <extendedTextInteraction responseIdentifier='R'/></itemBody>";
    let import = read(&[("imsmanifest.xml", manifest), ("t.xml", test), ("i.xml", &text21(essay))]).await;
    assert_eq!(import.quizzes[0].questions().next().unwrap().points, 1.0);
    assert_eq!(import.report.to_string(), "i.xml: its points \u{201c}two\u{201d} are no number: it is worth 1\n");
}

#[tokio::test]
async fn pictures_that_are_matched_are_not_taken_for_one_another() {
    let option = |id: &str, picture: &str| {
        format!(
            "<response_label ident='{id}'><material><mattext texttype='text/html'>&lt;img src=\"{picture}\"&gt;</mattext></material>\
             </response_label>"
        )
    };
    let options = [option("a", "https://t.test/a.png"), option("b", "https://t.test/b.png")].concat();
    let half = |id: &str| {
        format!(
            "<response_lid ident='{id}'><material><mattext>{id}</mattext></material><render_choice>{options}</render_choice></response_lid>"
        )
    };
    let right = |id: &str, option: &str| {
        format!(
            "<respcondition><conditionvar><varequal respident='{id}'>{option}</varequal></conditionvar><setvar>50</setvar></respcondition>"
        )
    };
    let own = item12(&format!(
        "<presentation>{}{}</presentation><resprocessing>{}{}</resprocessing>",
        half("oak"),
        half("elm"),
        right("oak", "a"),
        right("elm", "b")
    ))
    .await;
    let Interaction::Matching(matching) = &own.interaction else { panic!("{own:?}") };
    assert_eq!(matching.left.iter().map(|left| left.right.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(matching.right.len(), 2);
    let mut report = Report::default();
    ClassicQuestion::of(&own, &mut report).unwrap();
    QuestionItem::of(&own, &mut report).unwrap();
    assert_eq!(report.to_string().matches("pictures, formulas and the like").count(), 2, "{report}");
}
