//! The SQL that copies what is in a course.
//!
//! Every copy has its id before it is made: `copied_records` holds the pairs for as long as the transaction runs. So each
//! table is one statement, and what refers to a record finds the record's copy.

use std::collections::BTreeSet;

use shared::date_shift::{DateShift, Shifter};
use shared::db::{Binds, Json};
use shared::ids::CourseId;
use shared::live_events::Cause;
use shared::{Db, Error, Result, Timestamp, accounts_above};

use crate::model::copied_links::CopiedLinks;
use crate::model::selection::CopiedPart;
use crate::store::course_sizes::{self, MAX_BYTES, MAX_RECORDS};
use crate::store::file_copies::{self, FileChoice};
use crate::store::last_ids::last_id;
use crate::store::{copied_dates, copied_texts};

/// The part of a course that is copied.
pub(crate) struct CourseCopy<'a> {
    pub(crate) source: CourseId,
    pub(crate) to: CourseId,
    pub(crate) part: &'a CopiedPart,
    /// What becomes of its dates; without it they stay as they are.
    pub(crate) date_shift: Option<&'a DateShift>,
    /// The address of the installation, as links in texts have it.
    pub(crate) base: Option<&'a str>,
    pub(crate) cause: Option<&'a Cause>,
}

/// A table: which of its records `r` are copied, where `?1` is the selection, and the statement that copies them, where `?1` is the
/// moment.
struct Table {
    name: &'static str,
    /// Behind it come the ids of the copies.
    last_id: &'static str,
    which: &'static str,
    copy: &'static str,
}

/// True if the record of that id is one of those that are chosen by their ids.
macro_rules! chosen {
    ($type:literal, $id:literal) => {
        concat!($id, " IN (SELECT value FROM json_each(?1, '$.", $type, ".ids'))")
    };
}

/// True if the classic quiz of that name is copied: it is chosen itself, or its assignment is.
macro_rules! is_chosen_quiz {
    ($quiz:literal) => {
        concat!(
            "(?1 ->> '$.quizzes.all' OR ",
            $quiz,
            ".id IN (SELECT value FROM json_each(?1, '$.quizzes.ids'))
              OR ",
            $quiz,
            ".assignment_id IN (SELECT value FROM json_each(?1, '$.assignments.ids')))"
        )
    };
}

/// In the order in which they refer to each other.
const TABLES: [Table; 10] = [
    Table {
        name: "question_banks",
        last_id: last_id!("question_banks"),
        // One that is deleted goes along, deleted, where a quiz still asks of it.
        which: concat!(
            "r.course_id IN (SELECT old_id FROM copied_records WHERE kind = 'courses')
            AND (?1 ->> '$.quizzes.all' AND r.workflow_state = 'active' OR EXISTS (
                SELECT 1 FROM quiz_groups g JOIN quizzes z ON z.id = g.quiz_id
                WHERE g.assessment_question_bank_id = r.id AND z.course_id = r.course_id AND z.workflow_state <> 'deleted'
                  AND ",
            is_chosen_quiz!("z"),
            "))"
        ),
        copy: "INSERT INTO question_banks
                (id, root_account_id, course_id, title, workflow_state, created_at, updated_at)
            SELECT m.new_id, r.root_account_id, c.new_id, r.title, r.workflow_state, ?1, ?1
            FROM copied_records m
            JOIN question_banks r ON r.id = m.old_id
            JOIN copied_records c ON c.kind = 'courses' AND c.old_id = r.course_id
            WHERE m.kind = 'question_banks'",
    },
    Table {
        name: "assignments",
        last_id: last_id!("assignments"),
        // Before quizzes, of which a graded one gets the copy of its assignment: ids say in which order assignments stand, and each
        // counts those that are there before it.
        which: concat!(
            "r.workflow_state <> 'deleted'
            AND r.course_id IN (SELECT old_id FROM copied_records WHERE kind = 'courses')
            AND CASE
                WHEN EXISTS (SELECT 1 FROM new_quizzes n WHERE n.assignment_id = r.id)
                THEN ?1 ->> '$.quizzes.all' OR ",
            chosen!("quizzes", "r.id"),
            " OR ",
            chosen!("assignments", "r.id"),
            "   WHEN EXISTS (SELECT 1 FROM quizzes z WHERE z.assignment_id = r.id AND z.workflow_state <> 'deleted')
                THEN EXISTS (SELECT 1 FROM quizzes z WHERE z.assignment_id = r.id AND ",
            is_chosen_quiz!("z"),
            ")
                ELSE ?1 ->> '$.assignments.all' OR ",
            chosen!("assignments", "r.id"),
            " END"
        ),
        copy: "INSERT INTO assignments
                (id, root_account_id, course_id, name, description, points_possible, grading_type, submission_types,
                 assignment_group_id, allowed_attempts, due_at, unlock_at, lock_at, workflow_state,
                 created_at, updated_at, post_manually, anonymous_grading)
            SELECT m.new_id, r.root_account_id, c.new_id, r.name, r.description, r.points_possible, r.grading_type,
                   r.submission_types, r.assignment_group_id, r.allowed_attempts, r.due_at, r.unlock_at, r.lock_at,
                   r.workflow_state, ?1, ?1, r.post_manually, r.anonymous_grading
            FROM copied_records m
            JOIN assignments r ON r.id = m.old_id
            JOIN copied_records c ON c.kind = 'courses' AND c.old_id = r.course_id
            WHERE m.kind = 'assignments' ORDER BY m.old_id",
    },
    Table {
        name: "quizzes",
        last_id: last_id!("quizzes"),
        which: concat!(
            "r.workflow_state <> 'deleted'
            AND r.course_id IN (SELECT old_id FROM copied_records WHERE kind = 'courses') AND ",
            is_chosen_quiz!("r")
        ),
        copy: "INSERT INTO quizzes
                (id, root_account_id, course_id, title, description, quiz_type, settings, due_at, lock_at, unlock_at,
                 published_at, last_edited_at, workflow_state, assignment_id, created_at, updated_at)
            SELECT m.new_id, r.root_account_id, c.new_id, r.title, r.description, r.quiz_type, r.settings, r.due_at,
                   r.lock_at, r.unlock_at, iif(r.workflow_state = 'available', ?1, NULL), ?1, r.workflow_state,
                   a.new_id, ?1, ?1
            FROM copied_records m
            JOIN quizzes r ON r.id = m.old_id
            JOIN copied_records c ON c.kind = 'courses' AND c.old_id = r.course_id
            LEFT JOIN copied_records a ON a.kind = 'assignments' AND a.old_id = r.assignment_id
            WHERE m.kind = 'quizzes'",
    },
    Table {
        name: "quiz_groups",
        last_id: last_id!("quiz_groups"),
        which: "r.quiz_id IN (SELECT old_id FROM copied_records WHERE kind = 'quizzes')",
        // A bank of the course is copied too, one of an account above the new course is shared; any other is left behind.
        copy: concat!(
            "INSERT INTO quiz_groups
                (id, quiz_id, name, pick_count, question_points, assessment_question_bank_id, position,
                 created_at, updated_at)
            SELECT m.new_id, z.new_id, r.name, r.pick_count, r.question_points,
                   coalesce(b.new_id, (SELECT k.id FROM question_banks k
                                       WHERE k.id = r.assessment_question_bank_id AND k.account_id IN ",
            accounts_above!(
                "(SELECT account_id FROM courses
                  WHERE id = (SELECT new_id FROM copied_records WHERE kind = 'courses'))"
            ),
            ")),
                   r.position, ?1, ?1
            FROM copied_records m
            JOIN quiz_groups r ON r.id = m.old_id
            JOIN copied_records z ON z.kind = 'quizzes' AND z.old_id = r.quiz_id
            LEFT JOIN copied_records b ON b.kind = 'question_banks' AND b.old_id = r.assessment_question_bank_id
            WHERE m.kind = 'quiz_groups'"
        ),
    },
    Table {
        name: "quiz_questions",
        last_id: last_id!("quiz_questions"),
        which: "r.workflow_state = 'active'
            AND (r.quiz_id IN (SELECT old_id FROM copied_records WHERE kind = 'quizzes')
                 OR r.question_bank_id IN (SELECT old_id FROM copied_records WHERE kind = 'question_banks'))",
        copy: "INSERT INTO quiz_questions
                (id, quiz_id, question_bank_id, quiz_group_id, position, question_name, question_type, question_text,
                 points_possible, correct_comments, incorrect_comments, neutral_comments, answers, question_data,
                 created_at, updated_at)
            SELECT m.new_id, z.new_id, b.new_id, g.new_id, r.position, r.question_name, r.question_type,
                   r.question_text, r.points_possible, r.correct_comments, r.incorrect_comments, r.neutral_comments,
                   r.answers, r.question_data, ?1, ?1
            FROM copied_records m
            JOIN quiz_questions r ON r.id = m.old_id
            LEFT JOIN copied_records z ON z.kind = 'quizzes' AND z.old_id = r.quiz_id
            LEFT JOIN copied_records b ON b.kind = 'question_banks' AND b.old_id = r.question_bank_id
            LEFT JOIN copied_records g ON g.kind = 'quiz_groups' AND g.old_id = r.quiz_group_id
            WHERE m.kind = 'quiz_questions'",
    },
    Table {
        name: "item_banks",
        last_id: last_id!("item_banks"),
        which: "r.course_id IN (SELECT old_id FROM copied_records WHERE kind = 'courses')
            AND (?1 ->> '$.quizzes.all' OR r.id IN (
                SELECT ifnull(i.bank_id, e.bank_id)
                FROM copied_records m
                JOIN quiz_items i ON i.assignment_id = m.old_id
                LEFT JOIN bank_entries e ON e.id = i.bank_entry_id
                WHERE m.kind = 'assignments'))",
        copy: "INSERT INTO item_banks (id, root_account_id, course_id, title, archived, created_at, updated_at)
            SELECT m.new_id, r.root_account_id, c.new_id, r.title, r.archived, ?1, ?1
            FROM copied_records m
            JOIN item_banks r ON r.id = m.old_id
            JOIN copied_records c ON c.kind = 'courses' AND c.old_id = r.course_id
            WHERE m.kind = 'item_banks'",
    },
    Table {
        name: "question_items",
        last_id: last_id!("question_items"),
        which: "r.id IN (
                SELECT question_item_id FROM quiz_items
                WHERE assignment_id IN (SELECT old_id FROM copied_records WHERE kind = 'assignments')
                UNION ALL
                SELECT question_item_id FROM bank_entries
                WHERE bank_id IN (SELECT old_id FROM copied_records WHERE kind = 'item_banks'))",
        copy: "INSERT INTO question_items
                (id, title, item_body, calculator_type, feedback, interaction_type_slug, interaction_data, properties,
                 scoring_data, answer_feedback, scoring_algorithm, created_at, updated_at)
            SELECT m.new_id, r.title, r.item_body, r.calculator_type, r.feedback, r.interaction_type_slug,
                   r.interaction_data, r.properties, r.scoring_data, r.answer_feedback, r.scoring_algorithm, ?1, ?1
            FROM copied_records m
            JOIN question_items r ON r.id = m.old_id
            WHERE m.kind = 'question_items'",
    },
    Table {
        name: "stimuli",
        last_id: last_id!("stimuli"),
        which: "r.id IN (
                SELECT stimulus_id FROM quiz_items
                WHERE assignment_id IN (SELECT old_id FROM copied_records WHERE kind = 'assignments')
                UNION ALL
                SELECT stimulus_id FROM bank_entries
                WHERE bank_id IN (SELECT old_id FROM copied_records WHERE kind = 'item_banks'))",
        copy: "INSERT INTO stimuli
                (id, title, body, instructions, source_url, orientation, passage, created_at, updated_at)
            SELECT m.new_id, r.title, r.body, r.instructions, r.source_url, r.orientation, r.passage, ?1, ?1
            FROM copied_records m
            JOIN stimuli r ON r.id = m.old_id
            WHERE m.kind = 'stimuli'",
    },
    Table {
        name: "bank_entries",
        last_id: last_id!("bank_entries"),
        which: "r.bank_id IN (SELECT old_id FROM copied_records WHERE kind = 'item_banks')",
        copy: "INSERT INTO bank_entries
                (id, bank_id, question_item_id, stimulus_id, archived, created_at, updated_at)
            SELECT m.new_id, b.new_id, q.new_id, s.new_id, r.archived, ?1, ?1
            FROM copied_records m
            JOIN bank_entries r ON r.id = m.old_id
            JOIN copied_records b ON b.kind = 'item_banks' AND b.old_id = r.bank_id
            LEFT JOIN copied_records q ON q.kind = 'question_items' AND q.old_id = r.question_item_id
            LEFT JOIN copied_records s ON s.kind = 'stimuli' AND s.old_id = r.stimulus_id
            WHERE m.kind = 'bank_entries'",
    },
    Table {
        name: "wiki_pages",
        last_id: last_id!("wiki_pages"),
        which: concat!(
            "r.workflow_state <> 'deleted'
            AND r.course_id IN (SELECT old_id FROM copied_records WHERE kind = 'courses')
            AND (?1 ->> '$.pages.all' OR ",
            chosen!("pages", "r.id"),
            ")"
        ),
        // A page whose address is taken gets another one, and a front page that is there stays the front page.
        copy: "INSERT INTO wiki_pages
                (id, root_account_id, course_id, url, title, body, editing_roles, front_page, last_edited_by,
                 workflow_state, created_at, updated_at)
            SELECT m.new_id, r.root_account_id, c.new_id,
                   iif(EXISTS (SELECT 1 FROM wiki_pages p
                               WHERE p.course_id = c.new_id AND p.url = r.url AND p.workflow_state <> 'deleted'),
                       r.url || '-' || iif(EXISTS (
                           SELECT 1 FROM wiki_pages p
                           WHERE p.course_id IN (c.new_id, r.course_id) AND p.url = r.url || '-' || m.new_id
                             AND p.workflow_state <> 'deleted'), lower(hex(randomblob(8))), m.new_id),
                       r.url),
                   r.title, r.body, r.editing_roles,
                   r.front_page AND NOT EXISTS (
                       SELECT 1 FROM wiki_pages p
                       WHERE p.course_id = c.new_id AND p.front_page AND p.workflow_state <> 'deleted'),
                   r.last_edited_by, r.workflow_state, ?1, ?1
            FROM copied_records m
            JOIN wiki_pages r ON r.id = m.old_id
            JOIN copied_records c ON c.kind = 'courses' AND c.old_id = r.course_id
            WHERE m.kind = 'wiki_pages'",
    },
];

/// The content of a course for those who open it. Its names, its dates and its state stay its own.
const SETTINGS: &str = "UPDATE courses
    SET is_public = iif(?4, courses.is_public, s.is_public), default_view = s.default_view, post_manually = s.post_manually,
        syllabus_body = ifnull(s.syllabus_body, courses.syllabus_body),
        public_description = ifnull(s.public_description, courses.public_description),
        license = ifnull(s.license, courses.license), time_zone = ifnull(s.time_zone, courses.time_zone),
        updated_at = ?3
    FROM (SELECT * FROM courses WHERE id = ?1) s
    WHERE courses.id = ?2";

/// A new quiz is known by its assignment.
const NEW_QUIZZES: &str = "INSERT INTO new_quizzes (assignment_id, quiz_settings, created_at, updated_at)
    SELECT m.new_id, r.quiz_settings, ?1, ?1
    FROM copied_records m
    JOIN new_quizzes r ON r.assignment_id = m.old_id
    WHERE m.kind = 'assignments'";

/// The id of an item is greater than that of what it holds.
const NUMBER_QUIZ_ITEMS: &str = concat!(
    "INSERT INTO copied_records (kind, old_id, new_id)
    SELECT 'quiz_items', r.id, row_number() OVER (ORDER BY r.id) + max(",
    last_id!("quiz_items"),
    ", ",
    last_id!("question_items"),
    ", ",
    last_id!("stimuli"),
    ", ",
    last_id!("bank_entries"),
    ", ",
    last_id!("item_banks"),
    ")
    FROM quiz_items r
    WHERE r.assignment_id IN (SELECT old_id FROM copied_records WHERE kind = 'assignments')"
);
const QUIZ_ITEMS: &str = "INSERT INTO quiz_items
        (id, assignment_id, position, points_possible, entry_type, question_item_id, stimulus_id, bank_entry_id,
         bank_id, sample_num, stimulus_quiz_entry_id)
    SELECT m.new_id, a.new_id, r.position, r.points_possible, r.entry_type, q.new_id, s.new_id, e.new_id, b.new_id,
           r.sample_num, i.new_id
    FROM copied_records m
    JOIN quiz_items r ON r.id = m.old_id
    JOIN copied_records a ON a.kind = 'assignments' AND a.old_id = r.assignment_id
    LEFT JOIN copied_records q ON q.kind = 'question_items' AND q.old_id = r.question_item_id
    LEFT JOIN copied_records s ON s.kind = 'stimuli' AND s.old_id = r.stimulus_id
    LEFT JOIN copied_records e ON e.kind = 'bank_entries' AND e.old_id = r.bank_entry_id
    LEFT JOIN copied_records b ON b.kind = 'item_banks' AND b.old_id = r.bank_id
    LEFT JOIN copied_records i ON i.kind = 'quiz_items' AND i.old_id = r.stimulus_quiz_entry_id
    WHERE m.kind = 'quiz_items'";

/// Adds what is in one course to another, and tells whether tools are to be told of its files. 400 where both are too large
/// together. `db` is in a transaction.
pub(crate) async fn copy(db: &Db, whose: CourseCopy<'_>, now: Timestamp) -> Result<bool> {
    let CourseCopy { source, to, part, date_shift, base, cause } = whose;
    let courses = format!(
        "INSERT INTO copied_records (kind, old_id, new_id)
         SELECT 'courses', ?1, ?2 FROM ({}) size WHERE size.records <= ?3 AND size.bytes <= ?4 RETURNING old_id",
        course_sizes::OF_BOTH
    );
    if !db.affects(&courses, (source, to, MAX_RECORDS, MAX_BYTES)).await? {
        return Err(too_large());
    }
    if part.has_settings() {
        db.execute(SETTINGS, (source, to, now, part.keeps_visibility)).await?;
    }
    let records = part.records();
    for Table { name, last_id, which, copy } in TABLES {
        let number = format!(
            "INSERT INTO copied_records (kind, old_id, new_id)
             SELECT '{name}', r.id, {last_id} + row_number() OVER (ORDER BY r.id)
             FROM {name} r WHERE {which}"
        );
        // What belongs to other records goes along with these.
        let chosen = if which.contains("?1") { (Json(&records),).values() } else { Vec::new() };
        db.execute(&number, chosen).await?;
        db.execute(copy, (now,)).await?;
    }
    db.execute(NEW_QUIZZES, (now,)).await?;
    db.execute(NUMBER_QUIZ_ITEMS, ()).await?;
    db.execute(QUIZ_ITEMS, ()).await?;
    let mut links = CopiedLinks::new(base, source, to);
    if part.has_all_files() {
        links.add_folders();
    }
    let linked = match part.has_all_files() || part.has_no_other_files {
        true => BTreeSet::new(),
        false => copied_texts::linked_files(db, &links, part.has_settings()).await?,
    };
    let shifted = match date_shift {
        Some(shift) => Some((Shifter::of(db, shift.clone(), to).await?, copied_dates::newest_folder(db).await?)),
        None => None,
    };
    file_copies::copy(db, source, to, &FileChoice::of(part, linked), now).await?;
    copied_texts::lead_to_copies(db, links, part.has_settings()).await?;
    if let Some((shifter, folders)) = &shifted {
        copied_dates::shift(db, shifter, *folders).await?;
    }
    let told = match cause {
        Some(cause) => file_copies::tell_of_copies(db, to, cause).await?,
        None => false,
    };
    db.execute("DELETE FROM copied_records", ()).await?;
    Ok(told)
}

fn too_large() -> Error {
    let megabytes = MAX_BYTES / (1024 * 1024);
    let limits = format!("{MAX_RECORDS} records or {megabytes} MB of text");
    Error::bad_request(format!("The courses have more than {limits} together: they are too large for a copy"))
}
