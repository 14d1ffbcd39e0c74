use super::*;
use crate::{Prompt, render};
use domain::{Conversation, JudgeAnswer, Outcome, Unit, read_answer};
use std::collections::BTreeSet;

/// A path of retrieval, with all that a conversation can have.
fn full() -> Conversation {
    let row = json!({
        "id": "c1", "language": "en", "messages": [{ "role": "user", "content": "I bought a kettle." }, { "role": "assistant", "content": "Nice." }],
        "question": "May I return it?", "refined_query": "return a kettle", "context": "The shop sells kettles.",
        "routing": { "agent": "orders", "collections": ["terms"],
                     "tool_calls": [{ "name": "order", "arguments": { "id": 7 }, "result": "delivered" }, { "name": "stock", "error": "down" }] },
        "passages": [{ "id": "p1", "text": "Goods may be returned within 30 days." }, { "id": "p2", "text": "" }],
        "answer": { "text": "Within 30 days.", "paragraphs": [{ "id": "a1", "text": "Within 30 days.", "citations": ["p1", "p9"] }] },
        "expected": { "answer": "30 days", "behaviour": "Name the period.", "tools": [{ "name": "order" }], "sources": ["terms"] },
    });
    Conversation::from_json(row).unwrap().0
}

/// A path without retrieval, tools, expectations or an answer.
fn bare() -> Conversation {
    Conversation::from_json(json!({ "id": "c2", "question": "Hello?", "passages": [{ "id": "p1" }] }))
        .unwrap()
        .0
}

/// The rubrics that the library was written for.
fn rubrics() -> [Rubric; 2] {
    ["assistant", "shares"].map(|name| domain::RubricTemplate::named(name).unwrap().unwrap().rubric)
}

fn prompt(template: &Template, rubric: &Rubric, conversation: &Conversation, unit: &Unit) -> Prompt {
    let judge = template.declaration("e", "m");
    render(judge.model().unwrap(), rubric, &judge.criteria, conversation, unit, &[], "lot")
        .unwrap_or_else(|error| panic!("{} of {unit}: {error}", template.name))
}

#[test]
fn every_template_renders_on_every_unit_of_a_rubric_that_it_fits() {
    let rubrics = rubrics();
    for template in templates().unwrap() {
        let fitting: Vec<&Rubric> = rubrics.iter().filter(|rubric| template.fits(rubric)).collect();
        assert_eq!(fitting.len(), 1, "{}", template.name);
        for conversation in [full(), bare()] {
            for unit in conversation.units(template.unit) {
                let prompt = prompt(&template, fitting[0], &conversation, &unit);
                assert!(prompt.system.contains("is data"), "{}", template.name);
                assert!(prompt.user.contains("Answer with one JSON object"), "{}", template.name);
                assert!(
                    !prompt.user.contains("None") && !prompt.user.contains("\n\n\n\n"),
                    "{}:\n{}",
                    template.name,
                    prompt.user
                );
            }
        }
    }
}

#[test]
fn every_level_of_a_rubric_says_what_it_means_and_stands_in_its_prompts() {
    for rubric in rubrics() {
        for level in rubric.scales.iter().flat_map(|scale| &scale.levels) {
            assert!(level.means.is_some(), "{}: {}", rubric.name, level.name);
        }
        for template in templates().unwrap().iter().filter(|template| template.fits(&rubric)) {
            let shown = full();
            let prompt = prompt(template, &rubric, &shown, &shown.units(template.unit)[0]);
            let levels = template.criteria.iter().flat_map(|id| &rubric.scale_of(id).unwrap().levels);
            for level in levels.filter(|_| template.name != "relevance-ends") {
                assert!(
                    prompt.user.contains(level.means.as_ref().unwrap()),
                    "{}: {}",
                    template.name,
                    level.name
                );
            }
        }
    }
}

#[test]
fn every_criterion_of_the_rubrics_has_a_template() {
    let templates = templates().unwrap();
    for rubric in rubrics() {
        for criterion in &rubric.criteria {
            let answers =
                |template: &&Template| template.fits(&rubric) && template.criteria.contains(&criterion.id);
            assert!(templates.iter().any(|template| answers(&template)), "{}: {}", rubric.name, criterion.id);
        }
    }
}

#[test]
fn twelve_variants_of_passage_relevance_say_different_things_to_the_demo() {
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../../server/demo/rubric.toml");
    let demo = Rubric::from_toml(&std::fs::read_to_string(demo).unwrap()).unwrap();
    let (shown, unit) = (full(), Unit::Passage("p1".to_owned()));
    let fitting: Vec<Template> =
        templates().unwrap().into_iter().filter(|template| template.fits(&demo)).collect();
    let variants: BTreeSet<String> = fitting
        .iter()
        .filter(|template| template.unit == UnitKind::Passage)
        .map(|template| prompt(template, &demo, &shown, &unit).user)
        .collect();
    assert_eq!(variants.len(), 12);
    let names: Vec<&str> = fitting.iter().map(|template| template.name.as_str()).collect();
    for name in
        ["citation-support", "needs-source", "routing", "answer-quality", "language-compliance", "abstention"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[test]
fn every_file_of_the_library_is_a_template_of_its_own_name() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/library");
    let files: BTreeSet<String> = std::fs::read_dir(directory)
        .unwrap()
        .filter_map(|entry| {
            entry.unwrap().file_name().into_string().unwrap().strip_suffix(".toml").map(str::to_owned)
        })
        .collect();
    let names: BTreeSet<String> = templates().unwrap().into_iter().map(|template| template.name).collect();
    assert_eq!(files, names);
}

#[test]
fn what_a_prompt_asks_for_is_what_is_read() {
    let rubrics = rubrics();
    for template in templates().unwrap() {
        let rubric = rubrics.iter().find(|rubric| template.fits(rubric)).unwrap();
        let scored = |id: &String| json!({ "reason": "x", "score": rubric.scale_of(id).unwrap().bounds().1 });
        let answer = match (template.parser, template.criteria.as_slice()) {
            (Parser::Claims, _) => json!({ "claims": [{ "claim": "x", "supported": true }] }),
            (Parser::Scores, [one]) => scored(one),
            (Parser::Scores, several) => {
                several.iter().map(|id| (id.clone(), scored(id))).collect::<Map<_, _>>().into()
            }
        };
        let asked: Vec<_> = template
            .criteria
            .iter()
            .map(|id| domain::Asked { criterion: id, scale: rubric.scale_of(id).unwrap() })
            .collect();
        let text = answer.to_string();
        for reading in
            read_answer(&JudgeAnswer { text: &text, ..JudgeAnswer::default() }, template.parser, &asked)
        {
            let best = rubric.scale_of(&reading.criterion).unwrap().bounds().1;
            assert_eq!(reading.outcome, Outcome::Value(best), "{}", template.name);
        }
    }
}
