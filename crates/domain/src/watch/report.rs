use super::{
    Alert, AnchorPairs, Calibration, CorrectedRate, Day, DimensionSettings, Moved, Sums, WatchSettings,
    alert,
    series::{Series, WEEK},
};
use agreement::{Estimate, ProportionInterval, Undefined, proportion};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The sums of one dimension, corpus, system and judge, day by day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredSeries {
    /// Id of the criterion.
    pub dimension: String,
    /// The client or document base; empty where none was said.
    pub corpus: String,
    /// Which assistant or version answered; empty where none was said.
    pub system: String,
    /// Fingerprint of the judge.
    pub fingerprint: String,
    /// The sums of each day that has scores.
    pub days: Vec<(Day, Sums)>,
}

/// A judge that scores production.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoringJudge {
    /// What verdicts and calibrations of it carry.
    pub fingerprint: String,
    /// Its name.
    pub judge: String,
    /// Its version.
    pub version: String,
    /// The model that answers, by the provider's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_model: Option<String>,
}

/// What a report is computed from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchInput {
    /// The scores.
    pub series: Vec<ScoredSeries>,
    /// The judges that gave them.
    pub judges: Vec<ScoringJudge>,
    /// Calibrations of judges, in any order.
    pub calibrations: Vec<Calibration>,
    /// What people and judges said on anchor sets, by dimension and fingerprint.
    pub anchors: BTreeMap<(String, String), AnchorPairs>,
    /// What is to be told.
    pub settings: WatchSettings,
}

/// How production stands, and what happened to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchReport {
    /// The last day with a score; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Day>,
    /// How many false alarms a year without any change gives at most.
    pub false_alarms: f64,
    /// The level of the intervals that alarms ask, for so many lines and that number.
    pub level: f64,
    /// Each dimension, in the order of their names.
    pub dimensions: Vec<DimensionWatch>,
}

/// One dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DimensionWatch {
    /// Id of the criterion.
    pub dimension: String,
    /// What is told of it.
    pub settings: DimensionSettings,
    /// All scores; then those of each corpus, and of each system, where there are several.
    pub lines: Vec<SeriesWatch>,
    /// Where another judge, or another model behind it, began to score.
    pub events: Vec<ModelEvent>,
    /// The pass rate of the last week as people would see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<CorrectedRate>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncorrected: Option<String>,
}

/// Which scores of a dimension.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "by", content = "name", rename_all = "snake_case")]
pub enum Cut {
    /// All.
    All,
    /// Those of one corpus.
    Corpus(String),
    /// Those of one system.
    System(String),
}

/// One line through time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesWatch {
    /// Which scores.
    pub cut: Cut,
    /// The rolling mean of each day.
    pub points: Vec<RollingPoint>,
    /// The mean of the last week.
    pub week: Estimate,
    /// The mean of the week before.
    pub before: Estimate,
    /// The one minus the other, at the level of the alarms.
    pub change: Estimate,
    /// The share of the last week below the bound.
    pub tail: Estimate,
    /// The share of the week before.
    pub tail_before: Estimate,
    /// The falls, oldest first.
    pub alerts: Vec<Alert>,
    /// What the change of the last week is made of.
    pub moved: Moved,
}

/// A rolling mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollingPoint {
    /// The last of its seven days.
    pub day: Day,
    /// Scores in them.
    pub n: u64,
    /// Their mean.
    pub mean: f64,
    /// Least that the mean may be, at 95 %.
    pub low: Option<f64>,
    /// Greatest that the mean may be, at 95 %.
    pub high: Option<f64>,
}

/// The first day on which a judge scored that had not before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelEvent {
    /// The day.
    pub day: Day,
    /// The judge.
    pub judge: ScoringJudge,
}

impl ScoringJudge {
    /// `NAME@VERSION`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.judge, self.version)
    }

    /// The judge with the model behind it.
    #[must_use]
    pub fn in_words(&self) -> String {
        let name = crate::visible(&self.full_name());
        match &self.reported_model {
            Some(model) => format!("{name} ({})", crate::visible(model)),
            None => name,
        }
    }
}

impl WatchReport {
    /// How production stands at the end of `today`. Rolling means are listed from `from` on; falls are looked for in all days.
    #[must_use]
    pub fn of(input: &WatchInput, from: Day, today: Day) -> WatchReport {
        let dimensions: BTreeSet<&str> = input.series.iter().map(|part| part.dimension.as_str()).collect();
        let cuts: Vec<(&str, Vec<Cut>)> =
            dimensions.into_iter().map(|dimension| (dimension, cuts(input, dimension))).collect();
        let false_alarms = input.settings.false_alarms;
        let level = alert::level(false_alarms, cuts.iter().map(|(_, cuts)| cuts.len()).sum());
        let days = input.series.iter().flat_map(|part| part.days.iter().map(|(day, _)| *day));
        let Some(through) = days.filter(|day| *day <= today).max() else {
            return WatchReport { through: None, false_alarms, level, dimensions: Vec::new() };
        };
        let dimensions = cuts.into_iter().filter_map(|(dimension, cuts)| {
            let looked = Look { input, dimension, through, level, from };
            looked.dimension(&cuts)
        });
        WatchReport { through: Some(through), false_alarms, level, dimensions: dimensions.collect() }
    }

    /// The alarms that have been raised, with the dimension and the line that fell; within noise none is.
    pub fn alarms(&self) -> impl Iterator<Item = (&DimensionWatch, &SeriesWatch, &Alert)> {
        self.dimensions
            .iter()
            .flat_map(|dimension| {
                let lines = dimension.lines.iter();
                lines.flat_map(move |line| line.alerts.iter().map(move |alert| (dimension, line, alert)))
            })
            .filter(|(_, _, alert)| !alert.within_noise)
    }
}

/// What one look at a dimension needs.
#[derive(Clone, Copy)]
struct Look<'a> {
    input: &'a WatchInput,
    dimension: &'a str,
    through: Day,
    level: f64,
    from: Day,
}

impl Look<'_> {
    fn dimension(self, cuts: &[Cut]) -> Option<DimensionWatch> {
        let lines: Vec<SeriesWatch> = cuts.iter().filter_map(|cut| self.line(cut)).collect();
        if lines.is_empty() {
            return None;
        }
        let (corrected, uncorrected) = match self.corrected() {
            Ok(corrected) => (Some(corrected), None),
            Err(says) => (None, Some(says)),
        };
        Some(DimensionWatch {
            dimension: self.dimension.to_owned(),
            settings: self.input.settings.of(self.dimension),
            lines,
            events: self.events(),
            corrected,
            uncorrected,
        })
    }

    fn line(self, cut: &Cut) -> Option<SeriesWatch> {
        let Look { input, dimension, through, level, from } = self;
        let parts = input.series.iter().filter(|part| part.dimension == dimension && cut.holds(part));
        let parts = parts.filter_map(|part| {
            let judge = input.judges.iter().position(|judge| judge.fingerprint == part.fingerprint)?;
            Some((part, judge))
        });
        let series = Series::of(parts, through)?;
        let settings = input.settings.of(dimension);
        let tail = |last: Day| {
            let sums = series.whole_week(last);
            let below = sums.below(settings.bound);
            proportion(below, sums.count, 0.95, ProportionInterval::Wilson, Undefined::NTooSmall)
        };
        let mut calibrations: Vec<&Calibration> =
            input.calibrations.iter().filter(|found| found.dimension == dimension).collect();
        calibrations.sort_by_key(|found| found.at);
        let moved = |last: Day| Moved::of(&series, last, &input.judges, &calibrations);
        let mut alerts = Alert::all(&series, settings.fall, level);
        for alert in alerts.iter_mut().filter(|alert| !alert.within_noise) {
            alert.moved = Some(moved(alert.day));
        }
        Some(SeriesWatch {
            cut: cut.clone(),
            points: series.points(from),
            week: series.mean(through),
            before: series.mean(through - WEEK),
            change: series.change(through, level),
            tail: tail(through),
            tail_before: tail(through - WEEK),
            alerts,
            moved: moved(through),
        })
    }

    /// Where judges began to score, without those that were there from the first day.
    fn events(self) -> Vec<ModelEvent> {
        let mut began: BTreeMap<&str, Day> = BTreeMap::new();
        for part in self.input.series.iter().filter(|part| part.dimension == self.dimension) {
            let Some(first) = part.days.iter().map(|(day, _)| *day).min() else { continue };
            began.entry(&part.fingerprint).and_modify(|day| *day = first.min(*day)).or_insert(first);
        }
        let first = began.values().min().copied();
        let mut events: Vec<ModelEvent> = began
            .into_iter()
            .filter(|(_, day)| Some(*day) != first && *day <= self.through)
            .filter_map(|(fingerprint, day)| {
                let judge = self.input.judges.iter().find(|judge| judge.fingerprint == fingerprint)?;
                Some(ModelEvent { day, judge: judge.clone() })
            })
            .collect();
        events.sort_by_key(|event| event.day);
        events
    }

    /// The corrected pass rate of the judge that scored most in the last week, or why there is none.
    fn corrected(self) -> Result<CorrectedRate, String> {
        let mut of_judges: BTreeMap<&str, Sums> = BTreeMap::new();
        for part in self.input.series.iter().filter(|part| part.dimension == self.dimension) {
            for (day, sums) in &part.days {
                if *day <= self.through && *day > self.through - WEEK {
                    of_judges.entry(&part.fingerprint).or_default().add(sums);
                }
            }
        }
        let most = of_judges.into_iter().max_by_key(|(_, sums)| sums.count);
        let (fingerprint, sums) = most.ok_or("there is no score in the last week")?;
        if sums.decided == 0 {
            return Err("the scale has no pass level, so that nothing passes or fails".to_owned());
        }
        let judge = self.input.judges.iter().find(|judge| judge.fingerprint == fingerprint);
        let name = judge.map_or_else(|| fingerprint.to_owned(), ScoringJudge::full_name);
        let key = (self.dimension.to_owned(), fingerprint.to_owned());
        let anchor = self.input.anchors.get(&key).filter(|anchor| !anchor.passes.is_empty());
        match anchor {
            Some(anchor) => Ok(CorrectedRate::of(&name, &sums, anchor)),
            None => {
                Err(format!("no anchor set has verdicts of {} to count its errors on", crate::visible(&name)))
            }
        }
    }
}

impl Cut {
    fn holds(&self, part: &ScoredSeries) -> bool {
        match self {
            Cut::All => true,
            Cut::Corpus(name) => part.corpus == *name,
            Cut::System(name) => part.system == *name,
        }
    }

    /// Which scores, after the name of the dimension: nothing for all.
    #[must_use]
    pub fn in_words(&self) -> String {
        let named = |what: &str, name: &str| match name {
            "" => format!(" without a {what}"),
            name => format!(" in {what} {}", crate::visible(name)),
        };
        match self {
            Cut::All => String::new(),
            Cut::Corpus(name) => named("corpus", name),
            Cut::System(name) => named("system", name),
        }
    }
}

/// The lines of a dimension. A cut into one part is no cut.
fn cuts(input: &WatchInput, dimension: &str) -> Vec<Cut> {
    let parts = || input.series.iter().filter(|part| part.dimension == dimension);
    let several = |names: BTreeSet<&str>, cut: fn(String) -> Cut| {
        let names = if names.len() > 1 { names } else { BTreeSet::new() };
        names.into_iter().map(|name| cut(name.to_owned())).collect::<Vec<_>>()
    };
    let corpora = several(parts().map(|part| part.corpus.as_str()).collect(), Cut::Corpus);
    let systems = several(parts().map(|part| part.system.as_str()).collect(), Cut::System);
    std::iter::once(Cut::All).chain(corpora).chain(systems).collect()
}
