//! Somebody in a browser: a session on the pages of the application, and their forms.

use serde_json::json;

use crate::{Client, Response, School, unique};

/// The password of everybody whom [`School::in_browser`] lets in.
pub const PASSWORD: &str = "analytical engine";

impl School {
    /// A further login of somebody, with [`PASSWORD`].
    pub async fn login_of(&self, person: &Client) -> String {
        let login = unique("browser");
        let body = json!({ "user": { "id": person.id }, "login": { "unique_id": login, "password": PASSWORD } });
        self.admin.post("/api/v1/accounts/self/logins").json(body).await.is(200);
        login
    }

    /// The same person with a session on the pages, and without a token.
    pub async fn in_browser(&self, person: &Client) -> Client {
        let login = self.login_of(person).await;
        let answer = log_in(person, "", &login, PASSWORD).await.is(303);
        person.without_token().with_id(person.id).with_cookie(&answer.cookie())
    }
}

/// Sends the form of the log-in, from a network that nobody else calls from.
pub async fn log_in(client: &Client, return_to: &str, login: &str, password: &str) -> Response {
    let nobody = client.without_token();
    let page = nobody.get(&format!("/login?return_to={return_to}")).await.is_page(200, "<h1>Log in</h1>");
    let form = [
        ("login", login.to_owned()),
        ("password", password.to_owned()),
        ("return_to", page.field("return_to")),
        ("authenticity_token", page.field("authenticity_token")),
    ];
    nobody.post("/login").header("x-forwarded-for", unique("address")).form(&form).await
}

impl Client {
    /// Sends a form of that page: what it has for its session, and these fields.
    pub async fn submit(&self, page: &Response, path: &str, fields: &[(&str, &str)]) -> Response {
        let token = page.field("authenticity_token");
        let form: Vec<_> = fields.iter().copied().chain([("authenticity_token", token.as_str())]).collect();
        self.post(path).form(&form).await
    }
}

impl Response {
    /// The value of a hidden field of the page.
    #[track_caller]
    pub fn field(&self, name: &str) -> String {
        let field = self.body.split("<input").find(|input| input.contains(&format!("name=\"{name}\"")));
        let field = field.unwrap_or_else(|| panic!("no field {name}: {self}"));
        let value = field.split("value=\"").nth(1).and_then(|value| value.split('"').next());
        value.expect("a value").to_owned()
    }

    /// The cookie that the answer sets: its name and value.
    #[track_caller]
    pub fn cookie(&self) -> String {
        let cookie = self.header("set-cookie").unwrap_or_else(|| panic!("no cookie: {self}"));
        cookie.split(';').next().unwrap_or_default().to_owned()
    }

    /// The address to which the answer leads.
    #[track_caller]
    pub fn leads_to(&self, address: &str) {
        assert_eq!((self.status, self.header("location")), (303, Some(address)), "{self}");
    }
}
