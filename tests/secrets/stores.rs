//! What the libSQL server and Redis want to see: processes are started again with the new one by one, and others serve meanwhile.

use std::sync::Mutex;

use libsql_test_server::{Options, Server};
use serde_json::json;
use support::{Client, DEVELOPMENT, admin_of, unique};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use xtask::app::{App, Launch};
use xtask::folder::{DataFolder, RUNTIME_CONFIG};
use xtask::redis::Redis;
use xtask::sandbox::Sandbox;
use xtask::scaled::Servers;

use super::{NEW, OLD};
use crate::files::{download, upload};

/// A process of an installation whose data are on these servers.
async fn process(sandbox: &Sandbox, number: usize, servers: &Servers) -> App {
    let folder = DataFolder::open(sandbox.folder.path().join(format!("process-{number}"))).unwrap();
    folder.write_private(RUNTIME_CONFIG, &servers.runtime_config().unwrap()).unwrap();
    App::start(&Launch { folder: &folder, load_on_demand: true, ..sandbox.launch() }).await.unwrap()
}

/// Two processes, which are started again one after another. `works` is asked of each that serves.
async fn change_one_by_one(
    sandbox: &Sandbox,
    processes: [App; 2],
    servers: &Servers,
    works: impl AsyncFn(Client),
) -> [App; 2] {
    let [first, second] = processes;
    first.stop().await.unwrap();
    works(admin_of(sandbox, &second).await).await;
    let first = process(sandbox, 1, servers).await;
    works(admin_of(sandbox, &first).await).await;
    second.stop().await.unwrap();
    works(admin_of(sandbox, &first).await).await;
    let second = process(sandbox, 2, servers).await;
    works(admin_of(sandbox, &second).await).await;
    [first, second]
}

#[tokio::test]
async fn the_token_of_the_libsql_server() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let options = Options::default();
    let tokens = options.tokens.clone();
    tokens.set(&[OLD]);
    let server = Server::start(&sandbox.folder.path().join("libsql.db"), "127.0.0.1:0", options).await.unwrap();
    let with = |token: &str| Servers {
        libsql_url: server.url.clone(),
        libsql_token: token.to_owned(),
        redis_url: String::new(),
    };
    let courses = Mutex::new(Vec::new());
    let works = async |admin: Client| {
        let known = courses.lock().unwrap().clone();
        for id in known {
            admin.get(&format!("/api/v1/courses/{id}")).await.is(200);
        }
        let course = admin.post("/api/v1/accounts/1/courses").json(json!({ "course": { "name": "Botany" } })).await;
        courses.lock().unwrap().push(course.is(200).id());
    };
    let processes = [process(&sandbox, 1, &with(OLD)).await, process(&sandbox, 2, &with(OLD)).await];
    for app in &processes {
        works(admin_of(&sandbox, app).await).await;
    }
    tokens.set(&[OLD, NEW]);
    let processes = change_one_by_one(&sandbox, processes, &with(NEW), &works).await;
    tokens.set(&[NEW]);
    for app in processes {
        works(admin_of(&sandbox, &app).await).await;
        app.stop().await.unwrap();
    }
    let late = process(&sandbox, 3, &with(OLD)).await;
    Client::new(&late.base_url, None).get("/ready").await.is_refused(503, "database");
    late.stop().await.unwrap();
}

/// The answer of Redis to a command of its administrator.
async fn command(redis: &Redis, command: &str) -> String {
    let mut stream = TcpStream::connect(redis.url.trim_start_matches("redis://")).await.unwrap();
    stream.write_all(format!("{command}\r\n").as_bytes()).await.unwrap();
    let mut answer = [0; 64];
    let length = stream.read(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

#[tokio::test]
async fn the_password_of_redis() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let folder = sandbox.folder.path();
    let Some(redis) = Redis::for_test(folder).await.unwrap() else { return };
    let access = async |rules: &str| command(&redis, &format!("ACL SETUSER lectern {rules}")).await;
    assert_eq!(access(&format!("on >{OLD} ~* +@all")).await, "+OK\r\n");
    let server = Server::start(&folder.join("libsql.db"), "127.0.0.1:0", Options::default()).await.unwrap();
    let with = |password: &str| Servers {
        libsql_url: server.url.clone(),
        libsql_token: String::new(),
        redis_url: redis.url.replace("//", &format!("//lectern:{password}@")),
    };
    let files = Mutex::new(Vec::new());
    let works = async |admin: Client| {
        let known = files.lock().unwrap().clone();
        for id in known {
            let file = admin.get(&format!("/api/v1/files/{id}")).await.is(200);
            assert_eq!(download(&admin, &file.json).await.is(200).body, "green");
        }
        let file = upload(&admin, "/api/v1/users/self/files", json!({ "name": unique("leaf") }), b"green").await;
        files.lock().unwrap().push(file.id());
    };
    let processes = [process(&sandbox, 1, &with(OLD)).await, process(&sandbox, 2, &with(OLD)).await];
    for app in &processes {
        works(admin_of(&sandbox, app).await).await;
    }
    assert_eq!(access(&format!(">{NEW}")).await, "+OK\r\n");
    let processes = change_one_by_one(&sandbox, processes, &with(NEW), &works).await;
    assert_eq!(access(&format!("<{OLD}")).await, "+OK\r\n");
    assert!(command(&redis, &format!("AUTH lectern {OLD}")).await.starts_with("-WRONGPASS"));
    for app in processes {
        works(admin_of(&sandbox, &app).await).await;
        app.stop().await.unwrap();
    }
    redis.stop().await.unwrap();
}
