//! Lists and records, as their declarations say.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shared::error::OrNotFound;
use shared::params::Params;
use shared::{Context, Endpoint, Error, Path, Query, Reply, Result};

use crate::access;
use crate::model::reader::Reader;
use crate::query::{self, ListQuery};
use crate::resource::{List, Parent, Record, Resource};
use crate::store::readings::{Found, Reading};

impl Resource {
    /// Its endpoints.
    pub(crate) fn endpoints(&'static self) -> Vec<Endpoint> {
        let lists = self.lists.iter().map(|list| self.list(list));
        let records = self.records.iter().map(|record| self.record(record));
        lists.chain(records).collect()
    }

    fn list(&'static self, list: &'static List) -> Endpoint {
        let handler =
            move |cx, Path(path): Path<BTreeMap<String, String>>, query| self::list(self, list, cx, path, query);
        let endpoint = access::endpoint(list.path, list.id, handler).summary(list.about);
        #[cfg(not(target_arch = "wasm32"))]
        let endpoint = endpoint.query(list.query()).answer_schema(json!({
            "type": "object",
            "required": ["data", "meta", "links"],
            "properties": {
                "data": { "type": "array", "items": self.schema(&[]) },
                "meta": { "type": "object" },
                "links": { "type": "object" },
            },
        }));
        endpoint
    }

    fn record(&'static self, record: &'static Record) -> Endpoint {
        let handler =
            move |cx, Path(path): Path<BTreeMap<String, String>>, params| self::record(self, record, cx, path, params);
        let endpoint = access::endpoint(record.path, record.id, handler).summary(record.about);
        #[cfg(not(target_arch = "wasm32"))]
        let endpoint = endpoint.answer_schema(json!({
            "type": "object",
            "required": ["data"],
            "properties": { "data": self.schema(record.also) },
        }));
        endpoint
    }
}

/// The parameters of a path by name.
pub(crate) type RecordPath = BTreeMap<String, String>;

pub(crate) async fn list(
    resource: &Resource,
    list: &List,
    cx: Context,
    path: RecordPath,
    params: Query<Params>,
) -> Result<Reply> {
    let asked = page_reading(resource, list, &path, params);
    let make = async |query: ListQuery, reader: Reader, found: Found| {
        require_parent(&reader, list.parent, &found)?;
        let (data, total) = found.data.zip(found.total).or_not_found()?;
        let pages = total.saturating_add(query.size - 1).div_euclid(query.size);
        let meta = json!({
            "total_count": total, "total_pages": pages, "page_number": query.number, "page_size": query.size,
        });
        let links = links(&cx, &query, pages).await?;
        Ok(format!("{{\"data\":{data},\"meta\":{meta},\"links\":{links}}}"))
    };
    access::answer(&cx, resource.scope, asked, make).await
}

fn page_reading(
    resource: &Resource,
    list: &List,
    path: &RecordPath,
    params: Query<Params>,
) -> Result<(ListQuery, Reading)> {
    let query = ListQuery::read(list.filters, list.sorts, &params.into_params()?)?;
    let reading = Reading::page(resource, list, with_id(list.parent, path)?, &query);
    Ok((query, reading))
}

pub(crate) async fn record(
    resource: &Resource,
    record: &Record,
    cx: Context,
    path: RecordPath,
    params: Query<Params>,
) -> Result<Reply> {
    let asked = record_reading(resource, record, &path, params).map(|reading| ((), reading));
    let make = async |(), reader: Reader, found: Found| {
        require_parent(&reader, record.parent, &found)?;
        let data = found.data.or_not_found()?;
        if resource.school.is_some() {
            reader.require_school(found.school)?;
        }
        Ok(format!("{{\"data\":{data}}}"))
    };
    access::answer(&cx, resource.scope, asked, make).await
}

fn record_reading(resource: &Resource, record: &Record, path: &RecordPath, params: Query<Params>) -> Result<Reading> {
    query::require_known(&[], &params.into_params()?)?;
    Ok(Reading::record(resource, record, with_id(record.parent, path)?, id(path, "id")?))
}

/// The record that the rows belong to, with the id by which the path names it.
fn with_id(parent: Option<Parent>, path: &RecordPath) -> Result<Option<(Parent, i64)>> {
    parent.map(|parent| Ok((parent, id(path, parent.parameter)?))).transpose()
}

/// Refuses where the record that the rows belong to is not there, or may not be seen.
fn require_parent(reader: &Reader, parent: Option<Parent>, found: &Found) -> Result<()> {
    parent.map_or(Ok(()), |parent| found.require_parent(reader, parent.has_school))
}

/// An id of the path; one that is no number names nothing.
pub(crate) fn id(path: &RecordPath, parameter: &str) -> Result<i64> {
    let digits = path.get(parameter).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|text| text.parse().ok()).filter(|id| *id > 0).ok_or_else(Error::not_found)
}

/// The addresses of this page and its neighbours; null where there is none.
async fn links(cx: &Context, query: &ListQuery, pages: i64) -> Result<Value> {
    let address = format!("{}{}", cx.base_url().await?, cx.path());
    let kept = kept_parameters(cx.query());
    let to = |number: i64| format!("{address}?{kept}page[number]={number}&page[size]={}", query.size);
    let number = query.number;
    let last = pages.max(1);
    Ok(json!({
        "self": to(number),
        "first": to(1),
        "prev": (number > 1).then(|| to((number - 1).min(last))),
        "next": (number < pages).then(|| to(number + 1)),
        "last": to(last),
    }))
}

/// The query as it came, without the page, for other parameters to follow.
fn kept_parameters(query: &str) -> String {
    let is_page = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
        name.starts_with("page[") || name.starts_with("page%5b")
    };
    query.split('&').filter(|pair| !pair.is_empty() && !is_page(pair)).map(|pair| format!("{pair}&")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_keep_what_is_not_the_page() {
        assert_eq!(kept_parameters("filter[a]=1&page[number]=2&sort=-x&page%5Bsize%5D=5"), "filter[a]=1&sort=-x&");
        assert_eq!(kept_parameters(""), "");
    }

    #[test]
    fn an_id_is_a_number() {
        let path = RecordPath::from([("id".to_owned(), "7".to_owned()), ("x".to_owned(), "+7".to_owned())]);
        assert_eq!(id(&path, "id").unwrap(), 7);
        assert!(id(&path, "x").is_err() && id(&path, "y").is_err());
    }
}
