//! The pages of the backpack: what its owner sees there, imports, turns down and shows to others.

use serde_json::json;
use support::{Client, Response};

use super::uploads::{SVG_FILE, send};
use super::{Room, SVG, elsewhere, id, ids, is_hidden, new_class, only, person, svg};

/// The page of a badge.
fn page(id: &str) -> String {
    format!("/backpack/assertions/{id}")
}

/// The link of a page that turns to another part of the list.
fn turn(page: &Response, rel: &str) -> Option<String> {
    let (_, rest) = page.body.split_once(&format!("rel=\"{rel}\" href=\""))?;
    Some(rest.split('"').next().unwrap().replace("&amp;", "&"))
}

/// The titles of the badges on a page of the list.
fn titles(page: &Response) -> usize {
    page.body.matches("<h2><a href=\"/backpack/assertions/").count()
}

async fn import(browser: &Client, url: &str) -> Response {
    let form = browser.get("/backpack/import").await.is_page(200, "Import a badge");
    browser.submit(&form, "/backpack/import", &[("url", url)]).await
}

#[tokio::test]
async fn an_earner_finds_awards_opens_and_shares_them() {
    let room = Room::new().await;
    let browser = room.school.in_browser(&room.earner.client).await;
    browser.get("/home").await.is_page(200, "href=\"/backpack\"");
    browser.get("/backpack").await.is_page(200, "There are no badges in your backpack.");
    let award = room.awarded().await;
    let list = browser.get("/backpack").await.is_page(200, "Knot tying I");
    for part in ["Harbor College", "This award is valid.", &page(&award), &format!("/badges/{}/image", room.class)] {
        assert!(list.body.contains(part), "{part}: {list}");
    }
    assert!(list.header("content-security-policy").unwrap().contains("img-src 'self'"), "{list}");
    assert!(!list.body.contains("class=\"over\"") && !list.body.contains("Collections"), "{list}");

    let shown = browser.get(&page(&award)).await.is_page(200, "It has not been revoked");
    let public = format!("{}/public/assertions/{award}", room.owner.client.base_url());
    let shares = ["linkedin.com/profile/add", "linkedin.com/sharing", "credential?iss=did", "action\" value=\"accept"];
    for part in shares.into_iter().chain([&*format!("{public}.html"), &format!("{public}/image\" download")]) {
        assert!(shown.body.contains(part), "{part}: {shown}");
    }
    browser.submit(&shown, &page(&award), &[("action", "accept")]).await.leads_to(&page(&award));
    let kept = room.earner.client.get(&format!("/v2/backpack/assertions/{award}")).await.is(200);
    assert_eq!(only(&kept)["acceptance"], "Accepted");
    assert!(!browser.get(&page(&award)).await.is(200).body.contains("value=\"accept\""));

    let collection = json!({ "name": "Knots & ropes", "published": true, "assertions": [award] });
    let shared = room.earner.client.post("/v2/backpack/collections").json(collection).await.is(201);
    let hash = only(&shared)["shareHash"].as_str().unwrap().to_owned();
    let private = json!({ "name": "Drafts", "assertions": [] });
    room.earner.client.post("/v2/backpack/collections").json(private).await.is(201);
    let list = browser.get("/backpack").await.is_page(200, "Collections");
    let link = format!("<a href=\"/public/collections/{hash}.html\">Knots &amp; ropes</a> (1), published");
    assert!(list.body.contains(&link) && list.body.contains("Drafts (0), not published"), "{list}");
    room.nobody().get(&format!("/public/collections/{hash}.html")).await.is(200);

    browser.submit(&shown, &page(&award), &[("action", "remove")]).await.leads_to("/backpack");
    browser.get(&page(&award)).await.is_page(404, "There is nothing here");
    browser.get("/backpack").await.is_page(200, "There are no badges in your backpack.");
    room.nobody().get(&format!("{public}.html")).await.is_page(200, "This award is valid.");
}

#[tokio::test]
async fn what_was_revoked_or_has_expired_stays_and_says_so() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let browser = room.school.in_browser(earner).await;
    let revoked = room.awarded().await;
    room.revoke(&revoked).await.is(200);
    let old = json!({ "issuedOn": "2020-03-04T00:00:00Z", "expires": "2021-03-04T00:00:00Z" });
    let expired = id(&room.award(old).await.is(201));
    let list = browser.get("/backpack").await.is_page(200, "This award was revoked: a mistake");
    assert!(list.body.contains("This award has expired: it was good until <time"), "{list}");
    assert_eq!((titles(&list), list.body.matches("<li class=\"over\">").count()), (2, 2), "{list}");
    let shown = browser.get(&page(&revoked)).await.is_page(200, "This award was revoked: a mistake");
    assert!(!shown.body.contains("linkedin.com") && !shown.body.contains("value=\"accept\""), "{shown}");
    browser.get(&page(&expired)).await.is_page(200, "it was good until");

    // The API has them too, marked, where it is asked for them.
    let listed = async |query: &str| earner.get(&format!("/v2/backpack/assertions{query}")).await.is(200);
    assert!(ids(&listed("").await).is_empty());
    assert_eq!(ids(&listed("?include_expired=true").await), [expired.as_str()]);
    let with_revoked = listed("?include_revoked=true").await;
    let one = earner.get(&format!("/v2/backpack/assertions/{revoked}")).await.is(200);
    for award in [only(&with_revoked), only(&one)] {
        assert_eq!((&award["entityId"], &award["revoked"]), (&json!(revoked), &json!(true)));
        assert_eq!((&award["revocationReason"], &award["image"]), (&json!("a mistake"), &json!(null)));
    }
    is_hidden(earner.get(&format!("/v2/backpack/assertions/{revoked}/image")).await);
}

#[tokio::test]
async fn a_badge_of_others_is_imported_and_removed() {
    let room = Room::new().await;
    let browser = room.school.in_browser(&room.earner.client).await;
    let there = elsewhere(|all| all["/badge"]["name"] = json!("<b>Sails</b>"), &room.earner.email);
    let url = format!("{}/assertion", there.url.trim_end_matches('/'));
    let imported = import(&browser, &url).await.is(303);
    let address = imported.header("location").unwrap().to_owned();
    let shown = browser.get(&address).await.is_page(200, "&lt;b&gt;Sails&lt;/b&gt;");
    let kept = address.strip_prefix("/backpack/assertions/").unwrap();
    let image = format!("href=\"/public/imports/{kept}/image\" download");
    for part in ["This badge was verified on <time", "Awarded by I on <time", "sharing/share-offsite", &url, &image] {
        assert!(shown.body.contains(part), "{part}: {shown}");
    }
    room.nobody().get(&format!("/public/imports/{kept}/image")).await.is(302);
    let list = browser.get("/backpack").await.is_page(200, "&lt;b&gt;Sails&lt;/b&gt;");
    assert!(list.body.contains(&format!("src=\"/public/imports/{kept}/image\"")), "{list}");

    import(&browser, &url).await.is_page(400, "This badge is in your backpack already.");
    browser.submit(&shown, &address, &[("action", "remove")]).await.leads_to("/backpack");
    browser.get("/backpack").await.is_page(200, "There are no badges in your backpack.");
    import(&browser, &url).await.is(303);

    let of_another = elsewhere(|_| {}, "eve@school.test");
    let of_another = format!("{}/assertion", of_another.url.trim_end_matches('/'));
    let refused = import(&browser, &of_another).await.is_page(400, "was awarded to none of your e-mail addresses");
    assert!(refused.body.contains(&format!("value=\"{of_another}\"")), "what was typed stays: {refused}");
    import(&browser, "http://169.254.169.254/x").await.is_page(400, "An address of the badge could not be read.");
    import(&browser, " ").await.is_page(400, "Exactly one of url, image and assertion is required.");
}

#[tokio::test]
async fn a_baked_image_is_uploaded_by_a_form() {
    let room = Room::new().await;
    let browser = room.school.in_browser(&room.earner.client).await;
    let class = new_class(&room.owner.client, &room.issuer, json!({ "image": svg(SVG) })).await;
    let award = json!({ "recipient": { "identity": room.earner.email } });
    let path = format!("/v2/badgeclasses/{class}/assertions");
    let award = id(&room.owner.client.post(&path).json(award).await.is(201));
    let image = room.nobody().get(&format!("/public/assertions/{award}/image")).await.is(302);
    let baked = room.nobody().get(image.header("location").unwrap()).await.is(200);
    let form = browser.get("/backpack/import").await.is_page(200, "enctype=\"multipart/form-data\"");
    let token = form.field("authenticity_token");
    let upload = async |token: &str, picture: &str| {
        let texts = [("authenticity_token", token)];
        send(browser.post("/backpack/import"), &texts, SVG_FILE, picture.as_bytes()).await
    };
    upload("", &baked.body).await.is_page(400, "no page of yours sent it");
    upload(&token, &baked.body).await.leads_to(&page(&award));
    upload(&token, &baked.body).await.is_page(400, "This badge is in your backpack already.");
    upload(&token, SVG).await.is_page(400, "There is no badge in this image.");
    upload(&token, "<svg").await.is_page(400, "The badge was not imported.");
}

#[tokio::test]
async fn an_import_waits_for_its_address_on_the_page() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let address = format!("{}@later.test", support::unique("earner"));
    let channel = json!({ "communication_channel": { "address": address, "type": "email" } });
    earner.post("/api/v1/users/self/communication_channels").json(channel).await.is(200);
    let browser = room.school.in_browser(earner).await;
    let there = elsewhere(|_| {}, &address);
    import(&browser, &format!("{}/assertion", there.url.trim_end_matches('/'))).await.is(303);
    let words = format!("This badge waits until you have confirmed the address {address}.");
    browser.get("/backpack").await.is_page(200, &words);
}

#[tokio::test]
async fn a_long_backpack_has_pages() {
    let room = Room::new().await;
    let browser = room.school.in_browser(&room.earner.client).await;
    let row = || json!({ "recipient": { "identity": room.earner.email } });
    let rows: Vec<_> = (0..25).map(|_| row()).collect();
    let issue = format!("/v2/badgeclasses/{}/issue", room.class);
    room.owner.client.post(&issue).json(json!({ "assertions": rows })).await.is(201);
    let first = browser.get("/backpack").await.is_page(200, "Older badges");
    assert_eq!((titles(&first), turn(&first, "prev")), (24, None));
    let second = browser.get(&turn(&first, "next").unwrap()).await.is_page(200, "Newer badges");
    assert_eq!((titles(&second), turn(&second, "next")), (1, None));
    let back = browser.get(&turn(&second, "prev").unwrap()).await.is_page(200, "The newest badges");
    assert_eq!((titles(&back), turn(&back, "prev")), (24, None));
    browser.get("/backpack?after=x").await.is_page(400, "after");
}

#[tokio::test]
async fn a_backpack_is_its_owners() {
    let room = Room::new().await;
    let award = room.awarded().await;
    let earner = room.school.in_browser(&room.earner.client).await;
    let shown = earner.get(&page(&award)).await.is(200);
    let stranger = room.school.in_browser(&person(&room.school, "stranger").await.client).await;
    stranger.get(&page(&award)).await.is_page(404, "There is nothing here");
    let own = stranger.get("/backpack").await.is_page(200, "There are no badges in your backpack.");
    stranger.submit(&own, &page(&award), &[("action", "remove")]).await.is_page(404, "There is nothing here");
    stranger.submit(&shown, &page(&award), &[("action", "remove")]).await.is_page(400, "no page of yours");
    earner.post(&page(&award)).form(&[("action", "remove")]).await.is_page(400, "no page of yours");
    for action in ["", "revoke"] {
        earner.submit(&shown, &page(&award), &[("action", action)]).await.is_page(400, "action");
    }
    room.nobody().get("/backpack").await.leads_to("/login?return_to=%2Fbackpack");
    // A token of the API opens no page.
    room.earner.client.get("/backpack").await.leads_to("/login?return_to=%2Fbackpack");
    earner.get(&page(&award)).await.is_page(200, "This award is valid.");
}

#[tokio::test]
async fn a_backpack_speaks_its_readers_language() {
    let room = Room::new().await;
    let browser = room.school.in_browser(&room.earner.client).await;
    let award = room.awarded().await;
    room.revoke(&award).await.is(200);
    let german = browser.get("/backpack").header("accept-language", "de-AT, en;q=0.5").await;
    let german = german.is_page(200, "Diese Auszeichnung wurde widerrufen: a mistake");
    for part in ["<html lang=\"de\">", "<h1>Rucksack</h1>", ">Startseite</a>", ">Abmelden</button>"] {
        assert!(german.body.contains(part), "{part}: {german}");
    }
    let french =
        browser.get("/backpack/import").header("accept-language", "fr").await.is_page(200, "Importer un badge");
    let refused = browser.post("/backpack/import").header("accept-language", "fr");
    let token = french.field("authenticity_token");
    let form = [("url", "http://169.254.169.254/x"), ("authenticity_token", &token)];
    refused.form(&form).await.is_page(400, "Une adresse du badge n’a pas pu être lue.");
}
