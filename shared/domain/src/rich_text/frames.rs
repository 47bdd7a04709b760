//! Frames in rich text: of hosts that the operator allows, in a sandbox, and with nothing in them.

use std::cell::RefCell;

use url::Url;

/// The rights of a frame: those of its own host, and none over the page around it.
pub(super) const SANDBOX: &str = "allow-forms allow-popups allow-presentation allow-same-origin allow-scripts";

thread_local! {
    /// The hosts whose frames are kept, as the variable has them.
    static HOSTS: RefCell<String> = RefCell::default();
}

/// Lets the variable `frame_hosts` decide which frames are kept from now on.
pub async fn read_frame_hosts() -> web::Result<()> {
    let hosts = web::config::get("frame_hosts").await?;
    set_frame_hosts(hosts.as_deref().unwrap_or_default());
    Ok(())
}

/// Keeps frames of these hosts from now on. Commas stand between them; `*.example.org` is all hosts below `example.org`.
pub fn set_frame_hosts(hosts: &str) {
    HOSTS.with_borrow_mut(|known| hosts.clone_into(known));
}

/// True if a frame may show the address: one that every reader takes for the same, so that its host stands there letter by
/// letter, right behind the scheme.
pub(super) fn is_allowed(address: &str) -> bool {
    let Some(behind) = address.strip_prefix("https://") else { return false };
    let Ok(url) = Url::parse(address) else { return false };
    let Some(host) = url.host_str() else { return false };
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let authority = behind.split(['/', '?', '#']).next().unwrap_or_default();
    authority.eq_ignore_ascii_case(&host)
        && !address.contains(|c: char| c.is_ascii_control() || matches!(c, ' ' | '\\'))
        && HOSTS
            .with_borrow(|hosts| hosts.split(',').any(|allowed| is_host(&host, &allowed.trim().to_ascii_lowercase())))
}

fn is_host(host: &str, allowed: &str) -> bool {
    match allowed.strip_prefix("*.") {
        Some(parent) => host.strip_suffix(parent).is_some_and(|name| name.len() > 1 && name.ends_with('.')),
        None => host == allowed,
    }
}

/// HTML as it is written here, without frames that show nothing, and without what stands in the others, which is text that
/// is not escaped.
pub(super) fn emptied(html: String) -> String {
    const START: &str = "<iframe";
    const END: &str = "</iframe>";
    if !html.contains(START) {
        return html;
    }
    let mut kept = String::with_capacity(html.len());
    let mut rest = html.as_str();
    while let Some((before, frame)) = rest.split_once(START) {
        kept.push_str(before);
        // In what is written here, no value of an attribute has one of these characters.
        let (attributes, content) = frame.split_once('>').unwrap_or((frame, ""));
        if attributes.contains(" src=\"") {
            kept.extend([START, attributes, ">", END]);
        }
        rest = content.split_once(END).map_or("", |(_, behind)| behind);
    }
    kept.push_str(rest);
    kept
}
