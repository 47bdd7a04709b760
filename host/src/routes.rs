//! Routes, from a path to its component: Spin's rules, by the router that Spin uses.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};

use crate::manifest::{self, HttpTrigger};

/// From a path to a route.
pub(crate) struct Routes(routefinder::Router<Route>);

/// A route of the manifest.
#[derive(Debug, PartialEq)]
pub(crate) struct Route {
    /// As the manifest has it.
    pub(crate) pattern: String,
    /// The id of the component that answers.
    pub(crate) component: String,
}

impl Routes {
    pub(crate) fn new(triggers: &[HttpTrigger]) -> Result<Self> {
        let mut patterns = BTreeMap::new();
        for trigger in triggers {
            if let manifest::Route::Pattern(pattern) = &trigger.route
                && let Some(replaced) = patterns.insert(pattern, &trigger.component)
            {
                tracing::warn!("the route {pattern} of {replaced} is taken over by {}", trigger.component);
            }
        }
        let mut router = routefinder::Router::new();
        for (pattern, component) in patterns {
            router
                .add(spec(pattern).as_str(), Route { pattern: pattern.clone(), component: component.clone() })
                .map_err(|error| anyhow!("the route {pattern} of {component} cannot be used: {error}"))?;
        }
        Ok(Self(router))
    }

    /// Exact segments win over `:name`, and those over `/...`. Slashes around the path do not count.
    pub(crate) fn find(&self, path: &str) -> Option<&Route> {
        Some(self.0.best_match(path)?.handler())
    }
}

fn spec(pattern: &str) -> String {
    let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
    let slash = if pattern.starts_with('/') { "" } else { "/" };
    match pattern.strip_suffix("/...") {
        Some(prefix) => format!("{slash}{prefix}/*"),
        None => format!("{slash}{pattern}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(table: &[(&str, &str)]) -> Routes {
        let triggers: Vec<_> = table
            .iter()
            .map(|(pattern, component)| HttpTrigger {
                route: manifest::Route::Pattern((*pattern).to_owned()),
                component: (*component).to_owned(),
            })
            .collect();
        Routes::new(&triggers).unwrap()
    }

    #[test]
    fn the_most_specific_route_wins() {
        let routes = routes(&[
            ("/...", "fallback"),
            ("/api/v1/polls/...", "polls"),
            ("/api/v1/polls/:poll_id/poll_sessions/...", "sessions"),
            ("/api/v1/error_reports", "reports"),
        ]);
        for (path, component) in [
            ("/", "fallback"),
            ("/api/v1/unknown", "fallback"),
            ("/api/v1/polls", "polls"),
            ("/api/v1/polls/7", "polls"),
            ("/api/v1/polls/7/poll_sessions", "sessions"),
            ("/api/v1/polls/7/poll_sessions/9/open", "sessions"),
            ("/api/v1/error_reports/", "reports"),
            ("/api/v1/error_reports/1", "fallback"),
        ] {
            assert_eq!(routes.find(path).map(|route| &*route.component), Some(component), "{path}");
        }
    }

    #[test]
    fn the_last_of_two_equal_routes_wins_and_private_ones_are_not_reachable() {
        let both = routes(&[("/a", "first"), ("/a", "second")]);
        assert_eq!(both.find("/a"), Some(&Route { pattern: "/a".to_owned(), component: "second".to_owned() }));
        assert_eq!(both.find("/b"), None);
        let private = HttpTrigger { route: manifest::Route::Private { private: true }, component: "hidden".to_owned() };
        assert_eq!(Routes::new(&[private]).unwrap().find("/"), None);
    }
}
