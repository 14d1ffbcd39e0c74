//! Retrieval from graded relevance: one ranked list and the grades of its documents.

use std::collections::{HashMap, HashSet};

use thiserror::Error;

use crate::result::estimate::Undefined;

/// How a grade becomes a gain. The convention belongs into the name of a figure: `ndcg_lin@5`, `ndcg_exp@5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gain {
    /// The grade itself (Järvelin & Kekäläinen 2002; trec_eval).
    Linear,
    /// 2^grade − 1 (Burges et al. 2005).
    Exponential,
}

/// What a document without a grade is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unjudged {
    /// Not there: it is taken out before ranks are counted, and k falls by those taken out of the top k. The default:
    /// a failed judgement is no irrelevant document.
    Removed,
    /// Of grade 0, as trec_eval has it.
    Zero,
}

/// A grade that is negative or not finite.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("the grade of {document} is {grade}: a grade of relevance is a finite number from 0 up")]
pub struct NotAGrade {
    /// The document.
    pub document: String,
    /// What was found.
    pub grade: f64,
}

/// A ranked list of documents with the grades of all judged ones, retrieved or not.
///
/// The order is the one given: there is no sorting by score. Of a document that stands twice the first copy counts.
///
/// ```
/// use agreement::{Gain, Ranking, Unjudged};
/// let ranking = Ranking::new(["a", "b"], [("a", 1.0), ("b", 3.0), ("c", 2.0)])?;
/// let found = ranking.ndcg(2, Gain::Linear, Unjudged::Removed).unwrap();
/// assert!((found - (1.0 + 3.0 / 3.0_f64.log2()) / (3.0 + 2.0 / 3.0_f64.log2())).abs() < 1e-12);
/// # Ok::<(), agreement::NotAGrade>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The grade at each rank, none where unjudged.
    grades: Vec<Option<f64>>,
    /// Grades of all judged documents, best first.
    ideal: Vec<f64>,
    duplicates: usize,
}

impl Ranking {
    /// From the documents in ranked order and the grades of all judged documents.
    ///
    /// # Errors
    /// A grade that is negative or not finite.
    pub fn new<'d>(
        ranked: impl IntoIterator<Item = &'d str>,
        grades: impl IntoIterator<Item = (&'d str, f64)>,
    ) -> Result<Ranking, NotAGrade> {
        let grades: HashMap<&str, f64> = grades.into_iter().collect();
        if let Some((document, grade)) =
            grades.iter().find(|(_, grade)| !(grade.is_finite() && **grade >= 0.0))
        {
            return Err(NotAGrade { document: (*document).to_owned(), grade: *grade });
        }
        let (mut seen, mut listed, mut given) = (HashSet::new(), Vec::new(), 0);
        for document in ranked {
            given += 1;
            if seen.insert(document) {
                listed.push(grades.get(document).copied());
            }
        }
        let mut ideal: Vec<f64> = grades.into_values().collect();
        ideal.sort_by(|left, right| right.total_cmp(left));
        Ok(Ranking { duplicates: given - listed.len(), grades: listed, ideal })
    }

    /// Copies that were taken out.
    pub fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// Documents in the list, without copies.
    pub fn returned(&self) -> usize {
        self.grades.len()
    }

    /// Share of the top k that is judged. Undefined where nothing was retrieved, or k is 0.
    pub fn judged_share(&self, k: usize) -> Result<f64, Undefined> {
        let top = self.top(k);
        share(top.iter().flatten().count() as f64, top.len() as f64)
    }

    /// Relevant documents in the top k ÷ k, where relevant means a grade of at least `relevant_from`; ranks beyond the
    /// list are no hits. 0 where nothing was retrieved; undefined where k is 0, or nothing of the top k is judged.
    pub fn precision(&self, k: usize, relevant_from: f64, unjudged: Unjudged) -> Result<f64, Undefined> {
        let k = match unjudged {
            Unjudged::Zero => k,
            Unjudged::Removed => k - self.top(k).iter().filter(|grade| grade.is_none()).count(),
        };
        share(self.relevant_in_top(k, relevant_from, unjudged), k as f64)
    }

    /// Relevant documents in the top k ÷ documents returned in the top k: another figure than [`Ranking::precision`]
    /// where fewer than k were returned.
    pub fn precision_over_returned(
        &self,
        k: usize,
        relevant_from: f64,
        unjudged: Unjudged,
    ) -> Result<f64, Undefined> {
        let considered = self.considered(k, unjudged).len();
        share(self.relevant_in_top(considered, relevant_from, unjudged), considered as f64)
    }

    /// Relevant documents in the top k ÷ all relevant judged documents. Undefined [`Undefined::IdealDcgZero`] where no
    /// judged document is relevant.
    pub fn recall(&self, k: usize, relevant_from: f64) -> Result<f64, Undefined> {
        let relevant = |grades: &mut dyn Iterator<Item = f64>| {
            grades.filter(|grade| *grade >= relevant_from).count() as f64
        };
        let all = relevant(&mut self.ideal.iter().copied());
        if all <= 0.0 {
            return Err(Undefined::IdealDcgZero);
        }
        Ok(relevant(&mut self.top(k).iter().flatten().copied()) / all)
    }

    /// Discounted cumulative gain of the top k ÷ that of the ideal order of *all* judged documents, with the same gain
    /// and the same k. Undefined [`Undefined::IdealDcgZero`] where no judged document has a gain.
    pub fn ndcg(&self, k: usize, gain: Gain, unjudged: Unjudged) -> Result<f64, Undefined> {
        let grades = self.considered(k, unjudged);
        let cut = match unjudged {
            Unjudged::Zero => k,
            Unjudged::Removed => k - (self.top(k).len() - grades.len()),
        };
        let ideal = discounted(self.ideal.iter().take(cut).copied(), gain);
        let found = discounted(grades.into_iter(), gain) / ideal;
        if ideal > 0.0 && found.is_finite() { Ok(found) } else { Err(Undefined::IdealDcgZero) }
    }

    /// Mean grade of the top k. Undefined where nothing of it counts.
    pub fn mean_relevance(&self, k: usize, unjudged: Unjudged) -> Result<f64, Undefined> {
        let grades = self.considered(k, unjudged);
        share(grades.iter().sum(), grades.len() as f64)
    }

    /// Greatest grade of the top k. Undefined where nothing of it counts.
    pub fn max_relevance(&self, k: usize, unjudged: Unjudged) -> Result<f64, Undefined> {
        self.considered(k, unjudged).into_iter().reduce(f64::max).ok_or(Undefined::NoLabels)
    }

    fn top(&self, k: usize) -> &[Option<f64>] {
        &self.grades[..k.min(self.grades.len())]
    }

    /// The grades of the top k that count.
    fn considered(&self, k: usize, unjudged: Unjudged) -> Vec<f64> {
        match unjudged {
            Unjudged::Zero => self.top(k).iter().map(|grade| grade.unwrap_or(0.0)).collect(),
            Unjudged::Removed => self.top(k).iter().flatten().copied().collect(),
        }
    }

    fn relevant_in_top(&self, k: usize, relevant_from: f64, unjudged: Unjudged) -> f64 {
        let all = self.considered(self.grades.len(), unjudged);
        all.into_iter().take(k).filter(|grade| *grade >= relevant_from).count() as f64
    }
}

fn share(part: f64, whole: f64) -> Result<f64, Undefined> {
    match part / whole {
        _ if whole <= 0.0 => Err(Undefined::NoLabels),
        share if share.is_finite() => Ok(share),
        _ => Err(Undefined::NotFinite),
    }
}

fn discounted(grades: impl Iterator<Item = f64>, gain: Gain) -> f64 {
    let of = |grade: f64| match gain {
        Gain::Linear => grade,
        Gain::Exponential => grade.exp2() - 1.0,
    };
    grades.zip(2_u32..).map(|(grade, place)| of(grade) / f64::from(place).log2()).sum()
}

/// What an answer cites, against what was retrieved and is relevant; on sets, for one conversation.
///
/// ```
/// use agreement::Citations;
/// let citations = Citations::new(["c1", "c1", "c3"], ["c1", "c2", "c3"], ["c1", "c2"]);
/// assert_eq!(citations.precision(), Ok(0.5));
/// assert_eq!(citations.recall(), Ok(0.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citations {
    cited: usize,
    retrieved: usize,
    relevant: usize,
    cited_and_relevant: usize,
    hallucinated: usize,
}

impl Citations {
    /// From the cited ids, the retrieved ids, and which of them are relevant. Relevant ids that were not retrieved do
    /// not count.
    pub fn new<'d>(
        cited: impl IntoIterator<Item = &'d str>,
        retrieved: impl IntoIterator<Item = &'d str>,
        relevant: impl IntoIterator<Item = &'d str>,
    ) -> Citations {
        let cited: HashSet<&str> = cited.into_iter().collect();
        let retrieved: HashSet<&str> = retrieved.into_iter().collect();
        let relevant: HashSet<&str> = relevant.into_iter().filter(|id| retrieved.contains(id)).collect();
        Citations {
            cited: cited.len(),
            retrieved: retrieved.len(),
            relevant: relevant.len(),
            cited_and_relevant: cited.intersection(&relevant).count(),
            hallucinated: cited.difference(&retrieved).count(),
        }
    }

    /// Cited and relevant ÷ cited. Undefined [`Undefined::NothingCited`].
    pub fn precision(&self) -> Result<f64, Undefined> {
        share(self.cited_and_relevant as f64, self.cited as f64).map_err(|_| Undefined::NothingCited)
    }

    /// Cited and relevant ÷ retrieved. Undefined [`Undefined::NoLabels`] where nothing was retrieved.
    pub fn precision_of_retrieved(&self) -> Result<f64, Undefined> {
        share(self.cited_and_relevant as f64, self.retrieved as f64)
    }

    /// Cited and relevant ÷ relevant and retrieved. Undefined [`Undefined::NoPositives`] where none is.
    pub fn recall(&self) -> Result<f64, Undefined> {
        share(self.cited_and_relevant as f64, self.relevant as f64).map_err(|_| Undefined::NoPositives)
    }

    /// Cited ids that were not retrieved.
    pub fn hallucinated(&self) -> usize {
        self.hallucinated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unjudged_document_is_not_an_irrelevant_one() {
        let ranking = Ranking::new(["x", "a", "y", "b"], [("a", 2.0), ("b", 1.0), ("c", 3.0)]).unwrap();
        assert_eq!(ranking.precision(4, 1.0, Unjudged::Zero), Ok(0.5));
        assert_eq!(ranking.precision(4, 1.0, Unjudged::Removed), Ok(1.0));
        assert_eq!(ranking.precision(1, 1.0, Unjudged::Removed), Err(Undefined::NoLabels));
        assert_eq!(ranking.mean_relevance(4, Unjudged::Removed), Ok(1.5));
    }

    #[test]
    fn edges() {
        let nothing = Ranking::new([], [("a", 1.0)]).unwrap();
        assert_eq!(nothing.precision(5, 1.0, Unjudged::Removed), Ok(0.0));
        assert_eq!(nothing.ndcg(5, Gain::Linear, Unjudged::Removed), Ok(0.0));
        assert_eq!(nothing.max_relevance(5, Unjudged::Removed), Err(Undefined::NoLabels));
        let irrelevant = Ranking::new(["a"], [("a", 0.0)]).unwrap();
        assert_eq!(irrelevant.ndcg(5, Gain::Exponential, Unjudged::Removed), Err(Undefined::IdealDcgZero));
        assert_eq!(irrelevant.recall(5, 1.0), Err(Undefined::IdealDcgZero));
        assert!(Ranking::new(["a"], [("a", -1.0)]).is_err());
        assert_eq!(Ranking::new(["a", "b", "a"], [("a", 1.0)]).unwrap().duplicates(), 1);
        let none = Citations::new([], ["c1"], ["c1"]);
        assert_eq!((none.precision(), none.recall()), (Err(Undefined::NothingCited), Ok(0.0)));
        assert_eq!(Citations::new(["c9"], ["c1"], []).hallucinated(), 1);
    }
}
