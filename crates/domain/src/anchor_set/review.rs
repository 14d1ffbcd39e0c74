use super::AnchorSet;
use crate::{Conversation, Unit};
use serde::Serialize;
use std::collections::BTreeMap;
use time::{Date, format_description::well_known::Iso8601};

/// What must be looked at again before a set is believed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnchorReview {
    /// `NAME@VERSION`.
    pub anchor_set: String,
    /// Who keeps the set true; absent where nobody does.
    pub owner: Option<String>,
    /// The day from which the whole set must be looked at again.
    pub expires: Option<String>,
    /// Whether that day has come.
    pub expired: bool,
    /// The items to review, each with why.
    pub items: Vec<ReviewItem>,
}

/// An item to be looked at again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewItem {
    /// Id of the conversation.
    pub conversation: String,
    /// The unit.
    pub unit: Unit,
    /// Id of the criterion.
    pub criterion: String,
    /// Why.
    pub reasons: Vec<ReviewReason>,
}

/// Why an item is to be looked at again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum ReviewReason {
    /// A document changed that its conversation shows, or should have shown.
    Document {
        /// The document.
        document: String,
    },
    /// The day has come that its golden case names.
    Expired {
        /// That day.
        on: String,
        /// Who keeps the case.
        owner: Option<String>,
    },
}

impl AnchorSet {
    /// The items to review when these documents changed, on this day.
    ///
    /// # Errors
    /// A [`crate::Fault`] for a conversation that cannot be read, which no set that was read from a file has.
    pub fn review(&self, documents: &[String], today: Date) -> Result<AnchorReview, crate::Fault> {
        let mut reasons: BTreeMap<String, Vec<ReviewReason>> = BTreeMap::new();
        for (id, (conversation, _)) in self.read_conversations()? {
            let cited = documents.iter().filter(|document| cites(&conversation, document));
            let mut found: Vec<ReviewReason> =
                cited.map(|document| ReviewReason::Document { document: document.clone() }).collect();
            if let Some(expected) = &conversation.expected
                && let Some(on) = expected.expires.as_ref().filter(|day| has_come(day, today))
            {
                found.push(ReviewReason::Expired { on: on.clone(), owner: expected.owner.clone() });
            }
            reasons.insert(id, found);
        }
        let to_review = self.items.iter().filter_map(|item| {
            let reasons = reasons.get(&item.conversation).filter(|reasons| !reasons.is_empty())?.clone();
            let (conversation, criterion) = (item.conversation.clone(), item.criterion.clone());
            Some(ReviewItem { conversation, unit: item.unit.clone(), criterion, reasons })
        });
        Ok(AnchorReview {
            anchor_set: self.full_name().to_string(),
            owner: self.owner.clone(),
            expires: self.expires.clone(),
            expired: self.expires.as_ref().is_some_and(|day| has_come(day, today)),
            items: to_review.collect(),
        })
    }
}

/// Whether a conversation shows a passage of this document, or should have shown one.
fn cites(conversation: &Conversation, document: &str) -> bool {
    let expected = conversation.expected.as_ref();
    let sources = expected.and_then(|expected| expected.sources.as_deref()).unwrap_or_default();
    let source = expected.and_then(|expected| expected.source.as_deref());
    conversation.passages().iter().any(|passage| passage.document.as_deref() == Some(document))
        || sources.iter().map(String::as_str).chain(source).any(|source| source == document)
}

/// A day that cannot be read is to be looked at as well.
fn has_come(day: &str, today: Date) -> bool {
    !Date::parse(day, &Iso8601::DATE).is_ok_and(|day| day > today)
}
