//! The manifests for Kubernetes are held against each other, against the application's own manifest, and against the fields
//! that the operator of `SpinKube` takes. Schemas of the cluster itself are not asked.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use crate::manifest::Manifest;
use crate::root;

const KINDS: [(&str, &str); 8] = [
    ("CronJob", "batch/v1"),
    ("Deployment", "apps/v1"),
    ("NetworkPolicy", "networking.k8s.io/v1"),
    ("PersistentVolumeClaim", "v1"),
    ("PodDisruptionBudget", "policy/v1"),
    ("Service", "v1"),
    ("SpinApp", "core.spinkube.dev/v1alpha1"),
    ("SpinAppExecutor", "core.spinkube.dev/v1alpha1"),
];
const STATE: &str = "/var/lib/lectern";

fn text(file: &str) -> String {
    std::fs::read_to_string(root().join("deploy").join(file)).unwrap()
}

fn objects(file: &str) -> Vec<Value> {
    let text = text(file);
    serde_norway::Deserializer::from_str(&text).map(|document| Value::deserialize(document).unwrap()).collect()
}

fn of_kind(objects: &[Value], kind: &str) -> Vec<Value> {
    objects.iter().filter(|object| object["kind"] == kind).cloned().collect()
}

fn one(objects: &[Value], kind: &str) -> Value {
    let mut found = of_kind(objects, kind);
    assert_eq!(found.len(), 1, "{kind}");
    found.remove(0)
}

/// Everything under a key of that name, at any depth.
fn under<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if name == key {
                    found.push(member);
                }
                under(member, key, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| under(item, key, found)),
        _ => {}
    }
}

#[test]
fn kinds_belong_to_their_groups_and_names_are_there_once() {
    for file in ["spinapp.yaml", "spinapp-scaled.yaml", "lectern-backup.yaml", "lectern-relay.yaml"] {
        let mut names = BTreeSet::new();
        for object in objects(file) {
            let (kind, group) = (object["kind"].as_str().unwrap(), object["apiVersion"].as_str().unwrap());
            assert!(KINDS.contains(&(kind, group)), "{file}: {kind} of {group}");
            let name = object["metadata"]["name"].as_str().unwrap().to_owned();
            assert!(names.insert((kind.to_owned(), name.clone())), "{file}: {kind} {name} twice");
        }
    }
}

/// What is wrong with an object of the operator's.
fn faults(object: &Value) -> Vec<String> {
    let schema = serde_json::from_str(include_str!("kubernetes/spinkube.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(object).map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

#[test]
fn the_operator_takes_its_objects() {
    let mut checked = 0;
    for file in ["spinapp.yaml", "spinapp-scaled.yaml"] {
        for object in objects(file).iter().filter(|object| object["apiVersion"] == "core.spinkube.dev/v1alpha1") {
            assert_eq!(faults(object), [""; 0], "{file}: {}", object["kind"]);
            checked += 1;
        }
    }
    assert_eq!(checked, 3);
}

#[test]
fn the_operator_takes_nothing_else() {
    let app = one(&objects("spinapp.yaml"), "SpinApp");
    let executor = one(&objects("spinapp.yaml"), "SpinAppExecutor");
    let changed = |object: &Value, pointer: &str, value: Value| {
        let mut object = object.clone();
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        object.pointer_mut(parent).unwrap()[field] = value;
        faults(&object)
    };
    for (pointer, value) in [
        ("/spec/image", Value::Null),
        ("/spec/replicas", "1".into()),
        ("/spec/enableAutoscaling", true.into()),
        ("/spec/replica", 1.into()),
        ("/spec/checks/startup", serde_json::json!({"httpGet": {"path": "/"}})),
        ("/spec/checks/liveness/httpGet/port", 80.into()),
        ("/spec/checks/liveness/periodSeconds", 0.into()),
        ("/spec/resources/limits/memory", "2 GB".into()),
        ("/spec/variables/0/value", 1.into()),
        ("/spec/volumeMounts/0/mountPath", Value::Null),
    ] {
        assert!(!changed(&app, pointer, value).is_empty(), "{pointer}");
    }
    // An image with Spin in it and a shim exclude each other.
    assert!(!changed(&executor, "/spec/deploymentConfig/runtimeClassName", "wasmtime-spin-v2".into()).is_empty());
    assert!(!changed(&executor, "/spec/createDeployment", "yes".into()).is_empty());
}

#[test]
fn an_app_has_variables_that_exist_with_values_that_they_take() {
    let variables = Manifest::load().unwrap().variables;
    let set = |name: &str, field: &str| variables[name].get(field).and_then(toml::Value::as_bool) == Some(true);
    for file in ["spinapp.yaml", "spinapp-scaled.yaml"] {
        let app = one(&objects(file), "SpinApp");
        let given = app["spec"]["variables"].as_array().unwrap();
        let given: BTreeMap<_, _> = given.iter().map(|given| (given["name"].as_str().unwrap(), given)).collect();
        for (name, value) in &given {
            assert!(variables.contains_key(*name), "{file}: there is no variable {name}");
            let is_secret = value["valueFrom"]["secretKeyRef"].is_object();
            let fixed = value["value"].as_str().unwrap_or_default();
            assert_eq!(settings::check(name, fixed, false), Ok(()), "{file}: {name}");
            assert_eq!(is_secret, set(name, "secret"), "{file}: {name}");
        }
        let needed = variables.keys().map(String::as_str).filter(|name| set(name, "required"));
        for name in needed.chain(["public_base_url", "status_token", "tick_token", "trusted_proxies"]) {
            assert!(given.contains_key(name), "{file} lacks {name}");
        }
    }
}

#[test]
fn secrets_are_those_that_the_instructions_make() {
    let instructions = text("spinapp.yaml");
    for file in ["spinapp.yaml", "spinapp-scaled.yaml"] {
        let all = Value::Array(objects(file));
        let mut references = Vec::new();
        under(&all, "secretKeyRef", &mut references);
        assert!(!references.is_empty());
        for reference in references {
            assert_eq!(reference["name"], "lectern", "{file}");
            let key = reference["key"].as_str().unwrap();
            assert!(instructions.contains(&format!("--from-literal={key}=")), "{file}: nothing makes {key}");
        }
        let mut configurations = Vec::new();
        under(&all, "loadFromSecret", &mut configurations);
        let made = format!("create secret generic {} --from-file=", configurations[0].as_str().unwrap());
        assert!(text(file).contains(&made), "{file}: nothing makes {}", configurations[0]);
    }
}

#[test]
fn one_replica_has_the_files_and_several_have_none() {
    let single = objects("spinapp.yaml");
    let app = one(&single, "SpinApp");
    assert_eq!(app["spec"]["replicas"], 1);
    assert_eq!(app["spec"]["executor"], one(&single, "SpinAppExecutor")["metadata"]["name"]);
    let claim = one(&single, "PersistentVolumeClaim");
    assert_eq!(claim["spec"]["accessModes"], serde_json::json!(["ReadWriteOncePod"]));
    assert_eq!(app["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"], claim["metadata"]["name"]);
    assert_eq!(app["spec"]["volumeMounts"][0]["name"], app["spec"]["volumes"][0]["name"]);
    assert_eq!(app["spec"]["volumeMounts"][0]["mountPath"], STATE);
    let config: toml::Table = toml::from_str(&text("runtime-config.toml")).unwrap();
    for place in [&config["sqlite_database"]["default"], &config["key_value_store"]["default"]] {
        assert!(place["path"].as_str().unwrap().starts_with(STATE), "{place}");
    }

    let several = objects("spinapp-scaled.yaml");
    let scaled = one(&several, "SpinApp");
    assert!(scaled["spec"]["replicas"].as_u64().unwrap() > 1);
    assert!(scaled["spec"]["volumes"].is_null());
    for field in ["checks", "executor", "image", "podLabels", "resources", "runtimeConfig", "variables"] {
        assert_eq!(scaled["spec"][field], app["spec"][field], "{field}");
    }
    let config: toml::Table = toml::from_str(&text("runtime-config-scaled.toml")).unwrap();
    assert_eq!(config["sqlite_database"]["default"]["type"].as_str(), Some("libsql"));
    assert_eq!(config["key_value_store"]["default"]["type"].as_str(), Some("redis"));
    let budget = one(&several, "PodDisruptionBudget");
    assert_eq!(budget["spec"]["selector"]["matchLabels"], app["spec"]["podLabels"]);
}

/// The words after the program of a command of `lectern-host`.
fn words(container: &Value) -> Vec<&str> {
    let words: Vec<_> = container["command"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(words[0], "/opt/lectern/lectern-host");
    words[1..].to_vec()
}

#[test]
fn a_backup_is_made_as_the_timer_of_systemd_makes_it() {
    let job = one(&objects("lectern-backup.yaml"), "CronJob");
    let pod = &job["spec"]["jobTemplate"]["spec"]["template"]["spec"];
    let [making, checking] = pod["initContainers"].as_array().unwrap().as_slice() else { panic!("two, one by one") };
    let configured = ["--runtime-config-file", "/etc/lectern/runtime-config.toml"];
    assert_eq!(words(making), [&["backup", "/var/backups/lectern/new.tar"], &configured[..]].concat());
    assert_eq!(words(checking), [&["check", "--quick"], &configured[..]].concat());
    let [keeping] = pod["containers"].as_array().unwrap().as_slice() else { panic!("one") };
    let (keeping, unit) = (keeping["args"][0].as_str().unwrap(), text("lectern-backup.service"));
    let sweep = "find /var/backups/lectern -name \"lectern-*.tar\" -mtime +14 -delete";
    assert!(keeping.contains(sweep) && unit.contains(sweep), "{keeping}");
    assert!(keeping.starts_with("mv /var/backups/lectern/new.tar "), "{keeping}");
    assert!(job["spec"]["schedule"] == "0 3 * * *" && text("lectern-backup.timer").contains("OnCalendar=*-*-* 03:00"));
    assert_eq!(job["spec"]["concurrencyPolicy"], "Forbid");
    assert_eq!(pod["restartPolicy"], "Never");
}

#[test]
fn a_backup_reaches_the_servers_of_the_application_by_its_configuration() {
    let (backup, single) = (objects("lectern-backup.yaml"), objects("spinapp.yaml"));
    let pod = one(&backup, "CronJob")["spec"]["jobTemplate"]["spec"]["template"].clone();
    let volumes = pod["spec"]["volumes"].as_array().unwrap();
    let claim = one(&backup, "PersistentVolumeClaim");
    assert_eq!(volumes[0]["persistentVolumeClaim"]["claimName"], claim["metadata"]["name"]);
    let app = one(&objects("spinapp-scaled.yaml"), "SpinApp");
    assert_eq!(volumes[1]["secret"]["secretName"], app["spec"]["runtimeConfig"]["loadFromSecret"]);
    let made =
        "create secret generic lectern-runtime-config --from-file=runtime-config.toml=runtime-config-scaled.toml";
    assert!(text("lectern-backup.yaml").contains(made) && text("spinapp-scaled.yaml").contains(made));
    let known: BTreeSet<_> = volumes.iter().map(|volume| volume["name"].as_str().unwrap()).collect();
    let mut mounts = Vec::new();
    under(&pod, "volumeMounts", &mut mounts);
    assert_eq!(mounts.len(), 3);
    for mount in mounts.iter().flat_map(|mounts| mounts.as_array().unwrap()) {
        assert!(known.contains(mount["name"].as_str().unwrap()), "{mount}");
    }
    let policy = one(&backup, "NetworkPolicy");
    assert_eq!(policy["spec"]["podSelector"]["matchLabels"], pod["metadata"]["labels"]);
    let application = of_kind(&single, "NetworkPolicy").remove(0);
    for rule in policy["spec"]["egress"].as_array().unwrap() {
        assert!(
            application["spec"]["egress"].as_array().unwrap().contains(rule),
            "the application may not go to {rule}"
        );
    }
}

#[test]
fn network_policies_are_for_pods_that_are_there() {
    let single = objects("spinapp.yaml");
    let app = one(&single, "SpinApp")["spec"]["podLabels"].clone();
    let tick = one(&single, "Deployment")["spec"]["template"]["metadata"]["labels"].clone();
    let policies = of_kind(&single, "NetworkPolicy");
    let chosen: Vec<_> = policies.iter().map(|policy| &policy["spec"]["podSelector"]["matchLabels"]).collect();
    assert_eq!(chosen, [&app, &tick]);
    let ingress = &policies[0]["spec"]["ingress"][0]["from"];
    assert!(ingress.as_array().unwrap().iter().any(|from| from["podSelector"]["matchLabels"] == tick), "the tick");
    assert_eq!(policies[1]["spec"]["egress"][0]["to"][0]["podSelector"]["matchLabels"], app);
}

#[test]
fn the_relay_is_where_the_application_may_go_and_knows_its_variables() {
    let (single, relay) = (objects("spinapp.yaml"), objects("lectern-relay.yaml"));
    let (deployment, service) = (one(&relay, "Deployment"), one(&relay, "Service"));
    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    let policy = one(&relay, "NetworkPolicy");
    assert_eq!(deployment["spec"]["selector"]["matchLabels"], *labels);
    assert_eq!(policy["spec"]["podSelector"]["matchLabels"], *labels);
    assert_eq!(service["spec"]["selector"], *labels);
    let port = &service["spec"]["ports"][0]["port"];
    let egress = of_kind(&single, "NetworkPolicy")[0]["spec"]["egress"].clone();
    let goes_there =
        |rule: &Value| rule["to"][0]["podSelector"]["matchLabels"] == *labels && rule["ports"][0]["port"] == *port;
    assert!(egress.as_array().unwrap().iter().any(goes_there), "the application may not go there");
    let comes_from = &policy["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"];
    assert_eq!(*comes_from, one(&single, "SpinApp")["spec"]["podLabels"]);

    let address = format!("http://{}:{port}", service["metadata"]["name"].as_str().unwrap());
    let (instructions, variables) = (text("lectern-relay.yaml"), Manifest::load().unwrap().variables);
    let named: Vec<_> = instructions.lines().filter_map(|line| line.strip_prefix("#   - {name: ")).collect();
    assert_eq!(named.len(), 5);
    for line in named {
        let (name, value) = line.split_once(',').unwrap();
        assert!(variables.contains_key(name), "there is no variable {name}");
        assert_eq!(value.contains(&address), name.ends_with("_base_url") || name.ends_with("_http_host"), "{line}");
    }
    let mut references = Vec::new();
    under(&deployment, "secretKeyRef", &mut references);
    for reference in references {
        let made = format!("--from-literal={}=", reference["key"].as_str().unwrap());
        assert!(instructions.contains("create secret generic lectern-relay") && instructions.contains(&made));
    }
}
