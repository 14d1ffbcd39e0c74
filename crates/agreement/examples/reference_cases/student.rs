//! The t quantile with which the reference intervals were made.
//!
//! The package behind them (scipy 1.12) looks for the quantile by a root search that stops at a relative step of 1e-8,
//! which leaves an error of about 1e-10: t(0.975, 9) is 2.262157162798205…, and it says 2.262157162740992. The
//! tolerance of the cases is finer than that. Nothing is loosened for it: the search is repeated here (Bus & Dekker
//! 1975, algorithm R, after a bracketing step), and a bound is compared after its exact quantile has been exchanged for
//! this one.

use statrs::function::beta::beta_reg;
use statrs::function::erf::erfc_inv;

const STEP: f64 = 0.5;
const GROWTH: f64 = 5.0;
const RELATIVE: f64 = 1e-8;
const ABSOLUTE: f64 = 1e-50;

/// The upper quantile: P(T > t) = `tail` < ½.
pub(crate) fn quantile(tail: f64, df: f64) -> f64 {
    let excess = |t: f64| upper_tail(t, df) - tail;
    let start = expansion(tail, df);
    let (low, high) = bracket(start, &excess);
    search(low, high, &excess)
}

fn upper_tail(t: f64, df: f64) -> f64 {
    let half = beta_reg(df / 2.0, 0.5, df / (df + t * t)) / 2.0;
    if t >= 0.0 { half } else { 1.0 - half }
}

/// The asymptotic expansion in 1/df around the normal quantile (Abramowitz & Stegun 26.7.5).
fn expansion(tail: f64, df: f64) -> f64 {
    let x = std::f64::consts::SQRT_2 * erfc_inv(2.0 * tail);
    let terms: [(&[f64], f64); 4] = [
        (&[1.0, 1.0], 4.0),
        (&[3.0, 16.0, 5.0], 96.0),
        (&[-15.0, 17.0, 19.0, 3.0], 384.0),
        (&[-945.0, -1920.0, 1482.0, 776.0, 79.0], 92_160.0),
    ];
    let (mut sum, mut power) = (x, 1.0);
    for (coefficients, divisor) in terms {
        power *= df;
        sum += coefficients.iter().rev().fold(0.0, |value, c| value * x * x + c) * x / (power * divisor);
    }
    sum
}

/// Steps from the start, each longer than the last, until the sign changes. The excess falls with t.
fn bracket(start: f64, excess: &impl Fn(f64) -> f64) -> (f64, f64) {
    let mut step = STEP.max(STEP * start.abs());
    let upwards = excess(start) > 0.0;
    let mut near = start;
    loop {
        let far = if upwards { near + step } else { near - step };
        if (excess(far) <= 0.0) == upwards || !far.is_finite() {
            return if upwards { (near, far) } else { (far, near) };
        }
        near = far;
        step *= GROWTH;
    }
}

/// Algorithm R: secant and rational steps, with bisection where they stall.
fn search(low: f64, high: f64, excess: &impl Fn(f64) -> f64) -> f64 {
    let (mut b, mut a) = (low, high);
    let (mut at_b, mut at_a) = (excess(b), excess(a));
    let (mut c, mut at_c, mut stalled) = (a, at_a, 0);
    let mut before: Option<(f64, f64)> = None;
    let mut first = true;
    loop {
        if at_c.abs() < at_b.abs() {
            if c.total_cmp(&a).is_ne() {
                before = Some((a, at_a));
            }
            (a, at_a, b, at_b) = (b, at_b, c, at_c);
            (c, at_c) = (a, at_a);
        }
        let tolerance = 0.5 * ABSOLUTE.max(RELATIVE * b.abs());
        let half = (c + b) * 0.5 - b;
        if half.abs() <= tolerance || half.is_nan() {
            return b;
        }
        let step = if stalled > 3 {
            half
        } else {
            let least = tolerance.copysign(half);
            let (mut p, mut q) = match before {
                Some((d, at_d)) if !first => {
                    let (slope_b, slope_a) = ((at_d - at_b) / (d - b), (at_d - at_a) / (d - a));
                    (slope_a * (b - a) * at_b, slope_b * at_a - slope_a * at_b)
                }
                _ => ((b - a) * at_b, at_a - at_b),
            };
            first = false;
            if p < 0.0 {
                (p, q) = (-p, -q);
            }
            if stalled == 3 {
                p *= 2.0;
            }
            if p <= 0.0 || p <= q * least {
                least
            } else if p < half * q {
                p / q
            } else {
                half
            }
        };
        before = Some((a, at_a));
        (a, at_a) = (b, at_b);
        b += step;
        at_b = excess(b);
        if at_c * at_b >= 0.0 {
            (c, at_c, stalled) = (a, at_a, 0);
        } else if step.total_cmp(&half).is_eq() {
            stalled = 0;
        } else {
            stalled += 1;
        }
    }
}
