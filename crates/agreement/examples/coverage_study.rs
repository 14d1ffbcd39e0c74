//! How often the intervals of quadratic κ hold the truth, by simulation; writes a page.
//!
//! `cargo run -p agreement --release --example coverage_study -- [FILE [SAMPLES [RESAMPLES]]]`

use std::fmt::Write as _;
use std::process::ExitCode;

use agreement::{Confusion, Inference, IntervalMethod, KappaAnalysis, Pairs, Scale, Weights, kappa};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const LEVELS: usize = 5;
const SIZES: [usize; 4] = [20, 50, 100, 200];
const METHODS: [(IntervalMethod, &str); 5] = [
    (IntervalMethod::Wald, "Wald"),
    (IntervalMethod::Analytic, "Fisher z"),
    (IntervalMethod::Percentile, "percentile"),
    (IntervalMethod::Bca, "BCa"),
    (IntervalMethod::Jackknife, "jackknife"),
];

/// Two raters whose answers are drawn from these shares of the 25 cells.
struct Truth {
    name: &'static str,
    cells: Vec<f64>,
    kappa: f64,
}

impl Truth {
    /// The second rater gives the first one's level, a neighbouring one, or any; how often it is the same is chosen so
    /// that κ is as wanted.
    fn with_kappa(name: &'static str, shares: [f64; LEVELS], wanted: f64) -> Truth {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let same = 0.5 * (low + high);
            if population_kappa(&cells(&shares, same)) < wanted { low = same } else { high = same }
        }
        let cells = cells(&shares, high);
        Truth { name, kappa: population_kappa(&cells), cells }
    }

    fn sample(&self, n: usize, random: &mut ChaCha8Rng) -> (Vec<Option<f64>>, Vec<Option<f64>>) {
        let mut draw = || {
            let mut left = (random.next_u64() >> 11) as f64 * 0.5_f64.powi(53);
            let at = self
                .cells
                .iter()
                .position(|share| {
                    left -= share;
                    left < 0.0
                })
                .unwrap_or(self.cells.len() - 1);
            (Some((at / LEVELS + 1) as f64), Some((at % LEVELS + 1) as f64))
        };
        (0..n).map(|_| draw()).unzip()
    }
}

fn cells(shares: &[f64; LEVELS], same: f64) -> Vec<f64> {
    let mut cells = vec![0.0; LEVELS * LEVELS];
    for (a, share) in shares.iter().enumerate() {
        cells[a * LEVELS + a] += share * same;
        for near in [a.saturating_sub(1), (a + 1).min(LEVELS - 1)] {
            cells[a * LEVELS + near] += share * (1.0 - same) * 0.4;
        }
        for (b, other) in shares.iter().enumerate() {
            cells[a * LEVELS + b] += share * (1.0 - same) * 0.2 * other;
        }
    }
    cells
}

fn scale() -> Option<Scale> {
    Scale::ordinal((1..=LEVELS).map(|level| level as f64).collect::<Vec<_>>()).ok()
}

fn population_kappa(cells: &[f64]) -> f64 {
    const MANY: f64 = 1e12;
    let rows: Vec<Vec<u64>> =
        cells.chunks(LEVELS).map(|row| row.iter().map(|share| (share * MANY) as u64).collect()).collect();
    let weights = Weights::quadratic();
    let analysis =
        scale().and_then(|scale| KappaAnalysis::of_table(Confusion::from_rows(&rows), &scale, &weights).ok());
    analysis.map_or(0.0, |analysis| analysis.kappa())
}

/// Share of the samples whose interval holds the truth; a sample without an interval does not hold it.
fn coverage(truth: &Truth, n: usize, method: IntervalMethod, samples: u64, resamples: u32) -> Option<f64> {
    let mut held = 0_u32;
    for sample in 0..samples {
        let mut random = ChaCha8Rng::seed_from_u64(sample);
        let (a, b) = truth.sample(n, &mut random);
        let pairs = Pairs::from_values(scale()?, &a, &b).ok()?;
        let inference = Inference::default().with_interval(method).resamples(resamples).seed(sample);
        let figure = kappa(&pairs, &Weights::quadratic(), &inference);
        held += u32::from(
            figure.interval().is_some_and(|found| found.low <= truth.kappa && truth.kappa <= found.high),
        );
    }
    Some(f64::from(held) / samples as f64)
}

fn page(samples: u64, resamples: u32) -> Option<String> {
    let truths = [
        Truth::with_kappa("κ = 0.75, skewed", [0.05, 0.10, 0.15, 0.30, 0.40], 0.75),
        Truth::with_kappa("κ = 0.94", [0.15, 0.20, 0.30, 0.20, 0.15], 0.94),
        Truth::with_kappa("κ = 0.71, 90 % on one level", [0.02, 0.02, 0.03, 0.03, 0.90], 0.71),
    ];
    let mut page = format!(
        "# How often the intervals hold the truth\n\n\
         Quadratic κ of two raters on five levels; nominal level 95 %. Each cell: the share of {samples} simulated samples\n\
         whose interval holds the true κ ({resamples} resamples each; simulation error about ±{:.3}). A sample for which no\n\
         interval can be given (all answers equal, a constant rater) counts as not holding it. Where the raters differ, they\n\
         differ by one level four times in five, and at random else.\n\n\
         Made by `make coverage-study`. Read it as: below 100 items every interval of κ promises more than it keeps. From 200\n\
         items on the resampled ones are near their level where κ is moderate. Where κ is high, it is decided by rare large\n\
         errors of which a sample holds few: even 200 items promise too much, Fisher z and BCa least.\n\n| truth | n |",
        1.96 * (0.93_f64 * 0.07 / samples as f64).sqrt()
    );
    for (_, name) in METHODS {
        write!(page, " {name} |").ok()?;
    }
    page.push_str("\n|---|---|---|---|---|---|---|\n");
    for truth in &truths {
        for n in SIZES {
            write!(page, "| {} | {n} |", truth.name).ok()?;
            for (method, _) in METHODS {
                write!(page, " {:.3} |", coverage(truth, n, method, samples, resamples)?).ok()?;
            }
            page.push('\n');
            eprintln!("{}, n = {n}: done", truth.name);
        }
    }
    Some(page)
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "docs/coverage.md".to_owned());
    let samples = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1000);
    let resamples = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1000);
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
