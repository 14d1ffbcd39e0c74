//! The case rule over all golden cases, and what came of it.

use super::{Checked, Checks};
use crate::{ContentHash, Conversation, Scale};
use agreement::Estimate;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use time::{Date, OffsetDateTime, format_description::well_known::Rfc3339, macros::format_description};

/// When a case passes: all its checks hold **and** every score of the judge on these criteria reaches its threshold. A score that is
/// missing or no value fails the case; of several repeats the lowest counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseRule {
    /// The judge whose scores count; none: the checks alone decide.
    pub judge: Option<String>,
    /// The least score that passes, by criterion.
    pub thresholds: BTreeMap<String, f64>,
}

impl CaseRule {
    /// The threshold of a criterion that names none itself: the pass level of its scale, else 4 on a scale from 1 to 5.
    #[must_use]
    pub fn default_threshold(scale: &Scale) -> Option<f64> {
        let four_of_five = || (scale.bounds() == (1.0, 5.0)).then_some(4.0);
        scale.relevant_from.or_else(four_of_five)
    }
}

/// What came of the golden cases of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// Name of the project.
    pub project: String,
    /// Hash of the cases, the scores and the rule.
    pub data_hash: ContentHash,
    /// The rule.
    #[serde(flatten)]
    pub rule: CaseRule,
    /// Each case, in order of import.
    pub cases: Vec<CaseOutcome>,
    /// All of them.
    pub totals: CaseTotals,
    /// By category, those asked for that have no case too; "" holds the cases without one.
    pub by_category: BTreeMap<String, CaseTotals>,
    /// Golden cases of which some trials pass and others do not.
    pub unstable: Vec<UnstableCase>,
    /// By check, the golden cases whose trials disagree on it.
    pub disagreements: BTreeMap<String, Vec<String>>,
    /// Cases whose expectations must be looked at again.
    pub expired: Vec<ExpiredCase>,
}

/// One trace of a golden case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseOutcome {
    /// Id of the conversation in the source system.
    pub conversation: String,
    /// The golden case that it is a trial of.
    pub case: Option<String>,
    /// Which trial.
    pub trial: Option<i64>,
    /// Its category.
    pub category: Option<String>,
    /// The deterministic checks.
    pub checks: Checks,
    /// The judge's score by criterion; null where it is missing or no value.
    pub scores: BTreeMap<String, Option<f64>>,
    /// Whether the rule is met.
    pub passed: bool,
    /// Why not, in sentences; empty where it passed.
    pub reason: String,
}

/// Cases counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseTotals {
    /// All.
    pub cases: u64,
    /// Those that passed.
    pub passed: u64,
    /// Those that did not.
    pub failed: u64,
    /// Share that passed, with its Wilson interval.
    pub pass_rate: Estimate,
    /// The conversations that did not pass.
    pub failed_ids: Vec<String>,
}

/// A golden case whose trials do not all come out alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnstableCase {
    /// The case.
    pub case: String,
    /// Trials that passed.
    pub passed: u64,
    /// Trials in all.
    pub trials: u64,
}

/// A case whose expectations are past their day, or name a day that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpiredCase {
    /// Id of the conversation in the source system.
    pub conversation: String,
    /// Who keeps the case true.
    pub owner: Option<String>,
    /// The day, as the case says it.
    pub expires: String,
}

/// What a check says as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckAnswer {
    /// Every case passed.
    Passed,
    /// A case failed.
    Failed,
    /// Nothing failed, but there was no case, or none in a category that was asked for.
    NothingToCheck,
}

/// The scores of one case by criterion: one for each repeat, `None` where it is no value.
pub type CaseScores = BTreeMap<String, Vec<Option<f64>>>;

impl CheckReport {
    /// Applies the rule to the conversations that are golden cases, in `categories` or in all where that is empty. `scores` gives the
    /// judge's scores by conversation; `now` tells which cases have expired.
    #[must_use]
    pub fn of(
        project: &str,
        conversations: &[(Conversation, ContentHash)],
        categories: &[String],
        rule: CaseRule,
        scores: &BTreeMap<String, CaseScores>,
        now: OffsetDateTime,
    ) -> CheckReport {
        let asked = |conversation: &Conversation| {
            categories.is_empty()
                || conversation.category.as_ref().is_some_and(|own| categories.contains(own))
        };
        let mut report = CheckReport {
            project: project.to_owned(),
            data_hash: data_hash(conversations, &rule, scores),
            rule,
            cases: Vec::new(),
            totals: CaseTotals::of(&[]),
            by_category: BTreeMap::new(),
            unstable: Vec::new(),
            disagreements: BTreeMap::new(),
            expired: Vec::new(),
        };
        for (conversation, _) in conversations.iter().filter(|(conversation, _)| asked(conversation)) {
            let Some(checked) = Checked::of(conversation) else { continue };
            report.expired.extend(expired(conversation, now.date()));
            report.cases.push(report.rule.outcome(conversation, checked, scores.get(&conversation.id)));
        }
        report.count(categories);
        report
    }

    /// Passed, failed, or nothing to say.
    #[must_use]
    pub fn answer(&self) -> CheckAnswer {
        if self.totals.failed > 0 {
            CheckAnswer::Failed
        } else if self.cases.is_empty() || self.by_category.values().any(|totals| totals.cases == 0) {
            CheckAnswer::NothingToCheck
        } else {
            CheckAnswer::Passed
        }
    }

    fn count(&mut self, categories: &[String]) {
        let all: Vec<&CaseOutcome> = self.cases.iter().collect();
        self.totals = CaseTotals::of(&all);
        let mut by_category: BTreeMap<&str, Vec<&CaseOutcome>> =
            categories.iter().map(|category| (category.as_str(), Vec::new())).collect();
        let mut trials: BTreeMap<&str, Vec<&CaseOutcome>> = BTreeMap::new();
        for outcome in &self.cases {
            by_category.entry(outcome.category.as_deref().unwrap_or_default()).or_default().push(outcome);
            if let Some(case) = &outcome.case {
                trials.entry(case).or_default().push(outcome);
            }
        }
        self.by_category =
            by_category.iter().map(|(name, of)| ((*name).to_owned(), CaseTotals::of(of))).collect();
        for (case, trials) in trials {
            let passed = trials.iter().filter(|trial| trial.passed).count();
            if passed > 0 && passed < trials.len() {
                let (passed, trials) = (passed as u64, trials.len() as u64);
                self.unstable.push(UnstableCase { case: case.to_owned(), passed, trials });
            }
            for (position, (check, _)) in Checks::default().named().into_iter().enumerate() {
                let outcomes: BTreeSet<Option<bool>> =
                    trials.iter().map(|trial| trial.checks.named()[position].1).collect();
                if outcomes.len() > 1 {
                    self.disagreements.entry(check.to_owned()).or_default().push(case.to_owned());
                }
            }
        }
    }
}

impl CaseRule {
    fn outcome(
        &self,
        conversation: &Conversation,
        checked: Checked,
        given: Option<&CaseScores>,
    ) -> CaseOutcome {
        let Checked { checks, mut reasons } = checked;
        let mut scores = BTreeMap::new();
        for (criterion, threshold) in &self.thresholds {
            let repeats = given.and_then(|given| given.get(criterion)).map(Vec::as_slice).unwrap_or_default();
            let score = lowest(repeats);
            match score {
                None if repeats.is_empty() => {
                    reasons.push(format!("the judge gave no verdict on {criterion}"))
                }
                None => reasons.push(format!("the judge's verdict on {criterion} is no value")),
                Some(score) if score < *threshold => {
                    reasons.push(format!("{criterion} is {score}, and {threshold} is needed"));
                }
                Some(_) => {}
            }
            scores.insert(criterion.clone(), score);
        }
        CaseOutcome {
            conversation: conversation.id.clone(),
            case: conversation.case.clone(),
            trial: conversation.trial,
            category: conversation.category.clone(),
            checks,
            scores,
            passed: reasons.is_empty(),
            reason: reasons.join("; "),
        }
    }
}

/// The lowest of the repeats; none where there is none, or one of them is no value.
fn lowest(repeats: &[Option<f64>]) -> Option<f64> {
    let scores: Vec<f64> = repeats.iter().copied().collect::<Option<_>>()?;
    scores.into_iter().reduce(f64::min)
}

impl CaseTotals {
    fn of(outcomes: &[&CaseOutcome]) -> CaseTotals {
        use agreement::{ProportionInterval::Wilson, Undefined::NoLabels, proportion};
        let failed_ids: Vec<String> = outcomes
            .iter()
            .filter(|outcome| !outcome.passed)
            .map(|outcome| outcome.conversation.clone())
            .collect();
        let (cases, failed) = (outcomes.len() as u64, failed_ids.len() as u64);
        let passed = cases - failed;
        CaseTotals {
            cases,
            passed,
            failed,
            pass_rate: proportion(passed, cases, 0.95, Wilson, NoLabels),
            failed_ids,
        }
    }
}

/// A case is good until the end of its day, which is a date or the date of an RFC 3339 time.
fn expired(conversation: &Conversation, today: Date) -> Option<ExpiredCase> {
    let expected = conversation.expected.as_ref()?;
    let expires = expected.expires.as_ref()?;
    let day = Date::parse(expires, format_description!("[year]-[month]-[day]"))
        .or_else(|_| OffsetDateTime::parse(expires, &Rfc3339).map(OffsetDateTime::date));
    day.map_or(true, |day| day < today).then(|| ExpiredCase {
        conversation: conversation.id.clone(),
        owner: expected.owner.clone(),
        expires: expires.clone(),
    })
}

fn data_hash(
    conversations: &[(Conversation, ContentHash)],
    rule: &CaseRule,
    scores: &BTreeMap<String, CaseScores>,
) -> ContentHash {
    let mut content: Vec<String> =
        conversations.iter().map(|(conversation, hash)| format!("{} {hash}", conversation.id)).collect();
    content.sort_unstable();
    ContentHash::of_bytes(format!("{rule:?}\n{}\n{scores:?}", content.join("\n")).as_bytes())
}
