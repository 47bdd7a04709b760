//! The table of requests: `requests.toml`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// The area of the request that everything is compared with.
pub(super) const FLOOR: &str = "floor";

/// What is made first, and what is measured then.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    #[serde(rename = "step")]
    pub(super) steps: Vec<Step>,
    #[serde(rename = "request")]
    pub(super) requests: Vec<Request>,
}

/// A step before the measurement.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// The area that needs it; none: all do.
    pub(super) area: Option<String>,
    #[serde(default = "post")]
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Option<String>,
    /// The administrator's if it is left out; empty: none.
    pub(super) token: Option<String>,
    #[serde(default = "once")]
    pub(super) times: u32,
    /// Names of values, and where in the answer each stands.
    #[serde(default)]
    pub(super) keep: BTreeMap<String, String>,
    pub(super) wait: Option<Wait>,
}

/// A read that is repeated until the answer has that value.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    pub(super) path: String,
    pub(super) pointer: String,
    pub(super) value: String,
}

/// A kind of request that is measured.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    pub(super) area: String,
    pub(super) kind: Kind,
    pub(super) name: String,
    #[serde(default = "get")]
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Option<String>,
    /// The administrator's if it is left out; empty: none.
    pub(super) token: Option<String>,
    #[serde(default = "ok")]
    pub(super) status: u16,
    /// The number of requests that the service allows.
    pub(super) at_most: Option<u32>,
}

/// The part that a request plays in its area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// The one that everything is compared with.
    Floor,
    /// One record is read.
    Read,
    /// A hundred records, or as many as there can be.
    List,
    /// A record is written.
    Write,
    /// The request that the area gets most.
    Hot,
}

fn get() -> String {
    "GET".to_owned()
}

fn post() -> String {
    "POST".to_owned()
}

fn once() -> u32 {
    1
}

fn ok() -> u16 {
    200
}

impl Table {
    /// The table of this version.
    pub(super) fn load() -> Result<Self> {
        toml::from_str(include_str!("requests.toml")).context("requests.toml")
    }

    /// The names of the areas, in the order in which they are measured.
    pub(super) fn areas(&self) -> Vec<String> {
        let mut areas: Vec<String> = Vec::new();
        for request in self.requests.iter().filter(|request| request.area != FLOOR) {
            if !areas.contains(&request.area) {
                areas.push(request.area.clone());
            }
        }
        areas
    }

    /// The same for these areas only; the floor stays.
    pub(super) fn only(mut self, areas: &[String]) -> Result<Self> {
        let known = self.areas();
        let unknown = areas.iter().find(|area| !known.contains(area));
        ensure!(unknown.is_none(), "there is no area {}: there are {}", unknown.map_or("", |it| it), known.join(", "));
        self.steps.retain(|step| step.area.as_ref().is_none_or(|area| areas.contains(area)));
        self.requests.retain(|request| request.area == FLOOR || areas.contains(&request.area));
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_area_has_each_kind_of_request() {
        let table = Table::load().unwrap();
        assert_eq!(table.requests.first().map(|request| request.kind), Some(Kind::Floor));
        let areas = table.areas();
        assert_eq!(areas.len(), 14, "twelve areas, the directory and coursework");
        for area in &areas {
            let of_area = table.requests.iter().filter(|request| request.area == *area);
            let kinds: BTreeSet<_> = of_area.map(|request| request.kind).collect();
            assert_eq!(kinds, BTreeSet::from([Kind::Read, Kind::List, Kind::Write, Kind::Hot]), "{area}");
        }
        let of_steps: BTreeSet<_> = table.steps.iter().filter_map(|step| step.area.clone()).collect();
        assert!(of_steps.iter().all(|area| areas.contains(area)));
    }

    #[test]
    fn the_floor_is_measured_with_every_area() {
        let table = Table::load().unwrap().only(&["polls".to_owned()]).unwrap();
        assert!(table.requests.iter().all(|request| [FLOOR, "polls"].contains(&request.area.as_str())));
        assert_eq!(table.requests.len(), 5);
        assert!(Table::load().unwrap().only(&["weather".to_owned()]).is_err());
    }
}
