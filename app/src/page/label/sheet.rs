//! The answers to one conversation as the person gives them, and where the person is. No browser and no server is known here.

use crate::page::label::{
    keys::Step,
    task::{AskedUnit, Task},
};
use domain::{Criterion, OwnAnswer, Scale, Unit};
use std::{collections::HashMap, sync::Arc};

/// One question: a criterion asked of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    /// What it is asked of.
    pub(crate) unit: Unit,
    /// Id of the criterion.
    pub(crate) criterion: String,
}

/// What the person says to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Said {
    /// The value; absent where nothing was said or it was taken back.
    pub(crate) value: Option<f64>,
    /// A remark.
    pub(crate) comment: Option<String>,
    /// Marked for a second look.
    pub(crate) flag: bool,
}

/// What changed, and must be stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    /// The question.
    pub(crate) question: Question,
    /// What is said to it now.
    pub(crate) said: Said,
}

/// A conversation with its questions and answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sheet {
    task: Arc<Task>,
    questions: Vec<Question>,
    /// Where the questions about a unit begin: they stand together.
    begins: HashMap<Unit, usize>,
    said: Vec<Said>,
    here: usize,
    undo: Vec<(usize, Said)>,
}

impl Sheet {
    /// The sheet of a task, open at the first question without an answer.
    pub(crate) fn new(task: Arc<Task>) -> Sheet {
        let questions: Vec<Question> = task.units.iter().flat_map(|asked| of_unit(&task, asked)).collect();
        let stored = |question: &Question| task.answer(&question.unit, &question.criterion);
        let said =
            questions.iter().map(|question| stored(question).map(said_in).unwrap_or_default()).collect();
        let mut begins = HashMap::new();
        for (index, question) in questions.iter().enumerate() {
            begins.entry(question.unit.clone()).or_insert(index);
        }
        let mut sheet = Sheet { task, questions, begins, said, here: 0, undo: Vec::new() };
        sheet.resume();
        sheet
    }

    /// Goes to the first question without an answer; to the first of all where each has one.
    pub(crate) fn resume(&mut self) {
        self.here = self.open_from(0).unwrap_or(0);
    }

    /// The task.
    pub(crate) fn task(&self) -> &Task {
        &self.task
    }

    /// All questions, in the order in which they are asked.
    #[cfg(feature = "ssr")]
    pub(crate) fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// How many questions there are.
    pub(crate) fn len(&self) -> usize {
        self.questions.len()
    }

    /// The question in focus; none where the rubric asks nothing of this conversation.
    pub(crate) fn question(&self) -> Option<&Question> {
        self.questions.get(self.here)
    }

    /// What was said to the question in focus.
    pub(crate) fn here(&self) -> Said {
        self.said.get(self.here).cloned().unwrap_or_default()
    }

    /// The criterion of a question.
    pub(crate) fn criterion(&self, question: &Question) -> Option<&Criterion> {
        self.task.rubric.criterion(&question.criterion)
    }

    /// The scale that a question is answered on.
    pub(crate) fn scale(&self, question: &Question) -> Option<&Scale> {
        self.task.rubric.scale_of(&question.criterion)
    }

    /// What was said to a question.
    pub(crate) fn said_to(&self, question: &Question) -> Option<&Said> {
        self.place_of(question).and_then(|index| self.said.get(index))
    }

    /// The questions about a unit with what was said to each.
    pub(crate) fn of_unit<'a>(&'a self, unit: &'a Unit) -> impl Iterator<Item = (&'a Question, &'a Said)> {
        let begin = self.begins.get(unit).copied().unwrap_or(self.questions.len());
        let pairs = self.questions.iter().zip(&self.said).skip(begin);
        pairs.take_while(move |(question, _)| question.unit == *unit)
    }

    /// How many required questions have no answer.
    pub(crate) fn open_required(&self) -> usize {
        self.required_open().count()
    }

    /// How many questions have an answer.
    pub(crate) fn answered(&self) -> usize {
        self.said.iter().filter(|said| said.value.is_some()).count()
    }

    /// Answers the question in focus and moves on to the next one without an answer, where there is one.
    pub(crate) fn answer(&mut self, value: f64) -> Option<Change> {
        let value = self.scale(self.question()?)?.admit(value)?;
        let change = self.say(Said { value: Some(value), ..self.here() })?;
        self.here = self.open_from(self.here + 1).or_else(|| self.open_from(0)).unwrap_or(self.here);
        Some(change)
    }

    /// Puts a comment on the answer in focus; an empty one takes it away.
    pub(crate) fn comment(&mut self, text: &str) -> Option<Change> {
        let comment = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        self.say(Said { comment, ..self.here() })
    }

    /// Marks the answer in focus for a second look, or takes the mark away.
    pub(crate) fn flag(&mut self) -> Option<Change> {
        let said = self.here();
        self.say(Said { flag: !said.flag, ..said })
    }

    /// Takes the last change back and returns to its question.
    pub(crate) fn undo(&mut self) -> Option<Change> {
        let (index, said) = self.undo.pop()?;
        self.here = index;
        self.put(index, said)
    }

    /// Lets the answer that another tab or device gave stand.
    pub(crate) fn accept(&mut self, question: &Question, said: Said) {
        if let Some(index) = self.place_of(question) {
            self.put(index, said);
            self.undo.retain(|(undone, _)| *undone != index);
        }
    }

    /// Goes to the first question of the next unit, or of the one before.
    pub(crate) fn step_unit(&mut self, step: Step) {
        let Some(unit) = self.question().map(|question| question.unit.clone()) else { return };
        let other = |index: &usize| self.questions[*index].unit != unit;
        let found = match step {
            Step::Forward => (self.here..self.questions.len()).find(other),
            Step::Back => (0..self.here).rev().find(other),
        };
        if let Some(index) = found {
            let unit = self.questions[index].unit.clone();
            self.choose(&unit);
        }
    }

    /// Goes to the next criterion of this unit, or to the one before.
    pub(crate) fn step_criterion(&mut self, step: Step) {
        let Some(unit) = self.question().map(|question| question.unit.clone()) else { return };
        let wanted = match step {
            Step::Forward => self.here.checked_add(1),
            Step::Back => self.here.checked_sub(1),
        };
        if let Some(index) =
            wanted.filter(|index| self.questions.get(*index).is_some_and(|other| other.unit == unit))
        {
            self.here = index;
        }
    }

    /// Goes to the first question about a unit.
    pub(crate) fn choose(&mut self, unit: &Unit) {
        if let Some(index) = self.begins.get(unit) {
            self.here = *index;
        }
    }

    /// Goes to a question.
    pub(crate) fn choose_question(&mut self, question: &Question) {
        if let Some(index) = self.place_of(question) {
            self.here = index;
        }
    }

    /// Goes to the first required question without an answer.
    pub(crate) fn choose_open(&mut self) {
        let open = self.required_open().next();
        self.here = open.unwrap_or(self.here);
    }

    fn say(&mut self, said: Said) -> Option<Change> {
        let before = self.said.get(self.here)?.clone();
        let change = self.put(self.here, said)?;
        self.undo.push((self.here, before));
        Some(change)
    }

    /// Nothing has changed where the same is said again.
    fn put(&mut self, index: usize, said: Said) -> Option<Change> {
        let place = self.said.get_mut(index)?;
        if *place == said {
            return None;
        }
        place.clone_from(&said);
        Some(Change { question: self.questions.get(index)?.clone(), said })
    }

    fn place_of(&self, question: &Question) -> Option<usize> {
        let begin = *self.begins.get(&question.unit)?;
        (begin..self.questions.len()).find(|index| self.questions[*index] == *question)
    }

    fn open_from(&self, start: usize) -> Option<usize> {
        (start..self.said.len()).find(|index| self.said[*index].value.is_none())
    }

    fn required_open(&self) -> impl Iterator<Item = usize> {
        (0..self.questions.len()).filter(|index| {
            let required =
                self.criterion(&self.questions[*index]).is_some_and(|criterion| criterion.required);
            required && self.said[*index].value.is_none()
        })
    }
}

/// The questions about a unit.
fn of_unit<'a>(task: &'a Task, AskedUnit { unit, .. }: &'a AskedUnit) -> impl Iterator<Item = Question> + 'a {
    let criteria = task.rubric.asked_of(unit.kind());
    criteria.map(|criterion| Question { unit: unit.clone(), criterion: criterion.id.clone() })
}

/// What a stored answer says.
pub(crate) fn said_in(answer: &OwnAnswer) -> Said {
    Said { value: answer.value, comment: answer.comment.clone(), flag: answer.flag }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::markup::Markup;
    use domain::Rubric;

    const RUBRIC: &str = r#"
        name = "r"
        version = 1
        [[scale]]
        id = "four"
        kind = "ordinal"
        levels = [{ value = 0, name = "a" }, { value = 1, name = "b" }, { value = 2, name = "c" }, { value = 3, name = "d" }]
        [[criterion]]
        id = "relevance"
        component = "retrieval"
        unit = "passage"
        scale = "four"
        question = "Relevant?"
        required = true
        [[criterion]]
        id = "helpful"
        component = "generation"
        unit = "conversation"
        scale = "four"
        question = "Helpful?"
        required = true
        [[criterion]]
        id = "tone"
        component = "generation"
        unit = "conversation"
        scale = "four"
        question = "Tone?"
    "#;

    fn sheet() -> Sheet {
        let unit = |unit: &str| AskedUnit { unit: unit.parse().unwrap(), name: unit.into(), places: vec![] };
        Sheet::new(Arc::new(Task {
            conversation: "c".into(),
            reading: Markup::default(),
            rubric: Rubric::from_toml(RUBRIC).unwrap(),
            units: ["passage:p1", "passage:p2", "conversation"].map(unit).into(),
            grid: None,
            answers: Vec::new(),
        }))
    }

    fn place(sheet: &Sheet) -> String {
        let question = sheet.question().unwrap();
        format!("{} {}", question.unit, question.criterion)
    }

    #[test]
    fn answering_moves_on_to_the_next_open_question() {
        let mut sheet = sheet();
        assert_eq!(place(&sheet), "passage:p1 relevance");
        assert_eq!(sheet.answer(3.0).unwrap().said.value, Some(3.0));
        assert_eq!(place(&sheet), "passage:p2 relevance");
        sheet.step_unit(Step::Forward);
        sheet.answer(1.0);
        assert_eq!(place(&sheet), "conversation tone");
        sheet.answer(1.0);
        assert_eq!(place(&sheet), "passage:p2 relevance");
        assert_eq!(sheet.open_required(), 1);
        sheet.answer(0.0);
        assert_eq!((sheet.open_required(), sheet.answered()), (0, 4));
    }

    #[test]
    fn what_the_scale_lacks_is_not_said() {
        let mut sheet = sheet();
        assert_eq!(sheet.answer(7.0), None);
        assert_eq!(place(&sheet), "passage:p1 relevance");
    }

    #[test]
    fn undo_takes_back_and_returns() {
        let mut sheet = sheet();
        sheet.answer(3.0);
        let change = sheet.undo().unwrap();
        assert_eq!((change.question.unit.to_string().as_str(), change.said.value), ("passage:p1", None));
        assert_eq!(place(&sheet), "passage:p1 relevance");
        assert_eq!(sheet.undo(), None);
    }

    #[test]
    fn the_same_answer_again_is_no_change() {
        let mut sheet = sheet();
        sheet.answer(3.0);
        sheet.step_unit(Step::Back);
        assert_eq!(sheet.answer(3.0), None);
    }

    #[test]
    fn units_and_criteria_are_walked_and_end_at_the_edges() {
        let mut sheet = sheet();
        sheet.step_unit(Step::Back);
        assert_eq!(place(&sheet), "passage:p1 relevance");
        sheet.step_unit(Step::Forward);
        sheet.step_unit(Step::Forward);
        assert_eq!(place(&sheet), "conversation helpful");
        sheet.step_unit(Step::Forward);
        sheet.step_criterion(Step::Forward);
        assert_eq!(place(&sheet), "conversation tone");
        sheet.step_criterion(Step::Forward);
        assert_eq!(place(&sheet), "conversation tone");
        sheet.step_unit(Step::Back);
        assert_eq!(place(&sheet), "passage:p2 relevance");
        sheet.step_criterion(Step::Back);
        assert_eq!(place(&sheet), "passage:p2 relevance");
    }

    #[test]
    fn flags_and_comments_are_changes_of_the_answer() {
        let mut sheet = sheet();
        assert!(sheet.flag().unwrap().said.flag);
        assert_eq!(sheet.comment(" see 7.3 ").unwrap().said.comment.as_deref(), Some("see 7.3"));
        assert_eq!(sheet.comment("").unwrap().said.comment, None);
        assert!(!sheet.flag().unwrap().said.flag);
    }

    #[test]
    fn another_tabs_answer_can_be_let_stand() {
        let mut sheet = sheet();
        sheet.answer(3.0);
        let question = sheet.questions[0].clone();
        sheet.accept(&question, Said { value: Some(1.0), ..Said::default() });
        assert_eq!(sheet.said_to(&question).unwrap().value, Some(1.0));
        assert_eq!(sheet.undo(), None);
        sheet.choose_question(&question);
        sheet.resume();
        assert_eq!(place(&sheet), "passage:p2 relevance");
    }
}
