//! Saves that wait at the same time share one transaction, and so one wait for the disk.

use super::save::{NewLabel, Saved, save_in};
use crate::{Store, StoreError};
use sqlx::{Connection, SqliteConnection};
use std::{collections::VecDeque, mem};
use time::OffsetDateTime;
use tokio::sync::{Mutex, oneshot};

/// Saves in one transaction at most, so that the first does not wait long for the last.
const LARGEST_GROUP: usize = 256;

/// The saves that wait for the writer.
#[derive(Debug, Default)]
pub(crate) struct SaveQueue {
    waiting: Mutex<VecDeque<WaitingSave>>,
    turn: Mutex<()>,
}

#[derive(Debug)]
struct WaitingSave {
    label: NewLabel,
    now: OffsetDateTime,
    answer: oneshot::Sender<Result<Saved, StoreError>>,
}

impl Store {
    /// Queues a save and waits until the transaction that it is part of is on the disk.
    pub(super) async fn save_in_group(
        &self,
        label: NewLabel,
        now: OffsetDateTime,
    ) -> Result<Saved, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.saves.waiting.lock().await.push_back(WaitingSave { label, now, answer });
        // A task of its own: a caller that goes away must not take its neighbours' transaction along.
        let store = self.clone();
        tokio::spawn(async move { store.commit_waiting_saves().await });
        let stopped = || StoreError::NotCommitted { reason: "the writer stopped".to_owned() };
        answered.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Takes what waits, which may be nothing: an earlier turn may have taken this one's save along.
    async fn commit_waiting_saves(&self) {
        let _turn = self.saves.turn.lock().await;
        let group = {
            let mut waiting = self.saves.waiting.lock().await;
            let size = waiting.len().min(LARGEST_GROUP);
            let rest = waiting.split_off(size);
            mem::replace(&mut *waiting, rest)
        };
        if group.is_empty() {
            return;
        }
        match self.commit_group(&group).await {
            Ok(outcomes) => {
                for (save, outcome) in group.into_iter().zip(outcomes) {
                    // Who no longer listens finds the answer under the client key.
                    let _ = save.answer.send(outcome);
                }
            }
            Err(error) => {
                for save in group {
                    let _ = save.answer.send(Err(StoreError::not_committed(&error)));
                }
            }
        }
    }

    async fn commit_group(
        &self,
        group: &VecDeque<WaitingSave>,
    ) -> Result<Vec<Result<Saved, StoreError>>, StoreError> {
        let mut writer = self.writer().await?;
        match run_group(&mut writer, group).await {
            Ok(outcomes) => Ok(outcomes),
            Err(error) => {
                // SQLite may have ended the transaction by itself, and the connection would still count it as open.
                writer.close().await?;
                Err(error)
            }
        }
    }
}

async fn run_group(
    writer: &mut SqliteConnection,
    group: &VecDeque<WaitingSave>,
) -> Result<Vec<Result<Saved, StoreError>>, StoreError> {
    let mut transaction = writer.begin_with("begin immediate").await?;
    let mut outcomes = Vec::with_capacity(group.len());
    for save in group {
        outcomes.push(save_apart(&mut transaction, save).await);
    }
    transaction.commit().await?;
    Ok(outcomes)
}

/// One save in a savepoint: what fails is undone alone.
async fn save_apart(connection: &mut SqliteConnection, save: &WaitingSave) -> Result<Saved, StoreError> {
    let mut savepoint = connection.begin().await?;
    let saved = save_in(&mut savepoint, &save.label, save.now).await?;
    savepoint.commit().await?;
    Ok(saved)
}

#[cfg(test)]
mod tests;
