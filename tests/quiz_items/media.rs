//! Images of hot-spot questions: where they are put, and who reads them.

use super::*;

#[tokio::test]
async fn the_images_of_a_course_have_a_quota() {
    let room = Room::new().await;
    let address = async || {
        let answer = room.teacher.get(&format!("{}/media_upload_url", room.items())).await.is(200);
        answer["url"].as_str().unwrap().to_owned()
    };
    let nobody = room.teacher.without_token();
    nobody.put(&address().await).body("image/png", pixel()).await.is(200);
    let grown = |size: i64| {
        let sql = format!("UPDATE media_objects SET size = {size} WHERE course_id = {}", room.course.id);
        support::running().change_database(&sql)
    };
    if !grown(1 << 50) {
        return;
    }
    let refused = address().await;
    nobody.put(&refused).body("image/png", pixel()).await.is_refused(400, "exceed its quota");
    grown(100);
    nobody.put(&refused).body("image/png", pixel()).await.is(200);
}

#[tokio::test]
async fn an_image_is_put_where_the_address_says_and_read_without_its_signature() {
    let room = Room::new().await;
    let address = || async {
        let answer = room.teacher.get(&format!("{}/media_upload_url", room.items())).await.is(200);
        answer["url"].as_str().unwrap().to_owned()
    };
    let (upload, another) = (address().await, address().await);
    assert_ne!(upload, another, "each call gives a fresh address");
    let image = pixel();
    let nobody = room.teacher.without_token();
    let (place, query) = upload.split_once('?').unwrap();
    nobody.put(place).body("image/png", image.clone()).await.is(403);
    nobody
        .put(&format!("{}?{query}", another.split('?').next().unwrap()))
        .body("image/png", image.clone())
        .await
        .is(403);
    let stored = nobody.put(&upload).body("image/png", image.clone()).await;
    assert!([200, 204].contains(&stored.status), "{stored}");
    let read = nobody.get(place).await.is(200);
    assert_eq!(read.header("content-type"), Some("image/png"));
    assert_eq!(read.header("content-length"), Some(image.len().to_string().as_str()));

    // As `curl -T` sends a file.
    let (undeclared, _) = another.split_once('?').unwrap();
    let stored = reqwest::Client::new().put(&another).body(image.clone()).send().await.unwrap();
    assert_eq!(stored.status(), 200);
    assert_eq!(nobody.get(undeclared).await.is(200).header("content-type"), Some("image/png"));
    let third = address().await;
    let refused = reqwest::Client::new().put(&third).body("<svg/>").send().await.unwrap();
    assert_eq!(refused.status(), 415);

    let spot = json!({
        "item_body": "<p>Where?</p>",
        "interaction_type_slug": "hot-spot",
        "interaction_data": { "image_url": place },
        "scoring_data": { "value": { "type": "square", "coordinates": [{ "x": 0.1, "y": 0.1 }, { "x": 0.5, "y": 0.5 }] } },
        "scoring_algorithm": "HotSpot",
    });
    room.create(item(spot)).await.is(200);
}

/// The smallest image: one pixel.
fn pixel() -> Vec<u8> {
    let header =
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89";
    let data = b"\x00\x00\x00\x0dIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa75\x81\x84";
    let end = b"\x00\x00\x00\x00IEND\xaeB`\x82";
    [header.as_slice(), data, end].concat()
}
