use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, fmt};

/// SHA-256 in lower-case hexadecimal: equal hashes are equal content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(pub String);

impl ContentHash {
    /// The hash of bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> ContentHash {
        ContentHash::of_digest(&Sha256::digest(bytes))
    }

    /// A finished digest in hexadecimal.
    pub(crate) fn of_digest(digest: &[u8]) -> ContentHash {
        let mut hexadecimal = String::with_capacity(2 * digest.len());
        for byte in digest {
            hexadecimal.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
            hexadecimal.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        }
        ContentHash(hexadecimal)
    }

    /// The first twelve digits: enough to tell two apart by eye.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a value has no RFC 8785 form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCanonical {
    /// A number that a double cannot hold exactly.
    #[error("{field}: {number} is beyond 2^53 and would be rounded")]
    NumberTooLarge {
        /// Path of the number.
        field: String,
        /// The number as it stands.
        number: String,
    },
    /// The serialiser refused (a map with keys that are no strings, a number that is not finite).
    #[error("no canonical JSON form: {0}")]
    Unserialisable(String),
}

/// The RFC 8785 (JSON Canonicalization Scheme) bytes of a value.
///
/// # Errors
/// [`NotCanonical`] for a number beyond 2⁵³ (refused, never rounded) and for what JSON cannot say.
pub fn canonical_json(value: &impl Serialize) -> Result<Vec<u8>, NotCanonical> {
    let value =
        serde_json::to_value(value).map_err(|error| NotCanonical::Unserialisable(error.to_string()))?;
    refuse_large_numbers(&value, &mut String::new())?;
    serde_json_canonicalizer::to_vec(&value).map_err(|error| NotCanonical::Unserialisable(error.to_string()))
}

/// [`canonical_json`] of an object whose fields stand elsewhere, without a copy of them.
pub(crate) fn canonical_map(fields: &BTreeMap<&String, &Value>) -> Result<Vec<u8>, NotCanonical> {
    for (name, field) in fields {
        refuse_large_numbers(field, &mut name.to_string())?;
    }
    serde_json_canonicalizer::to_vec(fields).map_err(|error| NotCanonical::Unserialisable(error.to_string()))
}

/// The SHA-256 of the RFC 8785 form.
///
/// # Errors
/// As [`canonical_json`].
pub fn hash_of(value: &impl Serialize) -> Result<ContentHash, NotCanonical> {
    canonical_json(value).map(|bytes| ContentHash::of_bytes(&bytes))
}

/// 2⁵³: from here on a double skips integers.
const LARGEST: u64 = 9_007_199_254_740_992;

fn would_be_rounded(number: &serde_json::Number) -> bool {
    match (number.as_i64(), number.as_u64()) {
        (Some(integer), _) => integer.unsigned_abs() > LARGEST,
        (None, Some(integer)) => integer > LARGEST,
        #[expect(clippy::cast_precision_loss, reason = "2^53 is a double")]
        (None, None) => number.as_f64().is_none_or(|real| real.abs() > LARGEST as f64),
    }
}

fn refuse_large_numbers(value: &Value, path: &mut String) -> Result<(), NotCanonical> {
    let length = path.len();
    match value {
        Value::Number(number) if would_be_rounded(number) => {
            Err(NotCanonical::NumberTooLarge { field: path.clone(), number: number.to_string() })
        }
        Value::Array(elements) => elements.iter().enumerate().try_for_each(|(index, element)| {
            path.push_str(&format!("[{index}]"));
            let result = refuse_large_numbers(element, path);
            path.truncate(length);
            result
        }),
        Value::Object(fields) => fields.iter().try_for_each(|(name, field)| {
            if length > 0 {
                path.push('.');
            }
            path.push_str(name);
            let result = refuse_large_numbers(field, path);
            path.truncate(length);
            result
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_content_in_another_order_has_the_same_hash() {
        let a = json!({"b": 1.0, "a": [1, {"y": null, "x": "é"}]});
        let b = json!({"a": [1, {"x": "é", "y": null}], "b": 1});
        assert_eq!(canonical_json(&a).unwrap(), r#"{"a":[1,{"x":"é","y":null}],"b":1}"#.as_bytes());
        assert_eq!(hash_of(&a), hash_of(&b));
    }

    #[test]
    fn a_number_that_would_be_rounded_is_refused_by_its_path() {
        let error = canonical_json(
            &json!({"routing": {"tool_calls": [{"arguments": {"id": 9_007_199_254_740_993_u64}}]}}),
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "routing.tool_calls[0].arguments.id: 9007199254740993 is beyond 2^53 and would be rounded"
        );
    }
}
