//! An attempt with its answers, and the fields for points and comments.

use maud::{Markup, html};
use shared::Reply;
use shared::html::{Page, fill, moment};
use shared::params::plain_line_ends;
use shared::session::FORM_TOKEN;
use shared::texts::{Text, quiz_grading as words};
use submissions::grading::decimal;

use crate::model::attempts::AttemptsAround;
use crate::model::grading_sheet::{GradingSheet, UnfitFields, shown_comment, shown_fudge, shown_points};
use crate::model::items::{Content, SessionItem};
use crate::model::results::{ResultItem, SessionResult};
use crate::model::sessions::SessionRow;
use crate::page::grading::frame::{Frame, rich, score};
use crate::page::grading::response;

const SCRIPT: &str = include_str!("images.js");
/// Texts of authors and students may show images of any host that has a certificate. Those of a course are fetched by the script.
const IMAGES_FROM: &str = "'self' https: blob:";

/// An attempt that is handed in.
pub(crate) struct AttemptPage<'a> {
    pub(crate) frame: Frame<'a>,
    pub(crate) row: &'a SessionRow,
    pub(crate) content: &'a Content,
    pub(crate) result: &'a SessionResult,
    pub(crate) around: &'a AttemptsAround,
    pub(crate) note: GradingNote<'a>,
}

/// What became of a form that was sent before.
pub(crate) enum GradingNote<'a> {
    None,
    Saved,
    /// Somebody else was faster: nothing was kept of this.
    Stale(&'a GradingSheet),
    /// Some fields are not taken: nothing was kept of this.
    Unfit(&'a GradingSheet, UnfitFields),
}

impl GradingNote<'_> {
    fn words(&self) -> Option<Text> {
        match self {
            Self::None | Self::Saved => None,
            Self::Stale(_) => Some(words::CHANGED_ELSEWHERE),
            Self::Unfit(..) => Some(words::NOT_SAVED),
        }
    }
}

/// A field: what it has, and what is to be said of it.
struct Field<'a> {
    id: String,
    name: String,
    value: String,
    /// What the grader had typed, where something else stands.
    typed: Option<&'a str>,
    problem: Option<Text>,
}

impl AttemptPage<'_> {
    pub(crate) fn show(&self) -> Reply {
        let Frame { path, signed_in, .. } = self.frame;
        let title = self.attempt_of(self.row.attempt);
        let page = Page { script: Some(SCRIPT), images_from: IMAGES_FROM, ..self.frame.page(&title) };
        page.show(&html! {
            p { a href=(path) { (self.filled(words::GRADING_OF, &[("title", &self.row.title)])) } }
            h1 { (title) }
            @if let GradingNote::Saved = self.note { p class="note" role="status" { (self.say(words::SAVED)) } }
            @if let Some(problem) = self.note.words() { p class="problem" role="alert" { (self.say(problem)) } }
            (self.facts())
            form id="grading" method="post" action={ (path) "/" (self.row.id) }
                data-token=(signed_in.form_token) data-prefix=(signed_in.prefix) {
                input type="hidden" name=(FORM_TOKEN) value=(signed_in.form_token);
                input type="hidden" name="version" value=(self.version());
                @for item in self.result.items.iter().flatten() { (self.item(item)) }
                (self.beside())
                button name="then" value="next" { (self.say(words::SAVE_NEXT)) }
                button class="plain" name="then" value="stay" { (self.say(words::SAVE)) }
            }
            @if let Some(next) = self.around.next_waiting {
                p { a href={ (path) "/" (next) } { (self.say(words::SKIP)) } }
            }
        })
    }

    /// Where the fields show what was typed, the version is that of their page; otherwise that of what stands.
    fn version(&self) -> i64 {
        match &self.note {
            GradingNote::Unfit(sheet, _) => sheet.version(),
            _ => self.row.grading_version,
        }
    }

    fn facts(&self) -> Markup {
        let Self { frame, row, around, .. } = self;
        let (language, path) = (frame.language, frame.path);
        let graded = around.grader.as_ref().zip(row.graded_at);
        html! {
            p {
                @if let Some(points) = row.score { strong { (score(language, points, row.points_possible)) } }
                @if row.is_scored == Some(false) { " " span class="waits" { (self.say(words::WAITS)) } }
            }
            p class="soft" {
                @if let Some(at) = row.submitted_at { (self.say(words::HANDED_IN)) ": " (moment(at)) " " }
                @if let Some((name, at)) = graded {
                    (fill(&words::GRADED_BY, language, &[("name", name), ("at", &moment(at))]))
                }
            }
            @if around.attempts.0.len() > 1 {
                nav aria-label=(self.say(words::ATTEMPTS)) {
                    ul class="attempts" {
                        @for other in &around.attempts.0 {
                            li {
                                a href={ (path) "/" (other.id) } aria-current=[(other.id == row.id).then_some("page")] {
                                    (self.filled(words::ATTEMPT_NUMBER, &[("attempt", &other.attempt)]))
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn item(&self, graded: &ResultItem) -> Markup {
        let item = &graded.item;
        let heading = format!("heading-{}", item.id);
        if item.entry_type != "Item" {
            return html! {
                article aria-labelledby=(heading) {
                    h2 id=(heading) { (item.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(self.say(words::STIMULUS))) }
                    @for text in [&item.instructions, &item.body].into_iter().flatten() { (rich(text)) }
                }
            };
        }
        html! {
            article aria-labelledby=(heading) {
                h2 id=(heading) { (self.filled(words::QUESTION, &[("number", &item.position)])) }
                p class=(if graded.points.is_none() { "waits" } else { "soft" }) {
                    (self.say(verdict(graded)))
                    @if let Some(title) = &item.title { " · " (title) }
                }
                (body(item))
                (self.answers(graded))
                (self.fields(graded))
            }
        }
    }

    /// The answer of the student, and what would have been right.
    fn answers(&self, graded: &ResultItem) -> Markup {
        let (language, item) = (self.frame.language, &graded.item);
        let given = item.answer.as_ref().and_then(|answer| answer.response.as_ref());
        let variant = self.row.item(&item.id).and_then(|drawn| drawn.variant);
        let right = graded.correct_answer.as_ref().and_then(|right| response::right(language, item, right, variant));
        // The spots of an image are drawn with the places that were chosen.
        let is_drawn = given.is_some() && item.interaction_type_slug.as_deref() == Some("hot-spot");
        html! {
            h3 { (self.say(words::ANSWER)) }
            div class="answer" {
                @match given {
                    Some(given) => (response::shown(language, item, given, graded.files.as_deref(), graded.correct_answer.as_ref())),
                    None => p class="soft" { (self.say(words::NO_ANSWER)) },
                }
            }
            @if let Some((name, right)) = right.filter(|_| !is_drawn) {
                details { summary { (self.say(name)) } div class="answer" { (right) } }
            }
        }
    }

    fn fields(&self, graded: &ResultItem) -> Markup {
        let id = &graded.item.id;
        let answer = self.content.answer(id);
        let most = decimal(graded.item.points_possible.unwrap_or_default());
        let points = self.field(
            ("points", id),
            shown_points(answer),
            |sheet| sheet.points.get(id),
            |unfit| unfit.points.contains(id).then_some(words::NOT_POINTS),
        );
        let comment = self.field(
            ("comments", id),
            shown_comment(answer),
            |sheet| sheet.comments.get(id),
            |unfit| unfit.comments.contains(id).then_some(words::COMMENT_TOO_LONG),
        );
        let formatted = graded.comment.as_ref().filter(|_| shown_comment(answer).is_empty());
        html! {
            label for=(points.id) { (self.filled(words::POINTS_OF, &[("most", &most)])) }
            input class="points" id=(points.id) name=(points.name) value=(points.value) inputmode="decimal" autocomplete="off"
                aria-describedby=(points.note_id()) aria-invalid=[points.is_invalid()];
            (self.said(&points))
            label for=(comment.id) { (self.say(words::COMMENT)) }
            @if let Some(html) = formatted {
                (rich(html))
                p class="soft" { (self.say(words::KEEPS_COMMENT)) }
            }
            textarea id=(comment.id) name=(comment.name) rows="3" aria-describedby=(comment.note_id())
                aria-invalid=[comment.is_invalid()] { ("\n") (comment.value) }
            (self.said(&comment))
            @if formatted.is_some() { (self.removal(id)) }
        }
    }

    /// The box that takes a comment with formatting away: an empty field keeps it.
    fn removal(&self, item: &str) -> Markup {
        let is_ticked = matches!(&self.note, GradingNote::Unfit(sheet, _) if sheet.removed_comments.contains_key(item));
        html! {
            label class="tick" {
                input type="checkbox" name={ "removed_comments[" (item) "]" } value="1" checked[is_ticked];
                (self.say(words::REMOVE_COMMENT))
            }
        }
    }

    /// The points beside those of the answers.
    fn beside(&self) -> Markup {
        let field = self.field(
            ("fudge_points", ""),
            shown_fudge(self.row),
            |sheet| Some(&sheet.fudge_points),
            |unfit| unfit.fudge_points.then_some(words::NOT_FUDGE_POINTS),
        );
        html! {
            label for=(field.id) { (self.say(words::FUDGE_POINTS)) }
            input class="points" id=(field.id) name=(field.name) value=(field.value) inputmode="decimal" autocomplete="off"
                aria-describedby=(field.note_id()) aria-invalid=[field.is_invalid()];
            (self.said(&field))
        }
    }

    fn field<'a>(
        &'a self,
        (kind, item): (&str, &str),
        standing: String,
        typed: impl FnOnce(&'a GradingSheet) -> Option<&'a String>,
        problem: impl FnOnce(&UnfitFields) -> Option<Text>,
    ) -> Field<'a> {
        let name = if item.is_empty() { kind.to_owned() } else { format!("{kind}[{item}]") };
        let field = Field { id: format!("{kind}-{item}"), name, value: standing, typed: None, problem: None };
        match &self.note {
            GradingNote::None | GradingNote::Saved => field,
            GradingNote::Stale(sheet) => {
                let typed = typed(sheet).map(|text| text.trim()).filter(|text| *text != field.value.trim());
                Field { typed: typed.filter(|text| !text.is_empty()), ..field }
            }
            GradingNote::Unfit(sheet, unfit) => {
                let value = typed(sheet).map_or(field.value, |text| plain_line_ends(text));
                Field { value, problem: problem(unfit), ..field }
            }
        }
    }

    /// What there is to say of a field.
    fn said(&self, field: &Field<'_>) -> Markup {
        html! {
            div id=(field.note_id()) {
                @if let Some(problem) = field.problem { p class="problem" { (self.say(problem)) } }
                @if let Some(typed) = field.typed { p { (self.filled(words::YOU_HAD_TYPED, &[("text", &typed)])) } }
            }
        }
    }

    fn attempt_of(&self, attempt: i64) -> String {
        self.filled(words::ATTEMPT_OF, &[("attempt", &attempt), ("name", &self.around.student)])
    }

    fn filled(&self, text: Text, values: &[(&str, &dyn std::fmt::Display)]) -> String {
        text.fill(self.frame.language, values)
    }

    fn say(&self, text: Text) -> &'static str {
        text.get(self.frame.language)
    }
}

impl Field<'_> {
    fn note_id(&self) -> String {
        format!("{}-note", self.id)
    }

    fn is_invalid(&self) -> Option<&'static str> {
        self.problem.map(|_| "true")
    }
}

fn verdict(graded: &ResultItem) -> Text {
    match (graded.points, graded.correct) {
        (None, _) => words::WAITS,
        (_, Some(true)) => words::RIGHT,
        (Some(points), _) if points > 0.0 => words::PARTLY_RIGHT,
        _ => words::WRONG,
    }
}

/// The text of a question, with a number in the place of each blank.
fn body(item: &SessionItem) -> Markup {
    let mut html = item.item_body.clone().unwrap_or_default();
    for (number, id) in response::blanks(item).enumerate() {
        html = html.replace(&format!("<span id=\"blank_{id}\"></span>"), &format!("<strong>[{}]</strong>", number + 1));
    }
    rich(&html)
}
