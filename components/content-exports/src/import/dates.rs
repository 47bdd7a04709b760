//! The dates of a package, shifted to the time of the course or removed.

use content_packages::files_meta::Restriction;
use content_packages::import::Import;
use shared::date_shift::Shifter;

/// Shifts all dates of what comes.
pub(crate) fn shift(import: &mut Import, shifter: &Shifter) {
    let shift = |date: &mut Option<String>| *date = shifter.date(date.take());
    for quiz in &mut import.quizzes {
        let own = &mut quiz.settings;
        for date in [&mut own.due_at, &mut own.unlock_at, &mut own.lock_at] {
            shift(date);
        }
        shift(&mut own.show_correct_answers_at);
        shift(&mut own.hide_correct_answers_at);
    }
    for own in &mut import.assignments {
        for date in [&mut own.due_at, &mut own.unlock_at, &mut own.lock_at] {
            shift(date);
        }
    }
    let meta = &mut import.files_meta;
    let files = meta.files.values_mut().map(|file| &mut file.restriction);
    for Restriction { unlock_at, lock_at, .. } in meta.folders.values_mut().chain(files) {
        shift(unlock_at);
        shift(lock_at);
    }
}
