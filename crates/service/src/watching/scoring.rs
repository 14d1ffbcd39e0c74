//! Scores of production as they come in.

use crate::{ProjectId, Service, ServiceError};
use domain::{Rubric, ScaleKind, ScaleShare, ScoringJudge, fingerprint, hash_of, visible};
use std::collections::HashMap;
use store::{NewScore, ScoresStored};
use time::{Duration, OffsetDateTime};

/// Most scores that are taken at once.
pub const MOST_SCORES: usize = 500;

/// The longest names and keys, in characters.
const LONGEST_NAME: usize = 200;

/// The longest id of a conversation, in characters.
const LONGEST_ID: usize = 512;

/// The longest excerpt, in characters.
const LONGEST_EXCERPT: usize = 2_000;

/// How old a score may be when it comes.
const OLDEST: Duration = Duration::days(731);

/// How far clocks may differ.
const CLOCKS: Duration = Duration::hours(1);

/// A score that a program sends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreRequest {
    /// Names the score, so that what is sent twice is stored once.
    pub key: String,
    /// Id of the criterion.
    pub dimension: String,
    /// On the scale of the criterion.
    pub value: f64,
    /// The judge, `NAME@VERSION`; may be left out where a fingerprint of this project is given.
    pub judge: Option<String>,
    /// The model that answered, by the provider's word.
    pub reported_model: Option<String>,
    /// The fingerprint that its verdicts have in this project.
    pub fingerprint: Option<String>,
    /// The client or document base.
    pub corpus: Option<String>,
    /// Which assistant or version answered.
    pub system: Option<String>,
    /// When it was given; now where absent.
    pub at: Option<OffsetDateTime>,
    /// Id of the conversation in the source system.
    pub conversation: Option<String>,
    /// What to show of it.
    pub text: Option<String>,
}

/// What is wrong with a field.
type Wrong = (&'static str, String);

impl Service {
    /// Takes scores of production, all or none. What is there already under its key is not stored again.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] names the score and the field; [`ServiceError::Conflict`] where another score stands under a key.
    pub async fn add_scores(
        &self,
        project: ProjectId,
        scores: &[ScoreRequest],
    ) -> Result<ScoresStored, ServiceError> {
        if scores.is_empty() || scores.len() > MOST_SCORES {
            let reason = format!("found {} scores, expected 1 to {MOST_SCORES} at once", scores.len());
            return Err(ServiceError::Invalid { field: "scores".to_owned(), reason });
        }
        let rubric = self.rubric_version(project).await?.rubric;
        let mut judges = Judges::load(self, project).await?;
        let mut new = Vec::with_capacity(scores.len());
        for (at, score) in scores.iter().enumerate() {
            let wrong = |(field, reason): Wrong| ServiceError::Invalid {
                field: if scores.len() == 1 { field.to_owned() } else { format!("scores[{at}].{field}") },
                reason,
            };
            let judge = judges.of(score).await.map_err(|error| match error {
                JudgeError::Wrong(of_field) => wrong(of_field),
                JudgeError::Service(error) => error,
            })?;
            new.push(checked(score, &rubric, judge, &judges.thresholds, self.now()).map_err(wrong)?);
        }
        let texts = new.iter().flat_map(|score| {
            [score.excerpt.clone(), Some(score.corpus.clone()), Some(score.system.clone())]
        });
        let mut clean = self.redacted(project, texts.collect()).await?.into_iter();
        for score in &mut new {
            let mut next = || clean.next().flatten();
            score.excerpt = next();
            score.corpus = next().unwrap_or_default();
            score.system = next().unwrap_or_default();
        }
        Ok(self.store.add_scores(project, &new, self.now()).await?)
    }
}

/// What a score says of its judge: the fingerprint, the name, and the model that answered.
type Said = (Option<String>, Option<String>, Option<String>);

/// Who can have scored.
struct Judges<'a> {
    service: &'a Service,
    project: ProjectId,
    /// What answered in this project: verdicts of files, of runs, and earlier scores.
    known: Vec<ScoringJudge>,
    /// Judge versions of this project.
    versions: Vec<(String, String)>,
    /// Judges that were resolved before, by what the score said of them.
    resolved: HashMap<Said, ScoringJudge>,
    thresholds: HashMap<(String, String), f64>,
}

enum JudgeError {
    Wrong(Wrong),
    Service(ServiceError),
}

impl<'a> Judges<'a> {
    async fn load(service: &'a Service, project: ProjectId) -> Result<Judges<'a>, ServiceError> {
        let mut known = Vec::new();
        let mut versions = Vec::new();
        for (judge, version, instrument) in service.store.instruments(project).await? {
            versions.push((judge.clone(), version.clone()));
            if let Some(found) = instrument {
                let (fingerprint, reported_model) = (found.hash, found.reported_model);
                known.push(ScoringJudge { fingerprint, judge, version, reported_model });
            }
        }
        known.extend(service.store.scoring_judges(project).await?);
        let thresholds = service.pass_thresholds(project).await?;
        Ok(Judges { service, project, known, versions, resolved: HashMap::new(), thresholds })
    }

    async fn of(&mut self, score: &ScoreRequest) -> Result<ScoringJudge, JudgeError> {
        let said = (score.judge.clone(), score.reported_model.clone(), score.fingerprint.clone());
        if let Some(found) = self.resolved.get(&said) {
            return Ok(found.clone());
        }
        let found = self.resolve(score).await?;
        self.resolved.insert(said, found.clone());
        Ok(found)
    }

    async fn resolve(&self, score: &ScoreRequest) -> Result<ScoringJudge, JudgeError> {
        if let Some(fingerprint) = &score.fingerprint {
            let known = self.known.iter().find(|judge| judge.fingerprint == *fingerprint);
            return known.cloned().ok_or_else(|| {
                let says = format!("no judge of this project has the fingerprint {}", visible(fingerprint));
                JudgeError::Wrong(("fingerprint", format!("{says}: send `judge` as NAME@VERSION")))
            });
        }
        let named = score.judge.as_deref().and_then(|judge| judge.rsplit_once('@'));
        let named =
            named.filter(|(name, version)| is_name(name, LONGEST_NAME) && is_name(version, LONGEST_NAME));
        let Some((name, version)) = named else {
            let found = visible(score.judge.as_deref().unwrap_or("nothing"));
            return Err(JudgeError::Wrong(("judge", format!("found {found}, expected NAME@VERSION"))));
        };
        let model = score.reported_model.as_deref();
        if model.is_some_and(|model| !is_name(model, LONGEST_NAME)) {
            return Err(JudgeError::Wrong(("reported_model", expected_name(LONGEST_NAME))));
        }
        let is_named = |judge: &&ScoringJudge| judge.judge == name && judge.version == version;
        let mut same =
            self.known.iter().filter(is_named).filter(|judge| judge.reported_model.as_deref() == model);
        if let Some(found) = same.next() {
            return Ok(found.clone());
        }
        let fingerprint = self.new_fingerprint(name, version, model).await.map_err(JudgeError::Service)?;
        Ok(ScoringJudge {
            fingerprint,
            judge: name.to_owned(),
            version: version.to_owned(),
            reported_model: model.map(str::to_owned),
        })
    }

    /// The fingerprint that verdicts of this judge and model will have here, or one of its own for a judge of elsewhere.
    async fn new_fingerprint(
        &self,
        name: &str,
        version: &str,
        model: Option<&str>,
    ) -> Result<String, ServiceError> {
        let internal = |error: domain::NotCanonical| ServiceError::Internal(error.to_string());
        if self.versions.iter().any(|(judge, known)| judge == name && known == version) {
            match self.service.store.declared_judge(self.project, name, Some(version)).await {
                Ok(declared) => {
                    let hash = declared.declaration.hash().map_err(internal)?;
                    return Ok(fingerprint(&hash, model).0);
                }
                // Its verdicts came as a file.
                Err(store::StoreError::Conflict { .. } | store::StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(hash_of(&("scored elsewhere", name, version, model)).map_err(internal)?.0)
    }
}

fn checked(
    score: &ScoreRequest,
    rubric: &Rubric,
    judge: ScoringJudge,
    thresholds: &HashMap<(String, String), f64>,
    now: OffsetDateTime,
) -> Result<NewScore, Wrong> {
    let scale = rubric.scale_of(&score.dimension).ok_or_else(|| {
        let ids: Vec<&str> = rubric.criteria.iter().map(|criterion| criterion.id.as_str()).collect();
        ("dimension", format!("found {}, expected one of {}", visible(&score.dimension), ids.join(", ")))
    })?;
    if scale.kind == ScaleKind::Nominal {
        return Err((
            "dimension",
            format!("the levels of the scale {} have no order, and so no mean", scale.id),
        ));
    }
    let wrong = || ("value", format!("found {}, expected {}", score.value, scale.expectation()));
    let value = scale.admit(score.value).ok_or_else(wrong)?;
    let share = ScaleShare::on(scale, value).ok_or_else(wrong)?;
    if !is_name(&score.key, LONGEST_NAME) {
        return Err(("key", expected_name(LONGEST_NAME)));
    }
    let optional = [
        ("corpus", &score.corpus, LONGEST_NAME),
        ("system", &score.system, LONGEST_NAME),
        ("conversation", &score.conversation, LONGEST_ID),
    ];
    for (field, text, longest) in optional {
        if text.as_deref().is_some_and(|text| !is_name(text, longest)) {
            return Err((field, expected_name(longest)));
        }
    }
    if score.text.as_deref().is_some_and(|text| text.chars().count() > LONGEST_EXCERPT) {
        return Err((
            "text",
            format!("found more, expected at most {LONGEST_EXCERPT} characters: send what to show"),
        ));
    }
    let at = score.at.unwrap_or(now);
    if at > now + CLOCKS || at < now - OLDEST {
        return Err(("at", format!("found {at}, expected a time of the last two years")));
    }
    let key = (score.dimension.clone(), judge.fingerprint.clone());
    let threshold = scale.relevant_from.map(|level| thresholds.get(&key).copied().unwrap_or(level));
    Ok(NewScore {
        client_key: score.key.clone(),
        dimension: score.dimension.clone(),
        corpus: score.corpus.clone().unwrap_or_default(),
        system: score.system.clone().unwrap_or_default(),
        judge,
        value,
        share,
        passed: threshold.map(|threshold| value >= threshold),
        at,
        is_dated: score.at.is_some(),
        conversation: score.conversation.clone(),
        excerpt: score.text.clone(),
    })
}

/// Whether a text can name something: there, not too long, and without control characters.
fn is_name(text: &str, longest: usize) -> bool {
    !text.trim().is_empty() && text.chars().count() <= longest && !text.chars().any(char::is_control)
}

fn expected_name(longest: usize) -> String {
    format!("expected 1 to {longest} characters, none of them a control character")
}
