//! What a link does with a file. The reference system has words for it, which stand behind the path of the file: for the end
//! `/download?wrap=1` of an address they are `?canvas_download=1&canvas_qs_wrap=1`.

const ACTION: &str = "canvas_";
const OPTION: &str = "canvas_qs_";
const DOWNLOAD: &str = "download";
/// The options that are for everybody: others, like `verifier`, are the right of who was given the address.
const OPTIONS: [&str; 2] = ["download_frd", "wrap"];
/// The most characters of an option's value.
const MAX_VALUE_CHARS: usize = 16;

/// The way in which a link opens a file: it is shown, unless the link says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    is_download: bool,
    options: Vec<(&'static str, String)>,
}

impl Opening {
    /// Of the end of an address, behind the id of the file.
    pub fn of_end(end: &str) -> Self {
        let end = without_fragment(end);
        let (path, query) = end.split_once('?').unwrap_or((end, ""));
        Self {
            is_download: path.trim_matches('/') == DOWNLOAD,
            options: pairs(query).filter_map(|(name, value)| option(name, value)).collect(),
        }
    }

    /// Of an address in a package, with the words behind the path of the file.
    pub(crate) fn of_words(address: &str) -> Self {
        let query = without_fragment(address).split_once('?').map_or("", |(_, query)| query);
        let mut own = Self::default();
        for (name, value) in pairs(query) {
            match (name.strip_prefix(OPTION), name.strip_prefix(ACTION)) {
                (Some(name), _) => own.options.extend(option(name, value)),
                (None, Some(action)) => own.is_download |= action == DOWNLOAD,
                (None, None) => {}
            }
        }
        own
    }

    /// The words for a package; blank where there is nothing to say.
    pub(crate) fn words(&self) -> String {
        let action = self.is_download.then(|| format!("{ACTION}{DOWNLOAD}=1"));
        let options = self.options.iter().map(|(name, value)| format!("{OPTION}{name}={value}"));
        query(action.into_iter().chain(options))
    }

    /// The end of an address of a file of a course.
    pub fn end(&self) -> String {
        let action = if self.is_download { DOWNLOAD } else { "preview" };
        format!("/{action}{}", query(self.options.iter().map(|(name, value)| format!("{name}={value}"))))
    }
}

fn without_fragment(address: &str) -> &str {
    address.split('#').next().unwrap_or_default()
}

/// The names and values of a query. Some tools encode its ampersands twice.
fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    let pairs = query.split('&').map(|pair| pair.strip_prefix("amp;").unwrap_or(pair));
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

fn option(name: &str, value: &str) -> Option<(&'static str, String)> {
    let name = OPTIONS.iter().find(|own| **own == name)?;
    let is_plain = value.len() <= MAX_VALUE_CHARS && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_plain.then(|| (*name, value.to_owned()))
}

fn query(pairs: impl Iterator<Item = String>) -> String {
    let pairs: Vec<_> = pairs.collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_address_says_is_said_in_the_words_of_packages_and_comes_back() {
        for (end, words, back) in [
            ("", "", "/preview"),
            ("/preview", "", "/preview"),
            ("/", "", "/preview"),
            ("?wrap=1", "?canvas_qs_wrap=1", "/preview?wrap=1"),
            ("/download", "?canvas_download=1", "/download"),
            ("/download?wrap=1#top", "?canvas_download=1&canvas_qs_wrap=1", "/download?wrap=1"),
            (
                "/download?download_frd=1&verifier=x",
                "?canvas_download=1&canvas_qs_download_frd=1",
                "/download?download_frd=1",
            ),
            ("/edit?wrap=%22", "", "/preview"),
        ] {
            let own = Opening::of_end(end);
            assert_eq!(own.words(), words, "{end}");
            let read = Opening::of_words(&format!("a.txt{words}"));
            assert_eq!((read.end().as_str(), &read), (back, &own), "{end}");
        }
    }

    #[test]
    fn words_of_others_are_read() {
        for (address, end) in [
            ("a.txt?canvas_=1&canvas_qs_wrap=1", "/preview?wrap=1"),
            ("a.txt?canvas_download=1&amp;canvas_qs_wrap=1", "/download?wrap=1"),
            ("a.txt?canvas_qs_wrap=<b>&canvas_qs_verifier=x&x=1", "/preview"),
            ("a.txt", "/preview"),
        ] {
            assert_eq!(Opening::of_words(address).end(), end, "{address}");
        }
    }
}
