use crate::{ContentHash, FailureKind, Rubric, Scale, ScaleKind};
use agreement::ScaleError;
use sha2::{Digest, Sha256};
use std::sync::Arc;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// The key under which labels and verdicts of one item meet.
    pub(crate) fn item(&self, setting: u32, unit: &str) -> String {
        format!("{}{SEPARATOR}{unit}", self.conversation(setting))
    }

    /// Id of a conversation by position.
    #[must_use]
    pub fn conversation(&self, setting: u32) -> &str {
        self.settings.get(setting as usize).map_or("", |setting| &setting.conversation)
    }

    /// The cluster of a conversation by position.
    pub(crate) fn cluster(&self, setting: u32) -> &str {
        self.settings.get(setting as usize).map_or("", |setting| &setting.cluster)
    }

    /// SHA-256 over every label and verdict with the cluster and slices of its conversation, the rubric and `settings` (the rule, the
    /// method, the seed). Independent of the order in which they were read.
    #[must_use]
    pub fn hash(&self, rubric: &Rubric, settings: &str) -> ContentHash {
        let place = |setting: u32, unit: &str| {
            let text = |text: &Option<Arc<str>>| text.clone().unwrap_or_default();
            self.settings.get(setting as usize).map_or_else(String::new, |s| {
                format!(
                    "{}\t{}\t{}\t{}\t{}\t{}\t{unit}",
                    s.conversation,
                    s.cluster,
                    text(&s.category),
                    text(&s.corpus),
                    text(&s.system),
                    text(&s.language)
                )
            })
        };
        let mut rows: Vec<String> = Vec::with_capacity(self.labels.len() + self.verdicts.len());
        for reference in self.references.iter().flatten() {
            let place = place(reference.setting, &reference.unit);
            rows.push(format!("reference\t{place}\t{}\t{}", reference.criterion, reference.value));
        }
        for label in &self.labels {
            let place = place(label.setting, &label.unit);
            rows.push(format!("label\t{place}\t{}\t{}\t{}", label.criterion, label.annotator, label.value));
        }
        for label in &self.repeats {
            let place = place(label.setting, &label.unit);
            rows.push(format!("repeat\t{place}\t{}\t{}\t{}", label.criterion, label.annotator, label.value));
        }
        for (setting, period) in (0..).zip(&self.periods) {
            let period = period.as_deref().unwrap_or_default();
            rows.push(format!("period\t{}\t{period}", self.conversation(setting)));
        }
        for verdict in &self.verdicts {
            let place = place(verdict.setting, &verdict.unit);
            let outcome = match verdict.outcome {
                Ok(value) => value.to_string(),
                Err(kind) => kind.word().to_owned(),
            };
            rows.push(format!(
                "verdict\t{place}\t{}\t{}\t{}\t{}\t{outcome}",
                verdict.criterion, verdict.judge, verdict.fingerprint, verdict.repeat
            ));
        }
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
}

/// An item's key as (conversation, unit).
pub(crate) fn split_item(key: &str) -> (&str, &str) {
    key.split_once(SEPARATOR).unwrap_or((key, ""))
}

impl Scale {
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
