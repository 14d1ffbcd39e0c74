//! Tails and quantiles of the normal, t, F and beta distributions.
//!
//! Tails are computed directly, never as one minus the other tail, so that a very small p keeps its digits.

use statrs::function::erf::erfc_inv;
use statrs::function::gamma::ln_gamma;

/// The smallest and largest probability whose normal quantile is asked for: beyond them it is infinite.
const TINY: f64 = 1e-300;

/// From here on the continued fraction of the tail converges faster than the series of the centre.
const TAIL: f64 = 3.0;

/// P(Z > z) of the standard normal, to the last digits also far out, where the approximations of libraries lose some.
pub(crate) fn normal_upper_tail(z: f64) -> f64 {
    if z.is_nan() {
        f64::NAN
    } else if z >= TAIL {
        mills_ratio(z) * normal_density(z)
    } else if z <= -TAIL {
        1.0 - normal_upper_tail(-z)
    } else {
        0.5 - centre(z)
    }
}

fn normal_density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// P(0 < Z < z) by the series φ(z) Σ z^(2k+1) / (1·3·5···(2k+1)), whose terms have one sign (Marsaglia 2004).
fn centre(z: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (z, z, 1.0);
    while term.abs() > f64::EPSILON * 0.01 * sum.abs() {
        odd += 2.0;
        term *= z * z / odd;
        sum += term;
    }
    sum * normal_density(z)
}

/// P(Z > z) ÷ density by Laplace's continued fraction 1/(z + 1/(z + 2/(z + 3/(z + …)))), from far inside outwards.
fn mills_ratio(z: f64) -> f64 {
    const DEPTH: u32 = 120;
    1.0 / (1..=DEPTH).rev().fold(z, |below, k| z + f64::from(k) / below)
}

/// P(Z ≤ z) of the standard normal.
pub(crate) fn normal_cdf(z: f64) -> f64 {
    normal_upper_tail(-z)
}

/// Two-sided p of a standard normal statistic.
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    (2.0 * normal_upper_tail(z.abs())).min(1.0)
}

/// The z with P(Z ≤ z) = `probability`; one Halley step after the rational approximation brings it to the last digits.
pub(crate) fn normal_quantile(probability: f64) -> f64 {
    let p = probability.clamp(TINY, 1.0 - f64::EPSILON / 2.0);
    let z = -std::f64::consts::SQRT_2 * erfc_inv(2.0 * p);
    let density = normal_density(z);
    if density <= 0.0 {
        return z;
    }
    let step = (normal_cdf(z) - p) / density;
    z - step / (1.0 + 0.5 * z * step)
}

/// The two-sided critical value of the standard normal for a confidence level.
pub(crate) fn normal_critical(confidence: f64) -> f64 {
    normal_quantile(0.5 + confidence / 2.0)
}

/// P(X ≤ k) of a binomial with n trials of one half.
pub(crate) fn binomial_half_cdf(k: u64, n: u64) -> f64 {
    if k >= n { 1.0 } else { beta_reg((n - k) as f64, k as f64 + 1.0, 0.5) }
}

/// The regularised incomplete beta function I_x(a, b) by Lentz's continued fraction, as far as it needs to go.
fn beta_reg(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_reg(b, a, 1.0 - x);
    }
    let log_front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    log_front.exp() * beta_fraction(a, b, x) / a
}

fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const MOST_TERMS: u32 = 20_000;
    let away_from_zero = |value: f64| if value.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for m in (1..MOST_TERMS).map(f64::from) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        fraction *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        fraction *= c * d;
        if (c * d - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    fraction
}

/// P(|T| > |t|) of Student's t with `df` degrees of freedom.
pub(crate) fn t_two_sided(t: f64, df: f64) -> f64 {
    beta_reg(df / 2.0, 0.5, df / (df + t * t)).clamp(0.0, 1.0)
}

/// P(T > t) of Student's t.
pub(crate) fn t_upper_tail(t: f64, df: f64) -> f64 {
    let half = t_two_sided(t, df) / 2.0;
    if t >= 0.0 { half } else { 1.0 - half }
}

/// The two-sided critical value of Student's t for a confidence level.
pub(crate) fn t_critical(confidence: f64, df: f64) -> f64 {
    // P(|T| > t) = I_x(df/2, 1/2) with x = df / (df + t²).
    let x = beta_quantile(1.0 - confidence, df / 2.0, 0.5);
    (df * (1.0 - x) / x).sqrt()
}

/// P(F > f) of Fisher's F.
pub(crate) fn f_upper_tail(f: f64, df1: f64, df2: f64) -> f64 {
    if f <= 0.0 {
        return 1.0;
    }
    beta_reg(df2 / 2.0, df1 / 2.0, df2 / (df2 + df1 * f)).clamp(0.0, 1.0)
}

/// The f with P(F ≤ f) = `probability`.
pub(crate) fn f_quantile(probability: f64, df1: f64, df2: f64) -> f64 {
    // Solved for the complement, whose x stays away from 1 where f is large.
    let x = beta_quantile(1.0 - probability, df2 / 2.0, df1 / 2.0);
    df2 * (1.0 - x) / (df1 * x)
}

/// The x with I_x(a, b) = `probability`, by bisection that ends where doubles do.
pub(crate) fn beta_quantile(probability: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if beta_reg(a, b, middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-13 * expected.abs().max(1.0), "{found} is not {expected}");
    }

    #[test]
    fn quantiles_have_the_textbook_values() {
        close(normal_quantile(0.975), 1.959963984540054);
        close(normal_quantile(0.025), -1.959963984540054);
        close(normal_quantile(0.5), 0.0);
        close(t_critical(0.95, 9.0), 2.2621571627982053);
        close(t_critical(0.95, 1.0), 12.706204736174694);
        close(f_quantile(0.95, 3.0, 20.0), 3.0983912121407795);
        close(beta_quantile(0.5, 2.0, 2.0), 0.5);
    }

    #[test]
    fn tails_keep_their_digits() {
        let found = normal_upper_tail(10.0);
        assert!((found / 7.619853024160527e-24 - 1.0).abs() < 1e-12, "{found}");
    }
}
