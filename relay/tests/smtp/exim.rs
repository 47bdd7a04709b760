//! A mail server that others have written: Exim, from Debian's package `exim4-daemon-light`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;
use tokio::net::{TcpSocket, TcpStream};
use tokio::process::{Child, Command};

use crate::process::{Relay, command};

const EXIM: &str = "/usr/sbin/exim4";

struct Exim {
    folder: TempDir,
    port: u16,
    _held: TcpSocket,
    _child: Child,
}

impl Exim {
    /// A server with a folder of its own. `None`: it cannot be had, which continuous integration does not allow.
    async fn start() -> Option<Self> {
        match Self::try_start().await {
            Ok(server) => Some(server),
            Err(words) => {
                assert!(std::env::var_os("CI").is_none_or(|ci| ci.is_empty()), "CI is set, and {words}");
                eprintln!("NOT TESTED against a mail server that others have written: {words}");
                None
            }
        }
    }

    async fn try_start() -> Result<Self, &'static str> {
        if !Path::new(EXIM).is_file() {
            return Err("there is no exim4 (apt-get install exim4-daemon-light)");
        }
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        // Where the superuser tests, Exim becomes a user of its own.
        let open = |path: &Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
        for name in ["spool", "log", "mail"] {
            std::fs::create_dir(place.join(name)).unwrap();
            open(&place.join(name));
        }
        open(place);
        let certificate = smtp_test_server::certificate();
        std::fs::write(place.join("certificate.pem"), certificate.pem).unwrap();
        std::fs::write(place.join("key.pem"), certificate.key).unwrap();
        let (port, held) = smtp_test_server::hold_port();
        let text = include_str!("exim.conf").replace("FOLDER", place.to_str().unwrap());
        std::fs::write(place.join("exim.conf"), text.replace("PORT", &port.to_string())).unwrap();
        let child = daemon(&place.join("exim.conf")).await?.spawn().unwrap();
        let server = Self { folder, port, _held: held, _child: child };
        for _ in 0..1_200 {
            if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return Ok(server);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("Exim does not start: {}", server.log());
    }

    fn log(&self) -> String {
        let read = |name: &str| std::fs::read_to_string(self.folder.path().join("log").join(name)).unwrap_or_default();
        format!("{}{}", read("mainlog"), read("paniclog"))
    }

    async fn relay(&self, password: &str) -> Relay {
        let port = self.port.to_string();
        let mut command = command(&["--smtp-host", "localhost", "--smtp-port", &port, "--smtp-user", "lms"]);
        command.args(["--envelope-sender", "bounces@school.test", "--ehlo-name", "lms.school.test"]);
        command.arg("--smtp-ca-file").arg(self.folder.path().join("certificate.pem"));
        command.env("LECTERN_RELAY_SMTP_PASSWORD", password);
        Relay::spawn(command).await
    }

    /// What was delivered to a user.
    async fn mailbox(&self, user: &str) -> String {
        let file = self.folder.path().join("mail").join(user);
        for _ in 0..1_200 {
            if let Ok(text) = std::fs::read_to_string(&file)
                && !text.is_empty()
            {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("nothing is delivered to {user}: {}", self.log());
    }
}

/// The daemon, which only the superuser starts, from a file of the superuser's. Where we are not, we may become it; then it
/// ends by itself, because we cannot end it.
async fn daemon(configuration: &Path) -> Result<Command, &'static str> {
    let mut daemon = Command::new(EXIM);
    if !rustix::process::geteuid().is_root() {
        let given = Command::new("sudo").args(["-n", "chown", "root"]).arg(configuration).status().await;
        if !given.is_ok_and(|status| status.success()) {
            return Err("only the superuser starts exim4, and sudo asks for a password");
        }
        daemon = Command::new("sudo");
        daemon.args(["-n", "timeout", "300", EXIM]);
    }
    daemon.args(["-bdf", "-C"]).arg(configuration).stdin(Stdio::null()).kill_on_drop(true);
    Ok(daemon)
}

#[tokio::test]
async fn exim_delivers_what_the_relay_hands_over() {
    let Some(exim) = Exim::start().await else { return };
    let relay = exim.relay("a-password").await;
    let sent = relay.post("1", "ada@school.test").await;
    assert_eq!(sent.status, 200, "{sent:?} {}", exim.log());
    let mail = exim.mailbox("ada").await;
    let id = sent.body["message_id"].as_str().unwrap();
    assert!(mail.starts_with("From bounces@school.test "), "{mail}");
    for line in [
        format!("Message-ID: {id}").as_str(),
        "From: Lectern <lms@school.test>",
        "To: ada@school.test",
        "Subject: Your grade",
        "Auto-Submitted: auto-generated",
        "Ten points",
    ] {
        assert!(mail.lines().any(|found| found == line), "{line} is not in {mail}");
    }
    for (to, status, code, words) in [
        ("nobody@school.test", 422, "recipient_refused", "550 no such user"),
        ("ada@elsewhere.test", 502, "account_refused", "550 relay not permitted"),
        ("later@school.test", 503, "unavailable", "451 come back later"),
    ] {
        let refused = relay.post("2", to).await;
        assert_eq!((refused.status, refused.code(), refused.words()), (status, code, words), "{}", exim.log());
    }
    let stranger = exim.relay("another").await.post("3", "ada@school.test").await;
    assert_eq!((stranger.status, stranger.code()), (502, "account_refused"), "{stranger:?}");
    assert!(stranger.words().starts_with("535 "), "{}", stranger.words());
}
