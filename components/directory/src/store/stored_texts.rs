//! The SQL of texts that are sanitized where they are stored.

use serde::Deserialize;
use shared::ids::CourseId;
use shared::{Db, db};

/// The texts of a course.
#[derive(Deserialize)]
pub(crate) struct Texts {
    pub(crate) id: CourseId,
    pub(crate) public_description: Option<String>,
    pub(crate) syllabus_body: Option<String>,
}

pub(crate) async fn is_any_left(db: &Db) -> db::Result<bool> {
    db.affects("SELECT 1 FROM courses_to_sanitize LIMIT 1", ()).await
}

pub(crate) async fn next(db: &Db, most: i64) -> db::Result<Vec<Texts>> {
    let sql = "SELECT c.id, c.public_description, c.syllabus_body
         FROM courses_to_sanitize s JOIN courses c ON c.id = s.course_id ORDER BY s.course_id LIMIT ?1";
    db.fetch_all(sql, (most,)).await
}

/// Stores the texts, and takes the course from the list. `db` is in the transaction that has read them.
pub(crate) async fn replace(db: &Db, clean: Texts) -> db::Result<()> {
    let Texts { id, public_description, syllabus_body } = clean;
    let texts = "UPDATE courses SET public_description = ?2, syllabus_body = ?3 WHERE id = ?1";
    db.execute(texts, (id, public_description, syllabus_body)).await?;
    db.execute("DELETE FROM courses_to_sanitize WHERE course_id = ?1", (id,)).await
}
