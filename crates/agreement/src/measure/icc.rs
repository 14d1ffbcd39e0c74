//! Intraclass correlations of complete ratings: how much of the variance is between items.

use crate::distributions::{f_quantile, f_upper_tail};
use crate::input::ratings::Ratings;
use crate::result::estimate::{Estimate, Flag, Interval, Method, Undefined, Unit};
use crate::result::inference::Inference;

/// Which intraclass correlation, in the notation of McGraw & Wong (1996). For a judge and a person use
/// [`IccForm::AgreementSingle`]: the consistency forms do not see that a judge is always too generous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IccForm {
    /// ICC(1,1): raters are anonymous.
    OneWaySingle,
    /// ICC(A,1): absolute agreement of single ratings.
    AgreementSingle,
    /// ICC(C,1): consistency of single ratings.
    ConsistencySingle,
    /// ICC(1,k): mean of k anonymous ratings.
    OneWayAverage,
    /// ICC(A,k): absolute agreement of the mean of k ratings.
    AgreementAverage,
    /// ICC(C,k): consistency of the mean of k ratings.
    ConsistencyAverage,
}

/// Mean squares of the two-way layout of items by raters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanSquares {
    /// Between items (rows), with n − 1 degrees of freedom.
    pub rows: f64,
    /// Between raters (columns), with k − 1.
    pub columns: f64,
    /// Residual, with (n − 1)(k − 1).
    pub error: f64,
    /// Within items, with n(k − 1).
    pub within: f64,
    /// Items.
    pub n: usize,
    /// Raters.
    pub k: usize,
}

/// An intraclass correlation with the F test of its being 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Icc {
    /// The correlation with its F interval. Bounds may lie below the least possible value; they are kept as they are.
    pub estimate: Estimate,
    /// F, where it is finite.
    pub f: Option<f64>,
    /// Numerator degrees of freedom.
    pub df1: f64,
    /// Denominator degrees of freedom.
    pub df2: f64,
    /// p of F.
    pub p: Option<f64>,
}

impl MeanSquares {
    /// From the items that every rater rated; none for fewer than two items or raters.
    pub fn of(ratings: &Ratings) -> Option<MeanSquares> {
        let rows = complete_rows(ratings);
        let (n, k) = (rows.len(), ratings.raters().len());
        if n < 2 || k < 2 {
            return None;
        }
        let (items, raters) = (n as f64, k as f64);
        let grand = rows.iter().flatten().sum::<f64>() / (items * raters);
        let row_mean = |row: &[f64]| row.iter().sum::<f64>() / raters;
        let column_mean = |rater: usize| rows.iter().map(|row| row[rater]).sum::<f64>() / items;
        let means: Vec<f64> = (0..k).map(column_mean).collect();
        let square = |value: f64| value * value;
        let between_rows = raters * rows.iter().map(|row| square(row_mean(row) - grand)).sum::<f64>();
        let between_columns = items * means.iter().map(|mean| square(mean - grand)).sum::<f64>();
        let within: f64 =
            rows.iter().map(|row| row.iter().map(|value| square(value - row_mean(row))).sum::<f64>()).sum();
        let residual: f64 = rows
            .iter()
            .map(|row| {
                row.iter()
                    .zip(&means)
                    .map(|(value, mean)| square(value - row_mean(row) - mean + grand))
                    .sum::<f64>()
            })
            .sum();
        Some(MeanSquares {
            rows: between_rows / (items - 1.0),
            columns: between_columns / (raters - 1.0),
            error: residual / ((items - 1.0) * (raters - 1.0)),
            within: within / (items * (raters - 1.0)),
            n,
            k,
        })
    }

    fn value(&self, form: IccForm) -> f64 {
        let MeanSquares { rows, columns, error, within, n, k } = *self;
        let (n, k) = (n as f64, k as f64);
        match form {
            IccForm::OneWaySingle => (rows - within) / (rows + (k - 1.0) * within),
            IccForm::AgreementSingle => {
                (rows - error) / (rows + (k - 1.0) * error + k * (columns - error) / n)
            }
            IccForm::ConsistencySingle => (rows - error) / (rows + (k - 1.0) * error),
            IccForm::OneWayAverage => (rows - within) / rows,
            IccForm::AgreementAverage => (rows - error) / (rows + (columns - error) / n),
            IccForm::ConsistencyAverage => (rows - error) / rows,
        }
    }

    /// Bounds of the single-rating correlation that a form belongs to.
    fn single_bounds(&self, form: IccForm, confidence: f64) -> (f64, f64) {
        let MeanSquares { rows, columns, error, within, n, k } = *self;
        let (n, k) = (n as f64, k as f64);
        let upper = 0.5 + confidence / 2.0;
        let from_f = |f: f64, df2: f64| {
            let low = f / f_quantile(upper, n - 1.0, df2);
            let high = f * f_quantile(upper, df2, n - 1.0);
            ((low - 1.0) / (low + k - 1.0), (high - 1.0) / (high + k - 1.0))
        };
        match form {
            IccForm::OneWaySingle | IccForm::OneWayAverage => from_f(rows / within, n * (k - 1.0)),
            IccForm::ConsistencySingle | IccForm::ConsistencyAverage => {
                from_f(rows / error, (n - 1.0) * (k - 1.0))
            }
            IccForm::AgreementSingle | IccForm::AgreementAverage => {
                // Satterthwaite's degrees of freedom of a·MSC + b·MSE (McGraw & Wong 1996, table 7).
                let rho = self.value(IccForm::AgreementSingle);
                let a = k * rho / (n * (1.0 - rho));
                let b = 1.0 + k * rho * (n - 1.0) / (n * (1.0 - rho));
                let df = (a * columns + b * error).powi(2)
                    / ((a * columns).powi(2) / (k - 1.0) + (b * error).powi(2) / ((n - 1.0) * (k - 1.0)));
                let noise = k * columns + (k * n - k - n) * error;
                let (f1, f2) = (f_quantile(upper, n - 1.0, df), f_quantile(upper, df, n - 1.0));
                (
                    n * (rows - f1 * error) / (f1 * noise + n * rows),
                    n * (f2 * rows - error) / (noise + n * f2 * rows),
                )
            }
        }
    }
}

/// Values of the items that every rater rated.
fn complete_rows(ratings: &Ratings) -> Vec<Vec<f64>> {
    let columns: Vec<_> = (0..ratings.raters().len()).map(|rater| ratings.column(rater)).collect();
    let values = ratings.level_values();
    let row = |item: usize| columns.iter().map(|column| Some(values[column.level(item)? as usize])).collect();
    (0..ratings.n_items()).filter_map(row).collect()
}

/// An intraclass correlation of all raters of `ratings`, over the items that each of them rated.
///
/// The interval is exact for the one-way and consistency forms, and Satterthwaite's approximation for agreement; for
/// averages it is that of single ratings carried through Spearman–Brown. Undefined for fewer than two complete items
/// or two raters, where all values are equal, and on a nominal scale.
///
/// ```
/// use agreement::{IccForm, Ratings, Scale, icc};
/// let rows = [[1.0, 2.0], [2.0, 3.0], [4.0, 5.0], [5.0, 6.0]].map(|row| row.map(Some).to_vec());
/// let ratings = Ratings::from_table(Scale::continuous(0.0, 10.0, None)?, &rows)?;
/// // One rater is always one point above the other: fully consistent, not in full agreement.
/// assert!((icc(&ratings, IccForm::ConsistencySingle, 0.95).estimate.value().unwrap() - 1.0).abs() < 1e-12);
/// assert!(icc(&ratings, IccForm::AgreementSingle, 0.95).estimate.value().unwrap() < 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn icc(ratings: &Ratings, form: IccForm, confidence: f64) -> Icc {
    let squares = MeanSquares::of(ratings).filter(|_| ratings.scale().is_ordered());
    let Some(squares) = squares else {
        let (reason, says) = if ratings.scale().is_ordered() {
            (Undefined::NTooSmall, "it needs two raters and two items that both rated")
        } else {
            (Undefined::ScaleMismatch, "the levels of a nominal scale have no distances")
        };
        let estimate = Estimate::undefined_because(reason, says, 0, ratings.n_items() as u64);
        return Icc { estimate, f: None, df1: 0.0, df2: 0.0, p: None };
    };
    let (n, k) = (squares.n as f64, squares.k as f64);
    let one_way = matches!(form, IccForm::OneWaySingle | IccForm::OneWayAverage);
    let (noise, df2) =
        if one_way { (squares.within, n * (k - 1.0)) } else { (squares.error, (n - 1.0) * (k - 1.0)) };
    let missing = (ratings.n_items() - squares.n) as u64;
    let f = Some(squares.rows / noise).filter(|f| f.is_finite());
    Icc {
        estimate: estimate(&squares, form, confidence, missing),
        f,
        df1: n - 1.0,
        df2,
        p: f.map(|f| f_upper_tail(f, n - 1.0, df2)),
    }
}

fn estimate(squares: &MeanSquares, form: IccForm, confidence: f64, missing: u64) -> Estimate {
    let value = squares.value(form);
    let n = squares.n as u64;
    if !value.is_finite() {
        let says = "all values are equal: there is no variance to divide";
        return Estimate::undefined_because(Undefined::NoVariation, says, n, missing);
    }
    let estimate = Estimate::defined(value, n, missing);
    if value >= 1.0 {
        return estimate.with_flag(Flag::ZeroWidthInterval);
    }
    if !(confidence > 0.0 && confidence < 1.0) {
        return estimate;
    }
    let average =
        matches!(form, IccForm::OneWayAverage | IccForm::AgreementAverage | IccForm::ConsistencyAverage);
    let k = squares.k as f64;
    let stepped = |bound: f64| if average { k * bound / (1.0 + (k - 1.0) * bound) } else { bound };
    let (low, high) = squares.single_bounds(form, confidence);
    let inference = Inference { confidence, ..Inference::default() };
    let interval: Interval = inference.between(stepped(low), stepped(high), Method::F, Unit::Item, squares.n);
    estimate.with_interval(interval)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;

    /// Six targets and four judges: Shrout & Fleiss (1979), table 2.
    #[test]
    fn shrout_and_fleiss() {
        let rows = [
            [9.0, 2.0, 5.0, 8.0],
            [6.0, 1.0, 3.0, 2.0],
            [8.0, 4.0, 6.0, 8.0],
            [7.0, 1.0, 2.0, 6.0],
            [10.0, 5.0, 6.0, 9.0],
            [6.0, 2.0, 4.0, 7.0],
        ]
        .map(|row| row.map(Some).to_vec());
        let ratings = Ratings::from_table(Scale::continuous(0.0, 10.0, Some(1.0)).unwrap(), &rows).unwrap();
        let published = [
            (IccForm::OneWaySingle, 0.17),
            (IccForm::AgreementSingle, 0.29),
            (IccForm::ConsistencySingle, 0.71),
            (IccForm::OneWayAverage, 0.44),
            (IccForm::AgreementAverage, 0.62),
            (IccForm::ConsistencyAverage, 0.91),
        ];
        for (form, expected) in published {
            let found = icc(&ratings, form, 0.95).estimate;
            assert!((found.value().unwrap() - expected).abs() < 0.005, "{form:?}: {found:?}");
        }
        // The bounds that follow from the single-measure ones by Spearman-Brown.
        let interval = icc(&ratings, IccForm::AgreementAverage, 0.95).estimate.interval().unwrap().clone();
        assert!(
            (interval.low - 0.0711).abs() < 5e-5 && (interval.high - 0.9272).abs() < 5e-5,
            "{interval:?}"
        );
    }

    #[test]
    fn equal_values_have_no_variance() {
        let ratings =
            Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0]).unwrap(), &vec![vec![Some(3.0); 2]; 5])
                .unwrap();
        assert_eq!(
            icc(&ratings, IccForm::AgreementSingle, 0.95).estimate.undefined(),
            Some(Undefined::NoVariation)
        );
    }
}
