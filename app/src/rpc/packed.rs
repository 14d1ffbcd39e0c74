//! Answers as text.

use crate::error::AppError;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::marker::PhantomData;

/// What a page is made of, as JSON text that remembers its type. All that carries answers to pages then handles one type, text, and
/// is compiled once instead of once for each page: the browser's half is much smaller for it.
#[derive(Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub(crate) struct Packed<T> {
    json: String,
    #[serde(skip)]
    of: PhantomData<fn() -> T>,
}

impl<T> Packed<T> {
    /// The text itself.
    pub(crate) fn into_json(self) -> String {
        self.json
    }
}

impl<T: Serialize> Packed<T> {
    /// Packs an answer.
    #[cfg(feature = "ssr")]
    pub(crate) fn new(data: &T) -> Result<Packed<T>, AppError> {
        let json = serde_json::to_string(data).map_err(|error| crate::door::internal(&error.to_string()))?;
        Ok(Packed { json, of: PhantomData })
    }
}

impl<T: DeserializeOwned> Packed<T> {
    /// Unpacks an answer.
    pub(crate) fn open(self) -> Result<T, AppError> {
        unpack(&self.json)
    }
}

/// Unpacks the text of an answer.
pub(crate) fn unpack<T: DeserializeOwned>(json: &str) -> Result<T, AppError> {
    serde_json::from_str(json)
        .map_err(|_| AppError::Internal { id: "an answer of another version".to_owned() })
}
