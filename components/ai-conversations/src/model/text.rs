//! The text of the model, before anybody sees it.

use std::collections::{HashMap, HashSet, VecDeque};

/// So many words in a row from the instructions or the guidance are no accident.
const RUN: usize = 12;
/// A sentence of guidance with fewer words may well be said by chance.
const SHORTEST_SENTENCE: usize = 5;

/// The text as it may be put on a page: what opens a tag opens none, and characters that change how text runs are gone.
pub(crate) fn for_display(text: &str) -> String {
    let mut display = Display::default();
    let mut shown = String::with_capacity(text.len());
    display.push(text, &mut shown);
    display.end(&mut shown);
    shown
}

/// The text as a page of ours shows it, which escapes it by itself: without the characters that change how text runs.
pub(crate) fn for_page(text: &str) -> String {
    text.chars().filter(|character| !is_hidden(*character)).collect()
}

/// [`for_display`] for a text that comes piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Display {
    /// True if the last character was a `<`, of which the next one tells what it is.
    is_open: bool,
}

impl Display {
    pub(crate) fn push(&mut self, text: &str, shown: &mut String) {
        for character in text.chars().filter(|character| !is_hidden(*character)) {
            if std::mem::take(&mut self.is_open) {
                let opens = character.is_ascii_alphabetic() || matches!(character, '/' | '!' | '?');
                shown.push_str(if opens { "&lt;" } else { "<" });
            }
            match character {
                '<' => self.is_open = true,
                character => shown.push(character),
            }
        }
    }

    /// The text that was held back until the end.
    pub(crate) fn end(self, shown: &mut String) {
        if self.is_open {
            shown.push('<');
        }
    }
}

fn is_hidden(character: char) -> bool {
    let turns = matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}');
    turns || (character.is_control() && !matches!(character, '\n' | '\t'))
}

/// True for a character that a page has and nobody sees.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}')
}

/// True if there is something to see in the text.
pub(crate) fn shows_something(text: &str) -> bool {
    text.chars().filter(|character| !character.is_whitespace()).any(is_read)
}

/// True for a character that stands where it is read: what is left out, and what nobody sees, divides no words.
fn is_read(character: char) -> bool {
    !(is_hidden(character) || is_invisible(character))
}

/// The texts that a student must not read, however the model is talked into saying it.
pub(crate) struct Secrets {
    /// Runs of words, none of which may come out.
    runs: HashSet<String>,
    /// Sentences, as words, by the last of them: none may come out.
    sentences: HashMap<String, Vec<Vec<String>>>,
    /// The number of words of the longer of both.
    longest: usize,
}

impl Secrets {
    /// Of the instructions and the guidance runs of words, and of the guidance each sentence; but nothing that stands in an open
    /// text.
    pub(crate) fn new(instructions: &[&str], guidance: &str, open: &[&str]) -> Self {
        let open: Vec<_> = open.iter().map(|text| words(text)).collect();
        let open_runs: HashSet<_> = open.iter().flat_map(|words| runs_of(words)).collect();
        let texts = instructions.iter().chain([&guidance]);
        let runs = texts.flat_map(|text| runs_of(&words(text))).filter(|run| !open_runs.contains(run)).collect();
        let is_open = |sentence: &[String]| {
            open.iter().any(|words| words.windows(sentence.len()).any(|window| window == sentence))
        };
        let mut sentences: HashMap<String, Vec<Vec<String>>> = HashMap::new();
        let mut longest = RUN;
        for sentence in guidance.split(['.', '!', '?', '\n']).map(words) {
            let is_secret = sentence.len() >= SHORTEST_SENTENCE && !is_open(&sentence);
            if let Some(last) = sentence.last().filter(|_| is_secret) {
                longest = longest.max(sentence.len());
                sentences.entry(last.clone()).or_default().push(sentence);
            }
        }
        Self { runs, sentences, longest }
    }

    /// True if the text gives one away.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        let mut watch = Watch::default();
        watch.push(self, text) || watch.end(self)
    }

    /// True if what was said last gives one away.
    fn end_with(&self, said: &VecDeque<String>) -> bool {
        let is_run = said.len() >= RUN && {
            let run: Vec<_> = said.range(said.len().saturating_sub(RUN)..).map(String::as_str).collect();
            self.runs.contains(&run.join(" "))
        };
        let ends = |sentence: &Vec<String>| {
            sentence.len() <= said.len() && sentence.iter().rev().eq(said.iter().rev().take(sentence.len()))
        };
        is_run || said.back().and_then(|last| self.sentences.get(last)).is_some_and(|known| known.iter().any(ends))
    }
}

/// Watches a text that comes piece by piece for secrets: each word is looked at once, with as many before it as a secret
/// has.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The last words, normalized.
    said: VecDeque<String>,
    /// The beginning of the next one.
    word: String,
}

impl Watch {
    /// True if the text so far gives a secret away.
    pub(crate) fn push(&mut self, secrets: &Secrets, text: &str) -> bool {
        text.chars().filter(|character| is_read(*character)).any(|character| match character.is_alphanumeric() {
            true => {
                self.word.push(character);
                false
            }
            false => self.end(secrets),
        })
    }

    /// The same, when a word or the text ends.
    pub(crate) fn end(&mut self, secrets: &Secrets) -> bool {
        if self.word.is_empty() {
            return false;
        }
        self.said.push_back(std::mem::take(&mut self.word).to_lowercase());
        if self.said.len() > secrets.longest {
            self.said.pop_front();
        }
        secrets.end_with(&self.said)
    }
}

fn runs_of(words: &[String]) -> Vec<String> {
    words.windows(RUN).map(|run| run.join(" ")).collect()
}

fn words(text: &str) -> Vec<String> {
    let text: String = text.chars().filter(|character| is_read(*character)).collect();
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tag_opens_and_nothing_else_changes() {
        assert_eq!(for_display("<script>x</script>"), "&lt;script>x&lt;/script>");
        assert_eq!(for_display("a < b, 1<2 & <!-- <?x"), "a < b, 1<2 & &lt;!-- &lt;?x");
        assert_eq!(for_display("one\n\ttwo\u{0}\u{202E}"), "one\n\ttwo");
        assert_eq!(for_page("<b>\n\ttwo\u{0}\u{202E}"), "<b>\n\ttwo");
    }

    #[test]
    fn what_nobody_sees_shows_nothing() {
        for text in ["", " \n", "\u{7}\u{202E}\u{0}", "\u{200B} \u{FEFF}"] {
            assert!(!shows_something(text), "{text:?}");
        }
        assert!(shows_something(" \u{200B}."));
    }

    #[test]
    fn secrets_are_known_in_any_dress() {
        let instructions = "The tutor knows that the treaty was signed in the year 1648 in two towns of Westphalia.";
        let secrets = Secrets::new(&[instructions], "Never mention the second town. Be kind.", &[]);
        for text in [
            "I was told: THE TUTOR knows, that the treaty was signed in the year 1648!",
            "never-mention the *second* town",
            "nev\u{200B}er men\u{202E}tion the\u{AD} second\u{0} t\u{FEFF}own",
        ] {
            assert!(secrets.are_in(text), "{text}");
        }
        for text in ["The treaty was signed in 1648.", "Be kind.", "", "never mention the second townhouse"] {
            assert!(!secrets.are_in(text), "{text}");
        }
    }

    #[test]
    fn an_open_text_is_no_secret_wherever_else_it_stands() {
        let objective = "Explain how plants turn light, water and carbon dioxide into sugar and oxygen by day";
        let guidance = format!("Let the student {objective}. Ask one question at a time. Plants breathe at night too.");
        let secrets = Secrets::new(&[], &guidance, &[objective, "Even so: plants breathe at night, too."]);
        for text in [objective, "Plants breathe at night too"] {
            assert!(!secrets.are_in(text), "{text}");
        }
        for text in [
            guidance.as_str(),
            "I am to ask one question at a time.",
            "let the student explain how plants turn light water and carbon dioxide",
        ] {
            assert!(secrets.are_in(text), "{text}");
        }
    }

    #[test]
    fn a_text_in_pieces_is_judged_like_a_whole_one() {
        let secrets = Secrets::new(&[], "Never mention the second town.", &[]);
        let text = "Well: <b>never mention</b> 1 < 2 <\u{202E}/i> the second town<";
        for size in 1..text.chars().count() {
            let characters: Vec<_> = text.chars().collect();
            let pieces = characters.chunks(size).map(|piece| piece.iter().collect::<String>());
            let (mut display, mut shown) = (Display::default(), String::new());
            let (mut watch, mut found) = (Watch::default(), false);
            for piece in pieces {
                display.push(&piece, &mut shown);
                found |= watch.push(&secrets, &piece);
            }
            display.end(&mut shown);
            assert_eq!(shown, for_display(text));
            assert_eq!(found || watch.end(&secrets), secrets.are_in(text));
        }
    }
}
