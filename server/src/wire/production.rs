//! What is asked of the API about production.

use super::invalid;
use serde::{Deserialize, Serialize};
use service::{InlineRequest, ScoreRequest, ScoresStored, ServiceError};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use utoipa::{IntoParams, ToSchema};

/// Scores of production: one, or many.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScoresBody {
    /// Name of the project
    pub(crate) project: String,
    /// One score
    score: Option<ScoreBody>,
    /// Up to 500 scores, where it is not one
    scores: Option<Vec<ScoreBody>>,
}

/// A score of production.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ScoreBody {
    /// Names the score in the project: what is sent again under it is not stored again
    #[schema(max_length = 200)]
    key: String,
    /// Id of the criterion
    dimension: String,
    /// On the scale of the criterion
    score: f64,
    /// The judge, `NAME@VERSION`
    #[schema(example = "strict@1")]
    judge: Option<String>,
    /// The model that answered, by the provider's word
    reported_model: Option<String>,
    /// The fingerprint of the judge in this project, in the place of its name and model
    fingerprint: Option<String>,
    /// The client or document base
    corpus: Option<String>,
    /// Which assistant or version answered
    system: Option<String>,
    /// When it was given, as RFC 3339; now where absent
    #[schema(format = DateTime)]
    time: Option<String>,
    /// Id of the conversation in the source system
    conversation: Option<String>,
    /// What to show of the conversation
    #[schema(max_length = 2000)]
    text: Option<String>,
}

/// What became of scores.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ScoresTaken {
    /// New ones
    stored: u64,
    /// Those that were there
    known: u64,
}

impl From<ScoresStored> for ScoresTaken {
    fn from(stored: ScoresStored) -> ScoresTaken {
        ScoresTaken { stored: stored.stored, known: stored.known }
    }
}

/// How much of production is asked about.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WatchParameters {
    /// Name of the project
    pub(crate) project: String,
    /// Days of rolling means; 90 where absent
    #[param(minimum = 7, maximum = 731)]
    pub(crate) days: Option<u32>,
}

/// An answer that is to be passed or failed before it is given.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InlineBody {
    /// Name of the project
    pub(crate) project: String,
    /// Id of the criterion
    criterion: String,
    /// What was asked
    question: String,
    /// What the answer was made from, text by text
    #[serde(default)]
    context: Vec<String>,
    /// The answer
    response: String,
}

impl ScoresBody {
    /// The scores.
    pub(crate) fn requests(self) -> Result<Vec<ScoreRequest>, ServiceError> {
        let scores = match (self.score, self.scores) {
            (Some(score), None) => vec![score],
            (None, Some(scores)) => scores,
            _ => return Err(invalid("scores", "send either `score` or `scores`")),
        };
        scores.into_iter().map(ScoreBody::request).collect()
    }
}

impl ScoreBody {
    fn request(self) -> Result<ScoreRequest, ServiceError> {
        let at = self.time.map(|time| {
            OffsetDateTime::parse(&time, &Rfc3339).map_err(|_| {
                let found = domain::visible(&time);
                invalid("time", &format!("found {found}, expected a time as 2026-11-30T12:00:00Z"))
            })
        });
        Ok(ScoreRequest {
            key: self.key,
            dimension: self.dimension,
            value: self.score,
            judge: self.judge,
            reported_model: self.reported_model,
            fingerprint: self.fingerprint,
            corpus: self.corpus,
            system: self.system,
            at: at.transpose()?,
            conversation: self.conversation,
            text: self.text,
        })
    }
}

impl InlineBody {
    /// What is to be scored.
    pub(crate) fn request(self) -> InlineRequest {
        let InlineBody { criterion, question, context, response, .. } = self;
        InlineRequest { criterion, question, context, response }
    }
}
