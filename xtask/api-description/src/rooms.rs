//! Where things are: whoever knows a path knows the file of its handler, and imports run from routes to store to model.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use shared::Endpoint;
use syn::visit::Visit;

/// The verbs with which handlers begin; a new one is added here.
const VERBS: &[&str] = &[
    "abort",
    "accept",
    "add",
    "answer",
    "approve",
    "archive",
    "authorize",
    "award",
    "cancel",
    "change",
    "claim",
    "close",
    "complete",
    "confirm",
    "copy",
    "create",
    "decide",
    "delete",
    "download",
    "duplicate",
    "end",
    "extend",
    "flag",
    "get",
    "give",
    "grade",
    "hide",
    "import",
    "invite",
    "issue",
    "list",
    "open",
    "patch",
    "post",
    "preview",
    "reactivate",
    "receive",
    "refuse",
    "register",
    "reject",
    "remove",
    "reorder",
    "replace",
    "replay",
    "resend",
    "reset",
    "restore",
    "resubmit",
    "revoke",
    "rotate",
    "run",
    "score",
    "search",
    "send",
    "share",
    "start",
    "submit",
    "test",
    "unflag",
    "update",
    "upload",
    "verify",
    "vote",
    "withdraw",
];

/// A module by the names that lead to it from the crate's root.
pub(crate) type Module = Vec<String>;

/// The crates that several areas share, by their folders.
const SHARED: [&str; 6] =
    ["shared/types", "shared/database", "shared/web", "shared/domain", "shared/submissions", "shared/quiz-reports"];

fn component(area: &str) -> String {
    format!("components/{area}")
}

/// The modules of a component with their text, without their tests.
pub(crate) fn modules(area: &str) -> BTreeMap<Module, String> {
    modules_of(&component(area))
}

fn modules_of(folder: &str) -> BTreeMap<Module, String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut modules = BTreeMap::new();
    read(&workspace.join(folder).join("src"), &Module::new(), &mut modules);
    modules
}

/// All code that a component is made of, by the folder and the module, without its tests.
pub(crate) fn code() -> Vec<(String, String)> {
    let components = crate::areas().into_iter().map(|area| component(area.name));
    let folders = components.chain(SHARED.map(str::to_owned));
    let named = |folder: String| {
        modules_of(&folder).into_iter().map(move |(module, text)| (format!("{folder}::{}", module.join("::")), text))
    };
    folders.flat_map(named).collect()
}

fn read(folder: &Path, parent: &Module, modules: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let child = || parent.iter().cloned().chain([name.clone()]).collect::<Module>();
        if path.is_dir() {
            read(&path, &child(), modules);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let module = if name == "lib" || name == "mod" { parent.clone() } else { child() };
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
            modules.insert(module, code.collect::<Vec<_>>().join("\n"));
        }
    }
}

/// The literal words of a path as modules are called: `/a-b/:id/openBadgeId/jwks.json` has `a_b`, `open_badge_id`, `jwks`.
fn words(path: &str) -> Vec<String> {
    let literal = path.split('/').filter(|segment| !segment.is_empty() && !segment.starts_with(':'));
    let words: Vec<_> = literal.map(word).collect();
    if words.is_empty() { vec!["root".to_owned()] } else { words }
}

fn word(segment: &str) -> String {
    let stem = segment.trim_start_matches('.').split('.').next().unwrap_or_default();
    let mut word = String::new();
    for letter in stem.chars() {
        if letter.is_ascii_uppercase() {
            word.push('_');
        }
        word.push(if letter == '-' { '_' } else { letter.to_ascii_lowercase() });
    }
    word
}

/// The file of a path: from its last word backwards, the first for which there is a file; of several files of that name
/// the one in most folders, all of which are words before it.
fn home<'a>(words: &[String], files: &'a [Module]) -> Option<&'a Module> {
    (0..words.len()).rev().find_map(|at| {
        let (before, from) = words.split_at(at);
        let named = files.iter().filter(|file| file.last() == from.first());
        named.filter(|file| occur_in_order(&file[..file.len() - 1], before)).max_by_key(|file| file.len())
    })
}

fn occur_in_order(folders: &[String], words: &[String]) -> bool {
    let mut words = words.iter();
    folders.iter().all(|folder| words.any(|word| word == folder))
}

/// The file in which the endpoint's handler lies: what is below the last word of the path may be called freely.
fn file_of(endpoint: &Endpoint, words: &[String]) -> Module {
    let names: Module = endpoint.module.split("::").skip(2).map(str::to_owned).collect();
    let length = names.iter().rposition(|name| words.contains(name)).map_or(0, |last| last + 1);
    names.into_iter().take(length).collect()
}

#[test]
fn whoever_knows_a_path_knows_the_file_of_its_handler() {
    let mut wrong = Vec::new();
    for area in crate::areas() {
        let modules = modules(area.name);
        let files: Vec<Module> = modules
            .keys()
            .filter(|module| module.len() > 1 && module[0] == "routes")
            .map(|module| module[1..].to_vec())
            .collect();
        // An endpoint that is declared as data, and not on a handler, has no module.
        for endpoint in area.endpoints().iter().filter(|endpoint| !endpoint.module.is_empty()) {
            let words = words(endpoint.path);
            let right = home(&words, &files);
            let is_route = endpoint.module.split("::").nth(1) == Some("routes");
            if !is_route || right != Some(&file_of(endpoint, &words)) {
                let right = right.or(files.first()).map_or_else(String::new, |file| file.join("/"));
                let last = words.last().cloned().unwrap_or_default();
                wrong.push(format!(
                    "{} {} lies in {}, and would be looked for in routes/{right}.rs or routes/{last}.rs",
                    endpoint.method, endpoint.path, endpoint.module
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_file_of_a_path_is_found_from_its_last_word_backwards() {
    let files = ["submissions", "quizzes", "quizzes/submissions", "quiz/quizzes", "public/keys", "jwks", "root"];
    let files: Vec<Module> = files.iter().map(|file| file.split('/').map(str::to_owned).collect()).collect();
    for (path, file) in [
        ("/api/v1/courses/:id/quizzes/:quiz_id/submissions/:id/time", Some("quizzes/submissions")),
        ("/api/v1/courses/:id/submissions", Some("submissions")),
        ("/api/quiz/v1/courses/:id/quizzes", Some("quiz/quizzes")),
        ("/api/v1/courses/:id/quizzes/:id", Some("quizzes")),
        ("/v2/keys", None),
        ("/.well-known/jwks.json", Some("jwks")),
        ("/", Some("root")),
    ] {
        assert_eq!(home(&words(path), &files).map(|file| file.join("/")).as_deref(), file, "{path}");
    }
}

/// The modules of its component that a module names, each as far as it is one.
fn imports(module: &Module, text: &str, modules: &BTreeMap<Module, String>) -> BTreeSet<Module> {
    let mut named = IdOrAlias { module, modules: BTreeSet::new() };
    let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", module.join("::")));
    named.visit_file(&file);
    let known =
        |path: &Module| (0..=path.len()).rev().map(|length| path[..length].to_vec()).find(|m| modules.contains_key(m));
    named.modules.iter().filter_map(known).filter(|named| named != module).collect()
}

/// The modules of its crate that a module's code names, from the crate's root.
struct IdOrAlias<'a> {
    module: &'a Module,
    modules: BTreeSet<Module>,
}

impl IdOrAlias<'_> {
    /// Follows the path, which begins with `crate`, `self` or `super` if it is one of the crate's.
    fn add(&mut self, path: &[String]) {
        let (mut at, rest) = match path.split_first() {
            Some((first, rest)) if first == "crate" => (Module::new(), rest),
            Some((first, rest)) if first == "self" => (self.module.clone(), rest),
            Some((first, _)) if first == "super" => (self.module.clone(), path),
            _ => return,
        };
        for name in rest {
            if name == "super" {
                at.pop();
            } else if name != "self" {
                at.push(name.clone());
            }
        }
        self.modules.insert(at);
    }

    fn add_tree(&mut self, above: &[String], tree: &syn::UseTree) {
        let below = |name: &syn::Ident| [above, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&below(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.add(&below(&name.ident)),
            syn::UseTree::Rename(name) => self.add(&below(&name.ident)),
            syn::UseTree::Glob(_) => self.add(above),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(above, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for IdOrAlias<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&names);
        syn::visit::visit_path(self, path);
    }
}

fn is_in(room: &str, module: &Module) -> bool {
    module.first().is_some_and(|first| first == room)
}

#[test]
fn imports_run_from_routes_to_store_to_model() {
    let mut wrong = Vec::new();
    for area in crate::areas() {
        let modules = modules(area.name);
        for (module, text) in &modules {
            for named in imports(module, text, &modules) {
                let upwards = is_in("store", module) && is_in("routes", &named)
                    || is_in("model", module) && (is_in("routes", &named) || is_in("store", &named));
                if upwards {
                    wrong.push(format!("{}: {} imports {}", area.name, module.join("::"), named.join("::")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Modules outside of `store` in which SQL stands, and those below them: machines whose declarations or steps are SQL.
const SQL_ELSEWHERE: [(&str, &[&str], &str); 6] = [
    ("background", &["deliveries", "retention"], "removes what has ended: each step is a statement"),
    ("background", &["retention"], "removes what has ended: each step is a statement"),
    ("background", &["messages", "digests"], "makes digests: each step is a statement"),
    ("mastery", &["import", "tables"], "declares where records are found that others refer to"),
    ("mastery", &["routes", "resources"], "declares resources, whose columns and filters are SQL"),
    ("sis-imports", &["rows"], "reads each kind of file by statements of its own"),
];

/// The texts in a module's code that are SQL.
fn statements(code: &str) -> Vec<String> {
    let mut texts = Vec::new();
    add_texts(code.parse().unwrap(), &mut texts);
    texts.retain(|text| is_sql(text));
    texts
}

/// Adds the texts in the code, those in its macros too, but not those in attributes, as which comments are read.
fn add_texts(code: TokenStream, texts: &mut Vec<String>) {
    let mut is_attribute = false;
    for token in code {
        match token {
            TokenTree::Punct(mark) => is_attribute = mark.as_char() == '#' || (is_attribute && mark.as_char() == '!'),
            TokenTree::Group(_) if is_attribute => is_attribute = false,
            TokenTree::Group(group) => add_texts(group.stream(), texts),
            TokenTree::Literal(literal) => {
                texts.extend(syn::parse_str::<syn::LitStr>(&literal.to_string()).map(|text| text.value()).ok());
            }
            TokenTree::Ident(_) => is_attribute = false,
        }
    }
}

/// A text with words that stand together in a statement alone.
fn is_sql(text: &str) -> bool {
    let words: Vec<_> =
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
    let are = |pair: [&str; 2]| words.windows(2).any(|words| words == pair);
    let has = |word: &str| words.contains(&word);
    are(["INSERT", "INTO"]) || are(["DELETE", "FROM"]) || has("SELECT") || (has("UPDATE") && has("SET"))
}

#[test]
fn sql_stands_in_the_stores_alone() {
    let mut wrong = Vec::new();
    let mut elsewhere: BTreeSet<&[&str]> = SQL_ELSEWHERE.iter().map(|(_, module, _)| *module).collect();
    for area in crate::areas() {
        for (module, text) in modules(area.name) {
            let statements = statements(&text);
            let known = SQL_ELSEWHERE.iter().find(|(of, at, _)| *of == area.name && module.starts_with(&owned(at)));
            if let (Some((_, at, _)), false) = (known, statements.is_empty()) {
                elsewhere.remove(at);
            }
            if known.is_none() && !is_in("store", &module) {
                wrong.extend(statements.iter().map(|sql| format!("{}: {} has {sql}", area.name, module.join("::"))));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(elsewhere.is_empty(), "there is no SQL any more in {elsewhere:?}");
}

fn owned(module: &[&str]) -> Module {
    module.iter().map(ToString::to_string).collect()
}

#[test]
fn statements_are_known_by_their_words() {
    let code = r##"
        /// SELECT a section.
        fn f() { g("SELECT 1", "Select one, or DELETE", format!("{} DELETE\n FROM x", r#"UPDATE x SET y = 1"#)); }
    "##;
    assert_eq!(statements(code), ["SELECT 1", "{} DELETE\n FROM x", "UPDATE x SET y = 1"]);
}

/// A module and those below it may know one another.
fn are_family(one: &Module, other: &Module) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

#[test]
fn no_imports_go_in_a_circle() {
    let mut wrong = Vec::new();
    let components = crate::areas().into_iter().map(|area| component(area.name));
    for folder in components.chain(SHARED.map(str::to_owned)) {
        let modules = modules_of(&folder);
        let mut graph: BTreeMap<&Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, text) in &modules {
            let named = imports(module, text, &modules).into_iter().filter(|named| !are_family(module, named));
            graph.insert(module, named.collect());
        }
        // A module that imports nothing is in no circle, and neither is one that imports only such modules.
        loop {
            let left: BTreeSet<Module> = graph.keys().map(|module| (*module).clone()).collect();
            graph.retain(|_, named| named.iter().any(|named| left.contains(named)));
            if graph.len() == left.len() {
                break;
            }
        }
        let left: BTreeSet<Module> = graph.keys().map(|module| (*module).clone()).collect();
        for (module, named) in graph {
            let named: Vec<_> =
                named.iter().filter(|named| left.contains(*named)).map(|named| named.join("::")).collect();
            wrong.push(format!("{folder}: {} imports {}", module.join("::"), named.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "of these, some import one another in a circle:\n{}", wrong.join("\n"));
}

#[test]
fn operation_ids_begin_with_a_verb() {
    for area in crate::areas() {
        for endpoint in area.endpoints() {
            let verb = endpoint.id.split('_').next().unwrap_or_default();
            assert!(VERBS.contains(&verb), "{} begins with no verb that we use: {VERBS:?}", endpoint.id);
        }
    }
}

#[test]
fn imports_are_read_from_the_text() {
    let module = |name: &str| name.split('/').map(str::to_owned).collect::<Module>();
    let modules = ["a", "a/b", "a/c", "d"].into_iter().map(|name| (module(name), String::new())).collect();
    for (text, named) in [
        ("use crate::a::{self as first, b::B, c::*};", vec!["a", "a/b", "a/c"]),
        ("use crate::{\n    a::{b, c as other},\n    d,\n};", vec!["a/b", "a/c", "d"]),
        ("fn run() { super::b::run() }", vec!["a/b"]),
    ] {
        let expected: BTreeSet<_> = named.into_iter().map(module).collect();
        assert_eq!(imports(&module("a/e"), text, &modules), expected, "{text}");
    }
}
