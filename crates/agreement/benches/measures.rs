//! Times of the measures that a report waits for. `beside_python.py` runs them beside numpy, scikit-learn and
//! krippendorff, and prints the ratios.

#![expect(clippy::expect_used, reason = "the inputs are made here")]

use agreement::{
    Confusion, Inference, Judge, KappaAnalysis, Metric, Pairing, Pairs, Ratings, Rule, Scale, Weights,
    compare_family, kappa, krippendorff_alpha, reference_column,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    divan::main();
}

/// Levels 0–4 of a reference, and of a rater that is within one level of it most of the time.
fn two_raters(n: usize, seed: u64) -> (Vec<u8>, Vec<u8>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let reference: Vec<u8> = (0..n).map(|_| (random.next_u32() % 5) as u8).collect();
    let near = reference.iter().map(|level| noisy(*level, &mut random)).collect();
    (reference, near)
}

fn noisy(level: u8, random: &mut ChaCha8Rng) -> u8 {
    match random.next_u32() % 10 {
        0 => level.saturating_sub(1),
        1 => (level + 1).min(4),
        2 => (random.next_u32() % 5) as u8,
        _ => level,
    }
}

fn one_to_five() -> Scale {
    Scale::ordinal([1.0, 2.0, 3.0, 4.0, 5.0]).expect("five levels are a scale")
}

fn values(levels: &[u8]) -> Vec<Option<f64>> {
    levels.iter().map(|level| Some(f64::from(*level) + 1.0)).collect()
}

#[divan::bench]
fn qwk_of_a_million_pairs(bencher: divan::Bencher<'_, '_>) {
    let (a, b) = two_raters(1_000_000, 1);
    let (scale, weights) = (one_to_five(), Weights::quadratic());
    bencher.bench(|| {
        let table = Confusion::from_levels(5, &a, &b);
        KappaAnalysis::of_table(table, &scale, &weights)
            .map(|analysis| (analysis.kappa(), analysis.standard_error()))
    });
}

#[divan::bench(args = [50, 500, 5000])]
fn bca_of_qwk(bencher: divan::Bencher<'_, '_>, n: usize) {
    let (a, b) = two_raters(n, 2);
    let pairs = Pairs::from_values(one_to_five(), &values(&a), &values(&b)).expect("levels are on the scale");
    bencher.bench(|| kappa(&pairs, &Weights::quadratic(), &Inference::default()));
}

/// `judges` judges of the same reference; items in `clusters` clusters, or each by itself.
fn family(judges: usize, n: usize, levels: u32, clusters: Option<usize>) -> Ratings {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let scale = Scale::ordinal((0..levels).map(f64::from).collect::<Vec<_>>()).expect("levels are a scale");
    let mut rows = Ratings::builder(scale);
    for item in 0..n {
        let cluster = clusters.map(|clusters| format!("q{}", item % clusters));
        let level = (random.next_u32() % levels) as u8;
        for rater in 0..=judges {
            let value = if rater == 0 { level } else { noisy(level, &mut random).min(levels as u8 - 1) };
            rows.push(&rater.to_string(), &item.to_string(), Some(f64::from(value)), cluster.as_deref())
                .expect("every rater rates an item once");
        }
    }
    rows.build()
}

fn compare_all(ratings: &Ratings) -> usize {
    let reference = reference_column(ratings, &[0], Rule::Majority);
    let judges: Vec<Judge> =
        (1..ratings.raters().len()).map(|rater| Judge::once(ratings.column(rater))).collect();
    let weights = Weights::quadratic();
    let family = compare_family(ratings, &reference, &judges, Pairing::All, &weights, &Inference::default());
    family.kappas.len() + family.comparisons.len()
}

#[divan::bench]
fn twelve_judges_with_differences(bencher: divan::Bencher<'_, '_>) {
    let ratings = family(12, 500, 5, None);
    bencher.bench(|| compare_all(&ratings));
}

#[divan::bench]
fn seventeen_judges_by_cluster(bencher: divan::Bencher<'_, '_>) {
    let ratings = family(17, 4423, 4, Some(25));
    bencher.bench(|| compare_all(&ratings));
}

#[divan::bench]
fn alpha_ordinal_of_twenty_raters(bencher: divan::Bencher<'_, '_>) {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let mut rows = Ratings::builder(one_to_five());
    for item in 0..10_000 {
        let level = (random.next_u32() % 5) as u8;
        for rater in 0..20 {
            let value = (random.next_u32() % 10 > 0).then(|| f64::from(noisy(level, &mut random)) + 1.0);
            rows.push(&rater.to_string(), &item.to_string(), value, None)
                .expect("every rater rates an item once");
        }
    }
    let ratings = rows.build();
    bencher.bench(|| krippendorff_alpha(&ratings, Metric::Ordinal, &Inference::value_only()));
}
