//! Answers on their way to the server: sent one after another, in order, until the server has said that it has them.

use crate::{
    error::AppError,
    page::label::{
        sheet::{Change, Question, Said, said_in},
        task::Task,
    },
};
use domain::{NewAnswer, OwnAnswer, SaveOutcome};
use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

/// Whose answers, in which project.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sender {
    /// The person.
    pub(crate) user: String,
    /// The project.
    pub(crate) project: String,
}

/// A question of a conversation of a project, as the person answers it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    sender: Sender,
    conversation: String,
    question: Question,
}

/// What is being done with the first answer that waits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum State {
    /// Nothing.
    #[default]
    Idle,
    /// It is on its way.
    Sending,
    /// It was refused, or got lost.
    Refused(AppError),
    /// Another tab or device had answered before.
    Conflict(Box<Conflict>),
}

/// Two answers of one person to one question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conflict {
    /// The question.
    pub(crate) question: Question,
    /// What was said here.
    pub(crate) mine: Said,
    /// What stands on the server; absent where nothing does.
    pub(crate) stored: Option<OwnAnswer>,
}

/// The answers that wait, and the label that stands at each question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox {
    waiting: VecDeque<(Sender, NewAnswer)>,
    heads: HashMap<Place, String>,
    state: State,
    attempts: u32,
}

impl Outbox {
    /// Learns which labels stand at the questions of a task.
    pub(crate) fn learn(&mut self, sender: &Sender, task: &Task) {
        for answer in &task.answers {
            let question = Question { unit: answer.unit.clone(), criterion: answer.criterion.clone() };
            let place = Place { sender: sender.clone(), conversation: task.conversation.clone(), question };
            self.heads.insert(place, answer.label.clone());
        }
    }

    /// Takes an answer to be sent.
    pub(crate) fn push(
        &mut self,
        sender: &Sender,
        task: &Task,
        change: Change,
        seconds: Option<f64>,
        client_key: String,
    ) {
        let answer = NewAnswer {
            conversation: task.conversation.clone(),
            unit: change.question.unit,
            criterion: change.question.criterion,
            value: change.said.value,
            comment: change.said.comment,
            flag: change.said.flag,
            seconds,
            rubric_version: task.rubric.version,
            // Known only when its predecessor has been stored: filled in when it is sent.
            supersedes: None,
            client_key,
        };
        self.waiting.push_back((sender.clone(), answer));
    }

    /// The next answer to send, if nothing is on its way and nothing must be decided first.
    pub(crate) fn begin(&mut self, sender: &Sender) -> Option<NewAnswer> {
        if matches!(self.state, State::Sending | State::Conflict(_)) {
            return None;
        }
        let index = self.waiting.iter().position(|(from, _)| from == sender)?;
        let entry = self.waiting.remove(index)?;
        self.waiting.push_front(entry);
        self.state = State::Sending;
        let place = self.first_place()?;
        let (_, answer) = self.waiting.front_mut()?;
        answer.supersedes = self.heads.get(&place).cloned();
        Some(answer.clone())
    }

    /// What became of the answer that was on its way.
    pub(crate) fn settle(&mut self, outcome: Result<SaveOutcome, AppError>) {
        match outcome {
            Ok(SaveOutcome::Saved { label }) => {
                if let Some(place) = self.first_place() {
                    self.heads.insert(place, label);
                }
                self.waiting.pop_front();
                self.attempts = 0;
                self.state = State::Idle;
            }
            Ok(SaveOutcome::Conflict { current }) => self.state = self.conflict_with(current),
            Err(error) => {
                self.attempts += 1;
                self.state = State::Refused(error);
            }
        }
    }

    /// Sends the answer that was given here again, to replace the one that stands.
    pub(crate) fn keep_mine(&mut self) {
        if let State::Conflict(conflict) = std::mem::take(&mut self.state)
            && let Some(place) = self.first_place()
        {
            match conflict.stored {
                Some(stored) => self.heads.insert(place, stored.label),
                None => self.heads.remove(&place),
            };
        }
    }

    /// Drops the answer that was given here, and what was said after it to the same question; gives what stands.
    pub(crate) fn take_stored(&mut self) -> Option<(Question, Said)> {
        let State::Conflict(conflict) = std::mem::take(&mut self.state) else { return None };
        let place = self.first_place()?;
        self.waiting.retain(|(sender, answer)| place_of(sender, answer) != place);
        let said = conflict.stored.as_ref().map(said_in).unwrap_or_default();
        match conflict.stored {
            Some(stored) => self.heads.insert(place, stored.label),
            None => self.heads.remove(&place),
        };
        Some((conflict.question, said))
    }

    /// When to try again by itself: 1, 2, 4 … 30 seconds after a failure that may pass, else never.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match &self.state {
            State::Refused(error) if error.is_passing() => {
                let seconds = 1_u64 << self.attempts.saturating_sub(1).min(5);
                Some(Duration::from_secs(seconds.min(30)))
            }
            _ => None,
        }
    }

    /// What is being done with the first answer.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// How many answers the server has not confirmed.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// What waits for a task of this sender, oldest first.
    pub(crate) fn unsent(&self, sender: &Sender, task: &Task) -> Vec<Change> {
        let of_task = self
            .waiting
            .iter()
            .filter(|(from, answer)| from == sender && answer.conversation == task.conversation);
        of_task.map(|(_, answer)| change_in(answer)).collect()
    }

    fn first_place(&self) -> Option<Place> {
        self.waiting.front().map(|(sender, answer)| place_of(sender, answer))
    }

    /// The same answer standing already is no conflict: it is what was wanted.
    fn conflict_with(&mut self, stored: Option<OwnAnswer>) -> State {
        let Some(place) = self.first_place() else { return State::Idle };
        let Some(mine) = self.waiting.front().map(|(_, answer)| change_in(answer).said) else {
            return State::Idle;
        };
        match stored {
            Some(stored) if said_in(&stored) == mine => {
                self.heads.insert(place, stored.label);
                self.waiting.pop_front();
                State::Idle
            }
            stored => State::Conflict(Box::new(Conflict { question: place.question, mine, stored })),
        }
    }
}

fn place_of(sender: &Sender, answer: &NewAnswer) -> Place {
    let question = Question { unit: answer.unit.clone(), criterion: answer.criterion.clone() };
    Place { sender: sender.clone(), conversation: answer.conversation.clone(), question }
}

fn change_in(answer: &NewAnswer) -> Change {
    Change {
        question: Question { unit: answer.unit.clone(), criterion: answer.criterion.clone() },
        said: Said { value: answer.value, comment: answer.comment.clone(), flag: answer.flag },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::markup::Markup;
    use domain::{Rubric, Unit};

    fn sender() -> Sender {
        Sender { user: "ada".into(), project: "demo".into() }
    }

    fn task() -> Task {
        Task {
            conversation: "c".into(),
            reading: Markup::default(),
            rubric: Rubric { name: "r".into(), version: 3, scales: vec![], criteria: vec![] },
            units: vec![],
            answers: vec![],
        }
    }

    fn question() -> Question {
        Question { unit: Unit::Conversation, criterion: "helpful".into() }
    }

    fn outbox(values: &[f64]) -> Outbox {
        let mut outbox = Outbox::default();
        for value in values {
            let said = Said { value: Some(*value), ..Said::default() };
            outbox.push(
                &sender(),
                &task(),
                Change { question: question(), said },
                None,
                format!("key-{value}"),
            );
        }
        outbox
    }

    fn saved(label: &str) -> Result<SaveOutcome, AppError> {
        Ok(SaveOutcome::Saved { label: label.into() })
    }

    fn stored(label: &str, value: f64) -> OwnAnswer {
        OwnAnswer {
            label: label.into(),
            unit: Unit::Conversation,
            criterion: "helpful".into(),
            value: Some(value),
            comment: None,
            flag: false,
        }
    }

    #[test]
    fn answers_go_out_in_order_and_each_replaces_the_one_before() {
        let mut outbox = outbox(&[1.0, 2.0]);
        let first = outbox.begin(&sender()).unwrap();
        assert_eq!((first.value, first.supersedes.as_deref(), first.rubric_version), (Some(1.0), None, 3));
        assert_eq!(outbox.begin(&sender()), None, "one at a time");
        outbox.settle(saved("l1"));
        let second = outbox.begin(&sender()).unwrap();
        assert_eq!((second.value, second.supersedes.as_deref()), (Some(2.0), Some("l1")));
        outbox.settle(saved("l2"));
        assert_eq!((outbox.waiting(), outbox.state()), (0, &State::Idle));
    }

    #[test]
    fn what_is_lost_is_sent_again_under_the_same_key() {
        let mut outbox = outbox(&[1.0]);
        let key = outbox.begin(&sender()).unwrap().client_key;
        for seconds in [1, 2, 4, 8, 16, 30, 30] {
            outbox.settle(Err(AppError::Unreachable));
            assert_eq!(outbox.retry_after(), Some(Duration::from_secs(seconds)));
            assert_eq!(outbox.begin(&sender()).unwrap().client_key, key);
        }
        outbox.settle(Err(AppError::Unauthenticated));
        assert_eq!(outbox.retry_after(), None, "signing in is up to the person");
        assert_eq!(outbox.waiting(), 1);
    }

    #[test]
    fn a_conflict_waits_for_the_person() {
        let mut outbox = outbox(&[1.0, 2.0]);
        outbox.begin(&sender());
        outbox.settle(Ok(SaveOutcome::Conflict { current: Some(stored("other", 3.0)) }));
        assert_eq!(outbox.begin(&sender()), None);
        outbox.keep_mine();
        assert_eq!(outbox.begin(&sender()).unwrap().supersedes.as_deref(), Some("other"));
    }

    #[test]
    fn letting_the_other_answer_stand_drops_what_was_said_here() {
        let mut outbox = outbox(&[1.0, 2.0]);
        outbox.begin(&sender());
        outbox.settle(Ok(SaveOutcome::Conflict { current: Some(stored("other", 3.0)) }));
        let (asked, said) = outbox.take_stored().unwrap();
        assert_eq!((asked, said.value, outbox.waiting()), (question(), Some(3.0), 0));
    }

    #[test]
    fn the_same_answer_from_elsewhere_is_no_conflict() {
        let mut outbox = outbox(&[1.0]);
        outbox.begin(&sender());
        outbox.settle(Ok(SaveOutcome::Conflict { current: Some(stored("other", 1.0)) }));
        assert_eq!((outbox.waiting(), outbox.state()), (0, &State::Idle));
    }

    #[test]
    fn what_belongs_to_another_is_not_sent() {
        let mut outbox = outbox(&[1.0]);
        assert_eq!(outbox.begin(&Sender { user: "ben".into(), ..sender() }), None);
        assert_eq!(outbox.unsent(&sender(), &task()).len(), 1);
    }
}
