//! The description says what the code does: pages, and types by their names.

use std::collections::BTreeSet;

use serde_json::Value;
use syn::visit::Visit;

use crate::references::add_names;
use crate::rooms::modules;

/// A function of a file of handlers.
struct Function {
    name: String,
    /// The words of its declaration as an endpoint; empty where it is none.
    declaration: Vec<String>,
    /// The words of its body.
    body: Vec<String>,
    asks_for_a_page: bool,
    is_private: bool,
}

impl Function {
    fn of(function: &syn::ItemFn) -> Self {
        let declaration = function.attrs.iter().find(|attribute| attribute.path().is_ident("endpoint"));
        let declaration = declaration.and_then(|attribute| attribute.meta.require_list().ok());
        Self {
            name: function.sig.ident.to_string(),
            declaration: declaration.map(|list| words(&list.tokens.to_string())).unwrap_or_default(),
            body: words(&names_in(&function.block)),
            asks_for_a_page: asks_for_a_page(&function.block),
            is_private: matches!(function.vis, syn::Visibility::Inherited),
        }
    }

    /// True if that endpoint is one of those that it is declared as.
    fn is(&self, id: &str) -> bool {
        let named = self.declaration.windows(2).any(|pair| pair[0] == "as" && pair[1] == id);
        named || (!self.declaration.is_empty() && self.name == id)
    }
}

fn words(code: &str) -> Vec<String> {
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The names in a body, in their order.
fn names_in(block: &syn::Block) -> String {
    struct Names(Vec<String>);
    impl Visit<'_> for Names {
        fn visit_ident(&mut self, name: &syn::Ident) {
            self.0.push(name.to_string());
        }
    }
    let mut names = Names(Vec::new());
    names.visit_block(block);
    names.0.join(" ")
}

/// True if the page of the request is asked for: `cx.page()`, or another that the context has.
fn asks_for_a_page(block: &syn::Block) -> bool {
    struct Asks(bool);
    impl Visit<'_> for Asks {
        fn visit_expr_method_call(&mut self, call: &syn::ExprMethodCall) {
            if let syn::Expr::Path(receiver) = &*call.receiver {
                let names_page = ["page", "page_or_whole", "cursor_page"].iter().any(|name| call.method == name);
                self.0 |= names_page && receiver.path.is_ident("cx");
            }
            syn::visit::visit_expr_method_call(self, call);
        }
    }
    let mut asks = Asks(false);
    asks.visit_block(block);
    asks.0
}

/// The functions that ask for a page, and those of the same file that call them.
fn asking(functions: &[Function]) -> BTreeSet<&str> {
    let mut asking: BTreeSet<&str> =
        functions.iter().filter(|function| function.asks_for_a_page).map(|function| &*function.name).collect();
    loop {
        let before = asking.len();
        for function in functions {
            if function.body.iter().any(|word| asking.contains(&**word)) {
                asking.insert(&function.name);
            }
        }
        if asking.len() == before {
            return asking;
        }
    }
}

#[test]
fn an_endpoint_is_described_with_pages_where_it_asks_for_one() {
    let mut wrong = Vec::new();
    let mut paged = 0;
    for area in crate::areas() {
        for (module, text) in modules(area.name) {
            let items = syn::parse_file(&text).unwrap().items;
            let functions: Vec<_> = items
                .iter()
                .filter_map(|item| match item {
                    syn::Item::Fn(function) => Some(Function::of(function)),
                    _ => None,
                })
                .collect();
            let asking = asking(&functions);
            for function in &functions {
                let asks = asking.contains(&*function.name);
                if asks && !function.is_private && function.declaration.is_empty() {
                    wrong.push(format!("{}: others may call {}", module.join("::"), function.name));
                }
                for endpoint in area.endpoints().iter().filter(|endpoint| function.is(endpoint.id)) {
                    paged += usize::from(asks);
                    if asks != endpoint.paging.is_some() {
                        wrong.push(format!("{}: {} asks for a page: {asks}", module.join("::"), endpoint.id));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(paged > 40, "only {paged} endpoints with pages were found");
}

#[test]
fn whoever_describes_pages_describes_the_links_to_others() {
    let description = crate::document();
    let mut paged = 0;
    for operation in operations(&description) {
        let parameters = operation["parameters"].as_array().unwrap();
        let names: Vec<_> = parameters.iter().map(|parameter| parameter["name"].as_str().unwrap()).collect();
        let has = |name: &str| names.contains(&name);
        let has_link = operation["responses"].pointer("/200/headers/Link").is_some();
        assert!(!has_link || has("page") && has("per_page"), "{}", operation["operationId"]);
        let places: BTreeSet<_> = parameters.iter().map(|one| (one["in"].as_str(), one["name"].as_str())).collect();
        assert_eq!(places.len(), names.len(), "{}", operation["operationId"]);
        paged += usize::from(has_link);
    }
    assert!(paged > 40, "only {paged} operations with pages were found");
}

/// The operations of a description.
fn operations(description: &Value) -> impl Iterator<Item = &Value> {
    let paths = description["paths"].as_object().unwrap();
    paths.values().flat_map(|methods| methods.as_object().unwrap().values())
}

#[test]
fn every_parameter_says_what_it_means() {
    let description = crate::document();
    let mut silent = Vec::new();
    let mut count = 0;
    for operation in operations(&description) {
        for parameter in operation["parameters"].as_array().unwrap() {
            count += 1;
            if parameter["description"].as_str().is_none_or(|about| about.trim().is_empty()) {
                silent.push(format!("{} {} in the {}", operation["operationId"], parameter["name"], parameter["in"]));
            }
        }
    }
    assert!(silent.is_empty(), "these have no comment on their fields:\n{}", silent.join("\n"));
    assert!(count > 500, "only {count} parameters were found");
}

/// A scope that no scheme names cannot be asked for, and one that is named and never needed is useless.
#[test]
fn schemes_of_oauth_have_the_scopes_that_operations_need() {
    let description = crate::document();
    let schemes = description["components"]["securitySchemes"].as_object().unwrap();
    let flows = schemes.iter().filter(|(_, scheme)| scheme["type"] == "oauth2");
    let mut known = BTreeSet::new();
    for (name, scheme) in flows {
        for flow in scheme["flows"].as_object().unwrap().values() {
            known.extend(flow["scopes"].as_object().unwrap().keys().map(|scope| (name.as_str(), scope.as_str())));
        }
    }
    let mut needed = BTreeSet::new();
    for operation in operations(&description) {
        let credentials = operation["security"].as_array().unwrap().iter().flat_map(|one| one.as_object().unwrap());
        for (name, scopes) in credentials {
            let scheme = schemes.get(name).unwrap_or_else(|| panic!("{} needs {name}", operation["operationId"]));
            if scheme["type"] == "oauth2" {
                needed.extend(scopes.as_array().unwrap().iter().map(|scope| (name.as_str(), scope.as_str().unwrap())));
            }
        }
    }
    assert_eq!(known, needed, "scopes on the left that none needs, or on the right that none gives");
    assert!(known.len() >= 6, "{known:?}");
}

/// A type of event that can be subscribed to is described as it is delivered.
#[test]
fn every_type_of_event_has_a_webhook() {
    let description = crate::document();
    let webhooks: BTreeSet<_> = description["webhooks"].as_object().unwrap().keys().map(String::as_str).collect();
    let described = [
        "attachment_created",
        "error_report.created",
        "grade_change",
        "plagiarism_resubmit",
        "quiz_submitted",
        "submission_created",
        "submission_updated",
        "test",
    ];
    assert_eq!(webhooks, described.into_iter().collect());
    for webhook in description["webhooks"].as_object().unwrap().values() {
        let headers = webhook["post"]["parameters"].as_array().unwrap();
        assert!(headers.iter().any(|header| header["name"] == "webhook-signature"), "{webhook}");
    }
}

/// A number behind a name tells two types of one name apart, and tells nobody which is which.
#[test]
fn every_type_is_named_for_what_it_is_and_referred_to() {
    let description = crate::document();
    let types: BTreeSet<&str> =
        description["components"]["schemas"].as_object().unwrap().keys().map(String::as_str).collect();
    let mut referred = BTreeSet::new();
    add_names(&description, &description, &mut referred);
    assert_eq!(
        types, referred,
        "types on the left that nothing refers to, or references on the right that lead nowhere"
    );
    let numbered: Vec<_> =
        types.iter().filter(|name| name.trim_end_matches("Sent").ends_with(|c: char| c.is_ascii_digit())).collect();
    assert!(numbered.is_empty(), "{numbered:?}: give one of the two another name");
}
