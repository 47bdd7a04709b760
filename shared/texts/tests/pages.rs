//! Pages take their words from the table: no text stands in their markup.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Words that are the same in every language, and those of programs.
const NAMES: [&str; 6] = ["Lectern", "Open Badges 2.0", "GET /api/v1", "/join", " ms", "UTC"];
/// The attributes that people read or hear.
const SPOKEN: [&str; 5] = ["alt", "aria-label", "aria-description", "placeholder", "title"];
/// Pages whose words are still in their markup.
const EXEMPT: [&str; 1] = ["components/webhook-subscriptions/src/routes/deliveries/markup.rs"];

/// The Rust files of a folder and those below it.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// The markup in a piece of code.
fn markup(code: TokenStream, found: &mut Vec<TokenStream>) {
    let tokens: Vec<_> = code.into_iter().collect();
    for (place, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let is_markup = match place.checked_sub(2).and_then(|before| tokens.get(before..place)) {
            Some([TokenTree::Ident(name), TokenTree::Punct(mark)]) => name == "html" && mark.as_char() == '!',
            _ => false,
        };
        if is_markup {
            found.push(group.stream());
        }
        markup(group.stream(), found);
    }
}

/// The text of a literal, if it is one.
fn literal(token: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else { return None };
    let text = literal.to_string();
    Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned())
}

/// The name of the attribute whose value stands at a place, such as `aria-label`; empty where it is another value; `None` where
/// it is content.
fn attribute(tokens: &[TokenTree], place: usize) -> Option<String> {
    let (last, before) = tokens.get(..place)?.split_last()?;
    let is = |token: &TokenTree, mark| matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark);
    if !is(last, '=') {
        return None;
    }
    let of_name = |token: &&TokenTree| matches!(token, TokenTree::Ident(_)) || is(token, '-');
    let parts: Vec<_> = before.iter().rev().take_while(of_name).map(ToString::to_string).collect();
    // The element's name stands before that of its first attribute without a sign between them.
    let mut name = String::new();
    let mut ends_in_word = false;
    for part in parts {
        let is_word = part != "-";
        if is_word && ends_in_word {
            break;
        }
        ends_in_word = is_word;
        name.insert_str(0, &part);
    }
    Some(name)
}

/// The words in markup that people would read.
fn words(markup: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<_> = markup.into_iter().collect();
    for (place, token) in tokens.iter().enumerate() {
        let attribute = attribute(&tokens, place);
        let is_read = attribute.as_deref().is_none_or(|name| SPOKEN.contains(&name));
        match token {
            TokenTree::Literal(_) => {
                let text = literal(token).filter(|text| is_read && text.contains(char::is_alphabetic));
                found.extend(text.filter(|text| !NAMES.contains(&text.as_str())));
            }
            // What stands in parentheses or brackets is an expression.
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && is_read => {
                words(group.stream(), found);
            }
            _ => {}
        }
    }
}

/// The words that stand in the markup of some code.
fn hard_coded(code: &str) -> Vec<String> {
    let shown = code.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let (mut pieces, mut found) = (Vec::new(), Vec::new());
    markup(shown.parse().unwrap(), &mut pieces);
    pieces.into_iter().for_each(|piece| words(piece, &mut found));
    found
}

#[test]
fn no_text_stands_in_the_markup_of_a_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["components", "shared/web/src", "shared/domain/src"] {
        files(&root.join(folder), &mut found);
    }
    assert!(found.len() > 100, "{}", found.len());
    let with_words = found.iter().filter_map(|path| {
        let words = hard_coded(&fs::read_to_string(path).unwrap());
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        (!words.is_empty() && !EXEMPT.contains(&name.as_str())).then_some((name, words))
    });
    let with_words: Vec<_> = with_words.collect();
    assert!(with_words.is_empty(), "these belong to texts.toml: {with_words:#?}");
}

#[test]
fn words_are_told_from_what_programs_read() {
    let code = r#"fn page() { let shown = html! {
        p class="plain" title="Tip" { "Hello, " (name) " %" @if state == "open" { "yes" } }
        input type="text" aria-label="Age" name={ "a" (b) }; a href={ (base) "/home" } { (html! { b { "Bold" } }) }
        @match kind { Some("key") => "one", None => "" }
    }; }"#;
    assert_eq!(hard_coded(code), ["Tip", "Hello, ", "yes", "Age", "one", "Bold"]);
    assert_eq!(hard_coded("fn page() { html! { \"Lectern\" (words(\"x\")) p lang=\"en\" {} } }"), Vec::<String>::new());
}
