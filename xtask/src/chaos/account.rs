//! The account of a run: figures, and what is wrong.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::cluster::Cluster;
use super::ledger::{Kind, Ledger};
use super::losses::{Database, complaint, lost};
use super::school::School;
use super::{REMOVALS, Ticks, lanes, logs};
use crate::moving;

pub(super) struct Account<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) school: &'a School,
    pub(super) ledger: &'a Ledger,
    /// What is wrong up to now.
    pub(super) wrong: Vec<String>,
}

impl Account<'_> {
    /// Looks for bytes that the database does not know of; then lets time pass for those that nothing names, and looks for any
    /// that the ticks have not removed.
    pub(super) async fn bytes(&mut self, ticks: &Ticks) -> Result<()> {
        let database = Database::open(&self.cluster.database())?;
        let before = moving::redis_keys(&self.cluster.redis_url()).await?;
        let unknown = database.keys_without(&before, "SELECT name FROM blobs")?;
        self.wrong.extend(complaint("keys in Redis that nobody knows of", &unknown));
        let named = "SELECT name FROM blobs WHERE name IN (SELECT blob FROM attachments)";
        let left = database.keys_without(&before, named)?.len();
        for _ in 0..REMOVALS {
            Database::let_bytes_age(&self.cluster.database())?;
            ticks.once(0).await?;
        }
        let after = moving::redis_keys(&self.cluster.redis_url()).await?;
        println!("\n{} keys in Redis, {left} of them left behind; {} after the ticks", before.len(), after.len());
        let unnamed = database.keys_without(&after, named)?;
        self.wrong.extend(complaint("keys in Redis that nothing names and nobody removes", &unnamed));
        let rows = "SELECT name FROM blobs b WHERE NOT EXISTS (SELECT 1 FROM attachments WHERE blob = b.name)";
        self.wrong.extend(complaint("rows of blobs that nothing names and nobody removes", &database.texts(rows)?));
        Ok(())
    }

    /// Prints the account, and fails if anything was lost.
    pub(super) async fn judge(mut self, seed: u64) -> Result<()> {
        let database = Database::open(&self.cluster.database())?;
        self.wrong.extend(database.broken_rules()?);
        self.records(&database).await?;
        self.receivers();
        self.causes()?;
        let failed = database.texts("SELECT CAST(id AS TEXT) FROM content_exports WHERE workflow_state = 'failed'")?;
        self.wrong.extend(complaint("exports were given up, though none was at fault", &failed));
        self.wrong.iter().for_each(|line| println!("WRONG: {line}"));
        ensure!(self.wrong.is_empty(), "something was lost; again with --seed {seed}");
        println!("\nNothing was lost.");
        Ok(())
    }

    /// The writes of each kind.
    async fn records(&mut self, database: &Database) -> Result<()> {
        let mut present = database.present()?;
        let (files, bad_packages) = files(self.school, database).await?;
        present.insert(Kind::Files, (files, 0));
        self.wrong.extend(complaint("packages that cannot be downloaded whole", &bad_packages));
        println!(
            "\n{:<20}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "", "written", "unknown", "found", "later", "refused", "there", "lost"
        );
        for (kind, tally) in self.ledger.tallies() {
            let (there, twice) = present.get(&kind).context("a kind that nobody counts")?;
            let missing = lost(&tally, there);
            println!(
                "{:<20}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
                kind.name(),
                tally.written.len(),
                tally.unknown,
                tally.found,
                tally.later,
                tally.refused.len(),
                there.len(),
                missing.len()
            );
            self.wrong.extend(complaint(&format!("{} that were acknowledged are lost", kind.name()), &missing));
            self.wrong.extend(complaint(&format!("{} were refused", kind.name()), &tally.refused));
            if *twice > 0 && kind != Kind::Groups {
                self.wrong.push(format!("{twice} {} are there twice", kind.name()));
            }
        }
        Ok(())
    }

    /// The deliveries of submissions.
    fn receivers(&mut self) {
        println!();
        let submissions = self.ledger.tallies().remove(&Kind::Submissions).unwrap_or_default();
        for (mood, receiver) in &self.school.receivers {
            let told = receiver.first_times();
            let told = told.keys().map(|(user, attempt)| format!("{user}/{attempt}")).collect();
            let missing = lost(&submissions, &told);
            let (accepted, duplicates) = receiver.accepted();
            println!(
                "receiver, {:<10}{accepted:>10} taken{duplicates:>10} twice{:>10} lost",
                mood.name(),
                missing.len()
            );
            self.wrong.extend(complaint("submissions never came to a receiver", &missing));
        }
    }

    /// Why requests and background work failed. A failure whose cause is no server that was away is a defect that the kills
    /// would hide.
    fn causes(&mut self) -> Result<()> {
        let mut causes: BTreeMap<String, usize> = BTreeMap::new();
        for tally in self.ledger.tallies().into_values() {
            for (cause, count) in tally.causes {
                *causes.entry(cause).or_default() += count;
            }
        }
        println!("\nAnswers that told nothing:");
        for (cause, count) in &causes {
            println!("{count:>6}  {}", cause.trim_end());
        }
        println!("\nCauses in the logs of the processes:");
        let causes = logs::causes(self.cluster.sandbox.folder.path())?;
        for (cause, count) in &causes {
            println!("{count:>6}  {cause}");
        }
        let strange: Vec<_> = causes.into_keys().filter(|cause| !logs::is_outage(cause)).collect();
        self.wrong.extend(complaint("kinds of failures that no server was the cause of", &strange));
        Ok(())
    }
}

/// The names of the files whose bytes are right, and the packages whose bytes are not there.
async fn files(school: &School, database: &Database) -> Result<(BTreeSet<String>, Vec<String>)> {
    let mut whole = BTreeSet::new();
    let mut bad = Vec::new();
    for (id, name) in database.files()? {
        let bytes = match school.admin.read(&format!("/api/v1/files/{id}")).await? {
            Some(file) => match file.get("url").and_then(Value::as_str) {
                Some(url) => school.admin.read_bytes(url).await?,
                None => None,
            },
            None => None,
        };
        if bytes.as_ref() == Some(&lanes::content(&name)) {
            whole.insert(name);
        }
    }
    for (id, size) in database.packages()? {
        let path = format!("/api/v1/courses/{}/content_exports/{id}", school.course.id);
        let export = school.admin.read(&path).await?.context("an export is gone")?;
        if let Some(url) = export.pointer("/attachment/url").and_then(Value::as_str) {
            let bytes = school.admin.read_bytes(url).await?.unwrap_or_default();
            if i64::try_from(bytes.len())? != size {
                bad.push(format!("export {id}: {} bytes of {size}", bytes.len()));
            }
        }
    }
    Ok((whole, bad))
}
