//! The demo data: a small school, loaded through the API as any client would.

use anyhow::Result;
use serde_json::{Value, json};
use xtask::client::{Client, id};
use xtask::items;

const FELLOW_STUDENTS: [&str; 10] = [
    "Ada Lovelace",
    "Alan Turing",
    "Barbara McClintock",
    "Carl Linnaeus",
    "Charles Darwin",
    "Gregor Mendel",
    "Grace Hopper",
    "Jane Goodall",
    "Maria Merian",
    "Rachel Carson",
];

/// Loads everything. The caller administers the account.
pub(crate) async fn load(admin: &Client) -> Result<()> {
    eprintln!("Loading the demo data");
    let people = people(admin).await?;
    let botany = botany(admin, &people).await?;
    classic_quiz(admin, &botany).await?;
    new_quiz(admin, &botany).await?;
    unpublished_course(admin, &people).await
}

/// Ids of the users.
struct People {
    teacher: String,
    ta: String,
    designer: String,
    observer: String,
    students: Vec<String>,
}

async fn people(admin: &Client) -> Result<People> {
    let mut students = vec![user(admin, "Sam Student", "student").await?];
    for name in FELLOW_STUDENTS {
        let login = name.to_ascii_lowercase().replace(' ', ".");
        students.push(user(admin, name, &login).await?);
    }
    Ok(People {
        teacher: user(admin, "Tina Teacher", "teacher").await?,
        ta: user(admin, "Toni Assistant", "ta").await?,
        designer: user(admin, "Dana Designer", "designer").await?,
        observer: user(admin, "Olga Observer", "observer").await?,
        students,
    })
}

/// A user whose password is the login, or `teaching` for the one whose login is too short: this is a demo.
async fn user(admin: &Client, name: &str, login: &str) -> Result<String> {
    let password = if login == "ta" { "teaching" } else { login };
    let user = json!({ "user": { "name": name }, "pseudonym": { "unique_id": login, "password": password } });
    id(&admin.post("/api/v1/accounts/self/users", user).await?)
}

async fn botany(admin: &Client, people: &People) -> Result<String> {
    let account = json!({ "account": { "name": "Faculty of Science" } });
    let science = id(&admin.post("/api/v1/accounts/self/sub_accounts", account).await?)?;
    let course = json!({ "course": { "name": "Botany", "course_code": "BOT-101" }, "offer": true });
    let botany = id(&admin.post(&format!("/api/v1/accounts/{science}/courses"), course).await?)?;
    let section = json!({ "course_section": { "name": "Afternoon" } });
    let afternoon = id(&admin.post(&format!("/api/v1/courses/{botany}/sections"), section).await?)?;

    enroll(admin, &botany, &people.teacher, "TeacherEnrollment", None).await?;
    enroll(admin, &botany, &people.ta, "TaEnrollment", None).await?;
    enroll(admin, &botany, &people.designer, "DesignerEnrollment", None).await?;
    enroll(admin, &botany, &people.observer, "ObserverEnrollment", None).await?;
    let (morning, evening) = people.students.split_at(people.students.len() / 2);
    for student in morning {
        enroll(admin, &botany, student, "StudentEnrollment", None).await?;
    }
    for student in evening {
        enroll(admin, &botany, student, "StudentEnrollment", Some(&afternoon)).await?;
    }
    Ok(botany)
}

/// An active enrollment, in the course's default section unless another is given.
async fn enroll(admin: &Client, course: &str, user: &str, role: &str, section: Option<&str>) -> Result<()> {
    let mut enrollment = json!({ "user_id": user, "type": role, "enrollment_state": "active" });
    if let (Some(section), Some(fields)) = (section, enrollment.as_object_mut()) {
        fields.insert("course_section_id".to_owned(), section.into());
    }
    let path = format!("/api/v1/courses/{course}/enrollments");
    admin.post(&path, json!({ "enrollment": enrollment })).await?;
    Ok(())
}

async fn unpublished_course(admin: &Client, people: &People) -> Result<()> {
    let course = json!({ "course": { "name": "Zoology", "course_code": "ZOO-101" } });
    let zoology = id(&admin.post("/api/v1/accounts/self/courses", course).await?)?;
    enroll(admin, &zoology, &people.teacher, "TeacherEnrollment", None).await
}

/// A classic quiz: three questions of its own, and a group that draws from a bank.
async fn classic_quiz(admin: &Client, course: &str) -> Result<()> {
    let bank = json!({ "question_bank": { "title": "Leaves" } });
    let bank = id(&admin.post(&format!("/api/v1/courses/{course}/question_banks"), bank).await?)?;
    let quiz = json!({ "quiz": { "title": "Plants around us", "quiz_type": "assignment", "published": true } });
    let quiz = id(&admin.post(&format!("/api/v1/courses/{course}/quizzes"), quiz).await?)?;
    let quiz = format!("/api/v1/courses/{course}/quizzes/{quiz}");

    let group =
        json!([{ "name": "Leaf shapes", "pick_count": 1, "question_points": 2, "assessment_question_bank_id": bank }]);
    let group = admin.post(&format!("{quiz}/groups"), json!({ "quiz_groups": group })).await?;
    let group = group.pointer("/quiz_groups/0").map(id).transpose()?;
    for (text, right, wrong) in [
        ("Which of these is a moss?", "Sphagnum", "Oak"),
        ("Which of these has flowers?", "Orchid", "Fern"),
        ("What do leaves take from the air?", "Carbon dioxide", "Helium"),
    ] {
        admin.post(&format!("{quiz}/questions"), question(text, right, wrong, None)).await?;
    }
    for (text, right, wrong) in [("Which leaf is lobed?", "Oak", "Beech"), ("Which leaf is a needle?", "Pine", "Maple")]
    {
        admin.post(&format!("{quiz}/questions"), question(text, right, wrong, group.as_deref())).await?;
    }
    Ok(())
}

fn question(text: &str, right: &str, wrong: &str, group: Option<&str>) -> Value {
    json!({ "question": {
        "question_name": text,
        "question_text": format!("<p>{text}</p>"),
        "question_type": "multiple_choice_question",
        "points_possible": 1,
        "quiz_group_id": group,
        "answers": [{ "text": right, "weight": 100 }, { "text": wrong, "weight": 0 }],
    } })
}

/// A new quiz with an item of each type, a stimulus, and a bank from which one item is drawn.
async fn new_quiz(admin: &Client, course: &str) -> Result<()> {
    let quizzes = format!("/api/quiz/v1/courses/{course}/quizzes");
    let quiz = id(&admin.post(&quizzes, json!({ "quiz": { "title": "All kinds of questions" } })).await?)?;
    let quiz = format!("{quizzes}/{quiz}");
    let stimulus = json!({
        "stimulus": {
            "title": "A walk in the wood",
            "body": "<p>Under the oaks it was cool and green.</p>",
            "instructions": "Read the text first.",
            "orientation": "left",
        },
    });
    admin.post(&format!("{quiz}/stimuli"), stimulus).await?;
    for entry in items::all() {
        let item = json!({ "item": { "entry_type": "Item", "points_possible": 1, "entry": entry } });
        admin.post(&format!("{quiz}/items"), item).await?;
    }

    let banks = format!("/api/quiz/v1/courses/{course}/banks");
    let bank = id(&admin.post(&banks, json!({ "bank": { "title": "Trees" } })).await?)?;
    for (statement, is_true) in [("Oaks bear acorns.", true), ("Pines shed all their needles in autumn.", false)] {
        let entry = json!({ "entry_type": "Item", "entry": items::true_false(statement, is_true) });
        admin.post(&format!("{banks}/{bank}/entries"), entry).await?;
    }
    admin.post(&format!("{quiz}/bank_items"), json!({ "bank_id": bank, "sample_num": 1 })).await?;
    Ok(())
}
