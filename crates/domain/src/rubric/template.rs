use crate::{Rubric, RubricError};

/// A rubric to begin with: criteria of the catalogues under a name of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct RubricTemplate {
    /// What it is called; the rubric is named so too.
    pub name: &'static str,
    /// What it is for, in a line.
    pub about: &'static str,
    /// The rubric, as version 1.
    pub rubric: Rubric,
}

impl RubricTemplate {
    /// All templates: the one that asks everything first.
    ///
    /// # Errors
    /// [`RubricError`] where the program was built with a catalogue that is no rubric.
    pub fn all() -> Result<Vec<RubricTemplate>, RubricError> {
        TEMPLATES.iter().map(|(name, about, parts)| Self::of_parts(name, about, parts)).collect()
    }

    /// The template with this name; `None` where there is none.
    ///
    /// # Errors
    /// [`RubricError`] where the program was built with a catalogue that is no rubric.
    pub fn named(name: &str) -> Result<Option<RubricTemplate>, RubricError> {
        let found = TEMPLATES.iter().find(|(named, ..)| *named == name);
        found.map(|(name, about, parts)| Self::of_parts(name, about, parts)).transpose()
    }

    fn of_parts(
        name: &'static str,
        about: &'static str,
        parts: &[Part],
    ) -> Result<RubricTemplate, RubricError> {
        let mut rubric =
            Rubric { name: name.to_owned(), version: 1, scales: Vec::new(), criteria: Vec::new() };
        for (catalogue, chosen) in parts {
            let Rubric { scales, criteria, .. } = Rubric::from_toml(catalogue)?;
            let criteria = criteria.into_iter().filter(|criterion| chosen.asks(&criterion.id));
            rubric.criteria.extend(criteria);
            rubric.scales.extend(scales);
        }
        let Rubric { scales, criteria, .. } = &mut rubric;
        scales.retain(|scale| criteria.iter().any(|criterion| criterion.scale == scale.id));
        rubric.check()?;
        Ok(RubricTemplate { name, about, rubric })
    }
}

/// A catalogue, and which of its criteria a template takes, in the order of the catalogue.
type Part = (&'static str, Chosen);

enum Chosen {
    All,
    These(&'static [&'static str]),
}

impl Chosen {
    fn asks(&self, id: &str) -> bool {
        match self {
            Chosen::All => true,
            Chosen::These(ids) => ids.contains(&id),
        }
    }
}

/// Criteria on named levels, which judges of the library answer too.
const LEVELS: &str = include_str!("../../rubric/levels.toml");
/// Criteria on shares from 0 to 1, which judges of the library answer too.
const SHARES: &str = include_str!("../../rubric/shares.toml");
/// Criteria that only people answer.
const PEOPLE: &str = include_str!("../../rubric/people.toml");

const TEMPLATES: &[(&str, &str, &[Part])] = &[
    (
        "assistant",
        "everything on named levels: routing, passages, citations and the answer",
        &[(LEVELS, Chosen::All)],
    ),
    (
        "retrieval",
        "one relevance score for each passage, 0 to 3, and relevant or not",
        &[(LEVELS, Chosen::These(&["passage-relevance"]))],
    ),
    (
        "retrieval-11",
        "one relevance score for each passage, 0 to 10, and a coarse one of four",
        &[(PEOPLE, Chosen::These(&["passage-relevance"]))],
    ),
    (
        "retrieval-steps",
        "the score of 0 to 3 with its three sub-questions, which are optional",
        &[
            (LEVELS, Chosen::These(&["passage-relevance"])),
            (PEOPLE, Chosen::These(&["right_target", "right_intent", "usable_content"])),
        ],
    ),
    (
        "citations",
        "which paragraphs need a source, and whether what they cite supports them",
        &[(LEVELS, Chosen::These(&["needs_source", "support"]))],
    ),
    (
        "generation",
        "citations, understanding, coherence, completeness, language and abstention",
        &[(
            LEVELS,
            Chosen::These(&[
                "needs_source",
                "support",
                "question_understanding",
                "coherence",
                "completeness",
                "language_compliance",
                "should_abstain",
                "abstained",
            ]),
        )],
    ),
    (
        "routing",
        "collections, tools, arguments, missing resources, refined query",
        &[(
            LEVELS,
            Chosen::These(&[
                "collections_ok",
                "tools_ok",
                "arguments_ok",
                "missing_resource",
                "refined_query_used",
            ]),
        )],
    ),
    (
        "five-metrics",
        "relevance, correctness, faithfulness, helpfulness, free of hallucination, 1 to 5",
        &[(
            LEVELS,
            Chosen::These(&["relevance", "correctness", "faithfulness", "helpfulness", "hallucination_free"]),
        )],
    ),
    (
        "three-shares",
        "context relevance, faithfulness, answer completeness, 0 to 1",
        &[(SHARES, Chosen::These(&["context_relevance", "faithfulness", "answer_completeness"]))],
    ),
    ("shares", "all that is asked as a share or as yes and no", &[(SHARES, Chosen::All)]),
    (
        "justification",
        "one relevance score for each passage, then the reason that a judge gave for its own",
        &[
            (LEVELS, Chosen::These(&["passage-relevance"])),
            (PEOPLE, Chosen::These(&["justification_coherence"])),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Metric, UnitKind};

    #[test]
    fn every_part_of_a_template_is_in_its_catalogue() {
        for (name, _, parts) in TEMPLATES {
            let template = RubricTemplate::named(name).unwrap().unwrap();
            for (_, chosen) in *parts {
                if let Chosen::These(ids) = chosen {
                    assert!(ids.iter().all(|id| template.rubric.criterion(id).is_some()), "{name}");
                }
            }
        }
        assert_eq!(RubricTemplate::named("none").unwrap(), None);
    }

    #[test]
    fn the_one_that_asks_everything_feeds_every_metric() {
        let rubric = RubricTemplate::named("assistant").unwrap().unwrap().rubric;
        for metric in Metric::all() {
            for input in metric.inputs {
                // Retrieval takes whichever criterion is asked of passages.
                let is_asked = *input == "passage relevance" || rubric.criterion(input).is_some();
                assert!(is_asked, "{}: {input}", metric.id);
            }
        }
    }

    #[test]
    fn fine_scores_have_a_coarse_scale() {
        for name in ["retrieval", "retrieval-11", "retrieval-steps"] {
            let rubric = RubricTemplate::named(name).unwrap().unwrap().rubric;
            let first = rubric.asked_of(UnitKind::Passage).next().unwrap();
            assert_eq!(first.id, "passage-relevance");
            assert!(rubric.scale_of(&first.id).unwrap().coarse.is_some());
        }
    }

    #[test]
    fn sub_questions_need_no_answer() {
        let rubric = RubricTemplate::named("retrieval-steps").unwrap().unwrap().rubric;
        assert_eq!(rubric.criteria.iter().filter(|criterion| criterion.required).count(), 1);
        assert_eq!(rubric.criteria.len(), 4);
    }
}
