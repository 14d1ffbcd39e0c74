//! From traces, labels and verdicts to figures.

use super::{
    CauseCount, Diagnosis, DiagnosisInput, FailedAt, FailedConversation, LABELS, MetricFigures, Paired,
    side::Side, stage::Known, tail::Tail,
};
use crate::{
    Component, Observations, SliceBy, Trace,
    metric::{Fault, Measured, ProjectMetric, Reading, Seen, Terms},
};
use agreement::{Estimate, Inference, Pairs, Scale, Undefined, arithmetic_mean, mean, spearman};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

/// Above so many clusters the interval is the analytic one: the bootstrap would give the same, and take its time.
const MOST_RESAMPLED: usize = 1_000;

impl Diagnosis {
    /// Computes every metric whose inputs the rubric has, and where each conversation fails first.
    #[must_use]
    pub fn of(input: &DiagnosisInput<'_>) -> Diagnosis {
        let DiagnosisInput { observations, choice, .. } = *input;
        let terms = Terms::new(input.rubric, choice.k as usize);
        let people = Side::people(observations, &terms, choice.reference.rule.from_labels());
        let judge = choice.judge.as_deref().map(|judge| (judge, Side::judge(observations, &terms, judge)));
        let traces = ranked(input, &terms);
        let conversations = Conversations::new(observations, &traces, choice.by);
        let (side, other) = match (&judge, choice.from_judge) {
            (Some((_, judge)), true) => (judge, Some((LABELS, &people))),
            (judge, _) => (&people, judge.as_ref().map(|(name, side)| (*name, side))),
        };
        let metrics = ProjectMetric::all(&terms);
        let own = columns(&metrics, &terms, &traces, side);
        let others = other.map(|(name, side)| (name, columns(&metrics, &terms, &traces, side)));
        let figures = metrics.iter().enumerate().map(|(at, metric)| {
            let column = &own[at];
            let paired = others.as_ref().map(|(name, columns)| (*name, &columns[at]));
            let fault = |setting: usize| {
                let trace = traces.get(setting)?;
                seen(&terms, trace, side, setting).iter().find_map(|seen| metric.fault(seen))
            };
            conversations.figures(metric, column, paired, choice.from_judge, &fault)
        });
        let mut diagnosis = Diagnosis {
            project: input.project.to_owned(),
            data_hash: input.data_hash.clone(),
            from: judge.as_ref().filter(|_| choice.from_judge).map_or(LABELS, |(name, _)| name).to_owned(),
            reference: choice.reference.clone(),
            ranked_by: choice.ranked_by.clone(),
            k: choice.k,
            conversations: traces.len() as u64,
            metrics: figures.collect(),
            failed_at: FailedAt::default(),
            failed_at_by: BTreeMap::new(),
            causes: Vec::new(),
            failures: Vec::new(),
        };
        diagnosis.find_failures(&terms, &conversations, side);
        diagnosis
    }

    fn find_failures(&mut self, terms: &Terms, conversations: &Conversations<'_>, side: &Side) {
        let mut causes = BTreeMap::new();
        for (setting, trace) in conversations.traces.iter().enumerate() {
            let votes = side.votes.get(setting).map(Vec::as_slice).unwrap_or_default();
            let cause = Known { terms, trace, votes }.cause();
            let judged = side.speaks_of(setting);
            let stage = cause.map(|cause| cause.stage());
            self.failed_at.count(stage, judged);
            for (by, slice) in conversations.slices(setting) {
                let of =
                    self.failed_at_by.entry(by.to_owned()).or_default().entry(slice.to_owned()).or_default();
                of.count(stage, judged);
            }
            if let Some(cause) = cause {
                *causes.entry(cause).or_insert(0) += 1;
                let conversation = conversations.name(setting).to_owned();
                self.failures.push(FailedConversation { conversation, stage: cause.stage(), cause });
            }
        }
        self.failures.sort_by_key(|failure| failure.cause);
        self.causes = causes
            .into_iter()
            .map(|(cause, count)| {
                let (pattern, look_at) = cause.in_words();
                let (pattern, look_at) = (pattern.to_owned(), look_at.to_owned());
                CauseCount { cause, stage: cause.stage(), count, pattern, look_at }
            })
            .collect();
        self.causes.sort_by_key(|cause| (cause.stage, std::cmp::Reverse(cause.count)));
    }
}

/// The traces, with the passages in the order of a judge's grades where that was asked for: the best first, those of equal grade as they
/// were retrieved, those without a grade last.
fn ranked<'a>(input: &DiagnosisInput<'a>, terms: &Terms) -> Cow<'a, [Trace]> {
    let (Some(judge), Some(relevance)) = (&input.choice.ranked_by, terms.relevance()) else {
        return Cow::Borrowed(input.traces);
    };
    let side = Side::judge(input.observations, terms, judge);
    let mut traces = input.traces.to_vec();
    for (setting, trace) in traces.iter_mut().enumerate() {
        let grade = |unit: &str| side.mean(setting, relevance, unit).unwrap_or(f64::NEG_INFINITY);
        if let Some(passages) = &mut trace.passages {
            passages.sort_by(|a, b| grade(b).total_cmp(&grade(a)));
        }
    }
    Cow::Owned(traces)
}

/// One metric of every conversation.
struct Column {
    values: Vec<Option<f64>>,
    undefined: BTreeMap<String, u64>,
    cells: BTreeMap<String, u64>,
    judged: u64,
    needed: u64,
}

/// One conversation as metrics see it, repeat by repeat.
fn seen<'a>(terms: &'a Terms, trace: &'a Trace, side: &'a Side, setting: usize) -> Vec<Seen<'a>> {
    let said = side.repeats.iter().map(|of| of.get(setting).map(Vec::as_slice).unwrap_or_default());
    said.map(|said| Seen::new(terms, trace, said)).collect()
}

/// Every metric of every conversation; over repeats it is the mean of those that have a value.
fn columns(metrics: &[ProjectMetric], terms: &Terms, traces: &[Trace], side: &Side) -> Vec<Column> {
    let empty = || Column {
        values: Vec::with_capacity(traces.len()),
        undefined: BTreeMap::new(),
        cells: BTreeMap::new(),
        judged: 0,
        needed: 0,
    };
    let mut columns: Vec<Column> = metrics.iter().map(|_| empty()).collect();
    for (setting, trace) in traces.iter().enumerate() {
        let seen = seen(terms, trace, side, setting);
        for (metric, column) in metrics.iter().zip(&mut columns) {
            column.add(&seen.iter().map(|seen| metric.measure(seen)).collect::<Vec<_>>());
        }
    }
    columns
}

impl Column {
    fn add(&mut self, repeats: &[Measured]) {
        let values: Vec<f64> = repeats.iter().filter_map(Measured::value).collect();
        self.values.push(arithmetic_mean(&values));
        for repeat in repeats {
            self.judged += u64::from(repeat.judged.0);
            self.needed += u64::from(repeat.judged.1);
        }
        let Some(first) = repeats.iter().find(|repeat| repeat.value().is_some()).or(repeats.first()) else {
            return;
        };
        if let Reading::Undefined(reason) = first.reading {
            *self.undefined.entry(word(reason)).or_default() += 1;
        }
        if let Some(cell) = first.cell {
            *self.cells.entry(cell.to_owned()).or_default() += 1;
        }
    }

    /// Conversations that the metric is about and that have no value.
    fn missing(&self) -> u64 {
        self.undefined.values().sum()
    }
}

/// A reason as reports write it.
fn word(reason: Undefined) -> String {
    serde_json::to_value(reason).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The conversations as figures need them.
struct Conversations<'a> {
    observations: &'a Observations,
    traces: &'a [Trace],
    by: Option<SliceBy>,
    clusters: Vec<u32>,
    inference: Inference,
}

impl<'a> Conversations<'a> {
    fn new(observations: &'a Observations, traces: &'a [Trace], by: Option<SliceBy>) -> Conversations<'a> {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut clusters = Vec::with_capacity(observations.settings.len());
        for (next, setting) in (0..).zip(&observations.settings) {
            clusters.push(*numbers.entry(&setting.cluster).or_insert(next));
        }
        let inference =
            if numbers.len() > MOST_RESAMPLED { Inference::analytic() } else { Inference::default() };
        Conversations { observations, traces, by, clusters, inference }
    }

    fn name(&self, setting: usize) -> &'a str {
        self.observations.settings.get(setting).map_or("", |setting| &setting.conversation)
    }

    /// The slices that a conversation is in: its paths, and what was asked for.
    fn slices(&self, setting: usize) -> Vec<(&'static str, &'a str)> {
        let mut slices = Vec::new();
        if let Some(trace) = self.traces.get(setting) {
            slices.extend(trace.passages.is_some().then_some(("path", "rag")));
            slices.extend(trace.tool_path.then_some(("path", "tool")));
        }
        if let (Some(by), Some(setting)) = (self.by, self.observations.settings.get(setting)) {
            slices.push((by.word(), by.of(setting).map_or("", |slice| slice)));
        }
        slices
    }

    fn mean(&self, values: &[Option<f64>], missing: u64) -> Estimate {
        let present = values.iter().zip(&self.clusters).filter(|(value, _)| value.is_some());
        let (mut values, clusters): (Vec<Option<f64>>, Vec<u32>) = present.unzip();
        values.extend((0..missing).map(|_| None));
        mean(&values, &clusters, &self.inference)
    }

    fn figures(
        &self,
        metric: &ProjectMetric,
        column: &Column,
        other: Option<(&str, &Column)>,
        from_judge: bool,
        fault: &dyn Fn(usize) -> Option<Fault>,
    ) -> MetricFigures {
        #[expect(clippy::cast_precision_loss, reason = "counts of labels are far below 2^53")]
        let judged_share = (column.needed > 0).then(|| column.judged as f64 / column.needed as f64);
        MetricFigures {
            id: metric.id.clone(),
            component: metric.component,
            name: metric.label(),
            formula: metric.metric.formula.to_owned(),
            edges: metric.metric.edges.to_owned(),
            better: metric.metric.better,
            estimate: self.mean(&column.values, column.missing()),
            judged_share,
            undefined: column.undefined.clone(),
            cells: column.cells.clone(),
            by: self.by_slice(metric, &column.values),
            paired: other.map(|(name, other)| self.paired(name, metric, column, other, from_judge)),
            tail: Tail::of(
                metric,
                &column.values,
                |values| self.mean(values, 0),
                |setting| self.name(setting),
                |setting| self.traces.get(setting).is_some_and(|trace| trace.multi_part),
                fault,
            ),
        }
    }

    fn by_slice(
        &self,
        metric: &ProjectMetric,
        values: &[Option<f64>],
    ) -> BTreeMap<String, BTreeMap<String, Estimate>> {
        let mut slices: BTreeMap<(&str, &str), Vec<Option<f64>>> = BTreeMap::new();
        for (setting, value) in values.iter().enumerate() {
            for slice in self.slices(setting) {
                let of = slices.entry(slice).or_insert_with(|| vec![None; values.len()]);
                of[setting] = *value;
            }
        }
        let mut by: BTreeMap<String, BTreeMap<String, Estimate>> = BTreeMap::new();
        for ((of, slice), values) in slices {
            if (of != "path" || metric.component == Component::Routing) && values.iter().any(Option::is_some)
            {
                by.entry(of.to_owned()).or_default().insert(slice.to_owned(), self.mean(&values, 0));
            }
        }
        by
    }

    fn paired(
        &self,
        name: &str,
        metric: &ProjectMetric,
        own: &Column,
        other: &Column,
        from_judge: bool,
    ) -> Paired {
        let both = || own.values.iter().zip(&other.values).map(|(own, other)| own.zip(*other));
        let others: Vec<Option<f64>> = both().map(|both| both.map(|(_, other)| other)).collect();
        let sign = if from_judge { -1.0 } else { 1.0 };
        let differences: Vec<Option<f64>> =
            both().map(|both| both.map(|(own, other)| sign * (other - own))).collect();
        Paired {
            judge: name.to_owned(),
            estimate: self.mean(&others, 0),
            difference: self.mean(&differences, 0),
            correlation: correlation(metric, &both().flatten().unzip()),
        }
    }
}

fn correlation(metric: &ProjectMetric, (own, other): &(Vec<f64>, Vec<f64>)) -> Estimate {
    let some = |values: &[f64]| values.iter().copied().map(Some).collect::<Vec<_>>();
    let pairs = Scale::continuous(metric.range.0, metric.range.1, None)
        .ok()
        .and_then(|scale| Pairs::from_values(scale, &some(own), &some(other)).ok());
    pairs.map_or_else(
        || Estimate::undefined_because(Undefined::ScaleMismatch, "a value is off the scale", 0, 0),
        |pairs| spearman(&pairs).estimate,
    )
}
