//! The way to vote, as the live page shows it: an address with a code, and the same as a QR code.

use maud::{Markup, html};
use qrcode::{Color, EcLevel, QrCode};
use shared::html::fill;
use shared::texts::{Language, poll as texts};

use crate::model::join_codes::halves;

/// The blank modules that a reader needs around a code.
const QUIET_ZONE: usize = 4;

/// The part of the live page that tells how to vote. Without the address of the service it has the code alone.
pub(super) fn aside(code: &str, base_url: Option<&str>, language: Language) -> Markup {
    let url = base_url.map(|base_url| format!("{base_url}/join/{code}"));
    let address = base_url.map(|base_url| base_url.split_once("://").map_or(base_url, |(_, address)| address));
    let address = html! { strong { (address.unwrap_or_default()) "/join" } };
    let (first, second) = halves(code);
    html! {
        aside class="join" aria-label=(texts::HOW_TO_VOTE.get(language)) {
            p { (fill(&texts::VOTE_AT, language, &[("address", &address)])) }
            p class="code" { (first) " " (second) }
            @if let Some(image) = url.as_deref().and_then(|url| qr_code(url, language)) { (image) }
        }
    }
}

/// The text as an image of modules; `None` where it is too long for one.
fn qr_code(text: &str, language: Language) -> Option<Markup> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let width = code.width();
    let colors = code.to_colors();
    let side = width + 2 * QUIET_ZONE;
    let name = texts::QR_CODE.fill(language, &[("address", &text)]);
    Some(html! {
        svg class="qr" viewBox={ "0 0 " (side) " " (side) } role="img" aria-label=(name)
            shape-rendering="crispEdges" {
            path d=(dark_modules(&colors, width)) {}
        }
    })
}

/// The dark modules, as the rows of a path.
fn dark_modules(colors: &[Color], width: usize) -> String {
    let mut path = String::new();
    for (y, row) in colors.chunks(width.max(1)).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|one, next| one == next) {
            if run.first() == Some(&Color::Dark) {
                let (left, top, length) = (x + QUIET_ZONE, y + QUIET_ZONE, run.len());
                path.push_str(&format!("M{left} {top}h{length}v1h-{length}z"));
            }
            x += run.len();
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dark_modules_become_a_path_within_a_quiet_zone() {
        use Color::{Dark, Light};
        let colors = [Dark, Dark, Light, Light, Light, Dark, Dark, Light, Dark];
        let path = dark_modules(&colors, 3);
        assert_eq!(path, "M4 4h2v1h-2zM6 5h1v1h-1zM4 6h1v1h-1zM6 6h1v1h-1z");
    }

    #[test]
    fn an_address_has_an_image_with_its_words() {
        let image = qr_code("https://lms.test/join/ABC234", Language::English).unwrap().into_string();
        for part in ["viewBox=\"0 0 ", "QR code that leads to https://lms.test/join/ABC234", "<path d=\"M4 4h7v1h-7z"] {
            assert!(image.contains(part), "{part}: {image}");
        }
        assert!(qr_code(&"a".repeat(5000), Language::English).is_none());
    }

    #[test]
    fn the_code_is_shown_where_the_address_is_not_known() {
        let shown = aside("ABC234", None, Language::English).into_string();
        assert!(shown.contains("ABC 234") && !shown.contains("<svg"), "{shown}");
    }
}
