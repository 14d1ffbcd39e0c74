//! A promoted judge that is asked again about its anchor set: whether it still answers as it did when it was promoted.

use crate::{
    AnchorSource, Comparison, ComparisonChoice, CriterionComparison, JudgeFigures, JudgeValue, Observations,
    ReferenceSource, Rubric, RuleVerdict,
};
use agreement::{Estimate, Flag, Inference, NonInferiority, Undefined, mean, non_inferiority};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use time::OffsetDateTime;

/// What a judge may lose of its κ, as of a promotion.
const MARGIN: f64 = 0.05;

/// How far its mean may move, as a share of the range, as of a promotion; and how many more of its answers may change than its repeats do.
const MOST_MOVED: f64 = 0.05;

/// The share of items with a reference that it must answer.
const LEAST_COVERAGE: f64 = 0.95;

/// The judge as it was, and as it is, in the comparison of the two.
const THEN: &str = "then";
const NOW: &str = "now";

/// How a judge answers its anchor set now, beside how it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recalibration {
    /// Name of the project.
    pub project: String,
    /// Name of the judge.
    pub judge: String,
    /// Its version.
    pub version: String,
    /// The split of the frozen set that it was promoted on.
    pub anchor_set: AnchorSource,
    /// When it was asked again.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// The model that answered then, and the one that answers now, by the provider's word.
    pub models: Then<Option<String>>,
    /// The instrument that answered then, and the one that answers now; absent where several answered.
    pub fingerprints: Then<Option<String>>,
    /// The answer for all criteria together.
    pub verdict: Steadiness,
    /// Each criterion that it was promoted on.
    pub criteria: Vec<CriterionRecalibration>,
}

/// Something as it was and as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Then<T> {
    /// When the judge was promoted.
    pub then: T,
    /// Now.
    pub now: T,
}

/// Whether a judge still answers as it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Steadiness {
    /// It does, within what is allowed.
    Steady,
    /// It is shown that it does not.
    Drifted,
    /// The items are too few, or its answers too unsteady, to say.
    Unclear,
}

impl Steadiness {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Steadiness::Steady => "STEADY",
            Steadiness::Drifted => "DRIFTED",
            Steadiness::Unclear => "UNCLEAR",
        }
    }
}

/// One criterion of a judge that is asked again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriterionRecalibration {
    /// Id of the criterion.
    pub criterion: String,
    /// Quadratic κ against the references.
    pub kappa: Then<Estimate>,
    /// κ now minus κ then on the items answered both times, paired.
    pub kappa_change: Estimate,
    /// Mean of now minus then, as a share of the scale's range, on the items answered both times, paired.
    pub shift: Estimate,
    /// Share of the items whose first answer is another one now.
    pub changed: Estimate,
    /// Share of the items whose first two repeats are not equal: what changes by itself. Undefined where it was asked once.
    pub noise: Estimate,
    /// `changed` minus `noise` on the same items, paired.
    pub beyond_noise: Estimate,
    /// Share of the items with a reference that have a value now.
    pub coverage: Estimate,
    /// What was asked of these, and what came of it.
    pub checks: Vec<SteadinessCheck>,
}

/// One thing that is asked of a judge that shall be as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadinessCheck {
    /// What it is called.
    pub check: String,
    /// What came of it.
    pub verdict: RuleVerdict,
    /// The same in a sentence.
    pub says: String,
}

/// Who is asked again, about what.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalibrated {
    /// Name of the project.
    pub project: String,
    /// Name of the judge.
    pub judge: String,
    /// Its version.
    pub version: String,
    /// The split of the set.
    pub anchor_set: AnchorSource,
    /// When it was asked again.
    pub at: OffsetDateTime,
    /// The model that answered then, and the one that answers now.
    pub models: Then<Option<String>>,
}

impl Recalibration {
    /// Compares what a judge says now with what it said. `then` holds the references of the set and its verdicts of then; `now` its verdicts
    /// on the same conversations, by position as in `then`.
    #[must_use]
    pub fn of(
        asked: Recalibrated,
        rubric: &Rubric,
        source: ReferenceSource,
        mut then: Observations,
        mut now: Vec<JudgeValue>,
        criteria: &BTreeSet<String>,
    ) -> Recalibration {
        let fingerprints = Then { then: one_instrument(&then.verdicts), now: one_instrument(&now) };
        now.retain(|verdict| criteria.contains(&*verdict.criterion));
        then.verdicts.retain(|verdict| criteria.contains(&*verdict.criterion));
        then.verdicts.iter_mut().for_each(|verdict| verdict.judge = THEN.into());
        now.iter_mut().for_each(|verdict| verdict.judge = NOW.into());
        then.verdicts.extend(now);
        let choice = ComparisonChoice { incumbent: Some(THEN.to_owned()), ..ComparisonChoice::default() };
        let compared = Comparison::of(&asked.project, rubric, &then, source, &choice);
        let criteria: Vec<CriterionRecalibration> = criteria
            .iter()
            .map(|criterion| {
                let found = compared.criteria.iter().find(|found| found.id == *criterion);
                of_criterion(criterion, found, &then)
            })
            .collect();
        let Recalibrated { project, judge, version, anchor_set, at, models } = asked;
        let verdict = steadiness(&criteria);
        Recalibration { project, judge, version, anchor_set, at, models, fingerprints, verdict, criteria }
    }
}

/// Any check failed: drifted. Else any that cannot be read: unclear.
fn steadiness(criteria: &[CriterionRecalibration]) -> Steadiness {
    let mut verdicts = criteria.iter().flat_map(|found| &found.checks).map(|check| check.verdict);
    if verdicts.clone().any(|verdict| verdict == RuleVerdict::Fail) {
        Steadiness::Drifted
    } else if criteria.is_empty() || verdicts.any(|verdict| verdict != RuleVerdict::Pass) {
        Steadiness::Unclear
    } else {
        Steadiness::Steady
    }
}

fn one_instrument(verdicts: &[JudgeValue]) -> Option<String> {
    let valued = verdicts.iter().filter(|verdict| verdict.outcome.is_ok());
    let found: BTreeSet<&str> = valued.map(|verdict| &*verdict.fingerprint).collect();
    found.first().filter(|_| found.len() == 1).map(|one| (*one).to_owned())
}

fn of_criterion(
    criterion: &str,
    compared: Option<&CriterionComparison>,
    observations: &Observations,
) -> CriterionRecalibration {
    let nothing = || Estimate::undefined_because(Undefined::NoLabels, "the judge has no verdict there", 0, 0);
    let of = |name: &str| compared?.judges.iter().find(|figures| figures.judge == name);
    let kappa =
        |figures: Option<&JudgeFigures>| figures.map_or_else(nothing, |found| found.quadratic.clone());
    let delta = of(NOW).and_then(|now| now.delta.clone());
    let (kappa_change, shift) =
        delta.map_or_else(|| (nothing(), nothing()), |delta| (delta.quadratic, delta.mean_shift));
    let Changes { changed, noise, beyond_noise } = changes(criterion, observations);
    let coverage = of(NOW).map_or_else(nothing, |now| now.coverage.clone());
    let checks = vec![
        kappa_check(&kappa_change),
        moved_check("mean_shift", &shift, "the mean moved by", "of the range"),
        noise_check(&changed, &noise, &beyond_noise),
        coverage_check(&coverage),
    ];
    CriterionRecalibration {
        criterion: criterion.to_owned(),
        kappa: Then { then: kappa(of(THEN)), now: kappa(of(NOW)) },
        kappa_change,
        shift,
        changed,
        noise,
        beyond_noise,
        coverage,
        checks,
    }
}

/// Answers that are other ones now.
struct Changes {
    changed: Estimate,
    noise: Estimate,
    beyond_noise: Estimate,
}

/// The first answer of now beside the first of then; and the first two repeats of one time beside each other, of then where there are two,
/// else of now.
fn changes(criterion: &str, observations: &Observations) -> Changes {
    let mut items: Vec<(u32, String)> = Vec::new();
    let mut said: HashMap<(String, &str, u32), f64> = HashMap::new();
    for verdict in observations.verdicts.iter().filter(|verdict| *verdict.criterion == *criterion) {
        let Ok(value) = verdict.outcome else { continue };
        let item = observations.item(verdict.setting, &verdict.unit);
        if &*verdict.judge == NOW && verdict.repeat == 0 {
            items.push((verdict.setting, item.clone()));
        }
        said.insert((item, &verdict.judge, verdict.repeat), value);
    }
    items.sort();
    let answer =
        |item: &str, judge: &'static str, repeat| said.get(&(item.to_owned(), judge, repeat)).copied();
    let differ =
        |one: Option<f64>, other: Option<f64>| Some(f64::from(u8::from((one? - other?).abs() > 1e-9)));
    let clusters = clusters_of(&items, observations);
    let changed: Vec<Option<f64>> =
        items.iter().map(|(_, item)| differ(answer(item, THEN, 0), answer(item, NOW, 0))).collect();
    let repeated = |judge| {
        let of = |(_, item): &(u32, String)| differ(answer(item, judge, 0), answer(item, judge, 1));
        items.iter().map(of).collect::<Vec<Option<f64>>>()
    };
    let mut noise = repeated(THEN);
    if noise.iter().all(Option::is_none) {
        noise = repeated(NOW);
    }
    let beyond: Vec<Option<f64>> =
        changed.iter().zip(&noise).map(|(changed, noise)| Some((*changed)? - (*noise)?)).collect();
    let inference = Inference::default();
    Changes {
        changed: mean(&changed, &clusters, &inference),
        noise: if noise.iter().all(Option::is_none) {
            let says = "the judge was asked once, so that what changes by itself is not known";
            Estimate::undefined_because(Undefined::NoPairableUnits, says, 0, noise.len() as u64)
        } else {
            mean(&noise, &clusters, &inference)
        },
        beyond_noise: mean(&beyond, &clusters, &inference),
    }
}

/// A number for the cluster of each item.
fn clusters_of(items: &[(u32, String)], observations: &Observations) -> Vec<u32> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    items
        .iter()
        .map(|(setting, _)| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            let cluster = observations.settings.get(*setting as usize).map_or("", |setting| &setting.cluster);
            *numbers.entry(cluster).or_insert(next)
        })
        .collect()
}

fn check(name: &str, verdict: RuleVerdict, says: String) -> SteadinessCheck {
    SteadinessCheck { check: name.to_owned(), verdict, says }
}

fn kappa_check(change: &Estimate) -> SteadinessCheck {
    let name = "kappa_change";
    let Some(value) = change.value() else {
        return check(name, RuleVerdict::Undefined, undefined("the change of κ", change));
    };
    if change.flags().contains(&Flag::ZeroWidthInterval) {
        let verdict = if value > -MARGIN { RuleVerdict::Pass } else { RuleVerdict::Fail };
        return check(name, verdict, format!("κ changed by {value:+.3}, on every resample alike"));
    }
    let (verdict, says) = match non_inferiority(change, MARGIN) {
        NonInferiority::NonInferior => (RuleVerdict::Pass, "shown to be no worse"),
        NonInferiority::Inferior => (RuleVerdict::Fail, "shown to be worse"),
        NonInferiority::Inconclusive => (RuleVerdict::Inconclusive, "neither is shown"),
    };
    check(name, verdict, format!("κ changed by {}: {says}, at a margin of {MARGIN}", in_words(change)))
}

/// Passes where the whole interval lies within the bound, fails where the value does not and 0 is not in the interval.
fn moved_check(name: &str, found: &Estimate, what: &str, of: &str) -> SteadinessCheck {
    let Some(value) = found.value() else {
        return check(name, RuleVerdict::Undefined, undefined(what, found));
    };
    let bounds = match found.interval() {
        Some(interval) => Some((interval.low, interval.high)),
        None if found.flags().contains(&Flag::ZeroWidthInterval) => Some((value, value)),
        None => None,
    };
    let (verdict, says) = match bounds {
        None => (RuleVerdict::Undefined, "it has no interval"),
        Some((low, high)) if low >= -MOST_MOVED && high <= MOST_MOVED => {
            (RuleVerdict::Pass, "within what is allowed")
        }
        Some((low, high)) if value.abs() > MOST_MOVED && (low > 0.0 || high < 0.0) => {
            (RuleVerdict::Fail, "more than noise, and more than allowed")
        }
        Some((low, high)) if low <= 0.0 && high >= 0.0 => {
            (RuleVerdict::Inconclusive, "within noise, but noise reaches beyond what is allowed")
        }
        Some(_) => {
            (RuleVerdict::Inconclusive, "more than noise, but it is not shown that it is more than allowed")
        }
    };
    check(name, verdict, format!("{what} {} {of}, ±{MOST_MOVED} allowed: {says}", in_words(found)))
}

/// Answers may change as often as the judge's own repeats do. It fails where more do and is no reason against a judge where that is not known.
fn noise_check(changed: &Estimate, noise: &Estimate, beyond: &Estimate) -> SteadinessCheck {
    let name = "beyond_noise";
    let Some(share) = changed.value() else {
        return check(name, RuleVerdict::Undefined, undefined("the share of changed answers", changed));
    };
    let changed = format!("{:.1} % of the answers changed", 100.0 * share);
    let Some((noise, more)) = noise.value().zip(beyond.value()) else {
        return check(
            name,
            RuleVerdict::Pass,
            format!("{changed}; it was asked once each time, so that its noise is not known"),
        );
    };
    let is_shown = beyond.interval().map_or(more > 0.0, |interval| interval.low > 0.0);
    let verdict = if is_shown && more > MOST_MOVED { RuleVerdict::Fail } else { RuleVerdict::Pass };
    let says = if is_shown { "more than its noise" } else { "its noise" };
    check(name, verdict, format!("{changed}, {:.1} % change between its own repeats: {says}", 100.0 * noise))
}

fn coverage_check(coverage: &Estimate) -> SteadinessCheck {
    let name = "coverage";
    let Some(share) = coverage.value() else {
        return check(name, RuleVerdict::Undefined, undefined("coverage", coverage));
    };
    let verdict = if share >= LEAST_COVERAGE { RuleVerdict::Pass } else { RuleVerdict::Fail };
    check(
        name,
        verdict,
        format!(
            "it answers {:.1} % of the items, at least {:.0} % asked",
            100.0 * share,
            100.0 * LEAST_COVERAGE
        ),
    )
}

fn undefined(what: &str, found: &Estimate) -> String {
    format!("{what} is undefined: {}", found.says().unwrap_or("no reason given"))
}

fn in_words(found: &Estimate) -> String {
    let value = found.value().unwrap_or(f64::NAN);
    match found.interval() {
        Some(interval) => format!("{value:+.3} [{:+.3}, {:+.3}]", interval.low, interval.high),
        None => format!("{value:+.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContentHash, FailureKind, HumanValue, ReferenceRule, Setting, Split};
    use std::sync::Arc;
    use time::macros::datetime;

    const RUBRIC: &str = r#"
        name = "shop"
        version = 1
        [[scale]]
        id = "five"
        kind = "ordinal"
        levels = [{ value = 1, name = "1" }, { value = 2, name = "2" }, { value = 3, name = "3" }, { value = 4, name = "4" },
                  { value = 5, name = "5" }]
        [[criterion]]
        id = "helpful"
        component = "generation"
        unit = "conversation"
        scale = "five"
        question = "Does it help?"
    "#;

    const ITEMS: u32 = 200;

    fn truth(item: u32) -> f64 {
        f64::from(1 + (item * 7 + item / 3) % 4)
    }

    fn verdict(item: u32, repeat: u32, value: f64, fingerprint: &str) -> JudgeValue {
        JudgeValue {
            judge: "strict".into(),
            setting: item,
            unit: "conversation".into(),
            criterion: "helpful".into(),
            repeat,
            outcome: Ok(value),
            fingerprint: fingerprint.into(),
            cost_usd: None,
            latency_ms: None,
        }
    }

    /// The judge of then: right but on every tenth item, twice, with so many answers that differ in the second repeat.
    fn then(unsteady: u32) -> Vec<JudgeValue> {
        let said = |item: u32| if item % 10 == 3 { truth(item) + 1.0 } else { truth(item) };
        let second = |item: u32| {
            if unsteady > 0 && item % unsteady == 1 { said(item) % 5.0 + 1.0 } else { said(item) }
        };
        let answers = |item| [verdict(item, 0, said(item), "a"), verdict(item, 1, second(item), "a")];
        (0..ITEMS).flat_map(answers).collect()
    }

    fn recalibrated(then: Vec<JudgeValue>, now: Vec<JudgeValue>) -> Recalibration {
        let setting = |item: u32| Setting {
            conversation: format!("c{item}").into(),
            cluster: format!("c{item}").into(),
            category: None,
            corpus: None,
            system: None,
            language: None,
        };
        let human = |annotator: &str, item: u32| HumanValue {
            annotator: annotator.into(),
            setting: item,
            unit: "conversation".into(),
            criterion: "helpful".into(),
            value: truth(item),
        };
        let observations = Observations {
            settings: (0..ITEMS).map(setting).collect(),
            labels: (0..ITEMS).flat_map(|item| [human("ada", item), human("ben", item)]).collect(),
            references: Some((0..ITEMS).map(|item| human("", item)).collect()),
            verdicts: then,
            ..Observations::default()
        };
        let anchor_set = AnchorSource {
            name: "gold".to_owned(),
            version: 1,
            hash: ContentHash::of_bytes(b"gold"),
            split: Split::Confirm,
        };
        let source = ReferenceSource {
            rule: ReferenceRule::Median,
            annotators: vec!["ada".to_owned(), "ben".to_owned()],
            anchor_set: Some(anchor_set.clone()),
        };
        let asked = Recalibrated {
            project: "shop".to_owned(),
            judge: "strict".to_owned(),
            version: "1".to_owned(),
            anchor_set,
            at: datetime!(2026-12-03 08:00 UTC),
            models: Then { then: None, now: None },
        };
        let rubric = Rubric::from_toml(RUBRIC).unwrap();
        Recalibration::of(asked, &rubric, source, observations, now, &BTreeSet::from(["helpful".to_owned()]))
    }

    fn only(found: &Recalibration) -> &CriterionRecalibration {
        found.criteria.first().unwrap()
    }

    #[test]
    fn a_judge_that_says_the_same_is_steady() {
        let found = recalibrated(then(0), then(0));
        assert_eq!(found.verdict, Steadiness::Steady, "{:?}", only(&found).checks);
        assert_eq!(only(&found).changed.value(), Some(0.0));
        assert_eq!(found.fingerprints, Then { then: Some("a".to_owned()), now: Some("a".to_owned()) });
    }

    #[test]
    fn noise_of_its_own_size_is_no_drift() {
        let mut now = then(12);
        // Other items flip than between its own repeats, as many.
        for verdict in &mut now {
            if verdict.repeat == 0 && verdict.setting % 12 == 7 {
                verdict.outcome =
                    verdict.outcome.map(|value| if value > 2.0 { value - 1.0 } else { value + 1.0 });
            }
        }
        let found = recalibrated(then(12), now);
        let beyond = only(&found).beyond_noise.value().unwrap();
        assert!(beyond.abs() < 0.02, "{beyond}");
        let check = only(&found).checks.iter().find(|check| check.check == "beyond_noise").unwrap();
        assert_eq!(check.verdict, RuleVerdict::Pass, "{check:?}");
        assert_ne!(found.verdict, Steadiness::Drifted, "{:?}", only(&found).checks);
    }

    #[test]
    fn a_judge_that_became_lenient_has_drifted() {
        let mut now = then(0);
        for verdict in &mut now {
            verdict.fingerprint = Arc::from("b");
            if verdict.setting % 2 == 0 {
                verdict.outcome = verdict.outcome.map(|value| (value + 1.0).min(5.0));
            }
        }
        let found = recalibrated(then(0), now);
        assert_eq!(found.verdict, Steadiness::Drifted);
        let shift = only(&found).shift.value().unwrap();
        assert!((shift - 0.125).abs() < 0.01, "half of the items by one of four steps: {shift}");
        let failed: Vec<&str> = only(&found)
            .checks
            .iter()
            .filter(|check| check.verdict == RuleVerdict::Fail)
            .map(|check| check.check.as_str())
            .collect();
        assert!(failed.contains(&"mean_shift") && failed.contains(&"beyond_noise"), "{failed:?}");
        assert_eq!(found.fingerprints.now.as_deref(), Some("b"));
    }

    #[test]
    fn a_judge_that_fails_or_says_nothing_is_not_called_steady() {
        let mut failing = then(0);
        for verdict in failing.iter_mut().filter(|verdict| verdict.setting % 5 == 0) {
            verdict.outcome = Err(FailureKind::Refused);
        }
        assert_eq!(recalibrated(then(0), failing).verdict, Steadiness::Drifted);
        assert_eq!(recalibrated(then(0), Vec::new()).verdict, Steadiness::Unclear);
        assert_eq!(recalibrated(Vec::new(), then(0)).verdict, Steadiness::Unclear);
    }
}
