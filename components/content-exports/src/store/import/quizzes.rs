//! The quizzes and banks of a package, as classic quizzes or as new ones.

use std::collections::BTreeMap;

use content_packages::model::{Bank, Entry, Group, Quiz, Settings};
use serde_json::{Map, Value, json};
use shared::db::Json;
use shared::{Result, Timestamp};

use super::Into;
use super::course::Made;
use super::questions::{self, Home};
use crate::import::texts::{Texts, title};

/// The banks of the package here, by their ids there.
type Banks = BTreeMap<String, i64>;

/// Makes classic quizzes and banks of questions.
pub(super) async fn as_classic(
    to: &Into<'_>,
    quizzes: Vec<Quiz>,
    banks: Vec<Bank>,
    texts: &mut Texts<'_>,
) -> Result<()> {
    let mut known = Banks::new();
    for mut bank in banks {
        texts.of_bank(&mut bank);
        let made: Made = to
            .db
            .fetch_one(
                "INSERT INTO question_banks (root_account_id, course_id, title, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?4) RETURNING id",
                (to.root_account, to.course, title(&bank.title), to.now),
            )
            .await?;
        questions::classic(to, Home::Bank(made.id), 1, &bank.entries, texts.report).await?;
        known.insert(bank.id, made.id);
    }
    for mut quiz in quizzes {
        texts.of_quiz(&mut quiz);
        classic(to, &quiz, &known, texts).await?;
    }
    Ok(())
}

async fn classic(to: &Into<'_>, quiz: &Quiz, banks: &Banks, texts: &mut Texts<'_>) -> Result<()> {
    const TYPES: [&str; 4] = ["practice_quiz", "assignment", "graded_survey", "survey"];
    let settings = &quiz.settings;
    let kind = settings.quiz_type.as_deref().filter(|kind| TYPES.contains(kind)).unwrap_or("practice_quiz");
    let published = settings.published.unwrap_or(false);
    let binds = (
        to.root_account,
        to.course,
        title(&quiz.title),
        &quiz.description,
        kind,
        Json(options(settings)),
        moment(&settings.due_at),
        moment(&settings.lock_at),
        moment(&settings.unlock_at),
        published,
        to.now,
    );
    let made: Made = to
        .db
        .fetch_one(
            "INSERT INTO quizzes (root_account_id, course_id, title, description, quiz_type, settings, due_at, lock_at,
                 unlock_at, workflow_state, published_at, last_edited_at, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, iif(?10, 'available', 'created'), iif(?10, ?11, NULL), ?11,
                     ?11, ?11)
             RETURNING id",
            binds,
        )
        .await?;
    let mut position = 1;
    let mut rest = quiz.entries.as_slice();
    while let Some((first, others)) = rest.split_first() {
        if let Entry::Group(group) = first {
            classic_group(to, made.id, position, group, banks, texts).await?;
            (position, rest) = (position + 1, others);
            continue;
        }
        // Questions that follow one another are one statement.
        let count = rest.iter().take_while(|entry| !matches!(entry, Entry::Group(_))).count();
        let (own, others) = rest.split_at(count);
        let home = Home::Quiz { quiz: made.id, group: None };
        position += questions::classic(to, home, position, own, texts.report).await?;
        rest = others;
    }
    Ok(())
}

async fn classic_group(
    to: &Into<'_>,
    quiz: i64,
    position: i64,
    group: &Group,
    banks: &Banks,
    texts: &mut Texts<'_>,
) -> Result<()> {
    let entries: Vec<_> = group.questions.iter().cloned().map(Entry::Question).collect();
    let all = i64::try_from(entries.len()).unwrap_or_default();
    let bank = group.bank.as_ref().and_then(|bank| banks.get(bank).copied());
    let points = group.points.or_else(|| group.questions.first().map(|question| question.points));
    let made: Made = to
        .db
        .fetch_one(
            "INSERT INTO quiz_groups (quiz_id, name, pick_count, question_points, assessment_question_bank_id, position,
                 created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) RETURNING id",
            (quiz, title(&group.title), group.pick_count.map_or(all, i64::from), points, bank, position, to.now),
        )
        .await?;
    questions::classic(to, Home::Quiz { quiz, group: Some(made.id) }, 1, &entries, texts.report).await?;
    Ok(())
}

/// Of the settings what a classic quiz has, and in the form in which it has it.
fn options(own: &Settings) -> Value {
    let one_of = |text: &Option<String>, known: &[&str]| text.clone().filter(|text| known.contains(&text.as_str()));
    let attempts = own.allowed_attempts.filter(|attempts| *attempts == -1 || *attempts > 0);
    let pairs = [
        ("time_limit", json!(own.time_limit.filter(|minutes| *minutes > 0))),
        ("allowed_attempts", json!(attempts)),
        ("scoring_policy", json!(one_of(&own.scoring_policy, &["keep_highest", "keep_latest", "keep_average"]))),
        ("shuffle_answers", json!(own.shuffle_answers)),
        ("show_correct_answers", json!(own.show_correct_answers)),
        ("one_question_at_a_time", json!(own.one_question_at_a_time)),
        ("cant_go_back", json!(own.cant_go_back)),
        ("hide_results", json!(one_of(&own.hide_results, &["always", "until_after_last_attempt"]))),
        ("access_code", json!(own.access_code.as_ref().filter(|code| !code.is_empty() && code.chars().count() <= 255))),
    ];
    let given = pairs.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(given.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

/// Makes new quizzes and banks of items.
pub(super) async fn as_new(to: &Into<'_>, quizzes: Vec<Quiz>, banks: Vec<Bank>, texts: &mut Texts<'_>) -> Result<()> {
    let mut known = Banks::new();
    for mut bank in banks {
        texts.of_bank(&mut bank);
        let made = item_bank(to, &bank.title, &bank.entries, texts).await?;
        known.insert(bank.id, made);
    }
    for mut quiz in quizzes {
        texts.of_quiz(&mut quiz);
        new(to, &quiz, &known, texts).await?;
    }
    Ok(())
}

async fn new(to: &Into<'_>, quiz: &Quiz, banks: &Banks, texts: &mut Texts<'_>) -> Result<()> {
    let settings = &quiz.settings;
    let binds = (
        to.root_account,
        to.course,
        title(&quiz.title),
        &quiz.description,
        quiz.points_possible(),
        moment(&settings.due_at),
        moment(&settings.unlock_at),
        moment(&settings.lock_at),
        settings.published.unwrap_or(false),
        to.now,
    );
    let made: Made = to
        .db
        .fetch_one(
            "INSERT INTO assignments (root_account_id, course_id, name, description, points_possible, submission_types,
                 due_at, unlock_at, lock_at, workflow_state, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, '[\"external_tool\"]', ?6, ?7, ?8, iif(?9, 'published', 'unpublished'), ?10, ?10)
             RETURNING id",
            binds,
        )
        .await?;
    let sql = "INSERT INTO new_quizzes (assignment_id, quiz_settings, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)";
    to.db.execute(sql, (made.id, Json(engine_options(settings)), to.now)).await?;
    let mut stimuli = BTreeMap::new();
    let mut position = 1;
    for entry in &quiz.entries {
        let held = match entry {
            Entry::Question(question) => questions::item(to, question, texts.report).await?,
            Entry::Stimulus(stimulus) => Some(questions::stimulus(to, stimulus).await?),
            Entry::Group(group) => Some(drawn(to, group, banks, texts).await?),
        };
        let Some(held) = held else { continue };
        let about = match entry {
            Entry::Question(question) => question.stimulus.as_ref().and_then(|id| stimuli.get(id).copied()),
            Entry::Stimulus(_) | Entry::Group(_) => None,
        };
        let item = questions::place(to, made.id, position, &held, about).await?;
        if let Entry::Stimulus(stimulus) = entry {
            stimuli.insert(stimulus.id.clone(), item);
        }
        position += 1;
    }
    Ok(())
}

/// A group as the bank that its questions come from: one of the package, or one of its own.
async fn drawn(to: &Into<'_>, group: &Group, banks: &Banks, texts: &mut Texts<'_>) -> Result<questions::Held> {
    let bank = match group.bank.as_ref().and_then(|bank| banks.get(bank)) {
        Some(bank) => *bank,
        None => {
            let entries: Vec<_> = group.questions.iter().cloned().map(Entry::Question).collect();
            item_bank(to, &group.title, &entries, texts).await?
        }
    };
    let points = group.points.or_else(|| group.questions.first().map(|question| question.points)).unwrap_or(1.0);
    Ok(questions::Held::Bank { bank, sample: group.pick_count.map(i64::from), points })
}

async fn item_bank(to: &Into<'_>, name: &str, entries: &[Entry], texts: &mut Texts<'_>) -> Result<i64> {
    let made: Made = to
        .db
        .fetch_one(
            "INSERT INTO item_banks (root_account_id, course_id, title, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?4) RETURNING id",
            (to.root_account, to.course, title(name), to.now),
        )
        .await?;
    for entry in entries {
        let held = match entry {
            Entry::Question(question) => questions::item(to, question, texts.report).await?,
            Entry::Stimulus(stimulus) => Some(questions::stimulus(to, stimulus).await?),
            Entry::Group(_) => None,
        };
        if let Some(held) = held {
            questions::keep(to, made.id, &held).await?;
        }
    }
    Ok(made.id)
}

/// Of the settings what a new quiz has, and in the form in which it has it.
fn engine_options(own: &Settings) -> Value {
    let mut options = Map::new();
    let mut set = |name: &str, value: Value| drop(options.insert(name.to_owned(), value));
    if let Some(minutes) = own.time_limit.filter(|minutes| *minutes > 0) {
        set("has_time_limit", json!(true));
        set("session_time_limit_in_seconds", json!(minutes.saturating_mul(60)));
    }
    if let Some(code) = own.access_code.as_ref().filter(|code| !code.is_empty()) {
        set("require_student_access_code", json!(true));
        set("student_access_code", json!(code));
    }
    if let Some(shuffled) = own.shuffle_answers {
        set("shuffle_answers", json!(shuffled));
    }
    if let Some(single) = own.one_question_at_a_time {
        set("one_at_a_time_type", json!(if single { "question" } else { "none" }));
    }
    if let Some(blocked) = own.cant_go_back {
        set("allow_backtracking", json!(!blocked));
    }
    if let Some(attempts) = own.allowed_attempts.filter(|attempts| *attempts != 1) {
        let score = match own.scoring_policy.as_deref() {
            Some("keep_latest") => "latest",
            Some("keep_average") => "average",
            _ => "highest",
        };
        let limited = attempts > 0;
        set(
            "multiple_attempts",
            json!({
                "multiple_attempts_enabled": true, "attempt_limit": limited,
                "max_attempts": limited.then_some(attempts), "score_to_keep": score,
                "cooling_period": false, "cooling_period_seconds": null,
            }),
        );
    }
    Value::Object(options)
}

fn moment(text: &Option<String>) -> Option<Timestamp> {
    text.as_deref().and_then(Timestamp::parse)
}
