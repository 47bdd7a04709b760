//! The page on which somebody imports a badge of another service.

use http::StatusCode;
use maud::{Markup, html};
use shared::error::Kind;
use shared::error_format::sentence;
use shared::texts::{Text, backpack as texts};
use shared::{Error, Reply};

use super::backpack::{Keeper, back};

/// Why a badge was not imported.
pub(crate) struct Problem {
    words: Text,
    /// What is wrong, in the words of the API.
    detail: Option<String>,
}

impl Problem {
    /// The problem that the person can do something about; none where it is ours, or must wait.
    pub(crate) fn of(error: &Error) -> Option<Self> {
        match error.kind() {
            Kind::Own { status: StatusCode::BAD_REQUEST, body } => {
                let told = |member: &str| body.pointer("/validationErrors/0")?.get(member)?.as_str();
                let words = told("name").map_or(texts::NOT_IMPORTED, words);
                let detail = [texts::NOT_IMPORTED, texts::UNREADABLE, texts::UNVERIFIED].contains(&words);
                Some(Self { words, detail: told("description").filter(|_| detail).map(str::to_owned) })
            }
            kind @ (Kind::BadRequest(_) | Kind::Invalid(_)) => {
                Some(Self { words: texts::NOT_IMPORTED, detail: Some(sentence(kind)) })
            }
            _ => None,
        }
    }

    fn show(&self, keeper: &Keeper<'_>) -> Markup {
        html! {
            div class="problem" id="problem" role="alert" {
                (self.words.get(keeper.language))
                @if let Some(detail) = &self.detail { " " span lang="en" { (detail) } }
            }
        }
    }
}

/// The words for a reason that the API names.
fn words(name: &str) -> Text {
    match name {
        "DUPLICATE_BADGE" => texts::DUPLICATE,
        "RECIPIENT_MISMATCH" => texts::OF_OTHERS,
        "ASSERTION_REVOKED" => texts::WAS_REVOKED,
        "ASSERTION_EXPIRED" => texts::HAS_EXPIRED,
        "IMAGE_NOT_BAKED" => texts::NOT_BAKED,
        "FETCH_HTTP_NODE" => texts::UNREADABLE,
        "UNABLE_TO_VERIFY" => texts::UNVERIFIED,
        _ => texts::NOT_IMPORTED,
    }
}

/// The forms for a badge, with the address that was sent, and why that was not imported.
pub(crate) fn form(keeper: &Keeper<'_>, url: &str, problem: Option<&Problem>) -> Reply {
    let (title, path) = (texts::IMPORT.get(keeper.language), format!("{}/backpack/import", keeper.prefix()));
    let say = |text: Text| text.get(keeper.language);
    keeper.page(title, "").show(&html! {
        h1 { (title) }
        @if let Some(problem) = problem { (problem.show(keeper)) }
        p { (say(texts::WHAT_IS_IMPORTED)) }
        h2 { (say(texts::BY_ADDRESS)) }
        form method="post" action=(path) {
            (keeper.form_token())
            label for="url" { (say(texts::AWARD_ADDRESS)) }
            input id="url" type="url" name="url" value=(url) required maxlength="2000" autocomplete="off";
            button { (say(texts::IMPORT_ADDRESS)) }
        }
        h2 { (say(texts::BY_IMAGE)) }
        form method="post" action=(path) enctype="multipart/form-data" {
            (keeper.form_token())
            label for="image" { (say(texts::BAKED_IMAGE)) }
            input id="image" type="file" name="image" required accept="image/png,image/svg+xml";
            button { (say(texts::IMPORT_IMAGE)) }
        }
        (back(keeper))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::model::error_format::error_body;

    #[test]
    fn a_reason_is_told_in_the_readers_words_and_in_those_of_the_api_where_there_are_more() {
        let named = |name: &str| {
            let told = vec![json!({ "name": name, "description": "why" })];
            let error = Error::own(StatusCode::BAD_REQUEST, error_body("bad request", Map::new(), told));
            let problem = Problem::of(&error).unwrap();
            (problem.words, problem.detail)
        };
        assert_eq!(named("DUPLICATE_BADGE"), (texts::DUPLICATE, None));
        assert_eq!(named("UNABLE_TO_VERIFY"), (texts::UNVERIFIED, Some("why".to_owned())));
        assert_eq!(named("IMAGE_VALIDATION"), (texts::NOT_IMPORTED, Some("why".to_owned())));
        let invalid = Problem::of(&Error::invalid("image", "invalid", "is odd")).unwrap();
        assert_eq!(invalid.detail.as_deref(), Some("image is odd"));
        assert!(Problem::of(&Error::internal(std::fmt::Error)).is_none() && Problem::of(&Error::not_found()).is_none());
    }
}
