//! What is asked of the API, as its addresses and bodies say it: written by the client of the command line, read by the server.

mod production;

pub(crate) use production::{InlineBody, ScoresBody, ScoresTaken, WatchParameters};

use domain::{AnchorSetName, ContrastChoice, ReferenceRule, RunPlan, RunScope, SliceBy, SliceNamed, Split};
use serde::{Deserialize, Serialize};
use service::{
    AgreementQuery, CheckQuery, ComparisonQuery, ContrastQuery, CriterionAsked, DiagnosisQuery, GateRequest,
    ReferenceChoice, ServiceError,
    import::{ImportRequest, Kind, Options, Turns},
};
use utoipa::{
    IntoParams, ToSchema,
    openapi::{Object, ObjectBuilder, schema::Type},
};

/// The project that is asked about.
#[derive(Debug, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct InProject {
    /// Name of the project
    pub(crate) project: String,
}

/// What an agreement report is of.
#[derive(Debug, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AgreementParameters {
    /// One criterion only
    criterion: Option<String>,
    /// Cut into slices
    #[param(schema_with = slices_with_annotators)]
    by: Option<String>,
}

/// What a comparison is of, beside the reference.
#[derive(Debug, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ComparisonParameters {
    /// One criterion only
    criterion: Option<String>,
    /// These judges only, separated by commas
    judges: Option<String>,
    /// The judge that the others are compared with
    incumbent: Option<String>,
    /// Cut into slices
    #[param(schema_with = slices)]
    by: Option<String>,
}

/// What a diagnosis is of, beside the reference.
#[derive(Debug, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DiagnosisParameters {
    /// Whose word the figures are: `labels`, or a judge
    from: Option<String>,
    /// The judge that stands beside the labels; the one with the most values where absent
    judge: Option<String>,
    /// Cut into slices
    #[param(schema_with = slices)]
    by: Option<String>,
    /// How many passages `@k` considers; 5 where absent
    #[param(minimum = 1)]
    k: Option<u32>,
    /// Order the passages by this judge's grades, and not as they were retrieved
    ranked_by: Option<String>,
}

/// Which golden cases are checked, and on what.
#[derive(Debug, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CheckParameters {
    /// These categories only, separated by commas
    category: Option<String>,
    /// The judge whose scores a case must reach too
    judge: Option<String>,
    /// Criteria that the judge scores, each with its least level or without, separated by commas: `correctness,faithfulness=5`
    criterion: Option<String>,
}

/// Whose failures the ledger lists.
#[derive(Debug, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FailureParameters {
    /// One judge only
    pub(crate) judge: Option<String>,
    /// One criterion only
    pub(crate) criterion: Option<String>,
}

/// Which items of a judge are asked for.
#[derive(Debug, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ContrastParameters {
    /// The judge
    judge: String,
    /// Id of the criterion
    criterion: String,
    /// The judge that it is held against
    against: Option<String>,
    /// `won`, `lost`, `even` or `unanswered`; all where absent
    outcome: Option<String>,
    /// Items of one slice: what it is cut by, `category`, `corpus`, `system` or `language`
    by: Option<String>,
    /// Which slice; those that do not say where absent
    value: Option<String>,
    /// At most so many items; 40 where absent, 500 at most
    #[param(minimum = 1, maximum = 500)]
    most: Option<usize>,
}

/// Items that are given where nobody says how many, and the most that are given.
const USUAL_ITEMS: usize = 40;
const MOST_ITEMS: usize = 500;

impl ContrastParameters {
    pub(crate) fn query(self, reference: ReferenceChoice) -> Result<ContrastQuery, ServiceError> {
        let ContrastParameters { judge, criterion, against, outcome, by, value, most } = self;
        let outcome = outcome.map(|outcome| outcome.parse()).transpose();
        let slice = slice(by)?.map(|by| SliceNamed { by, value: value.unwrap_or_default() });
        Ok(ContrastQuery {
            reference,
            choice: ContrastChoice { criterion, judge, against, slice },
            outcome: outcome.map_err(|reason: String| invalid("outcome", &reason))?,
            cell: None,
            most: most.unwrap_or(USUAL_ITEMS).min(MOST_ITEMS),
        })
    }
}

impl From<&ContrastQuery> for ContrastParameters {
    fn from(query: &ContrastQuery) -> ContrastParameters {
        let ContrastChoice { criterion, judge, against, slice } = query.choice.clone();
        ContrastParameters {
            judge,
            criterion,
            against,
            outcome: query.outcome.map(|outcome| outcome.word().to_owned()),
            by: slice.as_ref().map(|slice| slice.by.word().to_owned()),
            value: slice.map(|slice| slice.value),
            most: Some(query.most),
        }
    }
}

/// Where the human values come from: live labels, or a frozen anchor set.
#[derive(Debug, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReferenceParameters {
    /// How several labels become one; as the last built references where absent
    #[param(schema_with = rules)]
    rule: Option<ReferenceRule>,
    /// Whose labels, separated by commas; all where absent
    annotators: Option<String>,
    /// A frozen anchor set instead of live labels, as `NAME@VERSION`
    #[param(value_type = Option<String>)]
    anchor_set: Option<AnchorSetName>,
    /// The part of the anchor set; tune where absent. Each look at confirm is recorded
    #[param(schema_with = splits)]
    split: Option<Split>,
    /// Why confirm is opened, for the record
    why: Option<String>,
}

/// How a file is to be imported.
#[derive(Debug, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportParameters {
    /// Name of the project
    pub(crate) project: String,
    /// Name of the file: its ending says whether it is a table
    pub(crate) name: String,
    /// What wrote it, as `langfuse`, `csv` or `labels`; found out where absent
    from: Option<String>,
    /// Of another tool's file only the `conversations`, `labels` or `verdicts`
    only: Option<String>,
    /// What becomes of a record of many turns: `each` answered question is a conversation, or the `whole`
    turns: Option<String>,
    /// In which columns fields of ours stand, as a JSON object: `{"question": "Frage"}`
    columns: Option<String>,
    /// Remember the columns under this name; without columns, take those that were remembered
    mapping: Option<String>,
    /// Check everything, store nothing
    #[serde(default)]
    dry_run: bool,
    /// Take the good rows, and list the others in the report
    #[serde(default)]
    keep_going: bool,
}

impl ImportParameters {
    /// The parameters that ask for this.
    pub(crate) fn new(project: &str, name: String, request: &ImportRequest) -> ImportParameters {
        ImportParameters {
            project: project.to_owned(),
            name,
            from: request.from.map(|writer| writer.word().to_owned()),
            only: request.only.map(|kind| kind.word().to_owned()),
            turns: (request.turns == Turns::Whole).then(|| "whole".to_owned()),
            columns: serde_json::to_string(&request.columns).ok().filter(|_| !request.columns.is_empty()),
            mapping: request.mapping.clone(),
            dry_run: request.options.dry_run,
            keep_going: request.options.keep_going,
        }
    }

    /// What is asked for.
    pub(crate) fn request(&self) -> Result<ImportRequest, ServiceError> {
        let invalid = |field: &str, reason: String| ServiceError::Invalid { field: field.to_owned(), reason };
        let only = |word: &String| Kind::ALL.into_iter().find(|kind| kind.word() == word);
        let columns = self.columns.as_deref().map(serde_json::from_str).transpose();
        let from = self.from.as_deref().map(str::parse).transpose().map_err(|says| invalid("from", says))?;
        let turns =
            self.turns.as_deref().map(str::parse).transpose().map_err(|says| invalid("turns", says))?;
        Ok(ImportRequest {
            from,
            only: match &self.only {
                None => None,
                Some(word) => Some(only(word).ok_or_else(|| {
                    invalid(
                        "only",
                        format!(
                            "found {}, expected conversations, labels or verdicts",
                            domain::visible(word)
                        ),
                    )
                })?),
            },
            turns: turns.unwrap_or_default(),
            columns: columns
                .map_err(|error| invalid("columns", format!("expected a JSON object of texts ({error})")))?
                .unwrap_or_default(),
            mapping: self.mapping.clone(),
            options: Options { dry_run: self.dry_run, keep_going: self.keep_going },
        })
    }
}

/// What is asked of the gate.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GateBody {
    /// Name of the project
    pub(crate) project: String,
    /// The judge that would be promoted
    candidate: String,
    /// The judge in place; rules that need one are left out without it
    incumbent: Option<String>,
    /// The rules, in TOML; the latest policy that the project keeps where absent
    #[schema(example = "name = \"upgrade\"\n[rules]\nkappa_at_least = 0.4\n")]
    policy: Option<String>,
    /// How several labels become one; as the last built references where absent
    #[schema(schema_with = rules)]
    rule: Option<ReferenceRule>,
    /// Whose labels, separated by commas; all where absent
    annotators: Option<String>,
    /// A frozen anchor set instead of live labels, as `NAME@VERSION`
    #[schema(value_type = Option<String>, example = "gold@1")]
    anchor_set: Option<AnchorSetName>,
    /// The part of the anchor set; confirm where absent. Each look at confirm is recorded
    #[schema(schema_with = splits)]
    split: Option<Split>,
    /// Why confirm is opened, for the record
    why: Option<String>,
}

/// A run of a judge to begin.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunBody {
    /// Name of the project
    pub(crate) project: String,
    /// `NAME` (its latest version) or `NAME@VERSION`
    pub(crate) judge: String,
    /// The items of a frozen set, as `NAME@VERSION`; every conversation where absent
    #[schema(value_type = Option<String>, example = "gold@1")]
    anchor_set: Option<AnchorSetName>,
    /// One part of the set; both where absent
    #[schema(schema_with = splits)]
    split: Option<Split>,
    /// At most so many units
    #[schema(minimum = 1)]
    size: Option<u32>,
    /// Decides which units; 1 where absent
    seed: Option<u32>,
    /// How often each unit is asked about; once where absent
    #[schema(minimum = 1, maximum = 100)]
    repeats: Option<u32>,
    /// Pause before more is spent, in US dollars
    most_usd: Option<f64>,
    /// Pause before more tokens are spent
    most_tokens: Option<u64>,
}

impl ReferenceParameters {
    /// What was chosen; of an anchor set the `usual` split where none was named.
    pub(crate) fn choice(self, usual: Split) -> Result<ReferenceChoice, ServiceError> {
        let ReferenceParameters { rule, annotators, anchor_set, split, why } = self;
        match anchor_set {
            Some(_) if rule.is_some() || annotators.is_some() => {
                Err(invalid("anchor_set", "an anchor set has its references: leave rule and annotators out"))
            }
            Some(name) => Ok(ReferenceChoice::AnchorSet { name, split: split.unwrap_or(usual), why }),
            None if split.is_some() || why.is_some() => Err(invalid(
                "split",
                "live labels have no split: name an anchor set, or leave split and why out",
            )),
            None => Ok(ReferenceChoice::Labels { rule, annotators: listed(annotators.as_deref()) }),
        }
    }
}

impl From<&ReferenceChoice> for ReferenceParameters {
    fn from(choice: &ReferenceChoice) -> ReferenceParameters {
        match choice {
            ReferenceChoice::Labels { rule, annotators } => ReferenceParameters {
                rule: *rule,
                annotators: joined(annotators.iter().cloned()),
                ..ReferenceParameters::default()
            },
            ReferenceChoice::AnchorSet { name, split, why } => ReferenceParameters {
                anchor_set: Some(name.clone()),
                split: Some(*split),
                why: why.clone(),
                ..ReferenceParameters::default()
            },
        }
    }
}

impl AgreementParameters {
    pub(crate) fn query(self) -> Result<AgreementQuery, ServiceError> {
        Ok(AgreementQuery { criterion: self.criterion, by: slice(self.by)? })
    }
}

impl From<&AgreementQuery> for AgreementParameters {
    fn from(query: &AgreementQuery) -> AgreementParameters {
        AgreementParameters {
            criterion: query.criterion.clone(),
            by: query.by.map(|by| by.word().to_owned()),
        }
    }
}

impl ComparisonParameters {
    pub(crate) fn query(self, reference: ReferenceChoice) -> Result<ComparisonQuery, ServiceError> {
        let ComparisonParameters { criterion, judges, incumbent, by } = self;
        let judges = listed(judges.as_deref());
        Ok(ComparisonQuery { reference, criterion, judges, incumbent, by: slice(by)? })
    }
}

impl From<&ComparisonQuery> for ComparisonParameters {
    fn from(query: &ComparisonQuery) -> ComparisonParameters {
        let ComparisonQuery { criterion, judges, incumbent, by, .. } = query.clone();
        let by = by.map(|by| by.word().to_owned());
        ComparisonParameters { criterion, judges: joined(judges), incumbent, by }
    }
}

impl DiagnosisParameters {
    pub(crate) fn query(self, reference: ReferenceChoice) -> Result<DiagnosisQuery, ServiceError> {
        let usual = DiagnosisQuery::default();
        Ok(DiagnosisQuery {
            from: self.from.unwrap_or(usual.from),
            judge: self.judge,
            reference,
            by: slice(self.by)?,
            k: self.k.unwrap_or(usual.k),
            ranked_by: self.ranked_by,
        })
    }
}

impl From<&DiagnosisQuery> for DiagnosisParameters {
    fn from(query: &DiagnosisQuery) -> DiagnosisParameters {
        DiagnosisParameters {
            from: Some(query.from.clone()),
            judge: query.judge.clone(),
            by: query.by.map(|by| by.word().to_owned()),
            k: Some(query.k),
            ranked_by: query.ranked_by.clone(),
        }
    }
}

impl CheckParameters {
    pub(crate) fn query(self) -> CheckQuery {
        let criteria = listed(self.criterion.as_deref());
        let asked = |text: String| match text.split_once('=') {
            None => CriterionAsked { id: text, at_least: None },
            Some((id, level)) => CriterionAsked { id: id.to_owned(), at_least: Some(level.to_owned()) },
        };
        CheckQuery {
            categories: listed(self.category.as_deref()),
            judge: self.judge,
            criteria: criteria.into_iter().map(asked).collect(),
        }
    }
}

impl From<&CheckQuery> for CheckParameters {
    fn from(query: &CheckQuery) -> CheckParameters {
        let asked = query.criteria.iter().map(|asked| match &asked.at_least {
            None => asked.id.clone(),
            Some(level) => format!("{}={level}", asked.id),
        });
        CheckParameters {
            category: joined(query.categories.clone()),
            judge: query.judge.clone(),
            criterion: joined(asked),
        }
    }
}

impl GateBody {
    pub(crate) fn new(project: &str, request: GateRequest) -> GateBody {
        let ReferenceParameters { rule, annotators, anchor_set, split, why } = (&request.reference).into();
        GateBody {
            project: project.to_owned(),
            candidate: request.candidate,
            incumbent: request.incumbent,
            policy: request.policy,
            rule,
            annotators,
            anchor_set,
            split,
            why,
        }
    }

    pub(crate) fn request(self) -> Result<GateRequest, ServiceError> {
        let GateBody { project: _, candidate, incumbent, policy, rule, annotators, anchor_set, split, why } =
            self;
        let reference = ReferenceParameters { rule, annotators, anchor_set, split, why };
        Ok(GateRequest { candidate, incumbent, policy, reference: reference.choice(Split::Confirm)? })
    }
}

impl RunBody {
    pub(crate) fn plan(&self) -> Result<RunPlan, ServiceError> {
        let scope = match &self.anchor_set {
            Some(name) => RunScope::AnchorSet { name: name.clone(), split: self.split },
            None if self.split.is_some() => {
                return Err(invalid(
                    "split",
                    "all conversations have no split: name an anchor set, or leave it out",
                ));
            }
            None => RunScope::Project,
        };
        let usual = RunPlan::once(scope);
        Ok(RunPlan {
            size: self.size,
            seed: self.seed.unwrap_or(usual.seed),
            repeats: self.repeats.unwrap_or(usual.repeats),
            most_usd: self.most_usd,
            most_tokens: self.most_tokens,
            ..usual
        })
    }
}

fn invalid(field: &str, reason: &str) -> ServiceError {
    ServiceError::Invalid { field: field.to_owned(), reason: reason.to_owned() }
}

fn slice(by: Option<String>) -> Result<Option<SliceBy>, ServiceError> {
    by.map(|by| by.parse()).transpose().map_err(|reason: String| invalid("by", &reason))
}

fn listed(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn joined(names: impl IntoIterator<Item = String>) -> Option<String> {
    let names: Vec<String> = names.into_iter().collect();
    (!names.is_empty()).then(|| names.join(","))
}

fn one_of<const N: usize>(words: [&'static str; N]) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).build()
}

fn rules() -> Object {
    one_of(ReferenceRule::ALL.map(ReferenceRule::word))
}

fn splits() -> Object {
    one_of([Split::Tune, Split::Confirm].map(Split::word))
}

fn slices_with_annotators() -> Object {
    one_of(SliceBy::ALL.map(SliceBy::word))
}

fn slices() -> Object {
    one_of([SliceBy::Category, SliceBy::Corpus, SliceBy::System, SliceBy::Language].map(SliceBy::word))
}
