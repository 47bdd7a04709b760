//! Rich text as plain text, for a cell of a table.

/// The text of clean HTML: without tags, with the characters that entities stand for, each run of white space a blank.
pub fn plain_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        rest = match from.strip_prefix('<') {
            Some(tag) => {
                text.push(' ');
                tag.split_once('>').map_or("", |(_, after)| after)
            }
            None => entity(from, &mut text),
        };
    }
    text.push_str(rest);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds what the entity stands for with which the text begins, and answers what is behind it.
fn entity<'a>(from: &'a str, text: &mut String) -> &'a str {
    let found = from.strip_prefix('&').and_then(|after| after.split_once(';'));
    if let Some((name, after)) = found
        && let Some(character) = character(name)
    {
        text.push(character);
        return after;
    }
    text.push('&');
    from.strip_prefix('&').unwrap_or_default()
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_go_and_entities_become_characters() {
        for (html, text) in [
            ("<p>One</p><p>two &amp;&nbsp;three</p>", "One two & three"),
            ("1 &lt; 2 &#62; &#x41; &unknown; AT&T", "1 < 2 > A &unknown; AT&T"),
            ("<img alt=\"a\" src=\"b\">", ""),
            ("open <b", "open"),
            ("Äpfel\n und&ampBirnen", "Äpfel und&ampBirnen"),
        ] {
            assert_eq!(plain_text(html), text);
        }
    }
}
