//! The files that texts refer to come with them, wherever the manifest lists them; what is not there is told.

use content_packages::import::Import;
use content_packages::model::{Interaction, Quiz};
use content_packages::pack::Packer;

use crate::round_trips::imported;

async fn read(files: &[(&str, &str)]) -> Import {
    let mut packer = Packer::new();
    for (path, text) in files {
        packer.add(path, text.as_bytes()).unwrap();
    }
    imported(packer.finish().unwrap()).await
}

fn manifest(resources: &str) -> String {
    format!("<manifest identifier='m'><resources>{resources}</resources></manifest>")
}

fn body(import: &Import) -> &str {
    &import.quizzes.iter().flat_map(Quiz::questions).next().unwrap().body
}

/// An item of QTI 2 whose text has a picture.
fn item21(version: &str, address: &str) -> String {
    format!(
        "<assessmentItem xmlns='http://www.imsglobal.org/xsd/imsqti_v{version}' identifier='i' title='Sign'>
         <responseDeclaration identifier='R' cardinality='single' baseType='identifier'>
         <correctResponse><value>A</value></correctResponse></responseDeclaration>
         <itemBody><p>Look <img src='{address}' alt='a sign'/></p><choiceInteraction responseIdentifier='R' maxChoices='1'>
         <simpleChoice identifier='A'>Stop</simpleChoice><simpleChoice identifier='B'>Go</simpleChoice>
         </choiceInteraction></itemBody></assessmentItem>"
    )
}

fn item12(material: &str) -> String {
    format!(
        "<questestinterop><item ident='i' title='Sign'><presentation><material>{material}</material></presentation></item>
         </questestinterop>"
    )
}

#[tokio::test]
async fn a_picture_in_the_resource_of_its_question_is_a_file_of_the_course() {
    for version in ["2p1", "2p2"] {
        let resource = format!(
            "<resource identifier='r' type='imsqti_item_xmlv{version}' href='items/sign.xml'>
             <file href='items/sign.xml'/><file href='items/images/sign 1.png'/></resource>"
        );
        // Addresses count from the question, or from the manifest.
        for address in ["images/sign%201.png", "items/images/sign%201.png", "./images/../images/sign%201.png"] {
            let import = read(&[
                ("imsmanifest.xml", &manifest(&resource)),
                ("items/sign.xml", &item21(version, address)),
                ("items/images/sign 1.png", "png"),
            ])
            .await;
            assert_eq!(import.files, ["items/images/sign 1.png"], "{version} {address}");
            assert!(body(&import).contains("src=\"package:items/images/sign 1.png\""), "{}", body(&import));
            assert!(import.report.is_empty(), "{}", import.report);
        }
    }
}

#[tokio::test]
async fn a_package_in_a_folder_has_its_pictures_too() {
    let resource = "<resource identifier='r' type='imsqti_item_xmlv2p1' href='sign.xml'><file href='sign.xml'/>
        <file href='images/sign.png'/></resource>";
    let import = read(&[
        ("export/imsmanifest.xml", &manifest(resource)),
        ("export/sign.xml", &item21("2p1", "images/sign.png")),
        ("export/images/sign.png", "png"),
    ])
    .await;
    assert_eq!(import.files, ["export/images/sign.png"]);
}

#[tokio::test]
async fn a_picture_of_qti_1_2_is_known_in_all_its_spellings() {
    let resource = "<resource identifier='r' type='imsqti_xmlv1p2' href='q/q.xml'><file href='q/q.xml'/>
        <file href='images/sign.png'/></resource>";
    for address in [
        "$IMS-CC-FILEBASE$/images/sign.png",
        "$IMS_CC_FILEBASE$/images/sign.png",
        "%24IMS_CC_FILEBASE%24/images/sign.png",
        "images/sign.png",
        "../images/sign.png?x=1",
    ] {
        let html = format!("<mattext texttype='text/html'>&lt;p&gt;&lt;img src=\"{address}\"&gt;&lt;/p&gt;</mattext>");
        for material in [html, format!("<matimage uri='{address}'/>")] {
            let import = read(&[
                ("imsmanifest.xml", &manifest(resource)),
                ("q/q.xml", &item12(&material)),
                ("images/sign.png", "png"),
            ])
            .await;
            assert_eq!(import.files, ["images/sign.png"], "{material}");
            assert!(body(&import).contains("package:images/sign.png"), "{}", body(&import));
        }
    }
}

#[tokio::test]
async fn a_picture_that_a_quiz_depends_on_is_a_file_of_the_course() {
    let resources = "<resource identifier='r' type='imsqti_xmlv1p2' href='q.xml'><file href='q.xml'/>
        <dependency identifierref='p'/></resource>
        <resource identifier='p' type='webcontent' href='images/sign.png'><file href='images/sign.png'/></resource>";
    let import = read(&[
        ("imsmanifest.xml", &manifest(resources)),
        ("q.xml", &item12("<matimage uri='images/sign.png'/>")),
        ("images/sign.png", "png"),
    ])
    .await;
    assert_eq!(import.files, ["images/sign.png"]);
}

#[tokio::test]
async fn an_image_of_a_hot_spot_comes_with_it() {
    let spot = "<assessmentItem identifier='i' title='Map'><responseDeclaration identifier='R' cardinality='single'
         baseType='identifier'><correctResponse><value>B</value></correctResponse></responseDeclaration><itemBody>
         <hotspotInteraction responseIdentifier='R' maxChoices='1'><object type='image/png' data='map.png' width='200'
         height='100'/><hotspotChoice identifier='B' shape='rect' coords='0,0,10,10'/></hotspotInteraction></itemBody>
         </assessmentItem>";
    let import = read(&[("q.xml", spot), ("map.png", "png")]).await;
    assert_eq!(import.files, ["map.png"]);
    let question = import.quizzes.iter().flat_map(Quiz::questions).next().unwrap();
    assert!(matches!(&question.interaction, Interaction::HotSpot(own) if own.image == "package:map.png"));
}

#[tokio::test]
async fn what_leads_nowhere_is_told_and_stays_as_it_is() {
    let import = read(&[("q.xml", &item21("2p1", "images/gone.png"))]).await;
    assert!(import.files.is_empty());
    assert!(body(&import).contains("src=\"images/gone.png\""), "{}", body(&import));
    let told = import.report.to_string();
    assert!(told.contains("q.xml: \u{201c}images/gone.png\u{201d} leads nowhere"), "{told}");
    for address in ["https://x.test/a.png", "data:image/png;base64,x", "#top", "/files/1", "mailto:a@b.test"] {
        let import = read(&[("q.xml", &item21("2p1", address))]).await;
        assert!(import.report.is_empty(), "{address}: {}", import.report);
    }
}

#[tokio::test]
async fn what_makes_up_the_package_is_no_file_of_the_course() {
    let resource = "<resource identifier='r' type='imsqti_item_xmlv2p1' href='q.xml'><file href='q.xml'/></resource>";
    for address in ["q.xml", "imsmanifest.xml", "../x.png"] {
        let import = read(&[("imsmanifest.xml", &manifest(resource)), ("q.xml", &item21("2p1", address))]).await;
        assert!(import.files.is_empty());
        assert!(import.report.to_string().contains("leads nowhere"), "{}", import.report);
    }
}

#[tokio::test]
async fn qti_3_is_told_in_words() {
    let item = "<qti-assessment-item identifier='i'><qti-item-body/></qti-assessment-item>";
    let resource = "<resource identifier='r' type='imsqti_item_xmlv3p0' href='q.xml'><file href='q.xml'/></resource>
        <resource identifier='p' type='webcontent' href='p.png'><file href='p.png'/></resource>";
    let bundled = read(&[("imsmanifest.xml", &manifest(resource)), ("q.xml", item), ("p.png", "png")]).await;
    let loose = read(&[("q.xml", item)]).await;
    for import in [bundled, loose] {
        assert!(import.has_newer_quizzes && import.quizzes.is_empty());
        assert!(import.report.to_string().contains("QTI 3.0 is not read"), "{}", import.report);
    }
}

#[tokio::test]
async fn a_document_type_does_not_make_a_quiz_unreadable() {
    let text = format!(
        "<?xml version='1.0'?><!DOCTYPE questestinterop SYSTEM 'ims_qtiasiv1p2p1.dtd'>{}",
        item12("<mattext>Read</mattext>")
    );
    let import = read(&[("q.xml", &text)]).await;
    assert_eq!(body(&import), "Read");
}
