//! Between the form of a judge and its declaration.

use crate::{error::AppError, rpc::judge::Draft, typed::names};
use domain::{Declaration, Instrument, Model, Parser};
use serde_json::Map;
use service::JudgeEntry;

/// What the form says, declared.
pub(crate) fn declaration(draft: Draft) -> Result<Declaration, AppError> {
    let invalid = |field: &str, reason: String| AppError::Invalid { field: field.to_owned(), reason };
    let parameters = match draft.parameters.trim() {
        "" => Map::new(),
        text => serde_json::from_str(text).map_err(|error| {
            invalid(
                "parameters",
                format!("found {error}, expected a JSON object, such as {{\"temperature\": 0}}"),
            )
        })?,
    };
    let parser = match draft.parser.as_str() {
        "" | "scores" => Parser::Scores,
        "claims" => Parser::Claims,
        other => {
            let reason = format!("found {}, expected scores or claims", domain::visible(other));
            return Err(invalid("parser", reason));
        }
    };
    let example_set = match draft.example_set.trim() {
        "" => None,
        name => Some(name.parse().map_err(|reason| invalid("example_set", reason))?),
    };
    Ok(Declaration {
        name: draft.name.trim().to_owned(),
        version: draft.version.trim().to_owned(),
        criteria: names(&draft.criteria),
        rubric: None,
        instrument: Instrument::Model(Model {
            endpoint: draft.endpoint.trim().to_owned(),
            model: draft.model.trim().to_owned(),
            // Browsers send line ends of two characters, and a template that was only looked at must stay the same.
            system: draft.system.replace("\r\n", "\n"),
            prompt: draft.prompt.replace("\r\n", "\n"),
            parser,
            parameters,
            examples: names(&draft.examples),
            example_set,
        }),
    })
}

/// A declaration as the form has it; none for a baseline.
pub(crate) fn draft_of(declaration: &Declaration) -> Option<Draft> {
    let model = declaration.model()?;
    let parameters = if model.parameters.is_empty() {
        String::new()
    } else {
        serde_json::to_string(&model.parameters).unwrap_or_default()
    };
    Some(Draft {
        name: declaration.name.clone(),
        version: declaration.version.clone(),
        criteria: declaration.criteria.join(", "),
        endpoint: model.endpoint.clone(),
        model: model.model.clone(),
        parser: if model.parser == Parser::Claims { "claims".to_owned() } else { "scores".to_owned() },
        parameters,
        system: model.system.clone(),
        prompt: model.prompt.clone(),
        examples: model.examples.join(", "),
        example_set: model.example_set.as_ref().map(ToString::to_string).unwrap_or_default(),
    })
}

/// A prompt that comes along as the form has it; an empty form where none is named.
pub(crate) fn draft_of_library(name: Option<&str>, endpoints: &[String]) -> Result<Draft, AppError> {
    let endpoint = endpoints.first().map(String::as_str).unwrap_or_default();
    let Some(name) = name else {
        return Ok(Draft { version: "1".to_owned(), endpoint: endpoint.to_owned(), ..Draft::default() });
    };
    let library = service::library().map_err(crate::door::refused)?;
    let template = library.iter().find(|template| template.name == name).ok_or_else(|| {
        AppError::NotFound { what: format!("the library has no prompt `{}`", domain::visible(name)) }
    })?;
    Ok(draft_of(&template.declaration(endpoint, "")).unwrap_or_default())
}

/// The version after this one that is not taken: versions that are numbers count up, others get a number.
pub(crate) fn next_version(name: &str, version: &str, judges: &[JudgeEntry]) -> String {
    let (stem, number) = match version.parse::<u64>() {
        Ok(number) => (String::new(), number),
        Err(_) => match version.rsplit_once('-').map(|(stem, number)| (stem, number.parse())) {
            Some((stem, Ok(number))) => (format!("{stem}-"), number),
            _ => (format!("{version}-"), 1),
        },
    };
    let taken =
        |version: &String| judges.iter().any(|judge| judge.judge == name && judge.version == *version);
    (1..=u64::from(u32::MAX))
        .map(|step| format!("{stem}{}", number.saturating_add(step)))
        .find(|version| !taken(version))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> Draft {
        Draft {
            name: " strict ".to_owned(),
            version: "1".to_owned(),
            criteria: "helpfulness, correctness,".to_owned(),
            endpoint: "local".to_owned(),
            model: "m-2026-08-01".to_owned(),
            parser: String::new(),
            parameters: "{\"temperature\": 0}".to_owned(),
            system: String::new(),
            prompt: "{{ question }}\r\n{{ answer }}".to_owned(),
            examples: "c-1, c-2".to_owned(),
            example_set: "gold@1".to_owned(),
        }
    }

    #[test]
    fn a_form_and_its_declaration_say_the_same() {
        let declared = declaration(draft()).unwrap();
        assert_eq!((declared.name.as_str(), declared.criteria.len()), ("strict", 2));
        let back = draft_of(&declared).unwrap();
        assert_eq!(back.prompt, "{{ question }}\n{{ answer }}");
        assert_eq!(declaration(back).unwrap(), declared);
        let wrong = declaration(Draft { parameters: "temperature".to_owned(), ..draft() }).unwrap_err();
        assert_eq!(wrong.field(), Some("parameters"));
    }

    #[test]
    fn the_next_version_is_one_that_is_not_taken() {
        let entry = |version: &str| JudgeEntry {
            name: "strict".to_owned(),
            judge: "strict".to_owned(),
            version: version.to_owned(),
            source: "declared".to_owned(),
            model: None,
            floating: false,
            verdicts: 0,
            failures: 0,
            criteria: Vec::new(),
            instruments: Vec::new(),
            mixed: false,
            grades: Vec::new(),
        };
        let judges = [entry("1"), entry("2"), entry("terse"), entry("terse-2")];
        assert_eq!(next_version("strict", "1", &judges), "3");
        assert_eq!(next_version("other", "1", &judges), "2");
        assert_eq!(next_version("strict", "terse", &judges), "terse-3");
    }
}
