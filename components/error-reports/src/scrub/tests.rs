use proptest::prelude::*;
use serde_json::{Value, json};

use crate::scrub::environment::scrub_value;
use crate::scrub::*;

const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJlLW9mLWEtdG9rZW4";

#[test]
fn addresses_lose_their_secrets_and_keep_the_rest() {
    for (address, scrubbed) in [
        ("https://lms.test/courses/7?page=2", "https://lms.test/courses/7?page=2"),
        ("https://lms.test/?access_token=s3cret", "https://lms.test/?access_token=[FILTERED]"),
        ("https://lms.test/?a=1&ACCESS_TOKEN=s3cret&b=2#top", "https://lms.test/?a=1&ACCESS_TOKEN=[FILTERED]&b=2#top"),
        ("https://lms.test/?access%5Ftoken=s3cret", "https://lms.test/?access%5Ftoken=[FILTERED]"),
        ("https://lms.test/?access%255Ftoken=s3cret", "https://lms.test/?access%255Ftoken=[FILTERED]"),
        ("https://lms.test/#access_token=s3cret&state=1", "https://lms.test/#access_token=[FILTERED]&state=1"),
        ("https://lms.test/?user[password]=s3cret", "https://lms.test/?user[password]=[FILTERED]"),
        ("https://lms.test/a;jsessionid=s3cret?b=1", "https://lms.test/a;jsessionid=[FILTERED]?b=1"),
        ("https://lms.test/?api_key=s3cret;b=1", "https://lms.test/?api_key=[FILTERED];b=1"),
        ("https://lms.test/login?code=s3cret", "https://lms.test/login?code=[FILTERED]"),
        ("https://lms.test/files/1?verifier=s3cret", "https://lms.test/files/1?verifier=[FILTERED]"),
        (
            "https://s3.test/o?X-Amz-Signature=s3cret&X-Amz-Date=1",
            "https://s3.test/o?X-Amz-Signature=[FILTERED]&X-Amz-Date=1",
        ),
        ("https://lms.test/polls?ticket=s3cret", "https://lms.test/polls?ticket=[FILTERED]"),
        ("https://ada:s3cret@lms.test/a", "https://[FILTERED]@lms.test/a"),
        ("https://s3cret@lms.test", "https://[FILTERED]@lms.test"),
        ("https://ada:s3@cret@lms.test/@home", "https://[FILTERED]@lms.test/@home"),
        ("https://ada:s3,(cret)'@lms.test/", "https://[FILTERED]@lms.test/"),
        ("https://lms.test/?token=s3,(cret)'&b=1", "https://lms.test/?token=[FILTERED]&b=1"),
        ("https://lms.test/?token[]=s3cret", "https://lms.test/?token[]=[FILTERED]"),
        ("//ada:s3cret@lms.test/", "//[FILTERED]@lms.test/"),
        ("/courses?token=s3cret", "/courses?token=[FILTERED]"),
        ("https://lms.test/?token=", "https://lms.test/?token="),
        (
            "https://lms.test/?back=https%3A%2F%2Fa.test%2F%3Ftoken%3Ds3cret%26b%3D1",
            "https://lms.test/?back=https%3A%2F%2Fa%2Etest%2F%3Ftoken%3D%5BFILTERED%5D%26b%3D1",
        ),
        (
            "https://lms.test/?back=https://a.test/?token=s3cret",
            "https://lms.test/?back=https://a.test/?token=[FILTERED]",
        ),
        ("https://lms.test/?back=a=token=s3cret", "https://lms.test/?back=a=token=[FILTERED]"),
        ("https://lms.test/?q=100%25%20sure", "https://lms.test/?q=100%25%20sure"),
        ("https://lms.test/?q=%FF", "https://lms.test/?q=%FF"),
        ("====== a=b=c=d=e=f", "====== a=b=c=d=e=f"),
        ("https://lms.test/?x=%3Ftoken%3Ds3cret=1", "https://lms.test/?x=%3Ftoken%3D%5BFILTERED%5D=[FILTERED]"),
        ("https://lms.test/register/S3CRET", "https://lms.test/register/[FILTERED]"),
        ("https://lms.test/register//S3CRET?a=1", "https://lms.test/register//[FILTERED]?a=1"),
        ("(/files_api/S3.CRET)", "(/files_api/[FILTERED])"),
        ("https://lms.test/?back=%2Fregister%2FS3CRET", "https://lms.test/?back=%2Fregister%2F%5BFILTERED%5D"),
        ("https://lms.test/register/", "https://lms.test/register/"),
        ("https:\\\\ada:s3cret@lms.test", "https:\\\\[FILTERED]@lms.test"),
        ("https:/\\ada:s3cret@lms.test/a", "https:/\\[FILTERED]@lms.test/a"),
        ("https://lms.test/?d=%7B%22token%22%3A%22s3cret%22%7D&b=1", "https://lms.test/?d=[FILTERED]&b=1"),
        ("ada:s3cret@tcp(db)/lms?parseTime=true", "[FILTERED]@tcp(db)/lms?parseTime=true"),
        ("DSN=ada:s3cret@db.test", "DSN=[FILTERED]@db.test"),
        ("mailto:ada@school.test", "mailto:ada@school.test"),
        ("git@git.test:lectern/lectern", "git@git.test:lectern/lectern"),
    ] {
        assert_eq!(text(address), scrubbed, "{address}");
    }
}

#[test]
fn texts_lose_tokens_and_keep_their_words() {
    for (written, scrubbed) in [
        ("The token was refused, my password is gone", "The token was refused, my password is gone"),
        ("I forgot my password: please help", "I forgot my password: please help"),
        ("see <https://lms.test/?token=s3cret>, please", "see <https://lms.test/?token=[FILTERED]>, please"),
        ("Authorization: Bearer s3cret-s3cret-s3cret", "Authorization: Bearer [FILTERED]"),
        ("authorization: basic QWRhOnNlY3JldA==", "authorization: basic [FILTERED]"),
        ("Bearer tokens do not work", "Bearer tokens do not work"),
        ("curl -H 'Authorization: Bearer  s3cret-s3cret-s3cret'", "curl -H 'Authorization: Bearer  [FILTERED]"),
        ("'Bearer s3cret-s3cret-s3cret'", "'Bearer [FILTERED]"),
        ("Bearer abc12", "Bearer [FILTERED]"),
        ("mysql --password s3cret -h db", "mysql --password [FILTERED] -h db"),
        ("mysql --password --user ada", "mysql --password --user ada"),
        ("mysql --password 's3cret s3cret' x", "mysql --password [FILTERED] [FILTERED] x"),
        ("mysql --password \"s3cret s3cret\" x", "mysql --password \"[FILTERED] [FILTERED]\" x"),
        ("curl -u ada:s3cret https://lms.test", "curl -u ada:[FILTERED] https://lms.test"),
        ("curl -uada:s3cret --user=ada:s3cret", "curl -uada:[FILTERED] --user=ada:[FILTERED]"),
        ("sudo -u ada ls", "sudo -u ada ls"),
        ("it sends {\"token\": \"s3cret\", \"a\": 1}", "it sends {\"token\": \"[FILTERED]\", \"a\": 1}"),
        ("it sends {\\\"token\\\":\\\"s3cret\\\"}", "it sends {\\\"token\\\":\\\"[FILTERED]\"}"),
        ("it sends {'token': 's3cret', 'a': 1}", "it sends {'token': [FILTERED] 'a': 1}"),
        ("<password>s3cret s3cret</password><a>b</a>", "<password>[FILTERED] [FILTERED]</password><a>b</a>"),
        ("<user password=\"s3cret\" name=\"ada\">", "<user password=\"[FILTERED]\" name=\"ada\">"),
        ("the \"password\" field is empty", "the \"password\" field is empty"),
        ("my token is ghp_16C7e42F292c6912E7", "my token is [FILTERED]"),
        ("my token is ghp_16C7e42F292c6912E7=", "my token is [FILTERED]="),
        ("my secret is whsec_TKAuQs/c7ZqL+gjTAo= thanks", "my secret is [FILTERED]= thanks"),
        ("-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\nis mine", "[FILTERED]\nis mine"),
    ] {
        assert_eq!(text(written), scrubbed, "{written}");
    }
    assert_eq!(text(&format!("it said {JWT}!")), "it said [FILTERED]!");
    assert_eq!(text(&format!("https://lms.test/?x={JWT}")), "https://lms.test/?x=[FILTERED]");
    assert_eq!(text(&format!("https://lms.test/{JWT}/a")), "https://lms.test/[FILTERED]/a");
}

#[test]
fn texts_lose_the_values_of_fields_and_keep_sentences() {
    for (written, scrubbed) in [
        ("GET /x HTTP/1.1\nHost: h\nX-Api-Key: S3CRETVALUE", "GET /x HTTP/1.1\nHost: h\nX-Api-Key: [FILTERED]"),
        ("client_secret: S3CRETVALUE", "client_secret: [FILTERED]"),
        ("token: 8f14e45fceea167a5a36dedd4bea2543", "token: [FILTERED]"),
        ("Password: S3CRETVALUE", "Password: [FILTERED]"),
        ("a\r\n  - Password:\tS3CRETVALUE\r\nb", "a\r\n  - Password:\t[FILTERED]\r\nb"),
        ("1. user[password]: S3CRETVALUE it is", "1. user[password]: [FILTERED] it is"),
        ("I sent the client_secret: secretvalue and waited", "I sent the client_secret: [FILTERED] and waited"),
        ("it has apiKey: secretvalue", "it has apiKey: [FILTERED]"),
        ("my password: hunter2", "my password: [FILTERED]"),
        ("the token: 8f14e45fceea167a5a36dedd4bea2543!", "the token: [FILTERED]"),
        ("curl -H 'X-Api-Key: s3cret' https://lms.test/", "curl -H 'X-Api-Key: [FILTERED] https://lms.test/"),
        ("curl -H \"Cookie: a=s; b=s\" -v", "curl -H \"Cookie: [FILTERED] [FILTERED]\" -v"),
        ("Cookie: a=s; b=s\nHost: h", "Cookie: [FILTERED] [FILTERED]\nHost: h"),
        ("Authorization: token secretvalue", "Authorization: [FILTERED] [FILTERED]"),
        ("Authorization: Bearer secret\nHost: h", "Authorization: Bearer [FILTERED]\nHost: h"),
        (
            "Authorization: Digest username=\"a\", response=\"s\"",
            "Authorization: Digest [FILTERED]\"[FILTERED]\"[FILTERED] [FILTERED]\"[FILTERED]\"",
        ),
        ("authorization:basic secret", "authorization:basic [FILTERED]"),
        ("curl -H 'authorization:Basic secret' -v", "curl -H 'authorization:Basic [FILTERED] -v"),
        ("X-Auth-Token: Bearer secret", "X-Auth-Token: Bearer [FILTERED]"),
        ("X-Api-Key:secretvalue", "X-Api-Key:[FILTERED]"),
        ("cookie:a=s b=s", "cookie:[FILTERED] [FILTERED]"),
        ("client_secret = secretvalue", "client_secret = [FILTERED]"),
        ("export API_KEY  :=  secretvalue", "export API_KEY  :=  [FILTERED]"),
        ("password: \"s3cret s3cret\" x", "password: \"[FILTERED] [FILTERED]\" x"),
        ("password: 's3cret s3cret' x", "password: [FILTERED] [FILTERED] x"),
        ("{token:\"secret\",a:1}", "{token:\"[FILTERED]\",a:1}"),
        ("{token: \"secret\", a: 1}", "{token: \"[FILTERED]\", a: 1}"),
    ] {
        assert_eq!(text(written), scrubbed, "{written}");
    }
    for sentence in [
        "my password: please help",
        "I forgot my password : please help",
        "password:\nplease help",
        "password =\r\nplease help",
        "token: null, client_secret: none",
        "my password is gone: please help",
        "InvalidAuthenticityToken: it is stale",
        "the page /users/access_tokens: it is empty",
        "see session.rb:12: no such thing",
        "JWT::ExpiredSignature: it has expired",
        "12:30 the key: missing",
    ] {
        assert_eq!(text(sentence), sentence);
    }
}

#[test]
fn lines_of_logs_lose_what_they_name() {
    for (written, scrubbed) in [
        ("InvalidAuthenticityToken: it is stale", "InvalidAuthenticityToken: it is stale"),
        ("Cookie: a=1; session=s3cret", "Cookie:[FILTERED]"),
        ("cookie:a=1 s3cret", "cookie:[FILTERED]"),
        ("password = s3cret s3cret", "password =[FILTERED]"),
        ("password='s3cret s3cret'", "password=[FILTERED]"),
        ("password:\nforgotten", "password:\nforgotten"),
        ("a: 1\nPassword: s3cret s3cret\nb: 2", "a: 1\nPassword:[FILTERED]\nb: 2"),
        ("{\"password\" => \"s3cret\"}", "{\"password\" =>[FILTERED]"),
        ("{\"a\":1,\"api_key\":\"s3cret\"}", "{\"a\":1,\"api_key\":[FILTERED]"),
        ("at app.js:12: no such thing", "at app.js:12: no such thing"),
        ("X-Api-Key: s3cret\r\n", "X-Api-Key:[FILTERED]\n"),
        ("{'token': 's3cret'}", "{'token':[FILTERED]"),
        ("token: s3cret\nsecret: s3cret", "token:[FILTERED]\nsecret:[FILTERED]"),
        ("PRIVATE-TOKEN: s3cret", "PRIVATE-TOKEN:[FILTERED]"),
        ("aws_secret_access_key: s3cret", "aws_secret_access_key:[FILTERED]"),
        ("export AWS_SECRET_ACCESS_KEY = s3cret", "export AWS_SECRET_ACCESS_KEY =[FILTERED]"),
        ("token: null, a: 1", "token: null, a: 1"),
        ("JWT::ExpiredSignature: it has expired", "JWT::ExpiredSignature: it has expired"),
        ("a\n-----BEGIN EC PRIVATE KEY-----\nS3CRET", "a\n[FILTERED]"),
    ] {
        assert_eq!(log(written), scrubbed, "{written}");
    }
}

#[test]
fn the_environment_loses_what_its_names_say_are_secrets() {
    let scrubbed = |value: Value| scrub_value(value);
    for name in ["HTTP_AUTHORIZATION", "PHP_AUTH_PW", "OPENAI_KEY"] {
        assert_eq!(scrubbed(json!({ name: "value" })), json!({ name: FILTERED }), "{name}");
        assert_eq!(scrubbed(json!({"a": [{ name: "value" }]})), json!({"a": [{ name: FILTERED }]}), "{name}");
    }
    let kept = json!({ "HTTP_USER_AGENT": "value", "a": [{ "status_code": "value" }] });
    assert_eq!(scrubbed(kept.clone()), kept);
    for (environment, expected) in [
        (json!({"token": {"a": 1}, "x": null}), json!({"token": FILTERED, "x": null})),
        (json!({"name": "Cookie", "value": "a=1"}), json!({"name": "Cookie", "value": FILTERED})),
        (json!({"k": "Authorization", "v": "x"}), json!({"k": "Authorization", "v": FILTERED})),
        (
            json!({"header_name": "Cookie", "header_value": "x"}),
            json!({"header_name": "Cookie", "header_value": FILTERED}),
        ),
        (json!({"headerName": "Cookie", "headerValue": "x"}), json!({"headerName": "Cookie", "headerValue": FILTERED})),
        (json!([["Cookie", "a=1"], ["Host", "a"]]), json!([["Cookie", FILTERED], ["Host", "a"]])),
        (json!(["Cookie", "a=1", "b=2"]), json!(["Cookie", FILTERED, FILTERED])),
        (json!(["Cookie", ["a=1"], "Host", "a"]), json!(["Cookie", FILTERED, "Host", "a"])),
        (json!(["Host", "a", "Cookie:", "a=1"]), json!(["Host", "a", "Cookie:", FILTERED])),
        (json!(["login", "--password", "x"]), json!(["login", "--password", FILTERED])),
        (json!({"DSN": "ada:s3cret@tcp(db)/x"}), json!({"DSN": "[FILTERED]@tcp(db)/x"})),
        (json!({"a": "-----BEGIN PRIVATE KEY-----\nx"}), json!({"a": FILTERED})),
        (json!({"QUERY_STRING": "a=1&token=x"}), json!({"QUERY_STRING": "a=1&token=[FILTERED]"})),
        (json!({"HTTP_REFERER": "https://a:b@c.test/"}), json!({"HTTP_REFERER": "https://[FILTERED]@c.test/"})),
        (json!({"token=x&a": 1}), json!({"token=[FILTERED]&a": FILTERED})),
        (json!({"raw": "GET /\nCookie: a"}), json!({"raw": "GET /\nCookie:[FILTERED]"})),
    ] {
        assert_eq!(scrubbed(environment.clone()), expected, "{environment}");
    }
}

proptest! {
    #[test]
    fn no_secret_of_an_address_survives(
        before in "[a-zA-Z0-9%&=;?#/:@ .,()'-]{0,20}",
        name in prop::sample::select(vec!["token", "access_token", "user[password]", "api-key"]),
        after in "(&[a-z%]{0,8}=[a-z%]{0,8}){0,3}",
    ) {
        let address = format!("https://lms.test/{before}?{name}=S3CRET,S3CRET{after}");
        prop_assert!(!text(&address).contains("S3CRET"), "{}", text(&address));
        prop_assert!(!log(&address).contains("S3CRET"), "{}", log(&address));
    }

    #[test]
    fn nothing_makes_it_panic(written in ".{0,200}") {
        text(&written);
        log(&written);
    }
}

/// Texts that a program might look through again and again: so many of each sign, alone and before what a sign may look
/// for to the end of the line.
fn hostile_texts(length: usize) -> Vec<String> {
    let repeated = |unit: &str| unit.repeat(length / unit.len());
    let units = [
        ":",
        "=",
        "<",
        ">",
        "\"",
        "'",
        "`",
        "@",
        "//",
        "\\",
        "?",
        "&",
        ";",
        "#",
        "%",
        "%25",
        "%3D",
        ".",
        "-",
        "[",
        "{",
        "a:",
        "a=",
        "a@",
        "a/",
        "u:p@",
        "//a@",
        "key:",
        "token =",
        "token=",
        "token:nil ",
        "Bearer ",
        "Bearer a1 ",
        "--password ",
        "--password '",
        "-u ",
        "-u a:b ",
        "\"token\":",
        "<password>",
        "register/",
        "/register/a",
        "eyJ.",
        "ghp_",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-----END ",
        "%2525253D",
        "Cookie\n",
        "token: ",
        "token:a1 ",
        "token : ",
        "X-Api-Key: ",
        "api_key:",
        "api_key = ",
        "Cookie: 'a ",
        "Authorization:Basic ",
        "a: ",
        "\u{a0}:",
    ];
    let followed = [":", "=", "token:", "token =", "//", "%25", "-----BEGIN ", "'token':", "\"token\"", "a@", "\\"];
    let mut texts: Vec<_> = units.iter().map(|unit| repeated(unit)).collect();
    for unit in followed {
        let half = unit.repeat(length / 2 / unit.len());
        texts.extend([" ", "\r", "'"].map(|filler| format!("{half}{}", filler.repeat(length / 2))));
        texts.push(format!("{}{half}", " ".repeat(length / 2)));
    }
    texts
}

/// The shortest of some measurements.
fn duration(work: impl Fn()) -> std::time::Duration {
    let measure = || {
        let began = std::time::Instant::now();
        work();
        began.elapsed()
    };
    (0..2).map(|_| measure()).min().unwrap()
}

#[test]
fn scrubbing_takes_time_in_proportion_to_the_text() {
    const SHORT: usize = 2 * 1024;
    // Quadratic work takes 64 times as long.
    const TIMES: u32 = 8;
    let scrub_all = |written: &str| {
        text(written);
        scrub_value(json!({ written: [written] }));
    };
    let (short, long) = (hostile_texts(SHORT), hostile_texts(SHORT * usize::try_from(TIMES).unwrap()));
    for (short, long) in short.iter().zip(&long) {
        // Other programs on the machine may make one of them slow, but not each time.
        let mut measured = Vec::new();
        let is_in_proportion = (0..20).any(|_| {
            let (of_short, of_long) = (duration(|| scrub_all(short)), duration(|| scrub_all(long)));
            measured.push((of_short, of_long));
            of_long < of_short * TIMES * 4
        });
        let unit: String = short.chars().take(20).collect();
        assert!(is_in_proportion, "{unit:?}: {measured:?}");
    }
}
