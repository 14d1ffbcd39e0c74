//! How often a gate of non-inferiority promotes, holds, or cannot say, by simulation, beside a gate that only asks for a κ
//! at least as high; writes a page.
//!
//! `cargo run -p agreement --release --example gate_study -- [FILE [SAMPLES [RESAMPLES]]]`

use std::fmt::Write as _;
use std::process::ExitCode;

use agreement::{
    Column, Comparison, Inference, Judge, NonInferiority, Pairing, Ratings, Scale, Weights, compare_family,
    non_inferiority,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const MARGIN: f64 = 0.05;
/// Below so many items intervals of κ promise more than they keep, and the gate does not decide unless its policy says so.
const MINIMUM: u64 = 100;
const INCUMBENT: f64 = 0.6;
const CANDIDATES: usize = 12;
const DIFFERENCES: [f64; 4] = [0.0, -0.04, -MARGIN, -2.0 * MARGIN];
const SIZES: [usize; 6] = [50, 100, 200, 500, 1000, 3000];
/// How often each of the five levels is the right one.
const SHARES: [f64; 5] = [0.05, 0.10, 0.15, 0.30, 0.40];

/// What the rules said over all samples.
#[derive(Default)]
struct Counts {
    promoted: u32,
    promoted_below_the_minimum: u32,
    held: u32,
    promoted_naively: u32,
    best_promoted: u32,
    best_promoted_naively: u32,
    best_promoted_on_confirm: u32,
}

/// A number in [0, 1).
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 * 0.5_f64.powi(53)
}

fn level(random: &mut ChaCha8Rng) -> u32 {
    let mut left = uniform(random);
    let at = SHARES.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    at.unwrap_or(SHARES.len() - 1) as u32
}

/// A reference, the incumbent, and the candidates after it. A judge gives the right level with probability κ and any level, by
/// its share, else; so its expected disagreement is multiplied by 1 − κ, and κ is exact under any weights. On every second item
/// the judges find the same things hard.
struct Sample {
    reference: Column,
    judges: Vec<Judge>,
}

impl Sample {
    fn draw(n: usize, kappas: &[f64], random: &mut ChaCha8Rng) -> Sample {
        let mut reference = Column::absent(n);
        let mut columns = vec![Column::absent(n); kappas.len()];
        for item in 0..n {
            let right = level(random);
            reference.set(item, Some(right));
            let shared = (uniform(random) < 0.5).then(|| uniform(random));
            for (column, kappa) in columns.iter_mut().zip(kappas) {
                let hardness = shared.unwrap_or_else(|| uniform(random));
                column.set(item, Some(if hardness < *kappa { right } else { level(random) }));
            }
        }
        Sample { reference, judges: columns.into_iter().map(Judge::once).collect() }
    }

    /// Each candidate against the incumbent.
    fn comparisons(&self, ratings: &Ratings, inference: &Inference) -> Vec<Comparison> {
        let weights = Weights::quadratic();
        let pairing = Pairing::Against(0);
        compare_family(ratings, &self.reference, &self.judges, pairing, &weights, inference).comparisons
    }
}

/// What the gate says with a minimum of so many items.
fn decision(comparison: &Comparison, minimum: u64) -> NonInferiority {
    match non_inferiority(&comparison.difference, MARGIN) {
        NonInferiority::NonInferior if comparison.difference.n() < minimum => NonInferiority::Inconclusive,
        decision => decision,
    }
}

fn is_promoted(comparison: &Comparison) -> bool {
    decision(comparison, MINIMUM) == NonInferiority::NonInferior
}

fn is_promoted_naively(comparison: &Comparison) -> bool {
    comparison.difference.value().is_some_and(|difference| difference >= 0.0)
}

/// Position of the candidate with the greatest κ.
fn best(comparisons: &[Comparison]) -> Option<usize> {
    let kappa = |at: &usize| comparisons[*at].kappa_a.unwrap_or(f64::NEG_INFINITY);
    (0..comparisons.len()).max_by(|left, right| kappa(left).total_cmp(&kappa(right)))
}

/// The scale, on items without names that matter.
fn items(n: usize) -> Option<Ratings> {
    let mut rows = Ratings::builder(Scale::ordinal([1.0, 2.0, 3.0, 4.0, 5.0]).ok()?);
    for item in 0..n {
        rows.push("reference", &item.to_string(), None, None).ok()?;
    }
    Some(rows.build())
}

fn counts(difference: f64, n: usize, samples: u64, resamples: u32) -> Option<Counts> {
    let ratings = items(n)?;
    let mut kappas = vec![INCUMBENT + difference; CANDIDATES + 1];
    kappas[0] = INCUMBENT;
    let mut counts = Counts::default();
    for sample in 0..samples {
        let mut random = ChaCha8Rng::seed_from_u64(sample);
        let inference = Inference::default().resamples(resamples).seed(sample);
        let drawn = Sample::draw(n, &kappas, &mut random);
        let comparisons = drawn.comparisons(&ratings, &inference);
        let first = comparisons.first()?;
        counts.promoted += u32::from(is_promoted(first));
        counts.promoted_below_the_minimum += u32::from(decision(first, 0) == NonInferiority::NonInferior);
        counts.held += u32::from(decision(first, MINIMUM) == NonInferiority::Inferior);
        counts.promoted_naively += u32::from(is_promoted_naively(first));
        let best = &comparisons[best(&comparisons)?];
        counts.best_promoted += u32::from(is_promoted(best));
        counts.best_promoted_naively += u32::from(is_promoted_naively(best));
        // Whichever was best on these items, on others it is one of twelve equal judges.
        let confirm = Sample::draw(n, &kappas[..2], &mut random);
        let confirmed = confirm.comparisons(&ratings, &inference);
        counts.best_promoted_on_confirm += u32::from(confirmed.first().is_some_and(is_promoted));
    }
    Some(counts)
}

const HEAD: &str = "\
| true Δκ | n | promote | hold | inconclusive | promote, no minimum | naive | best of 12: naive | best of 12: gate, same items | best of 12: gate, `confirm` |
|---|---|---|---|---|---|---|---|---|---|
";

fn page(samples: u64, resamples: u32) -> Option<String> {
    let mut page = introduction(samples, resamples);
    page.push_str(HEAD);
    for difference in DIFFERENCES {
        for n in SIZES {
            let counts = counts(difference, n, samples, resamples)?;
            let share = |count: u32| f64::from(count) / samples as f64;
            writeln!(
                page,
                "| {difference:.2} | {n} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
                share(counts.promoted),
                share(counts.held),
                1.0 - share(counts.promoted + counts.held),
                share(counts.promoted_below_the_minimum),
                share(counts.promoted_naively),
                share(counts.best_promoted_naively),
                share(counts.best_promoted),
                share(counts.best_promoted_on_confirm),
            )
            .ok()?;
            eprintln!("Δκ = {difference}, n = {n}: done");
        }
    }
    Some(page)
}

fn introduction(samples: u64, resamples: u32) -> String {
    let error = 1.96 * (0.05_f64 * 0.95 / samples as f64).sqrt();
    format!(
        "# How often the gate is right\n\n\
         Made by `make gate-study`: {samples} simulated anchor sets for each row, {resamples} resamples each (simulation error of\n\
         a share near 0.05: ±{error:.3}). An incumbent whose true quadratic κ is {INCUMBENT} on five levels, used in the shares\n\
         {SHARES:?}, and {CANDIDATES} equal candidates whose true κ is Δκ higher. The judges find the same half of the items hard.\n\
         Each item is a cluster of its own.\n\n\
         - **promote, hold, inconclusive**: what the gate says of one candidate under `non_inferiority = {MARGIN}`, and its usual\n  \
           minimum of {MINIMUM} items; **no minimum**: how often it would promote without that.\n\
         - **naive**: how often a rule that only asks for a κ at least as high as the incumbent's promotes it.\n\
         - **best of {CANDIDATES}**: the candidate with the highest κ is chosen, then judged: naively or by the gate on the items that it\n  \
           was chosen on, or by the gate on as many items of `confirm`, which had no part in the choice.\n\n\
         What to see: a candidate that is worse by the margin or more ought to be promoted at most once in twenty times. The gate\n\
         keeps to that at every n; small sets end as INCONCLUSIVE, not as a promotion. Below {MINIMUM} items the interval alone would not\n\
         always keep to it, hence the minimum. The naive rule promotes worse judges often, and the best of twelve nearly always.\n\
         Choosing and deciding on the same items undoes the gate's promise as well: that is what `confirm` is for. The rows Δκ = 0\n\
         are the power to promote an equal judge; the builder of anchor sets shows it for its own data.\n\n"
    )
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "docs/gate.md".to_owned());
    let samples = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(2000);
    let resamples = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(2000);
    let written = page(samples, resamples).map(|page| std::fs::write(&path, page));
    match written {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(problem)) => {
            eprintln!("{path}: {problem}");
            ExitCode::FAILURE
        }
        None => ExitCode::FAILURE,
    }
}
