//! What the model writes, before anybody sees it.

/// So many words in a row from the instructions are no accident.
const RUN: usize = 12;
/// A sentence of guidance with fewer words may well be said by chance.
const SHORTEST_SENTENCE: usize = 5;

/// The text as it may be put on a page: what opens a tag opens none, and characters that change how text runs are gone.
pub(crate) fn for_display(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().filter(|character| !is_hidden(*character)).peekable();
    while let Some(character) = characters.next() {
        let opens = |next: &char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?');
        match character {
            '<' if characters.peek().is_some_and(opens) => shown.push_str("&lt;"),
            character => shown.push(character),
        }
    }
    shown
}

fn is_hidden(character: char) -> bool {
    let turns = matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}');
    turns || (character.is_control() && !matches!(character, '\n' | '\t'))
}

/// What a student must not read, however the model is talked into saying it.
pub(crate) struct Secrets {
    /// Texts of which no long run of words may come out.
    runs: Vec<String>,
    /// Sentences of which none may come out.
    sentences: Vec<String>,
}

impl Secrets {
    /// Of the instructions as a whole, and of the guidance each sentence.
    pub(crate) fn new(instructions: &str, guidance: &str) -> Self {
        let words = words(instructions);
        let runs = words.windows(RUN).map(spaced).collect();
        let sentences = guidance.split(['.', '!', '?', '\n']).map(self::words);
        let sentences = sentences.filter(|words| words.len() >= SHORTEST_SENTENCE).map(|words| spaced(&words));
        Self { runs, sentences: sentences.collect() }
    }

    /// Whether the text gives one away.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        let text = spaced(&words(text));
        self.runs.iter().chain(&self.sentences).any(|secret| text.contains(secret.as_str()))
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// With spaces at both ends, so that only whole words are found.
fn spaced(words: &[String]) -> String {
    format!(" {} ", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tag_opens_and_nothing_else_changes() {
        assert_eq!(for_display("<script>x</script>"), "&lt;script>x&lt;/script>");
        assert_eq!(for_display("a < b, 1<2 & <!-- <?x"), "a < b, 1<2 & &lt;!-- &lt;?x");
        assert_eq!(for_display("one\n\ttwo\u{0}\u{202E}"), "one\n\ttwo");
    }

    #[test]
    fn secrets_are_known_in_any_dress() {
        let instructions = "The tutor knows that the treaty was signed in the year 1648 in two towns of Westphalia.";
        let secrets = Secrets::new(instructions, "Never mention the second town. Be kind.");
        for text in [
            "I was told: THE TUTOR knows, that the treaty was signed in the year 1648!",
            "never-mention the *second* town",
        ] {
            assert!(secrets.are_in(text), "{text}");
        }
        for text in ["The treaty was signed in 1648.", "Be kind.", ""] {
            assert!(!secrets.are_in(text), "{text}");
        }
    }
}
