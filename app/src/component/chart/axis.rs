//! From values to places.

use domain::agreement::Estimate;

/// A horizontal axis: the values from `low` to `high` on the places from `left` to `right`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
    left: f64,
    right: f64,
}

impl Axis {
    /// An axis for coefficients, whose greatest value is 1: it begins at 0, or at the tenth below the least bound. Some room at both
    /// ends keeps dots and labels within the picture.
    pub(crate) fn of_coefficients<'a>(figures: impl Iterator<Item = &'a Estimate>, width: f64) -> Axis {
        let least = figures
            .filter_map(|figure| figure.interval().map(|interval| interval.low).or(figure.value()))
            .fold(0.0_f64, f64::min);
        Axis { low: (least * 10.0).floor() / 10.0, high: 1.0, left: MARGIN, right: width - MARGIN }
    }

    /// The place of a value, in tenths of a unit; what lies beyond the axis is put at its end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = (value.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        ((self.left + share * (self.right - self.left)) * 10.0).round() / 10.0
    }

    /// Round values to mark, from low to high.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let step = if self.high - self.low > 1.2 { 0.5 } else { 0.25 };
        let first = (self.low / step).ceil();
        (0..)
            .map(|index| (first + f64::from(index)) * step)
            .take_while(|tick| *tick <= self.high + 1e-9)
            .collect()
    }
}

/// Room at each end, for half a label.
const MARGIN: f64 = 14.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(values: &[f64]) -> Axis {
        let figures: Vec<Estimate> = values.iter().map(|value| Estimate::defined(*value, 10, 0)).collect();
        Axis::of_coefficients(figures.iter(), 228.0)
    }

    #[test]
    fn places_run_from_margin_to_margin() {
        let axis = axis(&[0.3, 0.9]);
        assert!((axis.at(0.0) - 14.0).abs() < 1e-9);
        assert!((axis.at(0.5) - 114.0).abs() < 1e-9);
        assert!((axis.at(1.0) - 214.0).abs() < 1e-9);
        assert!((axis.at(7.0) - 214.0).abs() < 1e-9);
    }

    #[test]
    fn an_axis_reaches_below_zero_only_where_it_must() {
        assert_eq!(axis(&[0.3]).ticks(), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(axis(&[-0.13]).ticks(), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(axis(&[-0.9]).ticks(), [-0.5, 0.0, 0.5, 1.0]);
        assert!(axis(&[-0.13]).at(0.0) > 14.0);
    }

    #[test]
    fn nothing_to_show_still_has_an_axis() {
        assert_eq!(axis(&[]).ticks().len(), 5);
    }
}
