//! Styles of pictures: which of them stay inside the file.
//!
//! A style is not parsed here. It is refused where it names a function or a rule that is not known to fetch nothing, and
//! where it is written so that two readers may see different names.

/// The error for a picture that refers to something else.
pub(super) const REFERS: &str = "The SVG must not refer to other files.";

/// Functions that fetch nothing. `url` may name a part of the same file.
const FUNCTIONS: [&str; 66] = [
    "url",
    "rgb",
    "rgba",
    "hsl",
    "hsla",
    "hwb",
    "lab",
    "lch",
    "oklab",
    "oklch",
    "color",
    "color-mix",
    "icc-color",
    "matrix",
    "matrix3d",
    "translate",
    "translatex",
    "translatey",
    "translate3d",
    "scale",
    "scalex",
    "scaley",
    "scale3d",
    "rotate",
    "rotatex",
    "rotatey",
    "rotatez",
    "skew",
    "skewx",
    "skewy",
    "perspective",
    "calc",
    "min",
    "max",
    "clamp",
    "var",
    "cubic-bezier",
    "steps",
    "polygon",
    "circle",
    "ellipse",
    "inset",
    "path",
    "rect",
    "blur",
    "brightness",
    "contrast",
    "drop-shadow",
    "grayscale",
    "hue-rotate",
    "invert",
    "opacity",
    "saturate",
    "sepia",
    "not",
    "is",
    "where",
    "lang",
    "nth-child",
    "nth-of-type",
    "nth-last-child",
    "nth-last-of-type",
    "and",
    "or",
    "only",
    "format",
];
const RULES: [&str; 5] = ["media", "supports", "keyframes", "-webkit-keyframes", "font-face"];
const PICTURES: [&str; 4] = ["data:image/png", "data:image/jpeg", "data:image/gif", "data:image/webp"];

/// True if an address names a part of the file that it stands in, or holds a picture itself.
pub(super) fn stays_inside(address: &str) -> bool {
    let rest = |kind: &str| address.get(..kind.len()).filter(|head| head.eq_ignore_ascii_case(kind)).is_some();
    address.is_empty() || address.starts_with('#') || PICTURES.into_iter().any(rest)
}

/// Refuses a style, or the value of an attribute, that may lead out of the file.
pub(super) fn check(style: &str) -> Result<(), String> {
    // An escape can write any name.
    if style.contains('\\') && style.contains(['(', '@', '{', ':']) {
        return Err("The SVG must have no escapes in its styles.".to_owned());
    }
    let mut parts = style.split('(');
    let mut before = parts.next().unwrap_or_default();
    for part in parts {
        let name = last_word(before).to_ascii_lowercase();
        if !name.is_empty() && !FUNCTIONS.contains(&name.as_str()) {
            return Err(REFERS.to_owned());
        }
        let target = part.trim_start().trim_start_matches(['"', '\'']).trim_start();
        if name == "url" && !target.starts_with(')') && !stays_inside(target) {
            return Err(REFERS.to_owned());
        }
        before = part;
    }
    let mut rules = style.split('@');
    rules.next();
    match rules.map(first_word).all(|rule| RULES.contains(&rule.to_ascii_lowercase().as_str())) {
        true => Ok(()),
        false => Err("The SVG must have no such rules in its styles.".to_owned()),
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii()
}

/// The word with which the text ends, if it does not end otherwise.
fn last_word(text: &str) -> &str {
    text.rfind(|c| !is_of_word(c))
        .map_or(text, |at| text.get(at..).unwrap_or_default().trim_start_matches(|c| !is_of_word(c)))
}

fn first_word(text: &str) -> &str {
    text.split(|c| !is_of_word(c)).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_leads_nowhere_else() {
        for good in [
            "",
            "fill: red; transform: rotate(45deg) translate(1px, calc(2px + 3px))",
            "url(#a) red",
            "url( '#a' )",
            "@media (min-width: 3px) and (max-width: 9px) { a:not(.b) { fill: url(\"#c\") } }",
            "@font-face { src: url() }",
            "a\\b",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "url(a.svg)",
            "URL(https://a.test)",
            "url(\"https://a.test\")",
            "url(#a) url(//a.test)",
            "url(data:text/html,x)",
            "image-set('https://a.test/x' 1x)",
            "src('https://a.test/x')",
            "u\\72l(https://a.test/x)",
            "@import 'https://a.test/x'",
            "@IMPORT 'https://a.test/x'",
            "@namespace x 'https://a.test'",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
