//! The places of the blanks of a sentence: `<span id="blank_UUID"></span>`, or, as authors may write it, the answer in
//! back-ticks, which becomes the marker of the blank at the same position.

/// The ids of the blanks that clean HTML marks, in their order.
pub(crate) fn ids(html: &str) -> Vec<&str> {
    html.split("<span").skip(1).filter_map(id_of_tag).collect()
}

fn id_of_tag(rest: &str) -> Option<&str> {
    let (tag, _) = rest.split_once('>')?;
    let (_, id) = tag.split_once(" id=\"blank_")?;
    id.split_once('"').map(|(id, _)| id)
}

/// The HTML with a marker in the place of each answer in back-ticks; `None` unless there are as many as blanks.
pub(crate) fn place(html: &str, blanks: &[&str]) -> Option<String> {
    let pieces = split(html);
    let (first, rest) = pieces.split_first()?;
    let (pairs, odd) = rest.as_chunks::<2>();
    if pairs.len() != blanks.len() || !odd.is_empty() {
        return None;
    }
    let mut placed = first.clone();
    for ([_, text], id) in pairs.iter().zip(blanks) {
        placed.extend(["<span id=\"blank_", id, "\"></span>", text]);
    }
    Some(placed)
}

/// The HTML with nothing inside of its markers.
pub(crate) fn emptied(html: &str) -> String {
    let mut pieces = html.split("<span");
    let mut done = pieces.next().unwrap_or_default().to_owned();
    // How many elements are open since the marker, with the marker itself.
    let mut open = 0_usize;
    for piece in pieces {
        let is_marker = open == 0 && id_of_tag(piece).is_some();
        if open == 0 && !is_marker {
            done.extend(["<span", piece]);
            continue;
        }
        open += 1;
        let (tag, mut inside) = piece.split_once('>').unwrap_or((piece, ""));
        if is_marker {
            done.extend(["<span", tag, "></span>"]);
        }
        while open > 0
            && let Some((_, after)) = inside.split_once("</span>")
        {
            open -= 1;
            inside = after;
        }
        if open == 0 {
            done.push_str(inside);
        }
    }
    done
}

/// The texts between back-ticks, those inside of tags not counted.
fn split(html: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut in_tag = false;
    for c in html.chars() {
        match c {
            '`' if !in_tag => pieces.push(std::mem::take(&mut piece)),
            _ => {
                in_tag = c == '<' || (in_tag && c != '>');
                piece.push(c);
            }
        }
    }
    pieces.push(piece);
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markers_are_found_whatever_else_the_span_has() {
        let html = "<p><span id=\"blank_1\"></span> and <span class=\"a\" id=\"blank_2\">x</span> <span>y</span></p>";
        assert_eq!(ids(html), ["1", "2"]);
        assert!(ids("<p id=\"blank_1\">`x`</p>").is_empty());
    }

    #[test]
    fn back_ticks_become_markers_by_position() {
        let placed = place("<p>`Earth` orbits the <b>`Sun`</b></p>", &["1", "2"]);
        let expected = "<p><span id=\"blank_1\"></span> orbits the <b><span id=\"blank_2\"></span></b></p>";
        assert_eq!(placed.as_deref(), Some(expected));
    }

    #[test]
    fn back_ticks_inside_of_tags_are_none() {
        let placed = place("<a title=\"`\">x</a> `y`", &["1"]);
        assert_eq!(placed.as_deref(), Some("<a title=\"`\">x</a> <span id=\"blank_1\"></span>"));
    }

    #[test]
    fn nothing_is_left_inside_of_a_marker() {
        for (html, empty) in [
            ("a <span id=\"blank_1\">Earth</span> b", "a <span id=\"blank_1\"></span> b"),
            ("<span id=\"blank_1\"></span>`b`", "<span id=\"blank_1\"></span>`b`"),
            (
                "<span>a</span><span class=\"x\" id=\"blank_1\"><b>E</b><span>x</span>y</span>z",
                "<span>a</span><span class=\"x\" id=\"blank_1\"></span>z",
            ),
            ("<span id=\"blank_1\">x<span id=\"blank_2\">y</span></span>z", "<span id=\"blank_1\"></span>z"),
            ("none", "none"),
        ] {
            assert_eq!(emptied(html), empty);
        }
    }

    #[test]
    fn there_must_be_as_many_back_ticks_as_blanks() {
        for html in ["`x`", "`x` `y` `z`", "`x` `y` `", "x"] {
            assert_eq!(place(html, &["1", "2"]), None, "{html}");
        }
    }

    proptest! {
        #[test]
        fn every_blank_gets_its_marker(texts in prop::collection::vec("[a-z ]{0,5}", 1..9), answer in "[a-z]{1,5}") {
            let html = texts.join(&format!("`{answer}`"));
            let blanks: Vec<_> = (1..texts.len()).map(|n| n.to_string()).collect();
            let blanks: Vec<_> = blanks.iter().map(String::as_str).collect();
            let placed = place(&html, &blanks).unwrap();
            prop_assert_eq!(ids(&placed), blanks);
        }
    }
}
