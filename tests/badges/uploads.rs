//! Images that come as files of a form, as browsers and command lines send them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use support::{Call, Response};

use super::{PNG, Room, SVG, field_error, id, new_class, only, svg};

/// A multipart form of texts and of one file.
fn form(texts: &[(&str, &str)], (name, file, kind): (&str, &str, &str), bytes: &[u8]) -> Vec<u8> {
    let mut form = Vec::new();
    for (name, text) in texts {
        let part = format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n");
        form.extend_from_slice(part.as_bytes());
    }
    let head = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\nContent-Type: {kind}\r\n\r\n"
    );
    form.extend_from_slice(head.as_bytes());
    form.extend_from_slice(bytes);
    form.extend_from_slice(b"\r\n--edge--\r\n");
    form
}

pub(super) async fn send(call: Call, texts: &[(&str, &str)], file: (&str, &str, &str), bytes: &[u8]) -> Response {
    call.body("multipart/form-data; boundary=edge", form(texts, file, bytes)).await
}

const PNG_FILE: (&str, &str, &str) = ("image", "a.png", "image/png");
pub(super) const SVG_FILE: (&str, &str, &str) = ("image", "a.svg", "image/svg+xml");

fn png_bytes() -> Vec<u8> {
    BASE64_STANDARD.decode(PNG).unwrap()
}

/// The type of the file to which the address of an image leads.
async fn kind_of_image(room: &Room, path: &str) -> Option<String> {
    let image = room.nobody().get(path).await.is(302);
    let file = room.nobody().get(image.header("location").unwrap()).await.is(200);
    file.header("content-type").map(str::to_owned)
}

#[tokio::test]
async fn images_of_issuers_come_as_files_too() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let texts = [("name", "Harbor & Co"), ("email", &*room.owner.email), ("url", "https://h.test")];
    let issuer = id(&send(owner.post("/v2/issuers"), &texts, PNG_FILE, &png_bytes()).await.is(201));
    let (path, image) = (format!("/v2/issuers/{issuer}"), format!("/public/issuers/{issuer}/image"));
    assert_eq!(kind_of_image(&room, &image).await.as_deref(), Some("image/png"));
    let changed = send(owner.patch(&path), &[("description", "Ropes")], SVG_FILE, SVG.as_bytes()).await.is(200);
    assert_eq!((&only(&changed)["description"], &only(&changed)["name"]), (&json!("Ropes"), &json!("Harbor & Co")));
    assert_eq!(kind_of_image(&room, &image).await.as_deref(), Some("image/svg+xml"));
    send(owner.put(&path), &texts, PNG_FILE, &png_bytes()).await.is(200);
    assert_eq!(kind_of_image(&room, &image).await.as_deref(), Some("image/png"));
    // Nobody has chosen a file in the form of a browser: the image stays.
    let none = ("image", "", "application/octet-stream");
    send(owner.patch(&path), &[("description", "Sails")], none, b"").await.is(200);
    assert_eq!(kind_of_image(&room, &image).await.as_deref(), Some("image/png"));

    // The same checks hold as for data URIs, whatever type the form claims.
    for bytes in [&b"\xff\xd8\xff\xe0 a photograph"[..], b"", b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>"]
    {
        field_error(send(owner.patch(&path), &[], PNG_FILE, bytes).await, "image");
    }
    field_error(send(owner.patch(&path), &[], PNG_FILE, &vec![b'x'; 1024 * 1024 + 1]).await, "image");
    send(owner.patch(&path), &[], PNG_FILE, &vec![b'x'; 3 * 1024 * 1024]).await.is(413);
    // A text is a text, though it stands in such a form.
    let text = owner.patch(&path).multipart(&[("image", "not a picture")]).await;
    field_error(text, "image");
}

#[tokio::test]
async fn images_of_classes_come_as_files_too() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let texts = [("name", "Knots"), ("description", "Six"), ("criteriaNarrative", "Tie them")];
    let of_issuer = format!("/v2/issuers/{}/badgeclasses", room.issuer);
    let class = id(&send(owner.post(&of_issuer), &texts, SVG_FILE, SVG.as_bytes()).await.is(201));
    let image = format!("/public/badges/{class}/image");
    assert_eq!(kind_of_image(&room, &image).await.as_deref(), Some("image/svg+xml"));
    let path = format!("/v2/badgeclasses/{class}");
    send(owner.put(&path), &texts, PNG_FILE, &png_bytes()).await.is(200);
    assert_eq!(kind_of_image(&room, &image).await.as_deref(), Some("image/png"));
    let named = [&texts[..], &[("issuer", &*room.issuer)]].concat();
    send(owner.post("/v2/badgeclasses"), &named, PNG_FILE, &png_bytes()).await.is(201);
    field_error(send(owner.post("/v2/badgeclasses"), &named, PNG_FILE, b"GIF89a").await, "image");
}

#[tokio::test]
async fn a_baked_image_is_imported_as_a_file() {
    let room = Room::new().await;
    let class = new_class(&room.owner.client, &room.issuer, json!({ "image": svg(SVG) })).await;
    let award = json!({ "recipient": { "identity": room.earner.email } });
    let award = room.owner.client.post(&format!("/v2/badgeclasses/{class}/assertions")).json(award).await;
    let award = id(&award.is(201));
    let image = room.nobody().get(&format!("/public/assertions/{award}/image")).await.is(302);
    let baked = room.nobody().get(image.header("location").unwrap()).await.is(200);
    assert!(baked.body.contains("openbadges:assertion"), "{baked}");
    let import = || room.earner.client.post("/v2/backpack/import");
    let kept = send(import(), &[], SVG_FILE, baked.body.as_bytes()).await.is(201);
    assert_eq!((id(&kept), &only(&kept)["acceptance"]), (award, &json!("Accepted")));
    let plain = send(import(), &[], PNG_FILE, &png_bytes()).await.is(400);
    assert_eq!(plain["validationErrors"][0]["name"], "IMAGE_NOT_BAKED");
    field_error(send(import(), &[], SVG_FILE, b"x").await, "image");
}
