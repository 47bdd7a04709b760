//! Messages and passwords go over encrypted connections, to servers that are known.

use std::path::Path;

use smtp_test_server::{Behaviour, Encryption, PASSWORD, Server};
use tempfile::NamedTempFile;

use crate::process::{Relay, command};

fn encrypting(encryption: Encryption) -> (Server, NamedTempFile) {
    let server = Server::start(Behaviour { encryption, asks_who: true, ..Behaviour::default() });
    let certificate = NamedTempFile::new().unwrap();
    std::fs::write(certificate.path(), &server.certificate).unwrap();
    (server, certificate)
}

async fn relay(server: &Server, security: &str, certificate: Option<&Path>, password: &str) -> Relay {
    let port = server.port.to_string();
    let mut command = command(&["--smtp-host", "localhost", "--smtp-port", &port, "--smtp-user", "lms"]);
    command.args(["--smtp-security", security]).env("LECTERN_RELAY_SMTP_PASSWORD", password);
    if let Some(certificate) = certificate {
        command.arg("--smtp-ca-file").arg(certificate);
    }
    Relay::spawn(command).await
}

#[tokio::test]
async fn a_server_that_is_known_gets_the_password_and_the_message() {
    for (encryption, security) in [(Encryption::StartTls, "starttls"), (Encryption::Tls, "tls")] {
        let (server, certificate) = encrypting(encryption);
        let relay = relay(&server, security, Some(certificate.path()), PASSWORD).await;
        let sent = relay.post("1", "ada@school.test").await;
        assert_eq!(sent.status, 200, "{security}: {}", sent.words());
        assert!(server.taken().iter().all(|taken| taken.encrypted) && server.taken().len() == 1);
    }
}

#[tokio::test]
async fn a_wrong_password_is_the_operators_to_mend() {
    let (server, certificate) = encrypting(Encryption::StartTls);
    let relay = relay(&server, "starttls", Some(certificate.path()), "another").await;
    let refused = relay.post("1", "ada@school.test").await;
    assert_eq!((refused.status, refused.code()), (502, "account_refused"));
    assert_eq!(refused.words(), "535 5.7.8 who are you?");
}

#[tokio::test]
async fn a_server_that_is_not_known_gets_nothing() {
    for (encryption, security) in [(Encryption::StartTls, "starttls"), (Encryption::Tls, "tls")] {
        let (server, _) = encrypting(encryption);
        let refused = relay(&server, security, None, PASSWORD).await.post("1", "ada@school.test").await;
        assert_eq!((refused.status, refused.code()), (502, "account_refused"), "{security}");
        assert!(refused.words().contains("certificate"), "{}", refused.words());
    }
}

#[tokio::test]
async fn without_encryption_nothing_is_said() {
    let (server, certificate) = encrypting(Encryption::None);
    let refused = relay(&server, "starttls", Some(certificate.path()), PASSWORD).await;
    let refused = refused.post("1", "ada@school.test").await;
    assert_eq!((refused.status, refused.code()), (502, "account_refused"));
    assert_eq!(refused.words(), "the mail server does not offer STARTTLS");
}

#[tokio::test]
async fn what_came_before_the_encryption_is_no_answer() {
    let (server, certificate) = encrypting(Encryption::Injected);
    let refused = relay(&server, "starttls", Some(certificate.path()), PASSWORD).await;
    let refused = refused.post("1", "ada@school.test").await;
    assert_eq!((refused.status, refused.code()), (502, "account_refused"), "{}", refused.words());
    assert_eq!(refused.words(), "the mail server goes on after STARTTLS without encryption");
    assert_eq!(server.taken(), []);
}

#[tokio::test]
async fn a_check_tells_whether_it_works() {
    let (server, certificate) = encrypting(Encryption::StartTls);
    let port = server.port.to_string();
    let check = |password: &'static str| {
        let mut command = command(&["--check", "--smtp-host", "localhost", "--smtp-port", &port, "--smtp-user", "lms"]);
        command.env("LECTERN_RELAY_SMTP_PASSWORD", password).arg("--smtp-ca-file").arg(certificate.path());
        async move { command.output().await.unwrap() }
    };
    let works = check(PASSWORD).await;
    assert!(works.status.success(), "{works:?}");
    assert_eq!(String::from_utf8(works.stdout).unwrap(), "The mail server takes messages\n");
    let fails = check("another").await;
    assert!(!fails.status.success());
    assert!(String::from_utf8(fails.stderr).unwrap().contains("535 5.7.8 who are you?"));
}
