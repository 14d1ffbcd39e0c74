use crate::{Fault, Rubric};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a project wants to be told of, and how its inline gate behaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WatchSettings {
    /// How many false alarms a year in which nothing changes may give, over all dimensions, corpora and systems together.
    pub false_alarms: f64,
    /// Whether alerts go to the webhook of the operator.
    pub tells: bool,
    /// The share of imported conversations that is judged here.
    pub sample: f64,
    /// What the inline gate answers where its judge does not.
    pub on_failure: OnFailure,
    /// How long the inline gate may take, in milliseconds.
    pub budget_ms: u32,
    /// What is particular to a dimension.
    pub dimensions: BTreeMap<String, DimensionSettings>,
}

/// What is particular to one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DimensionSettings {
    /// A fall of the weekly mean by more than this is told, as a share of the range.
    pub fall: f64,
    /// The tail: what scores below so many twentieths of the range.
    pub bound: u32,
    /// The inline gate passes from here on, as a share of the range; where absent, the threshold of the promoted judge, or 0.82.
    pub inline: Option<f64>,
}

/// What the inline gate answers where its judge fails or is late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The answer passes: nobody waits for a judge that is away.
    #[default]
    Open,
    /// The answer does not pass: nothing goes out that was not judged.
    Closed,
}

impl OnFailure {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            OnFailure::Open => "open",
            OnFailure::Closed => "closed",
        }
    }

    /// Whether an answer that was not judged passes.
    #[must_use]
    pub fn passes(self) -> bool {
        self == OnFailure::Open
    }
}

impl Default for WatchSettings {
    fn default() -> WatchSettings {
        WatchSettings {
            false_alarms: 1.0,
            tells: true,
            sample: 0.05,
            on_failure: OnFailure::Open,
            budget_ms: 300,
            dimensions: BTreeMap::new(),
        }
    }
}

impl Default for DimensionSettings {
    fn default() -> DimensionSettings {
        DimensionSettings { fall: 0.05, bound: 10, inline: None }
    }
}

impl DimensionSettings {
    /// The bound of the tail as a share of the range.
    #[must_use]
    pub fn bound_share(&self) -> f64 {
        f64::from(self.bound) / 20.0
    }
}

impl WatchSettings {
    /// What holds for a dimension.
    #[must_use]
    pub fn of(&self, dimension: &str) -> DimensionSettings {
        self.dimensions.get(dimension).copied().unwrap_or_default()
    }

    /// What is wrong with them, if anything is.
    #[must_use]
    pub fn fault(&self, rubric: &Rubric) -> Option<Fault> {
        let between = |field: String, value: f64, low: f64, high: f64| {
            let expected = format!("a number from {low} to {high}");
            (!(low..=high).contains(&value)).then(|| Fault::new(field, value.to_string(), expected))
        };
        let whole = [
            between("false_alarms".to_owned(), self.false_alarms, 0.01, 52.0),
            between("sample".to_owned(), self.sample, 0.0, 1.0),
            between("budget_ms".to_owned(), f64::from(self.budget_ms), 10.0, 20_000.0),
        ];
        let of_dimensions = self.dimensions.iter().flat_map(|(dimension, set)| {
            let field = |name: &str| format!("{name} of {}", crate::visible(dimension));
            let known = rubric.criteria.iter().any(|criterion| criterion.id == *dimension);
            let unknown = (!known).then(|| Fault::new("dimensions", dimension, "a criterion of the rubric"));
            [
                unknown,
                between(field("fall"), set.fall, 0.001, 1.0),
                between(field("bound"), set.bound_share(), 0.0, 1.0),
                set.inline.and_then(|inline| between(field("inline"), inline, 0.0, 1.0)),
            ]
        });
        whole.into_iter().chain(of_dimensions).flatten().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_stand_is_named() {
        let rubric = Rubric { name: "shop".to_owned(), version: 1, scales: Vec::new(), criteria: Vec::new() };
        assert_eq!(WatchSettings::default().fault(&rubric), None);
        let field = |settings: WatchSettings| settings.fault(&rubric).map(|fault| fault.field);
        let usual = WatchSettings::default();
        assert_eq!(
            field(WatchSettings { false_alarms: f64::NAN, ..usual.clone() }).as_deref(),
            Some("false_alarms")
        );
        assert_eq!(field(WatchSettings { budget_ms: 1, ..usual.clone() }).as_deref(), Some("budget_ms"));
        let dimensions = BTreeMap::from([("none".to_owned(), DimensionSettings::default())]);
        assert_eq!(field(WatchSettings { dimensions, ..usual }).as_deref(), Some("dimensions"));
        assert_eq!(
            serde_json::from_str::<WatchSettings>(r#"{"sample": 0.1}"#).map(|set| set.sample).ok(),
            Some(0.1)
        );
    }
}
