//! The item analysis as a table: a row for each question that is right or wrong.

use crate::item_analysis::ItemAnalysis;
use crate::sheet::Cell;

/// A question with its analysis.
#[derive(Debug, Clone)]
pub struct AnalyzedItem {
    /// The id of the question.
    pub id: String,
    /// Its name, or what it asks: plain text.
    pub title: String,
    /// The analysis.
    pub item: ItemAnalysis,
    /// The correlation of the right answer with the score; none where it has none.
    pub of_correct: Option<f64>,
    /// The same of the other answers, in their order.
    pub of_distractors: Vec<Option<f64>>,
}

impl AnalyzedItem {
    /// The question with the correlations of its answers with the score, each with whether the answer is right.
    #[must_use]
    pub fn new(id: String, title: String, item: ItemAnalysis, biserials: &[(bool, Option<f64>)]) -> Self {
        let of =
            |correct: bool| biserials.iter().filter(move |(is_right, _)| *is_right == correct).map(|(_, value)| *value);
        Self { id, title, item, of_correct: of(true).next().flatten(), of_distractors: of(false).collect() }
    }
}

/// The names of the columns before the distractors.
const NAMES: [&str; 20] = [
    "Question Id",
    "Question Title",
    "Answered Student Count",
    "Top Student Count",
    "Middle Student Count",
    "Bottom Student Count",
    "Quiz Question Count",
    "Correct Student Count",
    "Wrong Student Count",
    "Correct Student Ratio",
    "Wrong Student Ratio",
    "Correct Top Student Count",
    "Correct Middle Student Count",
    "Correct Bottom Student Count",
    "Variance",
    "Standard Deviation",
    "Difficulty Index",
    "Alpha",
    "Discrimination Index",
    "Point Biserial of Correct",
];

/// The rows of the table, the first with the names of the columns. `question_count` is that of all questions of the quiz.
pub fn rows(items: &[AnalyzedItem], question_count: usize) -> Vec<Vec<Cell>> {
    let distractors = items.iter().map(|item| item.of_distractors.len()).max().unwrap_or_default();
    let named = (0..distractors).map(|place| Cell::Text(format!("Point Biserial of Distractor {}", place + 2)));
    let header = NAMES.iter().map(|name| Cell::from(*name)).chain(named).collect();
    let row = |item: &AnalyzedItem| {
        let mut cells = row(item, question_count);
        cells.resize(NAMES.len() + distractors, Cell::Nothing);
        cells
    };
    std::iter::once(header).chain(items.iter().map(row)).collect()
}

fn row(of: &AnalyzedItem, question_count: usize) -> Vec<Cell> {
    let item = &of.item;
    let mut cells = vec![
        Cell::Text(of.id.clone()),
        Cell::Text(of.title.clone()),
        item.answered_student_count.into(),
        item.top_student_count.into(),
        item.middle_student_count.into(),
        item.bottom_student_count.into(),
        question_count.into(),
        item.correct_student_count.into(),
        item.incorrect_student_count.into(),
        Cell::Number(item.correct_student_ratio),
        Cell::Number(item.incorrect_student_ratio),
        item.correct_top_student_count.into(),
        item.correct_middle_student_count.into(),
        item.correct_bottom_student_count.into(),
        Cell::Number(item.variance),
        Cell::Number(item.stdev),
        Cell::Number(item.difficulty_index),
        item.alpha.into(),
        item.discrimination_index.into(),
        of.of_correct.into(),
    ];
    cells.extend(of.of_distractors.iter().map(|biserial| Cell::from(*biserial)));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item_analysis::{Groups, Rank};

    #[test]
    fn all_rows_have_as_many_cells_as_there_are_names() {
        let mut groups = Groups::default();
        groups.add(Rank::Top, true);
        groups.add(Rank::Bottom, false);
        let item = |of_distractors| AnalyzedItem {
            id: "7".to_owned(),
            title: "Tree".to_owned(),
            item: groups.analysis(Some(0.75)),
            of_correct: Some(1.0),
            of_distractors,
        };
        let rows = rows(&[item(vec![Some(-1.0), None]), item(vec![])], 5);
        assert!(rows.iter().all(|row| row.len() == NAMES.len() + 2), "{rows:?}");
        assert_eq!(rows[0].last(), Some(&Cell::from("Point Biserial of Distractor 3")));
        assert_eq!(
            (&rows[1][6], &rows[1][16], &rows[1][17], &rows[1][18]),
            (&Cell::Whole(5), &Cell::Number(0.5), &Cell::Number(0.75), &Cell::Number(1.0))
        );
    }
}
