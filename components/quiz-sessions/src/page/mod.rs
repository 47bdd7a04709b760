//! The page on which a new quiz is taken: what the service says of the quiz, and the script that does the rest.

pub(crate) mod grading;

use std::borrow::Cow;

use maud::{Markup, PreEscaped, Render, html};
use serde_json::{Map, Value, json};
use shared::html::{Page, fill, moment};
use shared::ids::UserId;
use shared::session::{SignedIn, page_path};
use shared::texts::{Language, Text, quiz as words, quiz_grading, quiz_script};
use shared::{Reply, Result, Timestamp};
use submissions::grading::decimal;

use crate::model::quiz_page::QuizPage;

const STYLE: &str = include_str!("take.css");

/// One script of several files, each of which tells one story.
const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("script/base.js"),
    include_str!("script/rich.js"),
    include_str!("script/service.js"),
    include_str!("script/queue.js"),
    include_str!("script/clock.js"),
    include_str!("script/numbers.js"),
    include_str!("script/calculator.js"),
    include_str!("script/choices.js"),
    include_str!("script/pairs.js"),
    include_str!("script/editor.js"),
    include_str!("script/written.js"),
    include_str!("script/hot_spot.js"),
    include_str!("script/spots.js"),
    include_str!("script/uploads.js"),
    include_str!("script/questions.js"),
    include_str!("script/taking.js"),
    include_str!("script/result.js"),
    include_str!("script/start.js"),
);

/// Texts of authors may show images of any host that has a certificate. Those of a course are fetched by the script.
const IMAGES_FROM: &str = "'self' https: blob:";

/// What a page shows, to whom, and how.
pub(crate) struct Shown<'a> {
    pub(crate) quiz: &'a QuizPage,
    /// The path of the page, without a prefix.
    pub(crate) path: String,
    /// The path of the endpoints that its script calls.
    pub(crate) api: String,
    pub(crate) signed_in: &'a SignedIn,
    pub(crate) user: UserId,
    pub(crate) is_preview: bool,
    /// False for those who may no more than read, as students of a course that has ended.
    pub(crate) may_begin: bool,
    /// The path of the page on which attempts are graded, without a prefix, for those who may.
    pub(crate) grading: Option<String>,
    pub(crate) language: Language,
}

impl Shown<'_> {
    /// The page.
    pub(crate) async fn page(&self) -> Result<Reply> {
        let page = Page {
            language: self.language,
            title: &self.quiz.title,
            style: STYLE,
            script: Some(SCRIPT),
            images_from: IMAGES_FROM,
            signed_in: Some(self.signed_in),
            ..Page::default()
        };
        let setup = self.setup().await?;
        Ok(page.show(&html! {
            (self.start())
            div id="view" {}
            p id="news" class="spoken" role="status" {}
            script type="application/json" id="setup" { (PreEscaped(setup)) }
        }))
    }

    /// What the script must know, as JSON in which nothing ends the element around it.
    async fn setup(&self) -> Result<String> {
        let texts: Map<String, Value> = quiz_script::TABLE
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.get(self.language).into()))
            .collect();
        let preview = if self.is_preview { "?preview=true" } else { "" };
        let setup = json!({
            "api": page_path(&self.api).await?,
            "files": page_path("/api/v1/users/self/files").await?,
            "page": format!("{}{preview}", page_path(&self.path).await?),
            "login": page_path("/login").await?,
            "prefix": self.signed_in.prefix,
            "token": self.signed_in.form_token,
            "user": self.user.to_string(),
            "preview": self.is_preview,
            "instructions": self.quiz.instructions,
            "texts": texts,
        });
        Ok(setup.to_string().replace('<', "\\u003c"))
    }

    /// The quiz before it is taken.
    fn start(&self) -> Markup {
        let quiz = self.quiz;
        html! {
            section id="start" {
                h1 { (quiz.title) }
                @if let Some(path) = &self.grading {
                    p { a href={ (self.signed_in.prefix) (path) } { (self.say(quiz_grading::GRADE_ATTEMPTS)) } }
                }
                @if self.is_preview { p class="preview" { (self.say(words::PREVIEW)) } }
                @if !self.may_begin { p { (self.say(words::ONLY_RESULTS)) } }
                div id="instructions" {}
                (self.facts())
                noscript { p class="problem" { (self.say(words::NEEDS_SCRIPT)) } }
                div id="scripted" hidden {
                    form id="start-form" hidden[!self.may_begin] {
                        @if quiz.asks_for_code() {
                            label for="code" { (self.say(words::ACCESS_CODE)) }
                            input id="code" class="short" autocomplete="off" autocapitalize="off" spellcheck="false";
                        }
                        button id="begin" { (self.say(words::BEGIN)) }
                    }
                    div id="start-problem" role="alert" {}
                    @if !self.may_begin { p id="no-attempts" hidden { (self.say(quiz_grading::NO_ATTEMPTS)) } }
                    div id="sessions" {}
                }
            }
        }
    }

    /// What there is to know before one begins.
    fn facts(&self) -> Markup {
        let quiz = self.quiz;
        let at = |time: Option<Timestamp>| time.map(moment);
        let attempts = match quiz.attempts() {
            Some(most) => most.to_string().into(),
            None => Cow::Borrowed(self.say(words::NO_LIMIT)),
        };
        let limit = quiz.minutes().map(|minutes| fill(&words::MINUTES, self.language, &[("minutes", &minutes)]));
        let worth = quiz.worth();
        let of_grade = |points: f64| fill(&words::POINTS_OF_GRADE, self.language, &[("points", &decimal(points))]);
        let facts: [(Text, Option<Markup>); 7] = [
            (words::POINTS, worth.points.map(|points| decimal(points).render())),
            (words::COUNTS_AS, worth.points_of_grade.map(of_grade)),
            (words::TIME_LIMIT, limit),
            (words::ATTEMPTS, Some(attempts.render())),
            (words::DUE, at(quiz.due_at)),
            (words::OPENS, at(quiz.unlock_at)),
            (words::CLOSES, at(quiz.lock_at)),
        ];
        html! {
            dl class="facts" {
                @for (name, fact) in &facts {
                    @if let Some(fact) = fact { dt { (self.say(*name)) } dd { (fact) } }
                }
            }
            @if quiz.is_one_at_a_time() {
                p { (self.say(if quiz.goes_back() { words::ONE_AT_A_TIME } else { words::NO_GOING_BACK })) }
            }
        }
    }

    fn say(&self, text: Text) -> &'static str {
        text.get(self.language)
    }
}
