//! The schemas of questions: one for each type, which the slug tells apart.
//!
//! A question is one struct on the wire, which has the fields that all types share; the shapes of the others are those of the
//! types that read them.

use std::any::type_name;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::question::{QuestionForm, QuestionItem};
use crate::rich::Rich;
use crate::types::parts::{Id, Nothing};
use crate::types::{QuestionType, TYPES};

const SLUG: &str = "interaction_type_slug";

type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The schemas of the questions of one type.
pub(crate) struct SchemasOfType {
    answered: SchemaOf,
    sent: SchemaOf,
}

impl SchemasOfType {
    pub(crate) const fn of<T: QuestionType + 'static>() -> Self {
        Self {
            answered: SchemaGenerator::subschema_for::<OfType<QuestionItem, T>>,
            sent: SchemaGenerator::subschema_for::<OfType<QuestionForm, T>>,
        }
    }
}

/// A question of any type, described by its type.
pub struct ByType<F>(PhantomData<F>);

impl JsonSchema for ByType<QuestionItem> {
    fn schema_name() -> Cow<'static, str> {
        QuestionItem::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        type_name::<Self>().into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let schemas: Vec<_> = TYPES.iter().map(|entry| (entry.slug, (entry.schemas.answered)(generator))).collect();
        let mapping: Map<_, _> = schemas
            .iter()
            .filter_map(|(slug, schema)| Some(((*slug).to_owned(), schema.get("$ref")?.clone())))
            .collect();
        let schemas: Vec<_> = schemas.into_iter().map(|(_, schema)| schema).collect();
        json_schema!({
            "description": "A question of a quiz or a bank. The shape of its data depends on its type.",
            "oneOf": schemas,
            "discriminator": { "propertyName": SLUG, "mapping": mapping },
        })
    }
}

impl JsonSchema for ByType<QuestionForm> {
    fn schema_name() -> Cow<'static, str> {
        QuestionForm::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        type_name::<Self>().into()
    }

    /// An update may leave the type out, so that several may fit.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let written = TYPES.iter().filter(|entry| !entry.is_deprecated);
        let schemas: Vec<_> = written.map(|entry| (entry.schemas.sent)(generator)).collect();
        json_schema!({
            "description": "The fields of a question that is made or changed. The shape of its data depends on its type, \
                            which an update may leave out.",
            "anyOf": schemas,
        })
    }
}

/// A question of one type: the fields of `F` with the data of `T`.
struct OfType<F, T>(PhantomData<(F, T)>);

impl<F: JsonSchema, T: QuestionType> JsonSchema for OfType<F, T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}{}", in_camel_case(T::SLUG), F::schema_name()).into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("{}/{}", F::schema_id(), T::SLUG).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = F::json_schema(generator);
        schema.insert("description".to_owned(), json!(format!("A question of the type `{}`.", T::SLUG)));
        // Of what is sent, null empties what may be empty.
        let data = match generator.contract().is_serialize() {
            true => [generator.subschema_for::<T::Properties>(), answer_feedback::<T>(generator)],
            false => [generator.subschema_for::<Option<T::Properties>>(), may_be_null(answer_feedback::<T>(generator))],
        };
        let [properties, answer_feedback] = data;
        let own = [
            (SLUG, json!({ "type": "string", "const": T::SLUG })),
            ("scoring_algorithm", json!({ "type": "string", "enum": T::ALGORITHMS })),
            ("interaction_data", generator.subschema_for::<T::Interaction>().into()),
            ("properties", properties.into()),
            ("scoring_data", generator.subschema_for::<T::Scoring>().into()),
            ("answer_feedback", answer_feedback.into()),
        ];
        if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            fields.extend(own.map(|(name, schema)| (name.to_owned(), schema)));
        }
        schema
    }
}

fn answer_feedback<T: QuestionType>(generator: &mut SchemaGenerator) -> Schema {
    if T::HAS_ANSWER_FEEDBACK {
        generator.subschema_for::<BTreeMap<Id, Rich>>()
    } else {
        generator.subschema_for::<Nothing>()
    }
}

fn may_be_null(schema: Schema) -> Schema {
    json_schema!({ "anyOf": [schema, { "type": "null" }] })
}

/// `multi-answer` as a part of a schema's name: `MultiAnswer`.
fn in_camel_case(slug: &str) -> String {
    let words = slug.split('-').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use crate::sample::{A, B, Sample, accepts, fits};

    use super::*;

    fn choice(scoring_data: Value) -> Sample {
        let choice = |id: &str| json!({"id": id, "item_body": "<p>Oak</p>"});
        Sample {
            interaction_data: json!({"choices": [choice(A), choice(B)]}),
            scoring_data,
            ..Sample::new("choice", "Equivalence")
        }
    }

    #[test]
    fn data_of_another_type_do_not_fit() {
        let stored = accepts(choice(json!({"value": A})));
        assert!(fits(&stored));
        for scoring_data in [json!({"value": [A]}), json!({"value": true}), json!({})] {
            let mut other = stored.clone();
            other.scoring_data.0 = scoring_data;
            assert!(!fits(&other), "{other:?}");
        }
        for slug in ["multi-answer", "true-false", "riddle"] {
            let mut other = stored.clone();
            other.interaction_type_slug = slug.to_owned();
            assert!(!fits(&other), "{slug}");
        }
    }

    #[test]
    fn the_slug_leads_to_the_schema_of_its_type() {
        let mut generator = SchemaGenerator::default();
        let schema = ByType::<QuestionItem>::json_schema(&mut generator);
        let mapping = schema.pointer("/discriminator/mapping").and_then(Value::as_object).unwrap();
        assert_eq!(mapping.len(), TYPES.len());
        assert_eq!(mapping["multi-answer"], "#/$defs/MultiAnswerQuestionItem");
    }

    #[test]
    fn a_field_may_be_sent_alone() {
        let mut generator = schemars::generate::SchemaSettings::draft2020_12().for_deserialize().into_generator();
        let schema = generator.root_schema_for::<ByType<QuestionForm>>();
        let validator = jsonschema::validator_for(schema.as_value()).unwrap();
        for form in [json!({"title": "New"}), json!({"interaction_data": {"true_choice": "Yes", "false_choice": "No"}})]
        {
            assert!(validator.is_valid(&form), "{form}");
        }
        assert!(!validator.is_valid(&json!({"interaction_type_slug": "fill-blank"})));
    }
}
