use crate::Fault;
use serde::{Deserialize, Serialize};

/// A declared, ordered set of answers, or an interval of numbers. Weights come from the declaration, never from what occurs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Name within the rubric.
    pub id: String,
    /// How the answers relate to each other.
    pub kind: ScaleKind,
    /// The answers, in order; empty on a continuous scale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// Least value of a continuous scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Greatest value of a continuous scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Grid of a continuous scale, from `min`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// The pass level: relevant, or passed, from here on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevant_from: Option<f64>,
    /// A coarser scale: for each applicable level in order, the value that it becomes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarse: Option<Vec<f64>>,
}

/// How the answers of a scale relate to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScaleKind {
    /// Levels in order.
    Ordinal,
    /// Two levels.
    Binary,
    /// Levels without an order.
    Nominal,
    /// Any number between `min` and `max`.
    Continuous,
}

/// One answer of a scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// The number that stands for it.
    pub value: f64,
    /// What people call it.
    pub name: String,
    /// What it means, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub means: Option<String>,
    /// An answer that is counted but takes no part in weights or rates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_applicable: bool,
}

/// How far a value may lie from a level or grid point and still be it: decimals that were read as doubles.
const SNAP: f64 = 1e-9;

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SNAP
}

impl Scale {
    /// The level with this value.
    #[must_use]
    pub fn level(&self, value: f64) -> Option<&Level> {
        self.levels.iter().find(|level| same(level.value, value))
    }

    /// The levels that take part in weights and rates.
    pub fn applicable(&self) -> impl Iterator<Item = &Level> {
        self.levels.iter().filter(|level| !level.not_applicable)
    }

    /// Whether a value that is on the scale takes part in weights and rates.
    #[must_use]
    pub fn is_applicable(&self, value: f64) -> bool {
        self.level(value).is_none_or(|level| !level.not_applicable)
    }

    /// The value snapped to the declared level or grid point that it is; `None` off the scale.
    #[must_use]
    pub fn admit(&self, value: f64) -> Option<f64> {
        if self.kind != ScaleKind::Continuous {
            return self.level(value).map(|level| level.value);
        }
        let (min, max) = (self.min?, self.max?);
        if !value.is_finite() || value < min - SNAP || value > max + SNAP {
            return None;
        }
        match self.step {
            None => Some(value.clamp(min, max)),
            Some(step) => {
                let point = min + ((value - min) / step).round() * step;
                same(point, value).then_some(point)
            }
        }
    }

    /// Reads an answer as files write it: the level's value or its name.
    ///
    /// # Errors
    /// A [`Fault`] of the field `value` that lists what the scale has.
    pub fn parse(&self, text: &str) -> Result<f64, Fault> {
        let text = text.trim();
        let by_name = || self.levels.iter().find(|level| level.name == text).map(|level| level.value);
        let by_value = || text.parse::<f64>().ok().and_then(|value| self.admit(value));
        by_value().or_else(by_name).ok_or_else(|| Fault::new("value", text, self.expectation()))
    }

    /// What the scale takes, in words: `one of 0 (irrelevant), 1 (related)`.
    #[must_use]
    pub fn expectation(&self) -> String {
        if self.kind == ScaleKind::Continuous {
            let (min, max) = (self.min.unwrap_or(0.0), self.max.unwrap_or(1.0));
            let step = self.step.map(|step| format!(" in steps of {step}")).unwrap_or_default();
            return format!("a number from {min} to {max}{step} on the scale {}", self.id);
        }
        let levels: Vec<String> =
            self.levels.iter().map(|level| format!("{} ({})", level.value, level.name)).collect();
        format!("one of {} on the scale {}", levels.join(", "), self.id)
    }

    /// Greatest minus least applicable value.
    #[must_use]
    pub fn range(&self) -> f64 {
        let (low, high) = self.bounds();
        high - low
    }

    /// Least and greatest applicable value.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        if self.kind == ScaleKind::Continuous {
            return (self.min.unwrap_or(0.0), self.max.unwrap_or(1.0));
        }
        self.applicable().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), level| {
            (low.min(level.value), high.max(level.value))
        })
    }

    /// The coarse value of an applicable fine value, where the scale declares a coarser one.
    #[must_use]
    pub fn coarsen(&self, value: f64) -> Option<f64> {
        let position = self.applicable().position(|level| same(level.value, value))?;
        self.coarse.as_ref()?.get(position).copied()
    }

    /// What is wrong with the declaration itself: (field, found, expected).
    pub(crate) fn check(&self) -> Result<(), (String, String, String)> {
        let wrong =
            |field: &str, found: String, expected: &str| Err((field.to_owned(), found, expected.to_owned()));
        if self.kind == ScaleKind::Continuous {
            return self.check_continuous();
        }
        let applicable: Vec<f64> = self.applicable().map(|level| level.value).collect();
        if applicable.len() < 2 {
            return wrong(
                "levels",
                format!("{} levels", applicable.len()),
                "two levels or more that are not `not_applicable`",
            );
        }
        if self.kind == ScaleKind::Binary && applicable.len() != 2 {
            return wrong(
                "levels",
                format!("{} levels", applicable.len()),
                "exactly two levels on a binary scale",
            );
        }
        if let Some(level) = self.levels.iter().find(|level| !level.value.is_finite()) {
            return wrong("levels.value", level.value.to_string(), "a finite number");
        }
        if let Some(pair) = applicable.windows(2).find(|pair| pair[1] - pair[0] <= SNAP) {
            return wrong(
                "levels.value",
                format!("{} after {}", pair[1], pair[0]),
                "values that increase, in the order of the levels",
            );
        }
        for (index, level) in self.levels.iter().enumerate() {
            let repeated = self.levels[..index]
                .iter()
                .find(|other| other.name == level.name || same(other.value, level.value));
            if level.name.trim().is_empty() || repeated.is_some() {
                return wrong(
                    "levels",
                    format!("{} ({})", level.value, level.name),
                    "a value and a name of its own for each level",
                );
            }
        }
        if let Some(pass) = self.relevant_from
            && !applicable.iter().any(|value| same(*value, pass))
        {
            return wrong("relevant_from", pass.to_string(), "the value of a level");
        }
        if let Some(coarse) = &self.coarse {
            let ascending =
                coarse.windows(2).all(|pair| pair[0] <= pair[1]) || self.kind == ScaleKind::Nominal;
            let distinct = coarse.iter().any(|value| !same(*value, coarse.first().copied().unwrap_or(0.0)));
            if coarse.len() != applicable.len()
                || !ascending
                || !distinct
                || coarse.iter().any(|value| !value.is_finite())
            {
                return wrong(
                    "coarse",
                    format!("{coarse:?}"),
                    "for each level one coarse value, never decreasing, two values at least",
                );
            }
        }
        Ok(())
    }

    fn check_continuous(&self) -> Result<(), (String, String, String)> {
        let wrong =
            |field: &str, found: String, expected: &str| Err((field.to_owned(), found, expected.to_owned()));
        let (Some(min), Some(max)) = (self.min, self.max) else {
            return wrong(
                "min, max",
                format!("{:?}, {:?}", self.min, self.max),
                "both bounds of a continuous scale",
            );
        };
        if !min.is_finite() || !max.is_finite() || min >= max {
            return wrong("min, max", format!("{min}, {max}"), "finite bounds with min < max");
        }
        if let Some(step) = self.step
            && (!step.is_finite() || step <= 0.0 || step > max - min)
        {
            return wrong("step", step.to_string(), "a positive step not longer than the scale");
        }
        if !self.levels.is_empty() || self.coarse.is_some() {
            return wrong("levels", "levels".to_owned(), "no levels and no `coarse` on a continuous scale");
        }
        if let Some(pass) = self.relevant_from
            && !(min..=max).contains(&pass)
        {
            return wrong("relevant_from", pass.to_string(), "a value between min and max");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relevance() -> Scale {
        toml::from_str(
            r#"id = "r"
            kind = "ordinal"
            levels = [{ value = 0, name = "no" }, { value = 1, name = "yes" }, { value = 9, name = "n/a", not_applicable = true }]
            relevant_from = 1
            coarse = [0, 1]"#,
        )
        .unwrap()
    }

    #[test]
    fn an_answer_is_read_by_value_or_by_name_and_snapped() {
        let scale = relevance();
        assert_eq!(scale.parse("1.0000000001"), Ok(1.0));
        assert_eq!(scale.parse(" yes "), Ok(1.0));
        assert!(!scale.is_applicable(scale.parse("n/a").unwrap()));
        for text in ["2", "NaN", "1e999", "", "0.5", "YES", "inf"] {
            let fault = scale.parse(text).unwrap_err();
            assert!(fault.to_string().contains("0 (no), 1 (yes), 9 (n/a)"), "{fault}");
        }
    }

    #[test]
    fn a_continuous_scale_takes_its_grid_only() {
        let scale: Scale =
            toml::from_str("id = \"c\"\nkind = \"continuous\"\nmin = 0.0\nmax = 1.0\nstep = 0.1").unwrap();
        assert_eq!(scale.check(), Ok(()));
        assert!((scale.parse("0.30000000000000004").unwrap() - 0.3).abs() < 1e-12);
        assert!(scale.parse("0.35").is_err());
        assert!(scale.parse("-0.1").is_err());
    }

    #[test]
    fn a_declaration_that_cannot_weigh_is_refused() {
        let mut descending = relevance();
        descending.levels.swap(0, 1);
        assert_eq!(descending.check().unwrap_err().0, "levels.value");
        let mut one_level = relevance();
        one_level.levels.truncate(1);
        assert_eq!(one_level.check().unwrap_err().0, "levels");
        let mut off = relevance();
        off.relevant_from = Some(9.0);
        assert_eq!(off.check().unwrap_err().0, "relevant_from");
    }
}
