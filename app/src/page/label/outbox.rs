//! What an annotator did, on its way to the server: sent one after another, in order, until the server has said that it has it.

use crate::{
    error::AppError,
    page::label::{
        sheet::{Change, Question, Said, said_in},
        task::Task,
    },
};
use domain::{NewAnswer, OwnAnswer, SaveOutcome};
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

/// Whose it is, in which project.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Sender {
    /// The person.
    pub(crate) user: String,
    /// The project.
    pub(crate) project: String,
}

/// What waits to be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Letter {
    /// Whose it is: it is never sent while somebody else is signed in.
    pub(crate) sender: Sender,
    /// Made by the browser, in the order of what was done: what is sent twice under one key is stored once.
    pub(crate) key: String,
    /// Id of the conversation.
    pub(crate) conversation: String,
    /// What was done.
    pub(crate) content: Content,
    /// Whether the browser keeps it, should the window close.
    #[serde(skip)]
    pub(crate) kept: bool,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Content {
    /// A question was answered.
    Answer(NewAnswer),
    /// The conversation was submitted.
    Submit,
    /// The conversation was left to others, for this reason.
    Skip(String),
}

/// A question of a conversation of a project, as the person answers it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    sender: Sender,
    conversation: String,
    question: Question,
}

/// What is being done with the first letter that waits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum State {
    /// Nothing yet: what the browser kept from before has not been read.
    #[default]
    Opening,
    /// Nothing.
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
    /// Id of the conversation.
    pub(crate) conversation: String,
    /// The question.
    pub(crate) question: Question,
    /// What was said here.
    pub(crate) mine: Said,
    /// What stands on the server; absent where nothing does.
    pub(crate) stored: Option<OwnAnswer>,
}

/// The letters that wait, and the label that stands at each question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox {
    waiting: VecDeque<Letter>,
    heads: HashMap<Place, String>,
    state: State,
    attempts: u32,
    numbered: u32,
}

impl Outbox {
    /// Takes in what the browser kept from before, which was done before all that waits here. Only now anything is sent.
    pub(crate) fn open(&mut self, kept: Vec<Letter>) {
        for letter in kept.into_iter().rev() {
            self.waiting.push_front(Letter { kept: true, ..letter });
        }
        self.state = State::Idle;
    }

    /// Learns which labels stand at the questions of a task.
    pub(crate) fn learn(&mut self, sender: &Sender, task: &Task) {
        for answer in &task.answers {
            let question = Question { unit: answer.unit.clone(), criterion: answer.criterion.clone() };
            let place = Place { sender: sender.clone(), conversation: task.conversation.clone(), question };
            self.heads.insert(place, answer.label.clone());
        }
    }

    /// The number of the next letter of this window.
    pub(crate) fn next_number(&mut self) -> u32 {
        self.numbered += 1;
        self.numbered
    }

    /// Takes a letter to be sent.
    pub(crate) fn push(&mut self, letter: Letter) {
        self.waiting.push_back(letter);
    }

    /// Learns that the browser keeps a letter.
    pub(crate) fn is_kept(&mut self, key: &str) {
        if let Some(letter) = self.waiting.iter_mut().find(|letter| letter.key == key) {
            letter.kept = true;
        }
    }

    /// The next letter of a person to send, if nothing is on its way and nothing must be decided first.
    pub(crate) fn begin(&mut self, user: &str) -> Option<Letter> {
        if matches!(self.state, State::Opening | State::Sending | State::Conflict(_)) {
            return None;
        }
        let index = self.waiting.iter().position(|letter| letter.sender.user == user)?;
        let letter = self.waiting.remove(index)?;
        self.waiting.push_front(letter);
        self.state = State::Sending;
        let head = self.first_place().and_then(|place| self.heads.get(&place).cloned());
        let letter = self.waiting.front_mut()?;
        if let Content::Answer(answer) = &mut letter.content {
            answer.supersedes = head;
        }
        Some(letter.clone())
    }

    /// What became of the letter that was on its way: of an answer what the server said, of anything else that it is done. Gives the key
    /// of a letter that need not be kept any longer.
    pub(crate) fn settle(&mut self, outcome: Result<Option<SaveOutcome>, AppError>) -> Option<String> {
        match outcome {
            Ok(Some(SaveOutcome::Conflict { current })) => self.conflict_with(current),
            Ok(outcome) => {
                if let Some((SaveOutcome::Saved { label }, place)) = outcome.zip(self.first_place()) {
                    self.heads.insert(place, label);
                }
                self.finish()
            }
            Err(error) => {
                self.attempts += 1;
                self.state = State::Refused(error);
                None
            }
        }
    }

    /// Sends the answer that was given here again, to replace the one that stands.
    pub(crate) fn keep_mine(&mut self) {
        if let State::Conflict(conflict) = &self.state
            && let Some(place) = self.first_place()
        {
            let stored = conflict.stored.as_ref().map(|stored| stored.label.clone());
            self.follow(place, stored);
        }
    }

    /// Drops the answer that was given here, and what was said after it to the same question; gives what stands, and the keys of what
    /// was dropped.
    pub(crate) fn take_stored(&mut self) -> Option<(Conflict, Vec<String>)> {
        let place = self.first_place()?;
        let State::Conflict(conflict) = &self.state else { return None };
        let conflict = (**conflict).clone();
        let dropped = self.drop_where(|letter| place_of(letter).as_ref() == Some(&place));
        self.follow(place, conflict.stored.as_ref().map(|stored| stored.label.clone()));
        Some((conflict, dropped))
    }

    /// Drops all that was done to the conversation of the letter that was refused; gives the keys.
    pub(crate) fn drop_refused(&mut self) -> Vec<String> {
        let Some(Letter { sender, conversation, .. }) = self.waiting.front().cloned() else {
            return Vec::new();
        };
        self.state = State::Idle;
        self.drop_where(|letter| letter.sender == sender && letter.conversation == conversation)
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

    /// What is being done with the first letter.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// How many letters of a person the server has not confirmed.
    pub(crate) fn waiting(&self, user: &str) -> usize {
        self.waiting.iter().filter(|letter| letter.sender.user == user).count()
    }

    /// Whether something would be lost if the window closed now.
    pub(crate) fn is_unkept(&self) -> bool {
        self.waiting.iter().any(|letter| !letter.kept)
    }

    /// Whether a conversation of this sender waits to be submitted or skipped: this one, or any where none is named.
    pub(crate) fn is_leaving(&self, sender: &Sender, conversation: Option<&str>) -> bool {
        self.waiting.iter().any(|letter| {
            letter.sender == *sender
                && conversation.is_none_or(|conversation| letter.conversation == conversation)
                && !matches!(letter.content, Content::Answer(_))
        })
    }

    /// What waits for a task of this sender, oldest first.
    pub(crate) fn unsent(&self, sender: &Sender, task: &Task) -> Vec<Change> {
        let of_task = self
            .waiting
            .iter()
            .filter(|letter| letter.sender == *sender && letter.conversation == task.conversation);
        of_task.filter_map(change_in).collect()
    }

    fn first_place(&self) -> Option<Place> {
        self.waiting.front().and_then(place_of)
    }

    /// A conflict is decided: what is said at the place from now on follows what stands there.
    fn follow(&mut self, place: Place, stored: Option<String>) {
        match stored {
            Some(label) => self.heads.insert(place, label),
            None => self.heads.remove(&place),
        };
        self.state = State::Idle;
    }

    /// The first letter is done with.
    fn finish(&mut self) -> Option<String> {
        self.attempts = 0;
        self.state = State::Idle;
        self.waiting.pop_front().map(|letter| letter.key)
    }

    fn drop_where(&mut self, is_dropped: impl Fn(&Letter) -> bool) -> Vec<String> {
        let (dropped, left): (Vec<_>, Vec<_>) = self.waiting.drain(..).partition(is_dropped);
        self.waiting = left.into();
        dropped.into_iter().map(|letter| letter.key).collect()
    }

    /// The same answer standing already is no conflict: it is what was wanted.
    fn conflict_with(&mut self, stored: Option<OwnAnswer>) -> Option<String> {
        let letter = self.waiting.front()?;
        let (place, mine) = (place_of(letter)?, change_in(letter)?.said);
        match stored {
            Some(stored) if said_in(&stored) == mine => {
                self.heads.insert(place, stored.label);
                self.finish()
            }
            stored => {
                let Place { conversation, question, .. } = place;
                self.state = State::Conflict(Box::new(Conflict { conversation, question, mine, stored }));
                None
            }
        }
    }
}

/// The question that a letter answers; none where it answers none.
fn place_of(letter: &Letter) -> Option<Place> {
    let question = change_in(letter)?.question;
    Some(Place { sender: letter.sender.clone(), conversation: letter.conversation.clone(), question })
}

fn change_in(letter: &Letter) -> Option<Change> {
    let Content::Answer(answer) = &letter.content else { return None };
    Some(Change {
        question: Question { unit: answer.unit.clone(), criterion: answer.criterion.clone() },
        said: Said { value: answer.value, comment: answer.comment.clone(), flag: answer.flag },
    })
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
            grid: None,
            answers: vec![],
        }
    }

    fn question() -> Question {
        Question { unit: Unit::Conversation, criterion: "helpful".into() }
    }

    fn letter(key: &str, content: Content) -> Letter {
        Letter { sender: sender(), key: key.into(), conversation: "c".into(), content, kept: false }
    }

    fn answer(value: f64) -> Letter {
        let key = format!("key-{value}");
        let answer = NewAnswer {
            conversation: "c".into(),
            unit: Unit::Conversation,
            criterion: "helpful".into(),
            value: Some(value),
            comment: None,
            flag: false,
            seconds: None,
            rubric_version: 3,
            supersedes: None,
            client_key: key.clone(),
        };
        letter(&key, Content::Answer(answer))
    }

    fn outbox(values: &[f64]) -> Outbox {
        let mut outbox = Outbox::default();
        outbox.open(Vec::new());
        for value in values {
            outbox.push(answer(*value));
        }
        outbox
    }

    fn begun(outbox: &mut Outbox) -> Option<NewAnswer> {
        match outbox.begin("ada")?.content {
            Content::Answer(answer) => Some(answer),
            _ => None,
        }
    }

    fn saved(label: &str) -> Result<Option<SaveOutcome>, AppError> {
        Ok(Some(SaveOutcome::Saved { label: label.into() }))
    }

    fn conflict(label: &str, value: f64) -> Result<Option<SaveOutcome>, AppError> {
        let current = OwnAnswer {
            label: label.into(),
            unit: Unit::Conversation,
            criterion: "helpful".into(),
            value: Some(value),
            comment: None,
            flag: false,
        };
        Ok(Some(SaveOutcome::Conflict { current: Some(current) }))
    }

    #[test]
    fn answers_go_out_in_order_and_each_replaces_the_one_before() {
        let mut outbox = outbox(&[1.0, 2.0]);
        let first = begun(&mut outbox).unwrap();
        assert_eq!((first.value, first.supersedes.as_deref()), (Some(1.0), None));
        assert_eq!(outbox.begin("ada"), None, "one at a time");
        assert_eq!(outbox.settle(saved("l1")).as_deref(), Some("key-1"));
        let second = begun(&mut outbox).unwrap();
        assert_eq!((second.value, second.supersedes.as_deref()), (Some(2.0), Some("l1")));
        outbox.settle(saved("l2"));
        assert_eq!((outbox.waiting("ada"), outbox.state()), (0, &State::Idle));
    }

    #[test]
    fn a_conversation_is_submitted_after_its_answers() {
        let mut outbox = outbox(&[1.0]);
        outbox.push(letter("key-2", Content::Submit));
        assert!(outbox.is_leaving(&sender(), None) && outbox.is_leaving(&sender(), Some("c")));
        assert!(!outbox.is_leaving(&sender(), Some("d")));
        begun(&mut outbox);
        outbox.settle(saved("l1"));
        assert_eq!(outbox.begin("ada").unwrap().content, Content::Submit);
        assert_eq!(outbox.settle(Ok(None)).as_deref(), Some("key-2"));
        assert_eq!(outbox.waiting("ada"), 0);
    }

    #[test]
    fn what_was_kept_goes_out_first_and_nothing_before_it_is_read() {
        let mut outbox = Outbox::default();
        outbox.push(answer(3.0));
        assert_eq!(outbox.begin("ada"), None);
        assert!(outbox.is_unkept());
        outbox.open(vec![answer(1.0), answer(2.0)]);
        let said: Vec<_> = outbox.unsent(&sender(), &task()).iter().map(|change| change.said.value).collect();
        assert_eq!(said, [Some(1.0), Some(2.0), Some(3.0)]);
        assert_eq!(begun(&mut outbox).unwrap().value, Some(1.0));
        outbox.is_kept("key-3");
        assert!(!outbox.is_unkept());
    }

    #[test]
    fn what_is_lost_is_sent_again_under_the_same_key() {
        let mut outbox = outbox(&[1.0]);
        let key = begun(&mut outbox).unwrap().client_key;
        for seconds in [1, 2, 4, 8, 16, 30, 30] {
            outbox.settle(Err(AppError::Unreachable));
            assert_eq!(outbox.retry_after(), Some(Duration::from_secs(seconds)));
            assert_eq!(begun(&mut outbox).unwrap().client_key, key);
        }
        outbox.settle(Err(AppError::Unauthenticated));
        assert_eq!(outbox.retry_after(), None, "signing in is up to the person");
        assert_eq!(outbox.waiting("ada"), 1);
    }

    #[test]
    fn what_the_server_will_never_take_can_be_dropped_with_all_of_its_conversation() {
        let mut outbox = outbox(&[1.0]);
        outbox.push(letter("key-2", Content::Submit));
        outbox.push(Letter { conversation: "d".into(), ..letter("key-3", Content::Submit) });
        begun(&mut outbox);
        outbox.settle(Err(AppError::Conflict { what: "gone".into() }));
        assert_eq!(outbox.drop_refused(), ["key-1", "key-2"]);
        assert_eq!(outbox.begin("ada").unwrap().conversation, "d");
    }

    #[test]
    fn a_conflict_waits_for_the_person() {
        let mut outbox = outbox(&[1.0, 2.0]);
        begun(&mut outbox);
        assert_eq!(outbox.settle(conflict("other", 3.0)), None);
        assert_eq!(outbox.begin("ada"), None);
        outbox.keep_mine();
        assert_eq!(begun(&mut outbox).unwrap().supersedes.as_deref(), Some("other"));
    }

    #[test]
    fn letting_the_other_answer_stand_drops_what_was_said_here() {
        let mut outbox = outbox(&[1.0, 2.0]);
        begun(&mut outbox);
        outbox.settle(conflict("other", 3.0));
        let (Conflict { question: asked, stored, .. }, dropped) = outbox.take_stored().unwrap();
        assert_eq!((asked, stored.unwrap().value, outbox.waiting("ada")), (question(), Some(3.0), 0));
        assert_eq!(dropped, ["key-1", "key-2"]);
    }

    #[test]
    fn the_same_answer_from_elsewhere_is_no_conflict() {
        let mut outbox = outbox(&[1.0]);
        begun(&mut outbox);
        assert_eq!(outbox.settle(conflict("other", 1.0)).as_deref(), Some("key-1"));
        assert_eq!((outbox.waiting("ada"), outbox.state()), (0, &State::Idle));
    }

    #[test]
    fn what_belongs_to_another_is_not_sent() {
        let mut outbox = outbox(&[1.0]);
        assert_eq!((outbox.begin("ben"), outbox.waiting("ben")), (None, 0));
        assert_eq!(outbox.unsent(&sender(), &task()).len(), 1);
    }

    #[test]
    fn a_kept_letter_comes_back_as_it_was() {
        let text = serde_json::to_string(&answer(2.0)).unwrap();
        assert_eq!(serde_json::from_str::<Letter>(&text).unwrap(), answer(2.0));
    }
}
