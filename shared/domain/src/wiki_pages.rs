//! Pages of courses: the part of an address that is made of a title.

use database::Db;
use serde::Deserialize;
use types::ids::{CourseId, PageId};

/// The title as a part of addresses: letters and digits, in small letters, with dashes between the words.
pub fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let words = words.map(|word| word.replace('\'', "").to_lowercase()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-");
    if slug.is_empty() { "page".to_owned() } else { slug }
}

/// The part itself, or the first of `part-2`, `part-3`, … that no other page of the course has: call it in a transaction.
pub async fn free_url(db: &Db, course: CourseId, url: &str, but: Option<PageId>) -> database::Result<String> {
    #[derive(Deserialize)]
    struct Free {
        url: String,
    }
    let free: Free = db
        .fetch_one(
            "WITH RECURSIVE tried (number, url) AS (
                 SELECT 1, ?2
                 UNION ALL
                 SELECT number + 1, ?2 || '-' || (number + 1) FROM tried
                 WHERE EXISTS (SELECT 1 FROM wiki_pages p WHERE p.course_id = ?1 AND p.url = tried.url
                               AND p.workflow_state <> 'deleted' AND p.id IS NOT ?3)
             )
             SELECT url FROM tried ORDER BY number DESC LIMIT 1",
            (course, url, but),
        )
        .await?;
    Ok(free.url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_becomes_part_of_an_address() {
        for (title, url) in [
            ("Leaves & Seeds", "leaves-seeds"),
            ("  Don't panic!  ", "dont-panic"),
            ("Über Bäume", "über-bäume"),
            ("???", "page"),
            ("a/../b", "a-b"),
        ] {
            assert_eq!(slug(title), url);
        }
    }
}
