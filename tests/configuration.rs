//! Variables with values that they do not take: `lectern-host` does not start with them, and where nothing asks before the
//! first request, as under Spin, that one is refused.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use support::sandbox;
use xtask::app::{App, Launch, Runtime};
use xtask::folder::environment_name;
use xtask::sandbox::Sandbox;
use xtask::{root, target};

fn manifest() -> String {
    std::fs::read_to_string(xtask::manifest::path()).unwrap()
}

/// The exit code and the error output of a start with these variables.
fn refused_start(sandbox: &Sandbox) -> (Option<i32>, Vec<String>) {
    let manifest = sandbox.folder.path().join("spin.toml");
    std::fs::write(&manifest, manifest_with_name("lectern")).unwrap();
    let mut host = Command::new(target().join("host/lectern-host"));
    host.arg("--from").arg(manifest).args(["--listen", "127.0.0.1:0"]);
    host.envs(sandbox.variables.iter().map(|(name, value)| (environment_name(name), value)));
    let ended = host.output().unwrap();
    let errors = String::from_utf8(ended.stderr).unwrap();
    (ended.status.code(), errors.lines().map(str::to_owned).collect())
}

/// The manifest of the tests as one of an application with that name, for any folder.
fn manifest_with_name(name: &str) -> String {
    let manifest = manifest().replace("name = \"lectern\"", &format!("name = \"{name}\""));
    manifest.replace("source = \"target/", &format!("source = \"{}/target/", root().display()))
}

fn log(folder: &Path, component: &str) -> String {
    std::fs::read_to_string(folder.join(format!("logs/{component}_stderr.txt"))).unwrap()
}

#[test]
fn a_start_with_wrong_values_names_each_and_tells_no_secret() {
    let sandbox = sandbox(&[
        ("mail_transport", "smtp"),
        ("trusted_proxies", "many"),
        ("tick_token", "hunter2hunter2hunter2hunter2hunter2"),
        ("token_secret_previous", "short-and-known"),
    ]);
    let (code, errors) = refused_start(&sandbox);
    assert_eq!(code, Some(78), "{errors:?}");
    for name in ["mail_transport", "trusted_proxies", "tick_token", "token_secret_previous"] {
        let told = errors.iter().filter(|line| line.starts_with(&format!("Error: variable {name} "))).count();
        assert_eq!(told, 1, "{name}: {errors:?}");
    }
    assert_eq!(errors.len(), 4, "{errors:?}");
    let errors = errors.concat();
    assert!(!errors.contains("hunter2") && !errors.contains("short-and-known"), "{errors}");
}

#[test]
fn a_start_without_a_required_value_names_it() {
    let mut sandbox = sandbox(&[]);
    sandbox.set("token_secret", "");
    let (code, errors) = refused_start(&sandbox);
    assert_eq!(code, Some(78), "{errors:?}");
    assert!(matches!(errors.as_slice(), [line] if line.contains("variable token_secret has no value")), "{errors:?}");
}

#[tokio::test]
async fn the_first_request_is_refused_where_nothing_has_asked_before() {
    let sandbox = sandbox(&[
        ("development", "false"),
        ("tick_token", "hunter2"),
        ("cors_allowed_origins", "everybody"),
        ("frame_hosts", "https://frames.example"),
    ]);
    // Spin does not know what values mean, and our host knows it of its own application alone.
    let manifest = sandbox.folder.path().join("spin.toml");
    std::fs::write(&manifest, manifest_with_name("another")).unwrap();
    let launch = Launch { manifest: Some(&manifest), load_on_demand: true, ..sandbox.launch() };
    let app = App::start(&Launch { runtime: Runtime::Host, ..launch }).await.unwrap();
    let admin = sandbox.admin(&app).await.unwrap().token().to_owned();
    // The client of the tests takes no 500.
    let http = reqwest::Client::new();
    let status =
        async |call: reqwest::RequestBuilder, token: &str| call.bearer_auth(token).send().await.unwrap().status();
    let address = |path: &str| format!("{}{path}", app.base_url);
    let log = |component: &str| log(sandbox.folder.path(), component);

    assert_eq!(status(http.post(address("/internal/tick")), "hunter2").await, 500);
    assert!(log("background").contains("variable tick_token is too short"));
    assert!(!log("background").contains("hunter2"));

    let own = || http.get(address("/api/v1/users/self"));
    assert_eq!(status(own(), &admin).await, 200);
    assert_eq!(status(own().header("origin", "https://app.example"), &admin).await, 500);
    assert!(log("directory").contains("variable cors_allowed_origins must have"));

    let course = http.post(address("/api/v1/accounts/self/courses")).json(&json!({ "course": { "name": "Botany" } }));
    assert_eq!(status(course, &admin).await, 500);
    assert!(log("directory").contains("variable frame_hosts must have"));
    app.stop().await.unwrap();
}
