//! Makes the constants of `texts.toml`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use toml::{Table, Value};

const TABLE: &str = "texts.toml";
/// In the order of `Language::ALL`.
const LANGUAGES: [&str; 4] = ["en", "de", "es", "fr"];

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed={TABLE}");
    println!("cargo:rerun-if-changed=build.rs");
    let table: Table = fs::read_to_string(TABLE)?.parse()?;
    let mut code = String::new();
    for (group, texts) in &table {
        let Value::Table(texts) = texts else { bail!("{group} is no table") };
        writeln!(code, "/// `{group}`: see `texts.toml`.\npub mod {group} {{\n    use crate::Text;\n")?;
        let mut rows = String::new();
        for (name, languages) in texts {
            let (constant, counted) = (name.to_uppercase(), languages.get("one").zip(languages.get("many")));
            if let Some((one, many)) = counted {
                let one = translations(one).with_context(|| format!("{group}.{name}.one"))?;
                let many = translations(many).with_context(|| format!("{group}.{name}.many"))?;
                let value = format!("crate::Counted {{ one: Text({one:?}), many: Text({many:?}) }}");
                writeln!(code, "    /// {}\n    pub const {constant}: crate::Counted = {value};", doc(many[0]))?;
            } else {
                let texts = translations(languages).with_context(|| format!("{group}.{name}"))?;
                writeln!(code, "    /// {}\n    pub const {constant}: Text = Text({texts:?});", doc(texts[0]))?;
                write!(rows, "({name:?}, {constant}), ")?;
            }
        }
        let count = rows.matches('(').count();
        writeln!(code, "    /// All of them by their names, but those that depend on a number.")?;
        writeln!(code, "    pub const TABLE: [(&str, Text); {count}] = [{rows}];\n")?;
        writeln!(code, "    /// The text of that name, for names that are data.")?;
        writeln!(
            code,
            "    pub fn named(name: &str) -> Option<Text> {{\n        TABLE.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)\n    }}\n}}"
        )?;
    }
    let path = Path::new(&env::var("OUT_DIR")?).join("texts.rs");
    Ok(fs::write(path, code)?)
}

/// The text in each language, all of which have the same places for values.
fn translations(languages: &Value) -> Result<[&str; 4]> {
    let languages = languages.as_table().context("it is no table")?;
    let unknown = languages.keys().find(|language| !LANGUAGES.contains(&language.as_str()));
    ensure!(unknown.is_none(), "there is no language {unknown:?}");
    let text = |language| {
        let text = languages.get(language).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.with_context(|| format!("it lacks {language}"))
    };
    let expected = places(text(LANGUAGES[0])?)?;
    let mut texts = [""; 4];
    for (place, language) in texts.iter_mut().zip(LANGUAGES) {
        *place = text(language)?;
        ensure!(places(place)? == expected, "its places differ in {language}");
    }
    Ok(texts)
}

/// The names of the places for values.
fn places(text: &str) -> Result<BTreeSet<&str>> {
    let mut places = BTreeSet::new();
    for part in text.split('{').skip(1) {
        let (name, _) = part.split_once('}').context("a brace is open")?;
        places.insert(name);
    }
    ensure!(text.matches('{').count() == text.matches('}').count(), "a brace has no other");
    Ok(places)
}

/// The text as a line of documentation shows it.
fn doc(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}
