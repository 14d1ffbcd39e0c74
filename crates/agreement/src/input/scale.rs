//! The declared scale: which answers are possible, and in which order.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The position of a value on its scale, counted from 0.
pub type Level = u32;

/// A value this near to a level is that level; farther away it is off the scale.
pub const SNAP: f64 = 1e-9;

/// More levels than this are no scale of levels; declare it continuous, without a step.
const MOST_LEVELS: usize = 65_536;

/// Farther from 0 than this the squares of squares, which standard errors are made of, leave the range of numbers.
const LARGEST: f64 = 1e50;

/// What the order and the distances of the levels mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScaleKind {
    /// Ordered levels.
    Ordinal,
    /// Levels without an order: only equal and different have a meaning.
    Nominal,
    /// Any value between a least and a greatest one, or a regular grid of them.
    Continuous,
}

/// A declared scale. Weights, ranges and level counts come from it, never from the values that happen to occur.
///
/// ```
/// use agreement::Scale;
/// let stars = Scale::ordinal([1.0, 2.0, 3.0, 4.0, 5.0])?;
/// assert_eq!(stars.locate(4.0), Some(3));
/// assert_eq!(stars.locate(4.5), None);
/// assert_eq!(stars.range(), 4.0);
/// # Ok::<(), agreement::ScaleError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    kind: ScaleKind,
    levels: Vec<f64>,
    min: f64,
    max: f64,
}

/// Why a scale cannot be declared so.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ScaleError {
    /// Agreement needs something to disagree about.
    #[error("a scale needs at least two levels, found {0}")]
    TooFewLevels(usize),
    /// A level is NaN or infinite.
    #[error("level {position} of the scale is {value}: every level must be a finite number")]
    NotFinite {
        /// Its position, counted from 0.
        position: usize,
        /// What was declared.
        value: f64,
    },
    /// Levels are not strictly increasing (ordinal) or not distinct (nominal), or nearer than the snapping distance.
    #[error(
        "level {position} of the scale ({value}) must differ from the others, and an ordinal scale must increase from level to level"
    )]
    NotIncreasing {
        /// Its position, counted from 0.
        position: usize,
        /// What was declared.
        value: f64,
    },
    /// The least value is not below the greatest one.
    #[error("a continuous scale needs finite bounds with min < max, found {min} and {max}")]
    Bounds {
        /// The declared least value.
        min: f64,
        /// The declared greatest value.
        max: f64,
    },
    /// The step does not divide the range, or is not positive.
    #[error("the step {step} does not divide the range from {min} to {max} into whole steps")]
    Step {
        /// The declared step.
        step: f64,
        /// The declared least value.
        min: f64,
        /// The declared greatest value.
        max: f64,
    },
    /// A value whose square, and the square of that, a number could not hold.
    #[error("the scale has the value {0}: at most 1e50 on either side of 0 can be counted with")]
    TooLarge(f64),
    /// More levels than a scale of levels can have.
    #[error("{0} levels are too many (at most 65536): declare the scale continuous, without a step")]
    TooManyLevels(usize),
}

impl Scale {
    /// Ordered levels by their values.
    ///
    /// # Errors
    /// Fewer than two levels, a level that is not finite, or levels that do not strictly increase.
    pub fn ordinal(values: impl Into<Vec<f64>>) -> Result<Scale, ScaleError> {
        Scale::of_levels(ScaleKind::Ordinal, values.into(), |levels, at| {
            levels[at] - levels[at - 1] > 2.0 * SNAP
        })
    }

    /// `levels` unordered levels, whose values are 0, 1, 2, …
    ///
    /// # Errors
    /// Fewer than two levels, or more than a scale of levels can have.
    pub fn nominal(levels: usize) -> Result<Scale, ScaleError> {
        if levels > MOST_LEVELS {
            return Err(ScaleError::TooManyLevels(levels));
        }
        Scale::nominal_values((0..levels as u32).map(f64::from).collect::<Vec<_>>())
    }

    /// Unordered levels by their values, in the order in which they are shown.
    ///
    /// # Errors
    /// Fewer than two levels, a level that is not finite, or one that stands twice.
    pub fn nominal_values(values: impl Into<Vec<f64>>) -> Result<Scale, ScaleError> {
        let values = values.into();
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let twice = sorted.windows(2).find(|pair| pair[1] - pair[0] <= 2.0 * SNAP).map(|pair| pair[1]);
        Scale::of_levels(ScaleKind::Nominal, values, |levels, at| Some(levels[at]) != twice)
    }

    /// Any value from `min` to `max`; with a `step`, the grid of values `min + i · step`.
    ///
    /// # Errors
    /// Bounds that are not finite and increasing, or a step that does not divide the range.
    pub fn continuous(min: f64, max: f64, step: Option<f64>) -> Result<Scale, ScaleError> {
        if !(min.is_finite() && max.is_finite() && (max - min).is_finite() && min < max) {
            return Err(ScaleError::Bounds { min, max });
        }
        within_range(&[min, max])?;
        let levels = match step {
            None => Vec::new(),
            Some(step) => Scale::grid(min, max, step)?,
        };
        Ok(Scale { kind: ScaleKind::Continuous, levels, min, max })
    }

    fn grid(min: f64, max: f64, step: f64) -> Result<Vec<f64>, ScaleError> {
        let steps = (max - min) / step;
        if !(step > 2.0 * SNAP && steps >= 0.5 && (steps - steps.round()).abs() < 1e-6) {
            return Err(ScaleError::Step { step, min, max });
        }
        if steps.round() >= MOST_LEVELS as f64 {
            return Err(ScaleError::TooManyLevels(steps.min(1e15) as usize));
        }
        let steps = steps.round() as u32;
        Ok((0..=steps).map(|i| min + (max - min) * f64::from(i) / f64::from(steps)).collect())
    }

    fn of_levels(
        kind: ScaleKind,
        levels: Vec<f64>,
        fits: impl Fn(&[f64], usize) -> bool,
    ) -> Result<Scale, ScaleError> {
        if let Some((position, value)) =
            levels.iter().copied().enumerate().find(|(_, value)| !value.is_finite())
        {
            return Err(ScaleError::NotFinite { position, value });
        }
        within_range(&levels)?;
        if levels.len() < 2 {
            return Err(ScaleError::TooFewLevels(levels.len()));
        }
        if levels.len() > MOST_LEVELS {
            return Err(ScaleError::TooManyLevels(levels.len()));
        }
        if let Some(position) = (1..levels.len()).find(|&at| !fits(&levels, at)) {
            return Err(ScaleError::NotIncreasing { position, value: levels[position] });
        }
        let min = levels.iter().copied().fold(f64::INFINITY, f64::min);
        let max = levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(Scale { kind, levels, min, max })
    }

    /// What the order and the distances of the levels mean.
    pub fn kind(&self) -> ScaleKind {
        self.kind
    }

    /// The declared levels in order; empty for a continuous scale without a step.
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    /// Whether the scale is a list of levels (or a grid), rather than every value between its bounds.
    pub fn has_levels(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Whether more and less have a meaning on it.
    pub fn is_ordered(&self) -> bool {
        self.kind != ScaleKind::Nominal
    }

    /// The least value.
    pub fn min(&self) -> f64 {
        self.min
    }

    /// The greatest value.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// The greatest value minus the least.
    pub fn range(&self) -> f64 {
        self.max - self.min
    }

    /// The level whose value is within [`SNAP`] of `value`; none if it is off the scale, or the scale has no levels.
    pub fn locate(&self, value: f64) -> Option<Level> {
        let near = |at: &usize| self.levels.get(*at).is_some_and(|level| (level - value).abs() <= SNAP);
        let at = if self.is_ordered() {
            let above = self.levels.partition_point(|level| *level < value);
            [above, above.wrapping_sub(1)].into_iter().find(near)
        } else {
            (0..self.levels.len()).find(near)
        };
        at.map(|at| at as Level)
    }

    /// The value as the scale has it: its level's value, or itself between the bounds of a scale without levels.
    pub fn snap(&self, value: f64) -> Option<f64> {
        if self.has_levels() {
            return self.locate(value).map(|level| self.levels[level as usize]);
        }
        let inside = value >= self.min - SNAP && value <= self.max + SNAP;
        inside.then(|| value.clamp(self.min, self.max))
    }
}

fn within_range(values: &[f64]) -> Result<(), ScaleError> {
    match values.iter().find(|value| value.abs() > LARGEST) {
        Some(value) => Err(ScaleError::TooLarge(*value)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_snaps_and_refuses() {
        let grid = Scale::continuous(0.0, 1.0, Some(0.1)).unwrap();
        assert_eq!(grid.levels().len(), 11);
        assert_eq!(grid.locate(0.1 + 0.2), Some(3));
        assert_eq!(grid.locate(0.30001), None);
        assert_eq!(grid.locate(f64::NAN), None);
        assert!(Scale::continuous(0.0, 1.0, Some(0.3)).is_err());
        assert!(Scale::continuous(0.0, 1.0, Some(0.0)).is_err());
        assert!(Scale::continuous(0.0, 1.0, Some(f64::NAN)).is_err());
    }

    #[test]
    fn what_is_no_scale_is_refused() {
        assert_eq!(Scale::ordinal([1.0]), Err(ScaleError::TooFewLevels(1)));
        assert!(matches!(Scale::ordinal([1.0, f64::NAN]), Err(ScaleError::NotFinite { position: 1, .. })));
        assert!(matches!(Scale::ordinal([2.0, 1.0]), Err(ScaleError::NotIncreasing { position: 1, .. })));
        assert!(Scale::nominal_values([2.0, 1.0, 2.0]).is_err());
        assert!(Scale::nominal(1).is_err());
        assert!(Scale::continuous(1.0, 1.0, None).is_err());
    }

    #[test]
    fn a_nominal_scale_keeps_the_declared_order() {
        let scale = Scale::nominal_values([3.0, 1.0, 2.0]).unwrap();
        assert_eq!(scale.locate(1.0), Some(1));
        assert_eq!((scale.min(), scale.max()), (1.0, 3.0));
    }
}
