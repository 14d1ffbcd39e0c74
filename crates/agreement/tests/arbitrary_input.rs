//! No input makes the crate panic, and nothing that is not finite leaves it: scales, ratings, settings and JSON are read
//! off arbitrary bytes, and every public function is asked about what comes of them.
//!
//! `PROPTEST_CASES` says how many inputs each test tries; a few by default, a million for ten minutes of search.

use agreement::{
    Alignment, AltTestSettings, BootstrapDistribution, Chance, Citations, Column, Confusion, Correlation,
    CustomWeights, Estimate, Fill, Gain, IccForm, Inference, IntervalMethod, Judge, KappaAnalysis, Lambda,
    MeanSquares, Metric, Pairing, Pairs, PassFail, ProportionInterval, Ranking, Ratings, Resampling, Rule,
    Scale, Studentised, Undefined, Unit, Unjudged, Weights, agreement_within, all_raters_agree, alt_test,
    benjamini_hochberg, benjamini_yekutieli, bias, bonferroni, ceiling, chance_corrected, compare_family,
    exact_agreement, expected_luck, fill, fleiss_null_test, flip_rate, holm, icc, intra_judge_kappa,
    items_for_non_inferiority, judgy_compatible, kappa, kappa_standard_error, kendall_tau_b, kendall_tau_c,
    krippendorff_alpha, mcnemar, mean, mean_absolute_error, non_inferiority, non_inferiority_power,
    pairwise_agreement, pearson, permutation_test, prediction_powered_mean, proportion, reference_column,
    rogan_gladen, root_mean_square_error, spearman, spread,
};
use proptest::prelude::*;

/// Bytes as a tape from which choices are read; at its end it reads zeros.
struct Tape {
    bytes: Vec<u8>,
    at: usize,
}

impl Tape {
    fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    /// Mostly small numbers, sometimes the awkward ones, sometimes any at all.
    fn number(&mut self) -> f64 {
        const AWKWARD: [f64; 16] = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            f64::EPSILON,
            5e-324,
            -0.0,
            1e300,
            -1e300,
            1e-300,
            0.1,
            -1.0,
            1e16,
            0.5,
        ];
        match self.byte() {
            0..=175 => self.below(7) as f64,
            176..=215 => f64::from(self.byte()) / 255.0,
            216..=245 => AWKWARD[self.below(AWKWARD.len())],
            _ => f64::from_bits(u64::from_le_bytes(std::array::from_fn(|_| self.byte()))),
        }
    }

    fn numbers(&mut self, most: usize) -> Vec<f64> {
        (0..self.below(most + 1)).map(|_| self.number()).collect()
    }

    fn count(&mut self) -> u64 {
        match self.byte() {
            0..=199 => u64::from(self.byte()),
            200..=229 => u64::from(self.byte()) << 9,
            _ => u64::MAX - u64::from(self.byte()),
        }
    }

    fn scale(&mut self) -> Option<Scale> {
        match self.below(6) {
            0 => Scale::ordinal(self.numbers(6)).ok(),
            1 => Scale::nominal(self.below(9)).ok(),
            2 => Scale::nominal_values(self.numbers(6)).ok(),
            3 => {
                let step = (self.byte() < 128).then(|| self.number());
                Scale::continuous(self.number(), self.number(), step).ok()
            }
            4 => Scale::ordinal((0..7).map(f64::from).collect::<Vec<_>>()).ok(),
            _ => Scale::continuous(f64::MIN, f64::MAX, None).ok(),
        }
    }

    fn ratings(&mut self) -> Option<Ratings> {
        let mut rows = Ratings::builder(self.scale()?);
        for _ in 0..self.byte() {
            let (rater, item) = (self.below(5).to_string(), self.below(24).to_string());
            let value = (self.byte() < 230).then(|| self.number());
            let cluster = (self.byte() < 60).then(|| self.below(4).to_string());
            // A refused row changes nothing.
            let _ = rows.push(&rater, &item, value, cluster.as_deref());
        }
        Some(rows.build())
    }

    fn weights(&mut self) -> Weights {
        let levels = self.below(8);
        let matrix: Vec<Vec<f64>> =
            (0..levels).map(|_| (0..levels).map(|_| self.number()).collect()).collect();
        let custom = [CustomWeights::from_disagreement(&matrix), CustomWeights::from_similarity(&matrix)];
        match self.below(5) {
            0 => Weights::Unweighted,
            1 => Weights::linear(),
            2 => Weights::Quadratic(agreement::Basis::Rank),
            3 => custom.into_iter().flatten().next().map_or(Weights::linear(), Weights::Custom),
            _ => Weights::quadratic(),
        }
    }

    fn inference(&mut self) -> Inference {
        const METHODS: [IntervalMethod; 7] = [
            IntervalMethod::None,
            IntervalMethod::Analytic,
            IntervalMethod::Wald,
            IntervalMethod::Percentile,
            IntervalMethod::Basic,
            IntervalMethod::Bca,
            IntervalMethod::Jackknife,
        ];
        Inference {
            interval: METHODS[self.below(METHODS.len())],
            confidence: if self.byte() < 200 { 0.95 } else { self.number() },
            resampling: Resampling {
                resamples: self.below(40) as u32,
                seed: self.count(),
                unit: if self.byte() < 128 { Unit::Cluster } else { Unit::Item },
            },
        }
    }
}

/// Serialising refuses what is not finite only by writing `null`; so both are looked at.
#[track_caller]
fn sound(estimate: &Estimate) {
    assert!(estimate.value().is_some() != estimate.undefined().is_some());
    assert!(estimate.value().is_none_or(f64::is_finite), "{estimate:?}");
    if let Some(interval) = estimate.interval() {
        assert!(interval.low.is_finite() && interval.high.is_finite() && interval.low <= interval.high);
    }
    let text = serde_json::to_string(estimate).unwrap_or_default();
    assert_eq!(serde_json::from_str::<Estimate>(&text).ok().as_ref(), Some(estimate), "{text}");
}

#[track_caller]
fn finite(value: Option<f64>) {
    assert!(value.is_none_or(f64::is_finite), "{value:?}");
}

#[track_caller]
fn correlated(found: &Correlation) {
    sound(&found.estimate);
    finite(found.p);
}

fn two_raters(pairs: &Pairs, weights: &Weights, inference: &Inference, tape: &mut Tape) {
    sound(&kappa(pairs, weights, inference));
    finite(kappa_standard_error(pairs, weights, inference.resampling.unit));
    if let Ok(analysis) = KappaAnalysis::of_pairs(pairs, weights) {
        let null = analysis.null_test();
        for value in [analysis.kappa(), analysis.standard_error(), null.se, null.z, null.p] {
            finite(Some(value));
        }
        finite(Some(analysis.observed_agreement()));
        finite(Some(analysis.expected_agreement()));
    }
    for of in [mean_absolute_error, root_mean_square_error, bias, exact_agreement] {
        sound(&of(pairs, inference));
    }
    sound(&agreement_within(pairs, tape.number(), inference));
    correlated(&pearson(pairs, inference.confidence));
    [spearman(pairs), kendall_tau_b(pairs), kendall_tau_c(pairs)].iter().for_each(correlated);
    let counts = PassFail::at(pairs, tape.number());
    rates(&counts, inference, tape);
}

fn rates(counts: &PassFail, inference: &Inference, tape: &mut Tape) {
    for interval in [ProportionInterval::Wilson, ProportionInterval::ClopperPearson] {
        sound(&counts.true_pass_rate(inference.confidence, interval));
        sound(&counts.true_fail_rate(inference.confidence, interval));
    }
    let corrected = rogan_gladen(counts, tape.count(), tape.count(), inference);
    sound(&corrected.estimate);
    [corrected.observed, corrected.unclipped, corrected.standard_error].into_iter().for_each(finite);
    // It goes through a million resamples; once in a while is enough.
    if tape.byte() == 1 {
        judgy_compatible(counts, tape.number(), inference.confidence);
    }
}

fn all_raters(ratings: &Ratings, weights: &Weights, inference: &Inference, tape: &mut Tape) {
    for metric in [Metric::Nominal, Metric::Ordinal, Metric::Interval, Metric::Ratio] {
        sound(&krippendorff_alpha(ratings, metric, inference));
    }
    const CHANCES: [Chance; 5] =
        [Chance::Fleiss, Chance::Gwet, Chance::BrennanPrediger, Chance::Conger, Chance::Krippendorff];
    for chance in CHANCES {
        let found = chance_corrected(ratings, chance, weights, inference);
        sound(&found.estimate);
        [found.observed, found.expected].into_iter().for_each(finite);
    }
    if let Some(test) = fleiss_null_test(ratings) {
        [test.se, test.z, test.p].map(Some).into_iter().for_each(finite);
    }
    sound(&all_raters_agree(ratings, tape.number(), inference));
    sound(&pairwise_agreement(ratings, tape.number(), inference));
    MeanSquares::of(ratings);
    const FORMS: [IccForm; 6] = [
        IccForm::OneWaySingle,
        IccForm::AgreementSingle,
        IccForm::ConsistencySingle,
        IccForm::OneWayAverage,
        IccForm::AgreementAverage,
        IccForm::ConsistencyAverage,
    ];
    for form in FORMS {
        let found = icc(ratings, form, inference.confidence);
        sound(&found.estimate);
        [found.f, found.p].into_iter().for_each(finite);
    }
}

fn judges(ratings: &Ratings, weights: &Weights, inference: &Inference, tape: &mut Tape) {
    let rule = [Rule::Unanimous, Rule::Majority, Rule::Median][tape.below(3)];
    let annotators: Vec<usize> = (0..tape.below(4)).collect();
    sound(&ceiling(ratings, &annotators, rule, weights, None, inference));
    let reference = reference_column(ratings, &annotators, rule);
    let columns: Vec<Column> = (0..5).map(|rater| ratings.column(rater)).collect();
    let repeated = Judge::repeated(columns[..tape.below(5)].to_vec());
    sound(&flip_rate(ratings, &repeated, inference));
    sound(&intra_judge_kappa(ratings, &repeated, weights, inference));
    spread(ratings, &repeated);
    let how = if tape.byte() < 128 { Fill::Pessimistic } else { Fill::Optimistic };
    let filled = Judge::once(fill(ratings, &reference, &columns[3], how));
    let family = [repeated, filled, Judge::once(columns[4].clone())];
    let pairing = [Pairing::None, Pairing::Against(tape.below(5)), Pairing::All][tape.below(3)];
    let found = compare_family(ratings, &reference, &family, pairing, weights, inference);
    found.kappas.iter().for_each(sound);
    for comparison in &found.comparisons {
        sound(&comparison.difference);
        [comparison.standard_error, comparison.z, comparison.p].into_iter().for_each(finite);
        non_inferiority(&comparison.difference, tape.number());
        comparison.non_inferiority_test(tape.number());
    }
    if let Some(luck) = found.luck {
        [luck.expected, luck.stays_first].map(Some).into_iter().for_each(finite);
    }
    let resampling = Resampling { resamples: 20, ..inference.resampling };
    let studentised = if tape.byte() < 128 { Studentised::Yes } else { Studentised::No };
    // All arrangements of sixteen units are too many to be gone through for each input.
    if ratings.n_items() <= 8 {
        let test =
            permutation_test(ratings, &reference, &family[1], &family[2], weights, studentised, &resampling);
        finite(test.map(|test| test.p));
    }
    let settings = AltTestSettings {
        alignment: if tape.byte() < 128 { Alignment::Accuracy } else { Alignment::NegativeRmse },
        epsilon: tape.number(),
        q: tape.number(),
        least_items: tape.below(4),
        least_annotators: tape.below(4),
    };
    let test = alt_test(ratings, &annotators, &columns[4], &settings);
    sound(&test.winning_rate);
    sound(&test.advantage_probability);
}

fn numbers_alone(tape: &mut Tape) {
    let inference = tape.inference();
    let values = tape.numbers(12);
    for adjust in [bonferroni, holm, benjamini_hochberg, benjamini_yekutieli] {
        if let Ok(adjusted) = adjust(&values) {
            adjusted.into_iter().map(Some).for_each(finite);
        }
    }
    let optional: Vec<Option<f64>> = values.iter().map(|value| value.is_finite().then_some(*value)).collect();
    let clusters: Vec<u32> = (0..tape.below(13)).map(|_| u32::from(tape.byte() % 4)).collect();
    sound(&mean(&optional, &clusters, &inference));
    let lambda = if tape.byte() < 128 { Lambda::Tuned } else { Lambda::Fixed(tape.number()) };
    let (judge, unlabelled) = (tape.numbers(12), tape.numbers(12));
    sound(&prediction_powered_mean(&values, &judge, &unlabelled, lambda, &inference));
    let distribution = BootstrapDistribution::new(tape.number(), values, judge);
    for bounds in [
        distribution.percentile(tape.number()),
        distribution.basic(0.95),
        distribution.bca(tape.number()),
        distribution.jackknife_interval(tape.number()),
    ] {
        finite(bounds.map(|bounds| bounds.0));
        finite(bounds.map(|bounds| bounds.1));
    }
    finite(distribution.standard_error());
    finite(Some(distribution.undefined_share()));
    let (only_first, only_second) = (tape.count(), tape.count());
    let test = mcnemar(only_first, only_second);
    finite(Some(test.mid_p));
    let interval =
        if tape.byte() < 128 { ProportionInterval::Wilson } else { ProportionInterval::ClopperPearson };
    sound(&proportion(tape.count(), tape.count(), inference.confidence, interval, Undefined::NoLabels));
    expected_luck(tape.below(40), tape.number()).into_iter().map(Some).for_each(finite);
    items_for_non_inferiority(tape.number(), tape.count(), tape.number(), tape.number(), tape.number());
    let power =
        non_inferiority_power(tape.number(), tape.count(), tape.count(), tape.number(), tape.number());
    finite(power);
    let counts = PassFail {
        true_pass: tape.count(),
        false_fail: tape.count(),
        true_fail: tape.count(),
        false_pass: tape.count(),
    };
    rates(&counts, &inference, tape);
}

fn lists(tape: &mut Tape) {
    const NAMES: [&str; 6] = ["a", "b", "c", "d", "", "é"];
    let names = |tape: &mut Tape| -> Vec<&str> {
        (0..tape.below(9)).map(|_| NAMES[tape.below(NAMES.len())]).collect()
    };
    let (ranked, graded, relevant) = (names(tape), names(tape), names(tape));
    let citations = Citations::new(ranked.clone(), graded.clone(), relevant);
    for found in [citations.precision(), citations.precision_of_retrieved(), citations.recall()] {
        finite(found.ok());
    }
    let grades: Vec<(&str, f64)> = graded.into_iter().map(|name| (name, tape.number())).collect();
    let Ok(ranking) = Ranking::new(ranked, grades) else { return };
    let k = if tape.byte() < 250 { tape.below(12) } else { usize::MAX };
    let from = tape.number();
    for unjudged in [Unjudged::Zero, Unjudged::Removed] {
        for found in [
            ranking.precision(k, from, unjudged),
            ranking.precision_over_returned(k, from, unjudged),
            ranking.ndcg(k, Gain::Linear, unjudged),
            ranking.ndcg(k, Gain::Exponential, unjudged),
            ranking.mean_relevance(k, unjudged),
            ranking.max_relevance(k, unjudged),
            ranking.recall(k, from),
            ranking.judged_share(k),
        ] {
            finite(found.ok());
        }
    }
}

fn tables(tape: &mut Tape) {
    let rows: Vec<Vec<u64>> =
        (0..tape.below(6)).map(|_| (0..tape.below(7)).map(|_| tape.count()).collect()).collect();
    let table = Confusion::from_rows(&rows);
    table.rows();
    let weights = tape.weights();
    if let Some(scale) = tape.scale()
        && let Ok(analysis) = KappaAnalysis::of_table(table, &scale, &weights)
    {
        finite(Some(analysis.kappa()));
        finite(Some(analysis.standard_error()));
        finite(Some(analysis.greatest_unweighted()));
    }
    let levels = |tape: &mut Tape| (0..tape.below(20)).map(|_| tape.byte() % 9).collect::<Vec<u8>>();
    let (a, b) = (levels(tape), levels(tape));
    Confusion::from_levels(tape.below(300), &a, &b);
}

fn tape() -> impl Strategy<Value = Tape> {
    prop::collection::vec(any::<u8>(), 0..700).prop_map(|bytes| Tape { bytes, at: 0 })
}

impl std::fmt::Debug for Tape {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}", self.bytes)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ratings_of_any_shape(mut tape in tape()) {
        let (inference, weights) = (tape.inference(), tape.weights());
        if let Some(ratings) = tape.ratings() {
            two_raters(&ratings.pair(0, 1), &weights, &inference, &mut tape);
            all_raters(&ratings, &weights, &inference, &mut tape);
            judges(&ratings, &weights, &inference, &mut tape);
        }
    }

    #[test]
    fn numbers_and_tables_of_any_size(mut tape in tape()) {
        numbers_alone(&mut tape);
        lists(&mut tape);
        tables(&mut tape);
    }

    #[test]
    fn text_that_claims_to_be_an_estimate(
        value in prop_oneof![Just("null".to_owned()), any::<f64>().prop_map(|value| value.to_string()), ".{0,6}"],
        low in any::<f64>(),
        high in any::<f64>(),
        level in any::<f64>(),
        reason in prop_oneof![Just(r#","undefined":"no_variation""#), Just("")],
        n in any::<i64>(),
    ) {
        let text = format!(
            r#"{{"value":{value}{reason},"n":{n},"missing":0,"interval":{{"low":{low},"high":{high},"level":{level},"method":"bca","unit":"item","clusters":3}},"flags":["clipped","clipped"]}}"#
        );
        if let Ok(estimate) = serde_json::from_str::<Estimate>(&text) {
            sound(&estimate);
        }
    }
}

/// Inputs that were found by the search above.
mod found {
    use super::*;

    #[test]
    fn infinite_replicates_are_undefined() {
        let distribution = BootstrapDistribution::new(
            0.0,
            vec![f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY],
            vec![0.0, 1.0],
        );
        assert!(distribution.bca(0.95).is_none() && distribution.standard_error().is_none());
        let distribution = BootstrapDistribution::new(f64::NAN, vec![0.0, 1.0], vec![0.0, f64::MAX]);
        assert!(distribution.basic(0.95).is_none() && distribution.jackknife_interval(0.95).is_none());
    }

    #[test]
    fn counts_do_not_overflow() {
        finite(Some(mcnemar(u64::MAX, u64::MAX).mid_p));
        let most = u64::MAX;
        let counts = PassFail { true_pass: most, false_fail: most, true_fail: most, false_pass: 1 };
        sound(&counts.true_pass_rate(0.95, ProportionInterval::Wilson));
        sound(&rogan_gladen(&counts, 3, most, &Inference::default()).estimate);
        let counts = PassFail { true_pass: 9, false_fail: 1, true_fail: 9, false_pass: 1 };
        sound(&rogan_gladen(&counts, most / 2, most, &Inference::default()).estimate);
        let table = Confusion::from_rows(&[vec![most, most], vec![1, most]]);
        assert_eq!((table.n(), table.equal()), (most, most));
    }

    #[test]
    fn one_level_of_very_many_items_leaves_no_room() {
        let table = Confusion::from_rows(&[vec![u64::MAX - 2, 0], vec![1, 1]]);
        let scale = Scale::nominal(2).ok();
        let analysis =
            scale.and_then(|scale| KappaAnalysis::of_table(table, &scale, &Weights::Unweighted).ok());
        finite(analysis.map(|analysis| analysis.greatest_unweighted()));
    }

    #[test]
    fn values_whose_squares_a_number_cannot_hold() {
        assert!(Scale::continuous(-1e60, 1.0, None).is_err() && Scale::ordinal([0.0, 1e60]).is_err());
        let values = [0.0, 1e-200, 2e-200, 0.0].map(Some);
        let pairs = Scale::continuous(0.0, 1.0, None)
            .ok()
            .and_then(|scale| Pairs::from_values(scale, &values, &values).ok());
        if let Some(pairs) = pairs {
            correlated(&pearson(&pairs, 0.95));
            finite(kappa_standard_error(&pairs, &Weights::quadratic(), Unit::Item));
        }
        let ranking = Ranking::new(["a", "b"], [("a", f64::MAX), ("b", f64::MAX)]);
        let mean = ranking.ok().map(|ranking| ranking.mean_relevance(2, Unjudged::Zero));
        assert_eq!(mean, Some(Err(Undefined::NotFinite)));
    }
}
