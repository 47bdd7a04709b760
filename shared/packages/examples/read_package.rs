//! Tells what a package would bring: `cargo run -p content-packages --example read_package -- package.zip`.

#![expect(clippy::print_stdout, reason = "it tells")]

use std::{env, fs};

use content_packages::archive::{Archive, Limits};
use content_packages::classic::ClassicQuestion;
use content_packages::import;
use content_packages::model::Report;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in env::args().skip(1) {
        let archive = Archive::open(fs::read(&path)?, Limits::default()).await?;
        let import = import::read(&archive).await?;
        println!(
            "{path}: {} pages, {} topics, {} links, {} files",
            import.pages.len(),
            import.topics.len(),
            import.web_links.len(),
            import.files.len()
        );
        for bank in &import.banks {
            println!("bank {:?}: {} entries", bank.title, bank.entries.len());
        }
        for quiz in &import.quizzes {
            println!("quiz {:?}: {} entries, {} points", quiz.title, quiz.entries.len(), quiz.points_possible());
            for question in quiz.questions() {
                let mut report = Report::default();
                let stored = ClassicQuestion::of(question, &mut report);
                println!("- {} {:?}\n  {:?}", question.points, question.body, question.interaction);
                println!("  {}", serde_json::to_string(&stored)?);
                print!("{report}");
            }
        }
        print!("{}", import.report);
    }
    Ok(())
}
