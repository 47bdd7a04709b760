//! The headers `Accept`, `Accept-Language` and `Accept-Encoding`: which of several forms of an answer the client would rather
//! have, or takes.

use crate::caller::SignedIn;

/// True if one of the `wanted` media types is worth more to the client than each of the `others`. A range (`*/*`) names none.
pub fn prefers(accept: &str, wanted: &[&str], others: &[&str]) -> bool {
    worth(accept, wanted) > worth(accept, others)
}

/// True if the client would rather have a page than any form of JSON (`application/json`, `application/ld+json`), as browsers do.
pub fn prefers_page(accept: &str) -> bool {
    let json = quality(accept, |range| range.to_ascii_lowercase().contains("json")).unwrap_or_default();
    worth(accept, &["text/html", "application/xhtml+xml"]) > json
}

/// The greatest quality that one of the types has; 0 where none is named.
fn worth(accept: &str, types: &[&str]) -> f64 {
    quality(accept, |range| is_one_of(range, types)).unwrap_or_default()
}

/// True if a client takes a body in the content coding of these names. Where none of them is named, `*` tells.
pub(crate) fn takes_coding(accept_encoding: &str, names: &[&str]) -> bool {
    let named = quality(accept_encoding, |coding| is_one_of(coding, names));
    let named = named.or_else(|| quality(accept_encoding, |coding| coding == "*"));
    named.is_some_and(|quality| quality > 0.0)
}

/// The greatest quality of the names that are meant; `None` where none of them is there.
fn quality(header: &str, is_meant: impl Fn(&str) -> bool) -> Option<f64> {
    weighed(header).filter(|(name, _)| is_meant(name)).map(|(_, quality)| quality).reduce(f64::max)
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|one| name.eq_ignore_ascii_case(one))
}

/// The ranges of a header with their qualities, without those whose quality is none: it goes from 0 to 1.
fn weighed(header: &str) -> impl Iterator<Item = (&str, f64)> {
    header.split(',').filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next()?;
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let quality = weight.map_or(Some(1.0), |weight| weight.parse().ok())?;
        (0.0..=1.0).contains(&quality).then_some((name, quality))
    })
}

/// Somebody who reads an answer: what tells the language of the pages, and the way on from one that tells of an error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reader<'a> {
    /// The language that stands in the profile of who is signed in.
    pub locale: Option<&'a str>,
    /// The header `Accept-Language`; empty where there is none.
    pub accept_language: &'a str,
    /// Who is signed in, where the page is for those who are.
    pub signed_in: Option<&'a SignedIn>,
    /// The path of the home, as browsers call it; empty where it is not known.
    pub home: &'a str,
}

impl Reader<'_> {
    /// The language of the profile where pages are written in it, or else the one that the header asks for.
    pub fn language(self) -> texts::Language {
        self.locale.and_then(texts::Language::of_tag).unwrap_or_else(|| language(self.accept_language))
    }
}

/// The language of pages that a reader would rather have, by the header `Accept-Language`: of those with the greatest quality
/// the one that is named first.
pub fn language(accept_language: &str) -> texts::Language {
    let known = weighed(accept_language).filter_map(|(tag, quality)| Some((texts::Language::of_tag(tag)?, quality)));
    let first = (texts::Language::default(), 0.0);
    known.fold(first, |best, one| if one.1 > best.1 { one } else { best }).0
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;

    #[test]
    fn a_coding_is_taken_by_its_own_name_or_else_by_that_of_all() {
        let takes_gzip = |header| takes_coding(header, &["gzip", "x-gzip"]);
        for header in
            ["gzip", "GZIP", "x-gzip", "br, gzip ; q=0.001", "*", "br;q=0, *;q=0.5", "*;q=0, gzip", "gzip;Q=1.0"]
        {
            assert!(takes_gzip(header), "{header}");
        }
        for header in [
            "",
            "br",
            "identity",
            "gzip;q=0",
            "gzip;Q=0.000, *",
            "*;q=0",
            "gzip;q=2",
            "gzip;q=-1",
            "gzip;q=NaN",
            "gzip;q=",
        ] {
            assert!(!takes_gzip(header), "{header}");
        }
    }

    #[test]
    fn a_form_is_preferred_that_is_worth_more() {
        let prefers_page = |accept| prefers(accept, &["text/html"], &["application/json"]);
        for accept in ["text/html", "Text/HTML;level=1", "application/json;q=0.9, text/html"] {
            assert!(prefers_page(accept), "{accept}");
        }
        for accept in ["", "*/*", "text/html;q=0.9, application/json", "text/html;q=0", "text/html;q=7"] {
            assert!(!prefers_page(accept), "{accept}");
        }
    }

    #[test]
    fn a_page_is_for_browsers_alone() {
        assert!(prefers_page("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
        assert!(prefers_page("application/json;q=0.5, text/html"));
        for accept in [
            "",
            "*/*",
            "text/html;q=0",
            "text/html;q=x",
            "application/json",
            "application/json, text/html",
            "application/json+canvas-string-ids, text/html;q=0.1",
            "application/ld+json, text/html;q=0.5",
            "text/html;q=0.1,Application/JSON",
        ] {
            assert!(!prefers_page(accept), "{accept}");
        }
    }

    #[test]
    fn readers_get_the_language_that_they_would_rather_have() {
        for (header, expected) in [
            ("", Language::English),
            ("de", Language::German),
            ("de-CH, en;q=0.8", Language::German),
            ("en;q=0.5, fr;q=0.9, es;q=0.9", Language::French),
            ("nl, it;q=0.9, ES_mx;q=0.1", Language::Spanish),
            ("nl, *", Language::English),
            ("fr;q=0, de;q=none", Language::English),
            ("der, frx", Language::English),
        ] {
            assert_eq!(language(header), expected, "{header}");
        }
    }

    #[test]
    fn the_profile_comes_before_the_browser() {
        for (locale, expected) in [
            (None, Language::French),
            (Some("es-MX"), Language::Spanish),
            (Some("en_GB"), Language::English),
            (Some("nl"), Language::French),
            (Some(""), Language::French),
        ] {
            let reader = Reader { locale, accept_language: "fr", ..Reader::default() };
            assert_eq!(reader.language(), expected, "{locale:?}");
        }
    }
}
