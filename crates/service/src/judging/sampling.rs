//! A sample of imported conversations, judged as production by the judge that was promoted for it.

use super::{instrument::Outcomes, units::Call};
use crate::{ProjectId, ScoreRequest, Service, ServiceError, Viewer};
use domain::{ContentHash, Outcome, Purpose, visible};
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};
use store::{SampledConversation, Sampling, Standing};
use tokio::task::JoinSet;

/// What became of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SampleTaken {
    /// Conversations that were imported since the last sample.
    pub imported: u64,
    /// Those that were drawn.
    pub drawn: u64,
    /// Scores that were stored.
    pub scores: u64,
    /// Answers of judges that were no score.
    pub failures: u64,
    /// The judges, `CRITERION NAME@VERSION`.
    pub judges: Vec<String>,
}

impl Service {
    /// Draws a sample of what was imported since the last one, by corpus, and has it judged by what stands for `routine`. What was scored
    /// before the process ended is not asked again. `share` is the project's where absent.
    ///
    /// # Errors
    /// [`ServiceError::Conflict`] where no judge is promoted for `routine`, or where nobody answered; where the store fails.
    pub async fn take_sample(
        &self,
        project: ProjectId,
        share: Option<f64>,
        seed: u32,
    ) -> Result<SampleTaken, ServiceError> {
        let share = match share {
            Some(share) if (0.0..=1.0).contains(&share) => share,
            Some(share) => {
                let reason = format!("found {share}, expected a number from 0 to 1");
                return Err(ServiceError::Invalid { field: "share".to_owned(), reason });
            }
            None => self.store.watch_settings(project).await?.sample,
        };
        let rubric = self.rubric_version(project).await?.rubric;
        let mut standing = Vec::new();
        for criterion in &rubric.criteria {
            if let Some(found) = self.store.standing(project, &criterion.id, Purpose::Routine).await? {
                standing.push((criterion.id.clone(), found));
            }
        }
        if standing.is_empty() {
            let what = "no judge is promoted for routine: `touchstone promote --purpose routine`".to_owned();
            return Err(ServiceError::Conflict { what });
        }
        // Nobody else runs judges on the file meanwhile, and no two samples are taken at the same time.
        let _lock = self.runs.lock(self)?;
        let Some(sampling) = self.store.begin_sampling(project, share, seed, self.now()).await? else {
            return Ok(SampleTaken::default());
        };
        let drawn = drawn(&sampling);
        let mut taken = SampleTaken {
            imported: sampling.conversations.len() as u64,
            drawn: drawn.len() as u64,
            ..SampleTaken::default()
        };
        for (criterion, standing) in standing {
            taken.judges.push(format!("{criterion} {}@{}", standing.judge, standing.version));
            self.score_sample(project, &criterion, &standing, &drawn, &mut taken).await?;
        }
        self.store.end_sampling(sampling.id, self.now()).await?;
        let detail = format!("{} of {} conversations", taken.drawn, taken.imported);
        self.record(None, Some(project), "take_sample", &detail).await?;
        Ok(taken)
    }

    async fn score_sample(
        &self,
        project: ProjectId,
        criterion: &str,
        standing: &Standing,
        drawn: &[SampledConversation],
        taken: &mut SampleTaken,
    ) -> Result<(), ServiceError> {
        let judge = format!("{}@{}", standing.judge, standing.version);
        let declared = self.declared_judge(project, &judge).await?.declaration;
        let rubric = self.rubric_declared(project, &declared).await?;
        let kind = declared.unit(&rubric);
        let instrument = Arc::new(self.instrument(project, declared, rubric, Viewer::Operator).await?);
        let mut calls = Vec::new();
        for conversation in drawn {
            let stored = self.store.conversation_by_id(project, conversation.id).await?.conversation;
            let stored = Arc::new(stored);
            for unit in kind.map(|kind| stored.units(kind)).unwrap_or_default() {
                let key = format!(
                    "sample {}",
                    ContentHash::of_bytes(format!("{criterion}\n{judge}\n{}\n{unit}", stored.id).as_bytes())
                );
                calls.push((key, Call { conversation: conversation.id, unit, repeat: 0 }, stored.clone()));
            }
        }
        let keys: Vec<String> = calls.iter().map(|(key, ..)| key.clone()).collect();
        let known: HashSet<String> = self.store.scored_keys(project, &keys).await?.into_iter().collect();
        calls.retain(|(key, ..)| !known.contains(key));
        let mut waiting = calls.into_iter();
        let mut under_way = JoinSet::new();
        loop {
            while under_way.len() < instrument.concurrency() {
                let Some((key, call, conversation)) = waiting.next() else { break };
                let instrument = instrument.clone();
                under_way.spawn(async move {
                    let outcome = instrument.answer(&call, &conversation).await;
                    (key, conversation, outcome)
                });
            }
            let Some(done) = under_way.join_next().await else { return Ok(()) };
            let (key, conversation, outcome) =
                done.map_err(|error| ServiceError::Internal(error.to_string()))?;
            let judged = match outcome {
                Outcomes::Judged(judged) => judged,
                Outcomes::Unanswered(_) => {
                    let what = format!(
                        "the endpoint of {} does not answer: take the sample again later, what was scored is kept",
                        visible(&judge)
                    );
                    return Err(ServiceError::Conflict { what });
                }
            };
            let reading = judged.readings.iter().find(|reading| reading.criterion == criterion);
            let Some(Outcome::Value(value)) = reading.map(|reading| &reading.outcome) else {
                taken.failures += 1;
                continue;
            };
            let score = ScoreRequest {
                key,
                dimension: criterion.to_owned(),
                value: *value,
                judge: Some(judge.clone()),
                reported_model: judged.reported_model.clone(),
                corpus: conversation.corpus.clone(),
                system: conversation.system.clone(),
                // An export of long ago is production of that time; one that is older than is kept counts as of now.
                at: conversation
                    .at
                    .filter(|at| *at <= self.now() && *at > self.now() - time::Duration::days(700)),
                conversation: Some(conversation.id.clone()),
                ..ScoreRequest::default()
            };
            match self.add_scores(project, std::slice::from_ref(&score)).await {
                Ok(stored) => taken.scores += stored.stored,
                // An answer that takes no part in means, as one that does not apply.
                Err(ServiceError::Invalid { .. }) => taken.failures += 1,
                Err(error) => return Err(error),
            }
        }
    }
}

/// So many of each corpus, by lots of the seed, and one at least where a share is asked for.
fn drawn(sampling: &Sampling) -> Vec<SampledConversation> {
    let mut corpora: BTreeMap<Option<&str>, Vec<&SampledConversation>> = BTreeMap::new();
    for conversation in &sampling.conversations {
        corpora.entry(conversation.corpus.as_deref()).or_default().push(conversation);
    }
    let lot = |conversation: &&SampledConversation| {
        ContentHash::of_bytes(format!("{} sample {}", sampling.seed, conversation.external_id).as_bytes()).0
    };
    let mut drawn = Vec::new();
    for mut conversations in corpora.into_values() {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a number of conversations, rounded up"
        )]
        let wanted = (conversations.len() as f64 * sampling.share).ceil() as usize;
        conversations.sort_by_cached_key(lot);
        drawn.extend(conversations.into_iter().take(wanted).cloned());
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::{ConversationId, SamplingId};
    use time::OffsetDateTime;

    #[test]
    fn each_corpus_gives_its_share_and_a_seed_gives_the_same() {
        let now = OffsetDateTime::UNIX_EPOCH;
        let conversation = |at: u32| SampledConversation {
            id: ConversationId::new(now),
            external_id: format!("c{at}"),
            corpus: (at > 2)
                .then(|| if at.is_multiple_of(2) { "cloud".to_owned() } else { "govt".to_owned() }),
        };
        let of = |share, seed| {
            let conversations = (0..103).map(conversation).collect();
            let sampling = Sampling { id: SamplingId::new(now), share, seed, conversations };
            let names = drawn(&sampling).into_iter().map(|found| (found.corpus, found.external_id));
            names.collect::<Vec<_>>()
        };
        let some = of(0.1, 1);
        let count = |corpus: Option<&str>| some.iter().filter(|(of, _)| of.as_deref() == corpus).count();
        assert_eq!((count(Some("cloud")), count(Some("govt")), count(None)), (5, 5, 1));
        assert_eq!(of(0.1, 1), some);
        assert_ne!(of(0.1, 2), some);
        assert_eq!((of(0.0, 1).len(), of(1.0, 1).len()), (0, 103));
    }
}
