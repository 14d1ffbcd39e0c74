//! What judges answered about the texts of an injection set.

use crate::{
    JudgeVersionId, JudgedCall, Store, StoreError,
    label::{check_finite, stored_unit},
    timestamp::Timestamp,
    verdict::{failure_columns, stored_outcome},
};
use domain::{ContentHash, InjectionAnswer};

impl Store {
    /// Keeps what a judge version answered about one unit of a conversation of a set, whole. What was answered before stays as it is.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for a value that is no number; where the database fails.
    pub async fn save_injection_call(
        &self,
        version: JudgeVersionId,
        set: &ContentHash,
        conversation: &str,
        call: &JudgedCall,
    ) -> Result<(), StoreError> {
        let sql = "insert into injection_answer (judge_version_id, anchor_hash, conversation, unit, criterion, \
                       reported_model, value, failure, failure_says, raw, cost_usd, judged_at) \
                   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing";
        let mut transaction = self.write().await?;
        for (position, reading) in call.readings.iter().enumerate() {
            check_finite(reading.outcome.value())?;
            let (failure, says) = failure_columns(&reading.outcome);
            sqlx::query(sql)
                .bind(version)
                .bind(&set.0)
                .bind(conversation)
                .bind(&call.unit)
                .bind(&reading.criterion)
                .bind(&call.reported_model)
                .bind(reading.outcome.value())
                .bind(failure)
                .bind(says)
                .bind(&call.raw)
                // A structured call is one price: the first criterion carries it.
                .bind(call.cost_usd.filter(|_| position == 0))
                .bind(Timestamp::from(call.judged_at))
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// What a judge version answered about a set.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn injection_answers(
        &self,
        version: JudgeVersionId,
        set: &ContentHash,
    ) -> Result<Vec<InjectionAnswer>, StoreError> {
        type Row = (String, String, String, Option<String>, Option<f64>, Option<String>);
        let sql = "select conversation, unit, criterion, reported_model, value, failure from injection_answer \
                   where judge_version_id = $1 and anchor_hash = $2 order by id";
        let rows: Vec<Row> = sqlx::query_as(sql).bind(version).bind(&set.0).fetch_all(self.read()).await?;
        rows.into_iter()
            .map(|(conversation, unit, criterion, reported_model, value, failure)| {
                Ok(InjectionAnswer {
                    conversation,
                    unit: stored_unit(&unit)?,
                    criterion,
                    reported_model,
                    outcome: stored_outcome(value, failure.as_deref())?,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, NOW};
    use domain::{ContentHash, Declaration, FailureKind, Outcome, Reading, fingerprint};

    const JUDGE: &str =
        "name = \"strict\"\nversion = \"1\"\ncriteria = [\"helpfulness\"]\n[instrument.lexical_overlap]\n";

    #[tokio::test]
    async fn answers_are_kept_once_and_never_change() {
        let fixture = Fixture::new(1).await;
        let declaration = Declaration::from_toml(JUDGE).unwrap();
        let version = fixture.store.declare_judge(fixture.project, &declaration, NOW).await.unwrap().id;
        let set = ContentHash::of_bytes(b"set");
        let call = |outcome| crate::JudgedCall {
            conversation: crate::ConversationId::new(NOW),
            unit: "conversation".to_owned(),
            repeat: 0,
            fingerprint: fingerprint(&set, Some("m-1")),
            model: None,
            reported_model: Some("m-1".to_owned()),
            readings: vec![Reading { criterion: "helpfulness".to_owned(), outcome, reason: None }],
            raw: None,
            latency_ms: None,
            input_tokens: None,
            output_tokens: None,
            cost_usd: None,
            attempts: 1,
            judged_at: NOW,
        };
        let failed = call(Outcome::Failure { kind: FailureKind::OffScale, says: "found 7".to_owned() });
        for (conversation, call) in [("c1", &call(Outcome::Value(4.0))), ("c2", &failed), ("c1", &failed)] {
            fixture.store.save_injection_call(version, &set, conversation, call).await.unwrap();
        }
        let kept = fixture.store.injection_answers(version, &set).await.unwrap();
        let outcomes: Vec<_> = kept.iter().map(|answer| answer.outcome).collect();
        assert_eq!(outcomes, [Ok(4.0), Err(FailureKind::OffScale)]);
        for sql in ["update injection_answer set value = 5", "delete from injection_answer"] {
            let refused =
                sqlx::query(sql).execute(&mut *fixture.store.write().await.unwrap()).await.unwrap_err();
            assert!(refused.to_string().contains("append-only"), "{refused}");
        }
    }
}
