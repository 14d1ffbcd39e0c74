//! Two judges' exact agreement with the reference, compared on the items where only one of them is right.

use serde::{Deserialize, Serialize};
use statrs::function::gamma::ln_gamma;

use crate::distributions::{binomial_half_cdf, normal_two_sided};

/// p values of McNemar's test. Without a discordant pair all are 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct McNemar {
    /// The mid-p of Lancaster (1961) and Fagerland, Lydersen & Laake (2013): the one to use.
    pub mid_p: f64,
    /// Exact binomial p: conservative.
    pub exact: f64,
    /// Normal approximation (McNemar 1947).
    pub asymptotic: f64,
    /// Normal approximation with continuity correction (Edwards 1948).
    pub corrected: f64,
}

/// McNemar's test from the discordant counts: items on which only the first, or only the second, is right.
///
/// ```
/// let test = agreement::mcnemar(6, 0);
/// assert!((test.mid_p - 0.015625).abs() < 1e-12);
/// assert_eq!(agreement::mcnemar(0, 0).mid_p, 1.0);
/// ```
pub fn mcnemar(only_first: u64, only_second: u64) -> McNemar {
    let (fewer, n) = (only_first.min(only_second), only_first.saturating_add(only_second));
    if n == 0 {
        return McNemar { mid_p: 1.0, exact: 1.0, asymptotic: 1.0, corrected: 1.0 };
    }
    let twice = 2.0 * binomial_half_cdf(fewer, n);
    let gap = only_first.abs_diff(only_second) as f64;
    let root = (n as f64).sqrt();
    McNemar {
        mid_p: (twice - binomial_half_pmf(fewer, n)).clamp(0.0, 1.0),
        exact: twice.min(1.0),
        asymptotic: normal_two_sided(gap / root),
        corrected: normal_two_sided((gap - 1.0).max(0.0) / root),
    }
}

/// P(X = k) of a binomial with n trials of one half.
fn binomial_half_pmf(k: u64, n: u64) -> f64 {
    let (k, n) = (k as f64, n as f64);
    (ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0) - n * std::f64::consts::LN_2).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_counts_are_no_evidence() {
        assert!((mcnemar(5, 5).mid_p - 1.0).abs() < 1e-12);
        assert!((mcnemar(1, 19).mid_p - (mcnemar(1, 19).exact - 20.0 / 1_048_576.0)).abs() < 1e-12);
    }
}
