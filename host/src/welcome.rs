//! What the person at the terminal wants to know when the application serves.

use std::net::SocketAddr;
use std::path::Path;

use terminal::{FAINT, STRONG, styled};

/// Where Lectern is, what to open first, and where its data are: `data` names their places.
pub(crate) fn of_lectern(address: SocketAddr, state_dir: &Path, data: &str) -> String {
    let base = format!("http://{address}");
    let state_dir = state_dir.canonicalize().unwrap_or_else(|_| state_dir.to_owned());
    format!(
        "\n  {title}\n\n  \
         Reference   {base}/docs\n  \
         Health      {base}/ready\n  \
         Data        {data}\n  \
         Logs        {logs}\n\n  \
         A token of the first administrator, with the values that you have set:\n\n    \
         curl {base}/login/oauth2/token -d grant_type=client_credentials \\\n      \
         -d client_id=$SPIN_VARIABLE_ADMIN_CLIENT_ID -d client_secret=$SPIN_VARIABLE_ADMIN_CLIENT_SECRET\n\n  \
         {end}\n",
        title = styled(STRONG, &format!("Lectern serves {base}")),
        logs = state_dir.join("logs").display(),
        end = styled(FAINT, "Ctrl-C stops it; the data stay."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_is_whole() {
        let shown =
            of_lectern("127.0.0.1:8080".parse().unwrap(), Path::new("/no/such/folder"), "/data/db and /data/kv");
        assert!(shown.contains("Reference   http://127.0.0.1:8080/docs\n"), "{shown}");
        assert!(shown.contains("Data        /data/db and /data/kv\n"), "{shown}");
        assert!(shown.contains("Logs        /no/such/folder/logs\n"), "{shown}");
    }
}
