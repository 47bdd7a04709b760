//! A resource of the area: a declaration, from which its endpoints, their SQL and their JSON follow.

#[cfg(not(target_arch = "wasm32"))]
use serde_json::{Map, Value, json};
#[cfg(not(target_arch = "wasm32"))]
use shared::api::QueryParameter;

/// The number of records of a page, unless the caller asks for another.
pub(crate) const DEFAULT_SIZE: i64 = 25;
/// The most records of a page.
pub(crate) const MAX_SIZE: i64 = 100;

/// A resource as it is declared.
pub(crate) struct Resource {
    /// The word in `type`.
    pub(crate) kind: &'static str,
    /// The scope of its endpoints.
    pub(crate) scope: &'static str,
    /// The table; its rows are called `r`.
    pub(crate) table: &'static str,
    /// The attributes of a row, in this order.
    pub(crate) attributes: &'static [Attribute],
    /// Records that a row belongs to: the name, and the column with the id.
    pub(crate) relationships: &'static [(&'static str, &'static str)],
    /// The SQL of the row's school, where a credential may be limited to some schools.
    pub(crate) school: Option<&'static str>,
    /// Its lists.
    pub(crate) lists: &'static [List],
    /// The paths of single records.
    pub(crate) records: &'static [Record],
}

/// An attribute: its name and how it is read from a row `r`.
pub(crate) struct Attribute {
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
    pub(crate) form: Form,
}

/// The form in which a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As it is: text, numbers, moments.
    Plain,
    /// As true or false.
    Boolean,
    /// As JSON that the SQL has made.
    Json,
}

/// A list of rows.
pub(crate) struct List {
    /// The operation id.
    pub(crate) id: &'static str,
    pub(crate) path: &'static str,
    pub(crate) about: &'static str,
    /// The record in the path that the rows belong to.
    pub(crate) parent: Option<Parent>,
    pub(crate) filters: &'static [Filter],
    /// Columns that it may be sorted by.
    pub(crate) sorts: &'static [&'static str],
    /// Which rows there are: those of the district `reader.district`, or of the parent `?1`.
    pub(crate) scope: Scope,
}

/// A single row by the id at the end of the path.
pub(crate) struct Record {
    /// The operation id.
    pub(crate) id: &'static str,
    pub(crate) path: &'static str,
    pub(crate) about: &'static str,
    pub(crate) parent: Option<Parent>,
    pub(crate) scope: Scope,
    /// Attributes that only the single record has.
    pub(crate) also: &'static [Attribute],
}

/// The rows that a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All rows of the caller's district.
    District,
    /// The rows of which this SQL is true.
    Where(&'static str),
}

/// A record that a path names before its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parent {
    /// The parameter of the path.
    pub(crate) parameter: &'static str,
    /// Selects the parent's school from the record `?1` of the district `reader.district`: one row if it is there.
    pub(crate) sql: &'static str,
    /// True if records of its kind belong to schools; where they do not, whoever reads of the district sees them.
    pub(crate) has_school: bool,
}

/// A filter: its name, the type of its value, and the SQL in which `?` stands for the value.
pub(crate) struct Filter {
    pub(crate) name: &'static str,
    pub(crate) value: FilterValue,
    pub(crate) sql: &'static str,
    /// The rows that it leaves, for the API description.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) about: &'static str,
}

/// The type of a filter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilterValue {
    Text,
    Integer,
    Boolean,
    Moment,
}

/// An attribute that is a column of its own name.
pub(crate) const fn column(name: &'static str) -> Attribute {
    Attribute { name, sql: name, form: Form::Plain }
}

/// The same, as true or false.
pub(crate) const fn flag(name: &'static str) -> Attribute {
    Attribute { name, sql: name, form: Form::Boolean }
}

/// An attribute that SQL makes.
pub(crate) const fn computed(name: &'static str, sql: &'static str) -> Attribute {
    Attribute { name, sql, form: Form::Plain }
}

/// An attribute that SQL makes as JSON.
pub(crate) const fn nested(name: &'static str, sql: &'static str) -> Attribute {
    Attribute { name, sql, form: Form::Json }
}

/// A filter of that name, and the rows that it leaves.
#[cfg_attr(target_arch = "wasm32", expect(unused_variables, reason = "components describe nothing"))]
pub(crate) const fn by(name: &'static str, value: FilterValue, sql: &'static str, about: &'static str) -> Filter {
    Filter {
        name,
        value,
        sql,
        #[cfg(not(target_arch = "wasm32"))]
        about,
    }
}

/// Filters that several lists have.
pub(crate) const SCHOOL: Filter =
    by("school_id", FilterValue::Integer, "r.school_id = ?", "Only those of this school.");
pub(crate) const SUBJECT: Filter =
    by("subject_id", FilterValue::Integer, "r.subject_id = ?", "Only those of this subject.");
pub(crate) const NAME: Filter = by("name", FilterValue::Text, "r.name = ?", "Only those of exactly this name.");
pub(crate) const ARCHIVED: Filter =
    by("archived", FilterValue::Boolean, "r.archived = ?", "Only those that are archived, or only those that are not.");
pub(crate) const AVAILABLE: Filter =
    by("available", FilterValue::Boolean, "r.available = ?", "Only those that students can see, or only the others.");
pub(crate) const UPDATED_SINCE: Filter = by(
    "updated_since",
    FilterValue::Moment,
    "r.updated_at >= ?",
    "Only those that were changed at that time or later.",
);

impl Resource {
    /// The SQL that makes a row's JSON, joined as text, so that what is JSON already is not read again.
    pub(crate) fn json(&self, also: &[Attribute]) -> String {
        let Self { kind, relationships, .. } = self;
        let attributes = self.attributes.iter().chain(also).map(Attribute::json).collect::<Vec<_>>().join(", ");
        let relationships = relationships.iter().map(relationship).collect::<Vec<_>>().join(", ',', ");
        let relationships = if relationships.is_empty() { "''" } else { &relationships };
        format!(
            "concat('{{\"id\":\"', r.id, '\",\"type\":\"{kind}\",\"attributes\":', json_object({attributes}), \
             ',\"relationships\":{{', {relationships}, '}}}}')"
        )
    }
}

/// The SQL of a record that a row belongs to, as a member of the row's JSON.
fn relationship((name, column): &(&str, &str)) -> String {
    format!(
        "'\"{name}\":{{\"data\":', \
         iif(r.{column} IS NULL, 'null', concat('{{\"id\":\"', r.{column}, '\",\"type\":\"{name}\"}}')), '}}'"
    )
}

impl Attribute {
    fn json(&self) -> String {
        let Self { name, sql, form } = self;
        // A column's name alone would be ambiguous beside the tables of subqueries.
        let value = if name == sql { format!("r.{sql}") } else { (*sql).to_owned() };
        match form {
            Form::Plain => format!("'{name}', {value}"),
            Form::Boolean => format!("'{name}', json(iif({value}, 'true', 'false'))"),
            Form::Json => format!("'{name}', json({value})"),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Resource {
    /// The schema of a row, for the API description.
    pub(crate) fn schema(&self, also: &[Attribute]) -> Value {
        let attributes =
            self.attributes.iter().chain(also).map(|attribute| (attribute.name.to_owned(), attribute.schema()));
        let relationships = self.relationships.iter().map(|(name, _)| {
            let id = json!({ "type": "string" });
            let other = json!({
                "type": ["object", "null"],
                "required": ["id", "type"],
                "properties": { "id": id, "type": { "type": "string", "enum": [name] } },
            });
            ((*name).to_owned(), json!({ "type": "object", "required": ["data"], "properties": { "data": other } }))
        });
        json!({
            "type": "object",
            "required": ["id", "type", "attributes", "relationships"],
            "properties": {
                "id": { "type": "string" },
                "type": { "type": "string", "enum": [self.kind] },
                "attributes": { "type": "object", "properties": attributes.collect::<Map<_, _>>() },
                "relationships": { "type": "object", "properties": relationships.collect::<Map<_, _>>() },
            },
        })
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Attribute {
    fn schema(&self) -> Value {
        match self.form {
            Form::Boolean => json!({ "type": "boolean" }),
            Form::Plain | Form::Json => json!({}),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl List {
    /// Its query, for the API description.
    pub(crate) fn query(&self) -> Vec<QueryParameter> {
        let filters = self.filters.iter().map(Filter::parameter);
        let sort = (!self.sorts.is_empty()).then(|| {
            let about =
                format!("By these, with commas between; `-` before one descends: `{}`.", self.sorts.join("`, `"));
            QueryParameter { name: "sort".to_owned(), kind: "string", about }
        });
        let page = [
            ("page[number]", "Which page: its number, from 1; the first unless given.".to_owned()),
            ("page[size]", format!("How many records a page has, {MAX_SIZE} at most; {DEFAULT_SIZE} unless given.")),
        ];
        let page = page.map(|(name, about)| QueryParameter { name: name.to_owned(), kind: "integer", about });
        filters.chain(sort).chain(page).collect()
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Filter {
    /// The parameter that it is, for the API description.
    pub(crate) fn parameter(&self) -> QueryParameter {
        let name = format!("filter[{}]", self.name);
        QueryParameter { name, kind: self.value.json_type(), about: self.about.to_owned() }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl FilterValue {
    fn json_type(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Text | Self::Moment => "string",
        }
    }
}
