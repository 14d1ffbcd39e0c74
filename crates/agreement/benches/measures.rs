//! Times of the measures that a report waits for. `beside_python.py` asks for one run after another by name, each beside
//! one of numpy, scikit-learn or krippendorff, and prints the ratios.

#![expect(clippy::expect_used, reason = "the inputs are made here")]

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use agreement::{
    Confusion, Inference, Judge, KappaAnalysis, Metric, Pairing, Pairs, Ratings, Rule, Scale, Weights,
    compare_family, kappa, krippendorff_alpha, reference_column,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    if std::env::args().any(|argument| argument == "--ask") { answer() } else { divan::main() }
}

/// A measure over its input, ready to be run.
type Run = Box<dyn FnMut()>;

/// Reads names, runs each once, and writes how many nanoseconds that took.
fn answer() {
    let mut known: HashMap<String, Run> = HashMap::new();
    for name in std::io::stdin().lines().map_while(Result::ok) {
        let run =
            known.entry(name.clone()).or_insert_with(|| named(&name).expect("the name is one of these"));
        let start = Instant::now();
        run();
        println!("{}", start.elapsed().as_nanos());
    }
}

fn named(name: &str) -> Option<Run> {
    Some(match name {
        "qwk" => qwk(),
        "bca 50" => bca(50),
        "bca 500" => bca(500),
        "bca 5000" => bca(5000),
        "judges" => judges(12, 500, 5, None),
        "judges by cluster" => judges(17, 4423, 4, Some(25)),
        "alpha" => alpha(),
        // Two columns of a million bytes; the ratings of α, eight bytes each.
        "read qwk" => reading(2_000_000),
        "read alpha" => reading(8 * 200_000),
        // Bytes that 10,000 resamples take: two for each kind or couple, and 8 for six units that are still wanting.
        "draw bca 500" => drawing(10_000 * (2 * 20 + 8 * 45 / 6)),
        "draw judges" => drawing(10_000 * (2 * 256 + 8 * 48 / 6)),
        _ => return None,
    })
}

/// Reading so many bytes once: no measure of them can be faster.
fn reading(bytes: usize) -> Run {
    let words = vec![1_u64; bytes / 8];
    Box::new(move || {
        black_box(black_box(&words).iter().copied().fold(0, u64::wrapping_add));
    })
}

/// Making so many random bytes: no resampling with them can be faster.
fn drawing(bytes: usize) -> Run {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut room = vec![0; bytes];
    Box::new(move || {
        random.fill_bytes(&mut room);
        black_box(&room);
    })
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

fn qwk() -> Run {
    let (a, b) = two_raters(1_000_000, 1);
    let (scale, weights) = (one_to_five(), Weights::quadratic());
    Box::new(move || {
        let table = Confusion::from_levels(5, black_box(&a), black_box(&b));
        let analysis = KappaAnalysis::of_table(table, &scale, &weights);
        black_box(analysis.map(|analysis| (analysis.kappa(), analysis.standard_error())).ok());
    })
}

fn bca(n: usize) -> Run {
    let (a, b) = two_raters(n, 2);
    let pairs = Pairs::from_values(one_to_five(), &values(&a), &values(&b)).expect("levels are on the scale");
    Box::new(move || {
        black_box(kappa(black_box(&pairs), &Weights::quadratic(), &Inference::default()));
    })
}

/// κ of each of several judges, and the differences of all pairs.
fn judges(judges: usize, n: usize, levels: u32, clusters: Option<usize>) -> Run {
    let ratings = family(judges, n, levels, clusters);
    Box::new(move || {
        black_box(compare_all(black_box(&ratings)));
    })
}

fn alpha() -> Run {
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
    Box::new(move || {
        black_box(krippendorff_alpha(black_box(&ratings), Metric::Ordinal, &Inference::value_only()));
    })
}

#[divan::bench(args = ["qwk", "bca 50", "bca 500", "bca 5000", "judges", "judges by cluster", "alpha"])]
fn measure(bencher: divan::Bencher<'_, '_>, name: &str) {
    bencher.bench_local(named(name).expect("the name is one of these"));
}
