//! JSON objects in a text, each with its fields and whether one of them stands twice.

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};
use std::fmt;

/// A JSON object that remembers whether a field was given twice, in it or in an object within.
pub(super) struct Object {
    fields: Map<String, Value>,
    repeated: Option<String>,
}

impl Object {
    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    pub(super) fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }

    pub(super) fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    pub(super) fn repeated(&self) -> Option<&str> {
        self.repeated.as_deref()
    }
}

/// The JSON objects in a text, outermost ones only, and whether one begins that does not end.
pub(super) fn objects(text: &str) -> (Vec<Object>, bool) {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        rest = &rest[start..];
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Noted>();
        match stream.next() {
            Some(Ok(Noted { value: Value::Object(fields), repeated })) => {
                found.push(Object { fields, repeated });
                rest = &rest[stream.byte_offset()..];
            }
            // What stands within is a part of what breaks off.
            Some(Err(error)) if error.is_eof() => return (found, true),
            _ => rest = &rest[1..],
        }
    }
    (found, false)
}

/// A JSON value with the first field that was given twice.
struct Noted {
    value: Value,
    repeated: Option<String>,
}

impl<'de> Deserialize<'de> for Noted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Noted, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

fn plain<E>(value: impl Into<Value>) -> Result<Noted, E> {
    Ok(Noted { value: value.into(), repeated: None })
}

impl<'de> Visitor<'de> for Reader {
    type Value = Noted;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Noted, E> {
        plain(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Noted, E> {
        plain(value)
    }

    fn visit_i64<E>(self, value: i64) -> Result<Noted, E> {
        plain(value)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Noted, E> {
        plain(value)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Noted, E> {
        plain(value)
    }

    fn visit_str<E>(self, value: &str) -> Result<Noted, E> {
        plain(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Noted, A::Error> {
        let (mut array, mut repeated) = (Vec::new(), None);
        while let Some(element) = elements.next_element::<Noted>()? {
            repeated = repeated.or(element.repeated);
            array.push(element.value);
        }
        Ok(Noted { value: Value::Array(array), repeated })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Noted, A::Error> {
        let (mut fields, mut repeated) = (Map::new(), None);
        while let Some((name, field)) = entries.next_entry::<String, Noted>()? {
            repeated = repeated.or(field.repeated);
            if fields.contains_key(&name) {
                repeated = Some(name.clone());
            }
            fields.insert(name, field.value);
        }
        Ok(Noted { value: Value::Object(fields), repeated })
    }
}
