//! Each statistic of the cases, computed through the public interface.

use agreement::{
    Alignment, AltTestSettings, BootstrapDistribution, Chance, ChanceCorrected, Citations, Confusion,
    Estimate, Gain, IccForm, Inference, IntervalMethod, Judge, KappaAnalysis, Lambda, MeanSquares, Metric,
    Pairs, PassFail, ProportionInterval, Ranking, Ratings, Resampling, Studentised, Undefined, Unit,
    Unjudged, Weights, all_raters_agree, alt_test, benjamini_hochberg, benjamini_yekutieli, bias, bonferroni,
    chance_corrected, compare, fleiss_null_test, holm, icc, judgy_compatible, kappa, kappa_standard_error,
    kendall_tau_b, kendall_tau_c, krippendorff_alpha, mcnemar, mean_absolute_error, pairwise_agreement,
    pearson, permutation_test, prediction_powered_mean, proportion, rogan_gladen, root_mean_square_error,
    spearman,
};
use serde_json::Value;

use super::found::Found;
use super::input;
use super::student;

type Computed = Result<Found, String>;

pub(crate) fn compute(statistic: &str, case: &Value) -> Computed {
    match statistic {
        "cohen_kappa" => cohen_kappa(case),
        "cohen_kappa_clustered" => clustered(case),
        "krippendorff_alpha" => alpha(case),
        "krippendorff_alpha_gwet_se" => corrected(case, Chance::Krippendorff),
        "fleiss_kappa" => fleiss(case),
        "fleiss_kappa_missing" => corrected(case, Chance::Fleiss),
        "gwet_ac1" | "gwet_ac2" => corrected(case, Chance::Gwet),
        "brennan_prediger" => corrected(case, Chance::BrennanPrediger),
        "conger_kappa" => corrected(case, Chance::Conger),
        "percent_agreement" => percent_agreement(case),
        "icc" => intraclass(case),
        "correlation" => correlation(case),
        "proportion_ci" => proportion_interval(case),
        "tpr_tnr" => rates(case),
        "rogan_gladen" => corrected_rate(case),
        "ppi_mean" => powered_mean(case),
        "p_adjust" => adjusted(case),
        "compare_judges" => judges(case),
        "bootstrap_ci_from_replicates" => from_replicates(case),
        "exact_bootstrap_distribution" => all_resamples(case),
        "alt_test" => alternative_annotator(case),
        "retrieval_metrics" => retrieval(case),
        "cited_chunks" => cited(case),
        other => Err(format!("statistic `{other}`")),
    }
}

fn named_weights(case: &Value) -> &Value {
    case["params"].get("weights").or(case["input"].get("weights")).unwrap_or(&Value::Null)
}

/// `ci95` for a confidence of 0.95, `ci99.9` for one of 0.999.
fn prefix(confidence: f64) -> String {
    format!("ci{}", (confidence * 1000.0).round() / 10.0)
}

fn bounds(estimate: &Estimate) -> Option<(f64, f64)> {
    estimate.interval().map(|interval| (interval.low, interval.high))
}

fn cohen_kappa(case: &Value) -> Computed {
    let mut found = Found::default();
    if case["input"].get("table").is_some() {
        let mut rows: Vec<Vec<u64>> = input::list(case, "table")?
            .iter()
            .map(|row| row.as_array().into_iter().flatten().filter_map(Value::as_u64).collect())
            .collect();
        let default = Value::from((1..=rows.len()).collect::<Vec<_>>());
        let labels: Vec<&Value> = default.as_array().into_iter().flatten().collect();
        let scale = input::Categories::of(case, &labels)?.scale;
        // A scale has two levels at least.
        let levels = scale.levels().len().max(rows.len());
        rows.resize(levels, Vec::new());
        rows.iter_mut().for_each(|row| row.resize(levels, 0));
        let weights = input::weights(case, named_weights(case), &scale)?;
        match KappaAnalysis::of_table(Confusion::from_rows(&rows), &scale, &weights) {
            Ok(analysis) => describe(&mut found, case, &analysis),
            Err(reason) => found.undefined(reason),
        }
        return Ok(found);
    }
    let pairs = input::pairs(case)?;
    let weights = input::weights(case, named_weights(case), pairs.scale())?;
    match KappaAnalysis::of_pairs(&pairs, &weights) {
        Ok(analysis) => describe(&mut found, case, &analysis),
        Err(reason) => found.undefined(reason),
    }
    let estimate = kappa(&pairs, &weights, &Inference::analytic());
    found.flags(estimate.flags());
    found.count("n", estimate.n());
    found.count("missing", estimate.missing());
    Ok(found)
}

fn describe(found: &mut Found, case: &Value, analysis: &KappaAnalysis<'_>) {
    let (value, se, test) = (analysis.kappa(), analysis.standard_error(), analysis.null_test());
    let confidence = input::confidence(case);
    found.flags(analysis.flag().as_slice());
    found.number("kappa", value);
    found.number("value", value);
    found.number("se", se);
    found.number("se_null", test.se);
    found.number("z", test.z);
    found.number("p_two_sided", test.p);
    found.number("observed_weighted_agreement", analysis.observed_agreement());
    found.number("expected_weighted_agreement", analysis.expected_agreement());
    let z = critical(confidence);
    let fisher = case["params"].get("ci").and_then(Value::as_str).is_some_and(|name| name.contains("fisher"));
    let bounds = if fisher {
        let half = z * se / (1.0 - value * value);
        ((value.atanh() - half).tanh(), (value.atanh() + half).tanh())
    } else {
        (value - z * se, value + z * se)
    };
    found.bounds(&prefix(confidence), Some(bounds));
}

/// The normal critical value, read off a Wald interval of the crate.
fn critical(confidence: f64) -> f64 {
    let inference = Inference { confidence, ..Inference::analytic() }.with_interval(IntervalMethod::Wald);
    let mean = prediction_powered_mean(&[-1.0, 1.0], &[0.0, 0.0], &[0.0], Lambda::Fixed(0.0), &inference);
    // The standard error of −1 and 1 with divisor n is 1/√2.
    mean.interval().map_or(f64::NAN, |interval| interval.high * std::f64::consts::SQRT_2)
}

fn clustered(case: &Value) -> Computed {
    let pairs = input::pairs(case)?;
    let weights = input::weights(case, named_weights(case), pairs.scale())?;
    let mut found = Found::default();
    found.estimate("kappa", &kappa(&pairs, &weights, &Inference::analytic()));
    let groups = pairs.n_clusters() as f64;
    let clustered = kappa_standard_error(&pairs, &weights, Unit::Cluster);
    found.number("se_iid", kappa_standard_error(&pairs, &weights, Unit::Item));
    found.number("se_cluster_cr0", clustered);
    found.number("se_cluster_cr1", clustered.map(|se| se * (groups / (groups - 1.0)).sqrt()));
    found.count("n_clusters", pairs.n_clusters() as u64);
    Ok(found)
}

fn alpha(case: &Value) -> Computed {
    let metric = match case["params"].get("level").and_then(Value::as_str) {
        Some("nominal") => Metric::Nominal,
        Some("ordinal") => Metric::Ordinal,
        Some("interval") => Metric::Interval,
        Some("ratio") => Metric::Ratio,
        other => return Err(format!("level {other:?}")),
    };
    let mut found = Found::default();
    let estimate = krippendorff_alpha(&input::table(case)?, metric, &Inference::analytic());
    found.estimate("alpha", &estimate);
    found.number("value", estimate.value());
    Ok(found)
}

fn corrected(case: &Value, chance: Chance) -> Computed {
    let ratings = input::table(case)?;
    let weights = input::weights(case, named_weights(case), ratings.scale())?;
    let confidence = input::confidence(case);
    let inference = Inference { confidence, ..Inference::analytic() };
    let result = chance_corrected(&ratings, chance, &weights, &inference);
    let mut found = Found::default();
    found.estimate("value", &result.estimate);
    found.number("observed", result.observed);
    found.number("expected", result.expected);
    found.number("se", result.standard_error);
    found.bounds(&prefix(confidence), student_bounds(&result, confidence));
    // irrCAC prints the one-sided p for Brennan-Prediger, the two-sided one for the others.
    let p = if chance == Chance::BrennanPrediger { result.p_greater } else { result.p };
    found.number("p_value", p);
    Ok(found)
}

/// The bounds with the quantile of the reference in the place of the exact one; see [`student`].
fn student_bounds(result: &ChanceCorrected, confidence: f64) -> Option<(f64, f64)> {
    let (value, se, interval) =
        (result.estimate.value()?, result.standard_error?, result.estimate.interval()?);
    let exact = (value - interval.low) / se;
    let theirs = student::quantile((1.0 - confidence) / 2.0, interval.clusters as f64 - 1.0);
    let shift = se * (theirs - exact);
    let high = if interval.high < 1.0 { interval.high + shift } else { 1.0 };
    Some((interval.low - shift, high))
}

fn fleiss(case: &Value) -> Computed {
    let ratings = input::table(case)?;
    let confidence = input::confidence(case);
    let inference = Inference { confidence, ..Inference::analytic() };
    let result = chance_corrected(&ratings, Chance::Fleiss, &Weights::Unweighted, &inference);
    let mut found = Found::default();
    found.estimate("kappa", &result.estimate);
    found.number("value", result.estimate.value());
    found.number("observed", result.observed);
    found.number("expected", result.expected);
    found.number("se_gwet", result.standard_error);
    found.bounds(&format!("{}_t", prefix(confidence)), student_bounds(&result, confidence));
    if let Some(test) = fleiss_null_test(&ratings) {
        found.number("se_null_fleiss1979", test.se);
        found.number("z", test.z);
        found.number("p_two_sided", test.p);
    }
    Ok(found)
}

fn percent_agreement(case: &Value) -> Computed {
    let ratings = input::table(case)?;
    let tolerance = input::parameter(case, "tolerance", 0.0);
    let mut found = Found::default();
    found.estimate("all_raters_agree", &all_raters_agree(&ratings, tolerance, &Inference::analytic()));
    found.estimate("pairwise", &pairwise_agreement(&ratings, tolerance, &Inference::analytic()));
    Ok(found)
}

fn intraclass(case: &Value) -> Computed {
    let ratings = input::table(case)?;
    let confidence = input::confidence(case);
    let mut found = Found::default();
    let forms = [
        ("ICC(1,1)", IccForm::OneWaySingle),
        ("ICC(A,1)", IccForm::AgreementSingle),
        ("ICC(C,1)", IccForm::ConsistencySingle),
        ("ICC(1,k)", IccForm::OneWayAverage),
        ("ICC(A,k)", IccForm::AgreementAverage),
        ("ICC(C,k)", IccForm::ConsistencyAverage),
    ];
    for (name, form) in forms {
        let result = icc(&ratings, form, confidence);
        found.estimate(&format!("{name}.icc"), &result.estimate);
        match bounds(&result.estimate) {
            Some(bounds) => found.bounds(&format!("{name}.{}", prefix(confidence)), Some(bounds)),
            None => {
                found.number(format!("{name}.{}_lower", prefix(confidence)), None);
                found.number(format!("{name}.{}_upper", prefix(confidence)), None);
            }
        }
        found.number(format!("{name}.F"), result.f);
        found.number(format!("{name}.df1"), result.df1);
        found.number(format!("{name}.df2"), result.df2);
        found.number(format!("{name}.p"), result.p);
    }
    if let Some(squares) = MeanSquares::of(&ratings) {
        found.number("mean_squares.MSR", squares.rows);
        found.number("mean_squares.MSC", squares.columns);
        found.number("mean_squares.MSE", squares.error);
        found.number("mean_squares.MSW", squares.within);
    }
    Ok(found)
}

fn correlation(case: &Value) -> Computed {
    let pairs = input::pairs(case)?;
    let confidence = input::confidence(case);
    let mut found = Found::default();
    let (r, rho, tau) = (pearson(&pairs, confidence), spearman(&pairs), kendall_tau_b(&pairs));
    found.estimate("pearson", &r.estimate);
    found.number("pearson_p", r.p);
    found.bounds(&format!("pearson_{}", prefix(confidence)), bounds(&r.estimate));
    found.number("spearman", rho.estimate.value());
    found.number("spearman_p", rho.p);
    found.number("spearman_p_exact", rho.p_exact);
    found.number("kendall_tau_b", tau.estimate.value());
    found.number("kendall_tau_b_p_asymptotic", tau.p);
    found.number("kendall_tau_c", kendall_tau_c(&pairs).estimate.value());
    let inference = Inference::analytic();
    found.number("mae", mean_absolute_error(&pairs, &inference).value());
    found.number("rmse", root_mean_square_error(&pairs, &inference).value());
    found.number("mean_signed_difference_b_minus_a", bias(&pairs, &inference).value());
    Ok(found)
}

fn proportion_interval(case: &Value) -> Computed {
    let (successes, n) = (input::count(case, "successes")?, input::count(case, "n")?);
    let of = |interval| proportion(successes, n, input::confidence(case), interval, Undefined::NoLabels);
    let (wilson, exact) = (of(ProportionInterval::Wilson), of(ProportionInterval::ClopperPearson));
    let mut found = Found::default();
    found.estimate("estimate", &wilson);
    found.bounds("wilson", bounds(&wilson));
    found.bounds("clopper_pearson", bounds(&exact));
    Ok(found)
}

fn rates(case: &Value) -> Computed {
    let (human, judge) = (input::list(case, "human")?, input::list(case, "judge")?);
    let pairs = input::columns(case, &[human, judge])?.pair(0, 1);
    let threshold = input::parameter(case, "pass_threshold", f64::NAN);
    if threshold.is_nan() {
        return Err("no `pass_threshold`".to_owned());
    }
    let counts = PassFail::at(&pairs, threshold);
    let confidence = input::confidence(case);
    let mut found = Found::default();
    found.count("tp", counts.true_pass);
    found.count("fn", counts.false_fail);
    found.count("tn", counts.true_fail);
    found.count("fp", counts.false_pass);
    let tpr = counts.true_pass_rate(confidence, ProportionInterval::Wilson);
    let tnr = counts.true_fail_rate(confidence, ProportionInterval::Wilson);
    found.estimate("tpr", &tpr);
    found.estimate("tnr", &tnr);
    for (name, rate) in [("tpr_wilson", &tpr), ("tnr_wilson", &tnr)] {
        found.number(format!("{name}_lower"), bounds(rate).map(|bounds| bounds.0));
        found.number(format!("{name}_upper"), bounds(rate).map(|bounds| bounds.1));
    }
    Ok(found)
}

fn corrected_rate(case: &Value) -> Computed {
    let count = |name| input::count(case, name);
    let labelled = PassFail {
        true_pass: count("tp")?,
        false_fail: count("fn")?,
        true_fail: count("tn")?,
        false_pass: count("fp")?,
    };
    let (passed, n) = (count("unlabeled_pass")?, count("unlabeled_n")?);
    let confidence = input::confidence(case);
    let result = rogan_gladen(&labelled, passed, n, &Inference::default());
    let mut found = Found::default();
    found.estimate("corrected", &result.estimate);
    found.number("observed_pass_rate", result.observed);
    found.number("corrected_unclipped", result.unclipped);
    found.number("delta_method_se", result.standard_error);
    found.bounds(&format!("delta_{}", prefix(confidence)), result.delta_bounds(confidence));
    found.number("tpr", labelled.true_pass_rate(confidence, ProportionInterval::Wilson).value());
    found.number("tnr", labelled.true_fail_rate(confidence, ProportionInterval::Wilson).value());
    if let Some(judgy) = result.observed.and_then(|rate| judgy_compatible(&labelled, rate, confidence)) {
        found.bounds("judgy_exact_percentile", Some((judgy.low, judgy.high)));
        found.number("judgy_skipped_probability", judgy.skipped);
    }
    Ok(found)
}

fn powered_mean(case: &Value) -> Computed {
    let human = input::numbers(case, "labeled_human")?;
    let judge = input::numbers(case, "labeled_judge")?;
    let unlabelled = input::numbers(case, "unlabeled_judge")?;
    let confidence = input::confidence(case);
    let inference = Inference { confidence, ..Inference::analytic() };
    let mut found = Found::default();
    for (name, lambda) in
        [("lam1", Lambda::Fixed(1.0)), ("lam0", Lambda::Fixed(0.0)), ("tuned", Lambda::Tuned)]
    {
        let estimate = prediction_powered_mean(&human, &judge, &unlabelled, lambda, &inference);
        found.estimate(&format!("{name}.estimate"), &estimate);
        found.bounds(&format!("{name}.{}", prefix(confidence)), bounds(&estimate));
    }
    Ok(found)
}

fn adjusted(case: &Value) -> Computed {
    let p = input::numbers(case, "p")?;
    let mut found = Found::default();
    let methods = [
        ("holm", holm(&p)),
        ("bh", benjamini_hochberg(&p)),
        ("by", benjamini_yekutieli(&p)),
        ("bonferroni", bonferroni(&p)),
    ];
    for (name, adjusted) in methods {
        for (at, value) in adjusted.map_err(|problem| problem.to_string())?.into_iter().enumerate() {
            found.number(format!("{name}.{at}"), value);
        }
    }
    Ok(found)
}

fn judges(case: &Value) -> Computed {
    let given = [input::list(case, "human")?, input::list(case, "judge_a")?, input::list(case, "judge_b")?];
    let ratings = input::columns(case, &given)?;
    let mut found = Found::default();
    for name in ["unweighted", "linear", "quadratic"] {
        let weights = input::weights(case, &Value::from(name), ratings.scale())?;
        for (field, value) in compared(case, &ratings, &weights) {
            found.number(format!("{name}.{field}"), value);
        }
    }
    exact_agreement(&mut found, &ratings);
    Ok(found)
}

fn compared(case: &Value, ratings: &Ratings, weights: &Weights) -> Vec<(String, Option<f64>)> {
    let [human, a, b] = [0, 1, 2].map(|rater| ratings.column(rater));
    let inference = Inference { confidence: input::confidence(case), ..Inference::analytic() };
    let result = compare(ratings, &human, &a, &b, weights, &inference);
    let margin = input::parameter(case, "noninferiority_margin", 0.1);
    let test = result.non_inferiority_test(margin);
    let unit = inference.resampling.unit;
    let se_a = kappa_standard_error(&ratings.matched(&human, &a), weights, unit);
    let se_b = kappa_standard_error(&ratings.matched(&human, &b), weights, unit);
    let permutation = |studentised| {
        let (a, b) = (Judge::once(a.clone()), Judge::once(b.clone()));
        permutation_test(ratings, &human, &a, &b, weights, studentised, &Resampling::default())
            .filter(|permutation| permutation.exact)
    };
    let plain = permutation(Studentised::No);
    let bounds = bounds(&result.difference).unzip();
    let prefix = prefix(inference.confidence);
    let (lower, upper) = (format!("{prefix}_lower"), format!("{prefix}_upper"));
    let mut fields = vec![
        ("kappa_a", result.kappa_a),
        ("kappa_b", result.kappa_b),
        ("se_a", se_a),
        ("se_b", se_b),
        ("difference", result.difference.value()),
        ("se_difference_paired", result.standard_error),
        (&lower, bounds.0),
        (&upper, bounds.1),
        ("z", result.z),
        ("p_two_sided", result.p),
        ("noninferiority_margin", Some(margin)),
        ("noninferiority_z", test.map(|test| test.0)),
        ("noninferiority_p", test.map(|test| test.1)),
        ("se_difference_if_wrongly_unpaired", se_a.zip(se_b).map(|(a, b)| a.hypot(b))),
    ];
    if let Some(plain) = plain {
        fields.push(("exact_permutation_p_two_sided", Some(plain.p)));
        fields.push(("exact_permutation_p_greater", Some(plain.p_greater)));
    }
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn exact_agreement(found: &mut Found, ratings: &Ratings) {
    let mut table = [[0_u64; 2]; 2];
    for item in 0..ratings.n_items() {
        let values = [0, 1, 2].map(|rater| ratings.value(rater, item));
        if let [Some(human), Some(a), Some(b)] = values {
            let wrong = |value: f64| usize::from((value - human).abs() > agreement::SNAP);
            table[wrong(a)][wrong(b)] += 1;
        }
    }
    let n = table.iter().flatten().sum::<u64>() as f64;
    found.number("exact_agreement.pa_a", (table[0][0] + table[0][1]) as f64 / n);
    found.number("exact_agreement.pa_b", (table[0][0] + table[1][0]) as f64 / n);
    for (row, counts) in table.iter().enumerate() {
        for (column, count) in counts.iter().enumerate() {
            found.count(format!("exact_agreement.mcnemar_table.{row}.{column}"), *count);
        }
    }
    let test = mcnemar(table[0][1], table[1][0]);
    found.number("exact_agreement.mcnemar_midp", test.mid_p);
    found.number("exact_agreement.mcnemar_exact_p", test.exact);
    found.number("exact_agreement.mcnemar_chi2_p", test.asymptotic);
    found.number("exact_agreement.mcnemar_chi2_cc_p", test.corrected);
}

fn from_replicates(case: &Value) -> Computed {
    let pairs = input::pairs(case)?;
    let weights = input::weights(case, named_weights(case), pairs.scale())?;
    let replicates = list_of_numbers(input::list(case, "bootstrap_replicates")?);
    let theta = value_of(&pairs, &weights, None).ok_or("κ is undefined")?;
    let left_out =
        (0..pairs.n()).map(|item| value_of(&pairs, &weights, Some(item)).unwrap_or(f64::NAN)).collect();
    let distribution = BootstrapDistribution::new(theta, replicates, left_out);
    let confidence = input::confidence(case);
    let mut found = Found::default();
    found.number("theta_hat", theta);
    found.bounds("percentile", distribution.percentile(confidence));
    found.bounds("basic", distribution.basic(confidence));
    found.bounds("bca", distribution.bca(confidence));
    found.number("bca_z0", distribution.bias_correction());
    found.number("bootstrap_se", distribution.standard_error());
    found.number("undefined_share", distribution.undefined_share());
    if let Some(jackknife) = distribution.jackknife() {
        found.number("bca_acceleration", jackknife.acceleration);
        found.number("jackknife_se", jackknife.standard_error);
        found.number("jackknife_bias", jackknife.bias);
    }
    let pseudovalues = pseudovalue_bounds(&distribution, confidence, pairs.n());
    found.bounds(&format!("jackknife_pseudovalue_{}", prefix(confidence)), pseudovalues);
    Ok(found)
}

/// The bounds with the quantile of the reference in the place of the exact one; see [`student`].
fn pseudovalue_bounds(
    distribution: &BootstrapDistribution,
    confidence: f64,
    units: usize,
) -> Option<(f64, f64)> {
    let (low, high) = distribution.jackknife_interval(confidence)?;
    let theirs = student::quantile((1.0 - confidence) / 2.0, units as f64 - 1.0);
    let half = theirs * distribution.jackknife()?.standard_error;
    Some(((low + high) / 2.0 - half, (low + high) / 2.0 + half))
}

/// Numbers of a list; null is undefined.
fn list_of_numbers(list: &[Value]) -> Vec<f64> {
    list.iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect()
}

/// κ, of all items or without one.
fn value_of(pairs: &Pairs, weights: &Weights, without: Option<usize>) -> Option<f64> {
    let mut counts = vec![1; pairs.n()];
    if let Some(item) = without {
        counts[item] = 0;
    }
    resampled(pairs, weights, &counts)
}

/// κ of a resample that has each item so many times.
fn resampled(pairs: &Pairs, weights: &Weights, counts: &[u64]) -> Option<f64> {
    let levels = pairs.level_values().len();
    let mut rows = vec![vec![0; levels]; levels];
    for ((a, b), count) in pairs.a().iter().zip(pairs.b()).zip(counts) {
        rows[*a as usize][*b as usize] += count;
    }
    let analysis = KappaAnalysis::of_table(Confusion::from_rows(&rows), pairs.scale(), weights);
    analysis.ok().map(|analysis| analysis.kappa())
}

fn all_resamples(case: &Value) -> Computed {
    let pairs = input::pairs(case)?;
    let weights = input::weights(case, named_weights(case), pairs.scale())?;
    let n = pairs.n();
    if n > 12 {
        return Err(format!("all resamples of {n} items"));
    }
    let (mut defined, mut undefined) = (Vec::new(), 0.0);
    compositions(n, n, &mut vec![0; n], 0, &mut |counts| {
        let ways = multinomial(counts);
        match resampled(&pairs, &weights, counts) {
            Some(value) => defined.push((value, ways)),
            None => undefined += ways,
        }
    });
    defined.sort_by(|left: &(f64, f64), right| left.0.total_cmp(&right.0));
    let (all, kept) = ((n as f64).powi(n as i32), defined.iter().map(|value| value.1).sum::<f64>());
    let mean = defined.iter().map(|(value, ways)| value * ways).sum::<f64>() / kept;
    let spread = defined.iter().map(|(value, ways)| (value - mean).powi(2) * ways).sum::<f64>() / kept;
    let low = defined.iter().filter(|value| value.0 <= 1e-12).map(|value| value.1).sum::<f64>() / kept;
    let mut found = Found::default();
    found.number("n_resamples", all);
    found.number("undefined_resamples", undefined);
    found.number("undefined_share", undefined / all);
    found.number("mean_defined", mean);
    found.number("sd_defined_population", spread.sqrt());
    found.number("q2_5_defined", quantile(&defined, kept, 0.025));
    found.number("q97_5_defined", quantile(&defined, kept, 0.975));
    found.number("share_below_or_equal_zero", low);
    Ok(found)
}

/// All ways to give `left` draws to the items from `at` on.
fn compositions(n: usize, left: usize, counts: &mut Vec<u64>, at: usize, visit: &mut impl FnMut(&[u64])) {
    if at == n - 1 {
        counts[at] = left as u64;
        visit(counts);
        return;
    }
    for count in 0..=left {
        counts[at] = count as u64;
        compositions(n, left - count, counts, at + 1, visit);
    }
}

/// In how many orders these counts can be drawn.
fn multinomial(counts: &[u64]) -> f64 {
    let factorial = |n: u64| (1..=n).map(|k| k as f64).product::<f64>();
    factorial(counts.iter().sum()) / counts.iter().map(|count| factorial(*count)).product::<f64>()
}

/// The type-7 quantile of sorted values that occur so many times each.
fn quantile(values: &[(f64, f64)], all: f64, probability: f64) -> Option<f64> {
    let position = probability * (all - 1.0);
    let at = |rank: f64| {
        let mut before = 0.0;
        values
            .iter()
            .find(|(_, ways)| {
                before += ways;
                rank < before
            })
            .map(|value| value.0)
    };
    let (low, high) = (at(position.floor())?, at(position.ceil())?);
    Some(low + position.fract() * (high - low))
}

fn alternative_annotator(case: &Value) -> Computed {
    let humans = case["input"].get("humans").and_then(Value::as_object).ok_or("input without `humans`")?;
    let llm = case["input"].get("llm").and_then(Value::as_object).ok_or("input without `llm`")?;
    let labels: Vec<&Value> = humans
        .values()
        .filter_map(Value::as_object)
        .flat_map(|given| given.values())
        .chain(llm.values())
        .collect();
    let categories = input::Categories::of(case, &labels)?;
    let mut rows = Ratings::builder(categories.scale.clone());
    let mut push = |rater: &str, given: &serde_json::Map<String, Value>| -> Result<(), String> {
        for (item, label) in given {
            rows.push(rater, item, categories.value(label)?, None).map_err(|problem| problem.to_string())?;
        }
        Ok(())
    };
    // The judge is the first rater: annotators without a single label are no raters at all.
    push("judge", llm)?;
    for (name, given) in humans {
        push(&format!("annotator {name}"), given.as_object().ok_or("an annotator without labels")?)?;
    }
    let ratings = rows.build();
    let settings = AltTestSettings {
        alignment: match case["params"].get("scoring").and_then(Value::as_str) {
            Some("accuracy") | None => Alignment::Accuracy,
            Some("neg_rmse") => Alignment::NegativeRmse,
            Some(other) => return Err(format!("scoring `{other}`")),
        },
        epsilon: input::parameter(case, "epsilon", 0.2),
        q: input::parameter(case, "q_fdr", 0.05),
        least_items: input::parameter(case, "min_instances_per_human", 30.0) as usize,
        least_annotators: input::parameter(case, "min_humans_per_instance", 2.0) as usize,
    };
    let annotators: Vec<usize> = (1..ratings.raters().len()).collect();
    let result = alt_test(&ratings, &annotators, &ratings.column(0), &settings);
    let mut found = Found::default();
    found.estimate("winning_rate", &result.winning_rate);
    found.number("average_advantage_probability", result.advantage_probability.value());
    found.truth("passes", result.passes);
    for annotator in &result.annotators {
        let name = ratings.raters()[annotator.annotator].trim_start_matches("annotator ").to_owned();
        let field = |field: &str| format!("per_annotator.{name}.{field}");
        found.count(field("n"), annotator.n as u64);
        found.number(field("rho_llm"), annotator.advantage_of_judge);
        found.number(field("rho_human"), annotator.advantage_of_annotator);
        found.number(field("p"), annotator.p);
        found.truth(field("rejected_H0"), annotator.holds);
    }
    Ok(found)
}

fn retrieval(case: &Value) -> Computed {
    let ranked: Vec<&str> = input::list(case, "ranking")?.iter().filter_map(Value::as_str).collect();
    let grades: Vec<(&str, f64)> = case["input"]
        .get("qrels")
        .and_then(Value::as_object)
        .ok_or("input without `qrels`")?
        .iter()
        .filter_map(|(document, grade)| Some((document.as_str(), grade.as_f64()?)))
        .collect();
    let ranking = Ranking::new(ranked, grades).map_err(|problem| problem.to_string())?;
    let k = input::parameter(case, "k", ranking.returned() as f64) as usize;
    let from = input::parameter(case, "relevant_if_grade_at_least", 1.0);
    let mut found = Found::default();
    let fields = [
        ("ndcg_exponential_gain", ranking.ndcg(k, Gain::Exponential, Unjudged::Zero)),
        ("precision_at_k_fixed_k", ranking.precision(k, from, Unjudged::Zero)),
        ("precision_at_k_over_returned", ranking.precision_over_returned(k, from, Unjudged::Zero)),
        ("recall_at_k", ranking.recall(k, from)),
        ("mean_relevance_unjudged_as_zero", ranking.mean_relevance(k, Unjudged::Zero)),
        ("mean_relevance_judged_only", ranking.mean_relevance(k, Unjudged::Removed)),
        ("max_relevance", ranking.max_relevance(k, Unjudged::Zero)),
        ("judged_share_at_k", ranking.judged_share(k)),
    ];
    found.outcome("ndcg_linear_gain", ranking.ndcg(k, Gain::Linear, Unjudged::Zero));
    for (name, value) in fields {
        found.number(name, value.ok());
    }
    found.count("duplicates_removed", ranking.duplicates() as u64);
    Ok(found)
}

fn cited(case: &Value) -> Computed {
    let ids = |name: &str| -> Result<Vec<&str>, String> {
        Ok(input::list(case, name)?.iter().filter_map(Value::as_str).collect())
    };
    let citations = Citations::new(ids("cited")?, ids("context")?, ids("relevant")?);
    let mut found = Found::default();
    found.outcome("precision", citations.precision());
    found.number("precision_of_retrieved", citations.precision_of_retrieved().ok());
    found.number("recall", citations.recall().ok());
    found.count("cited_outside_context", citations.hallucinated() as u64);
    Ok(found)
}
