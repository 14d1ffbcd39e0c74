//! p values of a family of tests, adjusted for there being several.

use thiserror::Error;

/// A p that is no probability. It is refused: leaving it out in silence would change the size of the family.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error(
    "p value {position} of the family is {value}: it must lie between 0 and 1; leave that test out first"
)]
pub struct NotAProbability {
    /// Its position, counted from 0.
    pub position: usize,
    /// What was found.
    pub value: f64,
}

/// Bonferroni: p · m. Controls the chance of any false claim; never better than [`holm`].
///
/// # Errors
/// A value outside [0, 1].
pub fn bonferroni(p: &[f64]) -> Result<Vec<f64>, NotAProbability> {
    check(p)?;
    let family = p.len() as f64;
    Ok(p.iter().map(|p| (p * family).min(1.0)).collect())
}

/// Holm (1979), step down: controls the chance of any false claim. Adjusted values keep the input order.
///
/// ```
/// assert_eq!(agreement::holm(&[0.01, 0.011])?, [0.02, 0.02]);
/// # Ok::<(), agreement::NotAProbability>(())
/// ```
///
/// # Errors
/// A value outside [0, 1].
pub fn holm(p: &[f64]) -> Result<Vec<f64>, NotAProbability> {
    check(p)?;
    let family = p.len();
    let mut adjusted = vec![0.0; family];
    let mut floor = 0.0_f64;
    for (rank, at) in increasing(p).into_iter().enumerate() {
        floor = floor.max(p[at] * (family - rank) as f64).min(1.0);
        adjusted[at] = floor;
    }
    Ok(adjusted)
}

/// Benjamini & Hochberg (1995), step up: controls the share of false ones among the claims. For screening.
///
/// # Errors
/// A value outside [0, 1].
pub fn benjamini_hochberg(p: &[f64]) -> Result<Vec<f64>, NotAProbability> {
    step_up(p, 1.0)
}

/// Benjamini & Yekutieli (2001): as Benjamini & Hochberg, under any dependence of the tests.
///
/// # Errors
/// A value outside [0, 1].
pub fn benjamini_yekutieli(p: &[f64]) -> Result<Vec<f64>, NotAProbability> {
    step_up(p, (1..=p.len()).map(|rank| 1.0 / rank as f64).sum())
}

fn step_up(p: &[f64], penalty: f64) -> Result<Vec<f64>, NotAProbability> {
    check(p)?;
    let family = p.len() as f64;
    let mut adjusted = vec![0.0; p.len()];
    let mut ceiling = 1.0_f64;
    for (rank, at) in increasing(p).into_iter().enumerate().rev() {
        ceiling = ceiling.min(p[at] * penalty * family / (rank + 1) as f64);
        adjusted[at] = ceiling;
    }
    Ok(adjusted)
}

fn check(p: &[f64]) -> Result<(), NotAProbability> {
    match p.iter().copied().enumerate().find(|(_, value)| !(0.0..=1.0).contains(value)) {
        Some((position, value)) => Err(NotAProbability { position, value }),
        None => Ok(()),
    }
}

/// Positions in order of increasing p.
fn increasing(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|left, right| p[*left].total_cmp(&p[*right]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusted_values_are_monotone_and_keep_their_order() {
        assert_eq!(holm(&[0.04, 0.01, 0.03]).unwrap(), [0.06, 0.03, 0.06]);
        assert_eq!(benjamini_hochberg(&[0.01, 0.011]).unwrap(), [0.011, 0.011]);
        assert_eq!(holm(&[]).unwrap(), Vec::<f64>::new());
        assert!(holm(&[0.1, f64::NAN]).is_err());
    }
}
