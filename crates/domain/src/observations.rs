use crate::{ContentHash, FailureKind, Level, LevelName, Rubric, Scale, ScaleKind};
use agreement::ScaleError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    sync::Arc,
};

/// What reports are computed from: the labels and verdicts of a project that whoever asks may see, with what is known of their
/// conversations. Texts are shared, since each occurs many times.
#[derive(Clone, Debug, Default)]
pub struct Observations {
    /// The conversations; labels and verdicts name them by position.
    pub settings: Vec<Setting>,
    /// What people said.
    pub labels: Vec<HumanValue>,
    /// What judges said.
    pub verdicts: Vec<JudgeValue>,
    /// References that stand whatever a rule would make of the labels: those of a frozen anchor set, or what was decided. Absent where a
    /// rule makes them.
    pub references: Option<Vec<HumanValue>>,
    /// What the same people said of the same items a second time.
    pub repeats: Vec<HumanValue>,
    /// When each conversation was labelled last, by position as in `settings`: `2026-11` or `2026-W48`. Empty where nobody asked.
    pub periods: Vec<Option<Arc<str>>>,
}

/// A conversation as reports know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Id in the source system.
    pub conversation: Arc<str>,
    /// What is resampled as one.
    pub cluster: Arc<str>,
    /// Slice for breakdowns.
    pub category: Option<Arc<str>>,
    /// The client or document base.
    pub corpus: Option<Arc<str>>,
    /// Which assistant answered.
    pub system: Option<Arc<str>>,
    /// Language of the question.
    pub language: Option<Arc<str>>,
}

/// One label that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanValue {
    /// Name of the annotator.
    pub annotator: Arc<str>,
    /// Position of the conversation in [`Observations::settings`].
    pub setting: u32,
    /// The unit in its text form.
    pub unit: Arc<str>,
    /// Id of the criterion.
    pub criterion: Arc<str>,
    /// The value.
    pub value: f64,
}

/// One verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeValue {
    /// The judge as reports name it: its name, or `NAME@VERSION` where it has several versions.
    pub judge: Arc<str>,
    /// Position of the conversation in [`Observations::settings`].
    pub setting: u32,
    /// The unit in its text form.
    pub unit: Arc<str>,
    /// Id of the criterion.
    pub criterion: Arc<str>,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// The value, or why there is none.
    pub outcome: Result<f64, FailureKind>,
    /// Hash of the judge version and the model version behind it.
    pub fingerprint: Arc<str>,
    /// Price in US dollars.
    pub cost_usd: Option<f64>,
    /// Time to the answer, in milliseconds.
    pub latency_ms: Option<f64>,
}

/// By what a report can be cut into slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SliceBy {
    /// `category` of the conversation.
    Category,
    /// `corpus` of the conversation.
    Corpus,
    /// `system` of the conversation.
    System,
    /// `language` of the conversation.
    Language,
    /// Each annotator against the others.
    Annotator,
}

impl SliceBy {
    /// All of them, as the command line lists them.
    pub const ALL: [SliceBy; 5] =
        [SliceBy::Category, SliceBy::Corpus, SliceBy::System, SliceBy::Language, SliceBy::Annotator];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            SliceBy::Category => "category",
            SliceBy::Corpus => "corpus",
            SliceBy::System => "system",
            SliceBy::Language => "language",
            SliceBy::Annotator => "annotator",
        }
    }

    /// The slice that a conversation is in; none for [`SliceBy::Annotator`], which cuts labels, not conversations.
    #[must_use]
    pub fn of(self, setting: &Setting) -> Option<&Arc<str>> {
        match self {
            SliceBy::Category => setting.category.as_ref(),
            SliceBy::Corpus => setting.corpus.as_ref(),
            SliceBy::System => setting.system.as_ref(),
            SliceBy::Language => setting.language.as_ref(),
            SliceBy::Annotator => None,
        }
    }
}

impl std::str::FromStr for SliceBy {
    type Err = String;

    fn from_str(text: &str) -> Result<SliceBy, String> {
        SliceBy::ALL.into_iter().find(|by| by.word() == text).ok_or_else(|| {
            format!(
                "`{text}` is nothing to slice by: expected category, corpus, system, language or annotator"
            )
        })
    }
}

/// Separates conversation and unit in the key of an item; no id has a control character.
const SEPARATOR: char = '\u{1f}';

impl Observations {
    /// Takes out every label, reference and verdict of these conversations.
    pub fn without_conversations(&mut self, conversations: &HashSet<String>) {
        let kept: Vec<bool> =
            self.settings.iter().map(|setting| !conversations.contains(&*setting.conversation)).collect();
        let stays = |setting: u32| kept.get(setting as usize).copied().unwrap_or(true);
        self.labels.retain(|label| stays(label.setting));
        self.verdicts.retain(|verdict| stays(verdict.setting));
        if let Some(references) = &mut self.references {
            references.retain(|reference| stays(reference.setting));
        }
    }

    /// The key under which labels and verdicts of one item meet.
    pub(crate) fn item(&self, setting: u32, unit: &str) -> String {
        format!("{}{SEPARATOR}{unit}", self.conversation(setting))
    }

    /// Id of a conversation by position.
    #[must_use]
    pub fn conversation(&self, setting: u32) -> &str {
        self.settings.get(setting as usize).map_or("", |setting| &setting.conversation)
    }

    /// Leaves what is said on these criteria.
    pub fn keep_criteria(&mut self, criteria: &[String]) {
        let is_kept = |criterion: &str| criteria.iter().any(|kept| kept == criterion);
        self.labels.retain(|label| is_kept(&label.criterion));
        self.verdicts.retain(|verdict| is_kept(&verdict.criterion));
        self.references.iter_mut().for_each(|all| all.retain(|reference| is_kept(&reference.criterion)));
    }

    /// The cluster of a conversation by position.
    pub(crate) fn cluster(&self, setting: u32) -> &str {
        self.settings.get(setting as usize).map_or("", |setting| &setting.cluster)
    }

    /// SHA-256 over every label and verdict with the cluster and slices of its conversation, the rubric and `settings` (the rule, the
    /// method, the seed). Independent of the order in which they were read.
    #[must_use]
    pub fn hash(&self, rubric: &Rubric, settings: &str) -> ContentHash {
        let mut rows: Vec<String> = self.rows().map(|(_, row)| row).collect();
        rows.sort_unstable();
        let mut hasher = Sha256::new();
        hasher.update(settings);
        hasher.update([0]);
        hasher.update(serde_json::to_vec(rubric).unwrap_or_default());
        for row in &rows {
            hasher.update([0]);
            hasher.update(row);
        }
        ContentHash::of_digest(&hasher.finalize())
    }

    /// SHA-256 of each part of what a report is computed from: the references, the labels, and the verdicts of each judge. Where a
    /// [`Observations::hash`] is another, these say what changed.
    #[must_use]
    pub fn hashes_by_part(&self) -> BTreeMap<String, ContentHash> {
        let mut parts: BTreeMap<Part<'_>, Vec<String>> = BTreeMap::new();
        for (part, row) in self.rows() {
            parts.entry(part).or_default().push(row);
        }
        let hashed = parts.into_iter().map(|(part, mut rows)| {
            rows.sort_unstable();
            (part.to_string(), ContentHash::of_bytes(rows.join("\0").as_bytes()))
        });
        hashed.collect()
    }

    /// Every reference, label and verdict with the cluster and slices of its conversation, and the part that it belongs to.
    fn rows(&self) -> impl Iterator<Item = (Part<'_>, String)> {
        let settings: Vec<String> = self.settings.iter().map(Setting::row).collect();
        let place = |setting: u32, unit: &str| match settings.get(setting as usize) {
            Some(setting) => [setting.as_str(), unit].concat(),
            None => String::new(),
        };
        let mut rows: Vec<(Part<'_>, String)> = Vec::with_capacity(self.labels.len() + self.verdicts.len());
        for reference in self.references.iter().flatten() {
            let place = place(reference.setting, &reference.unit);
            let row = format!("reference\t{place}\t{}\t{}", reference.criterion, reference.value);
            rows.push((Part::Named("references"), row));
        }
        for label in &self.labels {
            let place = place(label.setting, &label.unit);
            let row = format!("label\t{place}\t{}\t{}\t{}", label.criterion, label.annotator, label.value);
            rows.push((Part::Named("labels"), row));
        }
        for label in &self.repeats {
            let place = place(label.setting, &label.unit);
            let row = format!("repeat\t{place}\t{}\t{}\t{}", label.criterion, label.annotator, label.value);
            rows.push((Part::Named("repeats"), row));
        }
        for (setting, period) in (0..).zip(&self.periods) {
            let period = period.as_deref().unwrap_or_default();
            rows.push((Part::Named("periods"), format!("period\t{}\t{period}", self.conversation(setting))));
        }
        for verdict in &self.verdicts {
            let place = place(verdict.setting, &verdict.unit);
            let outcome = match verdict.outcome {
                Ok(value) => value.to_string(),
                Err(kind) => kind.word().to_owned(),
            };
            let row = format!(
                "verdict\t{place}\t{}\t{}\t{}\t{}\t{outcome}",
                verdict.criterion, verdict.judge, verdict.fingerprint, verdict.repeat
            );
            rows.push((Part::VerdictsOf(&verdict.judge), row));
        }
        rows.into_iter()
    }
}

impl Setting {
    /// What its rows begin with when they are hashed.
    fn row(&self) -> String {
        let text = |text: &Option<Arc<str>>| text.clone().unwrap_or_default();
        let (category, corpus) = (text(&self.category), text(&self.corpus));
        let (system, language) = (text(&self.system), text(&self.language));
        format!("{}\t{}\t{category}\t{corpus}\t{system}\t{language}\t", self.conversation, self.cluster)
    }
}

/// What is hashed by itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    Named(&'static str),
    VerdictsOf(&'a str),
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Named(name) => f.write_str(name),
            Part::VerdictsOf(judge) => write!(f, "verdicts of `{judge}`"),
        }
    }
}

/// An item's key as (conversation, unit).
pub(crate) fn split_item(key: &str) -> (&str, &str) {
    key.split_once(SEPARATOR).unwrap_or((key, ""))
}

/// A table of more levels by as many cannot be read.
const MOST_LEVELS_SHOWN: usize = 21;

impl Scale {
    /// Whether a table of its levels by its levels can be read.
    pub(crate) fn can_be_shown(&self) -> bool {
        let levels = self.for_agreement().map(|scale| scale.levels().len()).unwrap_or_default();
        (1..=MOST_LEVELS_SHOWN).contains(&levels)
    }

    /// The applicable levels as tables and charts write them, least first; a point of a grid is its number. Empty on a scale without
    /// levels, or with more than a table can show.
    #[must_use]
    pub fn level_names(&self) -> Vec<LevelName> {
        if !self.can_be_shown() {
            return Vec::new();
        }
        if self.kind != ScaleKind::Continuous {
            let named = |level: &Level| LevelName { value: level.value, name: level.name.clone() };
            return self.applicable().map(named).collect();
        }
        let grid = self.for_agreement().map(|scale| scale.levels().to_vec()).unwrap_or_default();
        grid.into_iter().map(|value| LevelName { value, name: format!("{value:.2}") }).collect()
    }

    /// The scale as the statistics know it: applicable levels only.
    ///
    /// # Errors
    /// [`ScaleError`] for a declaration that [`Rubric::check`] would have refused.
    pub fn for_agreement(&self) -> Result<agreement::Scale, ScaleError> {
        let values = || self.applicable().map(|level| level.value).collect::<Vec<f64>>();
        match self.kind {
            ScaleKind::Ordinal | ScaleKind::Binary => agreement::Scale::ordinal(values()),
            ScaleKind::Nominal => agreement::Scale::nominal_values(values()),
            ScaleKind::Continuous => {
                let (min, max) = self.bounds();
                agreement::Scale::continuous(min, max, self.step)
            }
        }
    }

    /// The coarser scale as the statistics know it, where one is declared.
    #[must_use]
    pub fn coarse_for_agreement(&self) -> Option<agreement::Scale> {
        let mut values = self.coarse.clone()?;
        values.sort_by(f64::total_cmp);
        values.dedup();
        if self.kind == ScaleKind::Nominal {
            agreement::Scale::nominal_values(values).ok()
        } else {
            agreement::Scale::ordinal(values).ok()
        }
    }
}
