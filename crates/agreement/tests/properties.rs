//! What must hold of every input, not only of the ones that somebody thought of.

#![expect(clippy::unwrap_used, reason = "a test")]

use agreement::{
    Chance, CustomWeights, Estimate, Inference, IntervalMethod, Judge, Metric, Pairing, Pairs, Ratings, Rule,
    Scale, Studentised, Undefined, Unit, Weights, alt_test, bias, ceiling, chance_corrected, compare_family,
    exact_agreement, flip_rate, icc, intra_judge_kappa, kappa, krippendorff_alpha, pearson, permutation_test,
    reference_column, root_mean_square_error, spearman,
};
use proptest::prelude::*;

/// Ratings of up to 40 items by two to four raters on levels 1–5, some missing, in up to eight clusters.
fn table() -> impl Strategy<Value = Vec<Vec<Option<u8>>>> {
    (2_usize..5, 0_usize..40).prop_flat_map(|(raters, items)| {
        let cell = prop_oneof![6 => (1_u8..=5).prop_map(Some), 1 => Just(None)];
        prop::collection::vec(prop::collection::vec(cell, raters), items)
    })
}

fn stars(levels: u8) -> Scale {
    Scale::ordinal((1..=levels).map(f64::from).collect::<Vec<_>>()).unwrap()
}

fn ratings(rows: &[Vec<Option<u8>>], scale: Scale, clusters: usize) -> Ratings {
    let mut builder = Ratings::builder(scale);
    for (item, row) in rows.iter().enumerate() {
        let cluster = (clusters > 0).then(|| format!("c{}", item % clusters));
        for (rater, value) in row.iter().enumerate() {
            builder
                .push(&format!("r{rater}"), &format!("i{item}"), value.map(f64::from), cluster.as_deref())
                .unwrap();
        }
    }
    builder.build()
}

fn same(left: Option<f64>, right: Option<f64>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => (left - right).abs() < 1e-9,
        (None, None) => true,
        _ => false,
    }
}

fn every_weights() -> Vec<Weights> {
    let matrix: Vec<Vec<f64>> =
        (0..5).map(|a| (0..5).map(|b| f64::from(i32::abs(a - b)).sqrt()).collect()).collect();
    let custom = CustomWeights::from_disagreement(&matrix).unwrap();
    vec![Weights::Unweighted, Weights::linear(), Weights::quadratic(), Weights::Custom(custom)]
}

fn of(ratings: &Ratings, weights: &Weights) -> Option<f64> {
    kappa(&ratings.pair(0, 1), weights, &Inference::analytic()).value()
}

const METRICS: [Metric; 4] = [Metric::Nominal, Metric::Ordinal, Metric::Interval, Metric::Ratio];

fn alpha(ratings: &Ratings, metric: Metric) -> Option<f64> {
    krippendorff_alpha(ratings, metric, &Inference::value_only()).value()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn raters_and_items_have_no_order(rows in table(), turn in 0_usize..40) {
        let base = ratings(&rows, stars(5), 0);
        let mirrored: Vec<Vec<Option<u8>>> = rows.iter().map(|row| row.iter().rev().copied().collect()).collect();
        let swapped = base.with_raters(&[1, 0]);
        let mut turned = rows.clone();
        if !turned.is_empty() {
            let by = turn % turned.len();
            turned.rotate_left(by);
        }
        let turned = ratings(&turned, stars(5), 0);
        for weights in every_weights() {
            prop_assert!(same(of(&base, &weights), of(&swapped, &weights)));
            prop_assert!(same(of(&base, &weights), of(&turned, &weights)));
        }
        let mirrored = ratings(&mirrored, stars(5), 0);
        for metric in METRICS {
            prop_assert!(same(alpha(&base, metric), alpha(&mirrored, metric)));
            prop_assert!(same(alpha(&base, metric), alpha(&turned, metric)));
        }
    }

    #[test]
    fn levels_that_nobody_uses_change_nothing_for_kappa_and_alpha(rows in table()) {
        let (base, wide) = (ratings(&rows, stars(5), 0), ratings(&rows, stars(9), 0));
        for weights in [Weights::Unweighted, Weights::linear(), Weights::quadratic()] {
            prop_assert!(same(of(&base, &weights), of(&wide, &weights)));
        }
        for metric in METRICS {
            prop_assert!(same(alpha(&base, metric), alpha(&wide, metric)));
        }
    }

    #[test]
    fn names_of_nominal_levels_mean_nothing(rows in table(), by in 1_u8..5) {
        let renamed: Vec<Vec<Option<u8>>> =
            rows.iter().map(|row| row.iter().map(|cell| cell.map(|level| (level + by - 1) % 5 + 1)).collect()).collect();
        let (base, renamed) = (ratings(&rows, stars(5), 0), ratings(&renamed, stars(5), 0));
        prop_assert!(same(of(&base, &Weights::Unweighted), of(&renamed, &Weights::Unweighted)));
        prop_assert!(same(alpha(&base, Metric::Nominal), alpha(&renamed, Metric::Nominal)));
    }

    #[test]
    fn every_item_twice_leaves_kappa(rows in table()) {
        let twice: Vec<Vec<Option<u8>>> = rows.iter().flat_map(|row| [row.clone(), row.clone()]).collect();
        let (base, twice) = (ratings(&rows, stars(5), 0), ratings(&twice, stars(5), 0));
        for weights in every_weights() {
            let (once, again) = (of(&base, &weights), of(&twice, &weights));
            // One item is too few, two copies of it are not.
            prop_assert!(base.pair(0, 1).n() < 2 || same(once, again));
        }
    }

    #[test]
    fn quadratic_kappa_is_lins_concordance(rows in table()) {
        let pairs = ratings(&rows, stars(5), 0).pair(0, 1);
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.values().unzip();
        let n = a.len() as f64;
        let mean = |list: &[f64]| list.iter().sum::<f64>() / n;
        let (mean_a, mean_b) = (mean(&a), mean(&b));
        let moment = |x: &[f64], y: &[f64], mx: f64, my: f64| x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>() / n;
        let covariance = moment(&a, &b, mean_a, mean_b);
        let spread = moment(&a, &a, mean_a, mean_a) + moment(&b, &b, mean_b, mean_b) + (mean_a - mean_b).powi(2);
        let found = kappa(&pairs, &Weights::quadratic(), &Inference::value_only()).value();
        if a.len() >= 2 && spread > 1e-12 {
            prop_assert!(same(found, Some(2.0 * covariance / spread)));
        } else {
            prop_assert!(found.is_none());
        }
    }

    #[test]
    fn kappa_is_undefined_exactly_where_it_must_be(rows in table()) {
        let pairs = ratings(&rows, stars(5), 0).pair(0, 1);
        let one_level = pairs.a().iter().chain(pairs.b()).all(|level| *level == pairs.a()[0]);
        for weights in every_weights() {
            let found = kappa(&pairs, &weights, &Inference::value_only());
            let expected = if pairs.n() < 2 {
                Some(Undefined::NTooSmall)
            } else if one_level {
                Some(Undefined::NoVariation)
            } else {
                None
            };
            prop_assert_eq!(found.undefined(), expected);
        }
    }

    #[test]
    fn alpha_is_undefined_exactly_where_it_must_be(rows in table()) {
        let ratings = ratings(&rows, stars(5), 0);
        let pairable: Vec<Vec<u8>> = rows.iter().map(|row| row.iter().flatten().copied().collect::<Vec<u8>>()).filter(|row| row.len() >= 2).collect();
        let mut values: Vec<u8> = pairable.iter().flatten().copied().collect();
        values.sort_unstable();
        values.dedup();
        let expected = match (pairable.len(), values.len()) {
            (0, _) => Some(Undefined::NoPairableUnits),
            (_, 1) => Some(Undefined::NoVariation),
            (1, _) => Some(Undefined::NTooSmall),
            _ => None,
        };
        for metric in METRICS {
            prop_assert_eq!(krippendorff_alpha(&ratings, metric, &Inference::value_only()).undefined(), expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Everything that gives an estimate, on anything: no panic, nothing that is not finite, JSON that comes back.
    #[test]
    fn estimates_are_sound_and_travel(rows in table(), clusters in 0_usize..8, seed: u64, confidence in -0.5_f64..1.5) {
        let ratings = ratings(&rows, stars(5), clusters);
        let raters: Vec<usize> = (0..ratings.raters().len()).collect();
        let pairs = ratings.pair(0, 1);
        for interval in [
            IntervalMethod::None, IntervalMethod::Analytic, IntervalMethod::Wald, IntervalMethod::Percentile,
            IntervalMethod::Basic, IntervalMethod::Bca, IntervalMethod::Jackknife,
        ] {
            for unit in [Unit::Item, Unit::Cluster] {
                let inference = Inference { confidence, ..Inference::default() }.with_interval(interval).by(unit).resamples(40).seed(seed);
                let mut all = vec![bias(&pairs, &inference), root_mean_square_error(&pairs, &inference), exact_agreement(&pairs, &inference)];
                all.extend(every_weights().iter().map(|weights| kappa(&pairs, weights, &inference)));
                all.extend(METRICS.map(|metric| krippendorff_alpha(&ratings, metric, &inference)));
                for chance in [Chance::Fleiss, Chance::Conger, Chance::Gwet, Chance::BrennanPrediger, Chance::Krippendorff] {
                    all.push(chance_corrected(&ratings, chance, &Weights::linear(), &inference).estimate);
                }
                let reference = reference_column(&ratings, &raters, Rule::Majority);
                all.push(ceiling(&ratings, &raters, Rule::Median, &Weights::quadratic(), Some(&reference), &inference));
                let judges: Vec<Judge> = raters.iter().map(|rater| Judge::once(ratings.column(*rater))).collect();
                let family = compare_family(&ratings, &reference, &judges, Pairing::All, &Weights::linear(), &inference);
                all.extend(family.kappas);
                all.extend(family.comparisons.into_iter().map(|comparison| comparison.difference));
                let repeated = Judge::repeated(raters.iter().map(|rater| ratings.column(*rater)).collect());
                all.push(flip_rate(&ratings, &repeated, &inference));
                all.push(intra_judge_kappa(&ratings, &repeated, &Weights::quadratic(), &inference));
                all.push(icc(&ratings, agreement::IccForm::AgreementSingle, confidence).estimate);
                all.push(pearson(&pairs, confidence).estimate);
                all.push(spearman(&pairs).estimate);
                all.push(alt_test(&ratings, raters.get(1..).unwrap_or_default(), &ratings.column(0), &agreement::AltTestSettings { least_items: 3, ..Default::default() }).winning_rate);
                for estimate in all {
                    let text = serde_json::to_string(&estimate).unwrap();
                    let back: Estimate = serde_json::from_str(&text).unwrap();
                    prop_assert_eq!(&back, &estimate, "{}", text);
                    prop_assert_eq!(estimate.value().is_some(), estimate.undefined().is_none());
                }
            }
        }
    }

    #[test]
    fn permutation_is_fair(rows in table(), clusters in 0_usize..5) {
        let ratings = ratings(&rows, stars(5), clusters);
        let judge = |rater| Judge::once(ratings.column(rater));
        let resampling = agreement::Resampling { resamples: 50, ..Default::default() };
        for studentised in [Studentised::Yes, Studentised::No] {
            let test = |a, b| permutation_test(&ratings, &ratings.column(0), &judge(a), &judge(b), &Weights::quadratic(), studentised, &resampling);
            if let Some(found) = test(0, 1) {
                prop_assert!(found.p > 0.0 && found.p <= 1.0);
            }
            if let Some(found) = test(1, 1) {
                prop_assert!((found.p - 1.0).abs() < 1e-12);
            }
        }
    }

    /// The constructors take anything and answer with a value or an error.
    #[test]
    fn constructors_do_not_panic(
        levels in prop::collection::vec(any::<f64>(), 0..8),
        min: f64, max: f64, step: f64,
        rows in prop::collection::vec((0_u8..4, 0_u8..6, prop::option::of(any::<f64>()), prop::option::of(0_u8..3)), 0..30),
        matrix in prop::collection::vec(prop::collection::vec(any::<f64>(), 0..4), 0..4),
    ) {
        let _ = CustomWeights::from_disagreement(&matrix);
        let _ = CustomWeights::from_similarity(&matrix);
        let scales = [
            Scale::ordinal(levels.clone()), Scale::nominal_values(levels.clone()), Scale::nominal(levels.len()),
            Scale::continuous(min, max, None), Scale::continuous(min, max, Some(step)), Scale::ordinal([0.0, 1.0, 2.5]),
        ];
        for scale in scales.into_iter().flatten() {
            let mut builder = Ratings::builder(scale);
            for (rater, item, value, cluster) in &rows {
                let value = value.map(perhaps_on_scale);
                let cluster = cluster.map(|cluster| cluster.to_string());
                let _ = builder.push(&rater.to_string(), &item.to_string(), value, cluster.as_deref());
            }
            let ratings = builder.build();
            let inference = Inference::default().resamples(20);
            for weights in [Weights::Unweighted, Weights::linear(), Weights::quadratic(), Weights::Quadratic(agreement::Basis::Rank)] {
                let estimate = kappa(&ratings.pair(0, 1), &weights, &inference);
                let text = serde_json::to_string(&estimate).unwrap();
                prop_assert_eq!(serde_json::from_str::<Estimate>(&text).unwrap(), estimate);
            }
            let _ = krippendorff_alpha(&ratings, Metric::Interval, &inference);
        }
    }

    #[test]
    fn text_that_is_no_estimate_does_not_panic(text in ".*") {
        let _ = serde_json::from_str::<Estimate>(&text);
    }
}

/// Half of the time a value that may be on the scale.
fn perhaps_on_scale(value: f64) -> f64 {
    if value.to_bits().is_multiple_of(2) { value } else { (value.to_bits() % 3) as f64 }
}

#[test]
fn pairs_of_unequal_length_are_missing_not_cut() {
    let pairs =
        Pairs::from_values(stars(5), &[Some(1.0), Some(2.0), Some(3.0)], &[Some(1.0), Some(2.0)]).unwrap();
    assert_eq!((pairs.n(), pairs.missing()), (2, 1));
}
