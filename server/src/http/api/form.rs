//! The form of an answer: by the parameter `format`, else by the header `Accept`, else JSON.

use super::Problem;
use crate::cli::{ci, reports};
use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use clap::ValueEnum;
use serde::Deserialize;
use service::ServiceError;
use utoipa::{
    IntoParams,
    openapi::{Object, ObjectBuilder, schema::Type},
};

/// How a report is written.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ReportForm {
    /// How it is written; the header `Accept` may say it too
    #[param(schema_with = names_of::<reports::Format>)]
    format: Option<String>,
}

/// How the answer of a gate or a check is written.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AnswerForm {
    /// How it is written; the header `Accept` may say it too
    #[param(schema_with = names_of::<ci::Format>)]
    format: Option<String>,
}

impl ReportForm {
    /// The report in the form that is asked for.
    pub(super) fn write(
        &self,
        headers: &HeaderMap,
        written: impl FnOnce(reports::Format) -> anyhow::Result<String>,
    ) -> Result<Response, Problem> {
        answer(StatusCode::OK, chosen(self.format.as_deref(), headers)?, written)
    }
}

impl AnswerForm {
    /// The answer in the form that is asked for.
    pub(super) fn write(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        written: impl FnOnce(ci::Format) -> anyhow::Result<String>,
    ) -> Result<Response, Problem> {
        answer(status, chosen(self.format.as_deref(), headers)?, written)
    }
}

/// A form that an answer can have.
trait Form: ValueEnum + Copy {
    /// The form where nothing else is asked for.
    const USUAL: Self;

    /// What the header `Content-Type` says of it.
    fn content_type(self) -> &'static str;
}

impl Form for reports::Format {
    const USUAL: reports::Format = reports::Format::Json;

    fn content_type(self) -> &'static str {
        match self {
            reports::Format::Text => "text/plain; charset=utf-8",
            reports::Format::Json => "application/json",
            reports::Format::Csv => "text/csv; charset=utf-8",
        }
    }
}

impl Form for ci::Format {
    const USUAL: ci::Format = ci::Format::Json;

    fn content_type(self) -> &'static str {
        match self {
            ci::Format::Text => "text/plain; charset=utf-8",
            ci::Format::Json => "application/json",
            ci::Format::Junit => "application/xml",
            ci::Format::Markdown => "text/markdown; charset=utf-8",
        }
    }
}

fn names<F: ValueEnum>() -> Vec<String> {
    let value = |form: &F| form.to_possible_value().map(|value| value.get_name().to_owned());
    F::value_variants().iter().filter_map(value).collect()
}

fn names_of<F: ValueEnum>() -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names::<F>())).build()
}

fn chosen<F: Form>(format: Option<&str>, headers: &HeaderMap) -> Result<F, Problem> {
    if let Some(format) = format {
        return F::from_str(format, false).map_err(|_| {
            let reason =
                format!("found {}, expected one of {}", domain::visible(format), names::<F>().join(", "));
            ServiceError::Invalid { field: "format".to_owned(), reason }.into()
        });
    }
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = |kind: &str| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let offered = |accepted: String| {
        F::value_variants().iter().find(|form| essence(form.content_type()) == accepted).copied()
    };
    Ok(accepted.split(',').map(essence).find_map(offered).unwrap_or(F::USUAL))
}

fn answer<F: Form>(
    status: StatusCode,
    form: F,
    written: impl FnOnce(F) -> anyhow::Result<String>,
) -> Result<Response, Problem> {
    let text = written(form).map_err(|error| ServiceError::Internal(error.to_string()))?;
    Ok((status, [(header::CONTENT_TYPE, form.content_type())], text).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(format: Option<&str>, accept: &str) -> Result<ci::Format, Problem> {
        let headers = HeaderMap::from_iter([(header::ACCEPT, accept.parse().unwrap())]);
        chosen(format, &headers)
    }

    #[test]
    fn the_parameter_wins_over_the_header_and_json_over_nothing() {
        assert_eq!(form(None, "*/*"), Ok(ci::Format::Json));
        assert_eq!(form(None, "text/html, text/markdown;q=0.5"), Ok(ci::Format::Markdown));
        assert_eq!(form(None, "Application/XML"), Ok(ci::Format::Junit));
        assert_eq!(form(Some("text"), "application/xml"), Ok(ci::Format::Text));
        let problem = form(Some("pdf"), "*/*").unwrap_err();
        assert!(problem.detail.contains("expected one of text, json, junit, markdown"), "{problem:?}");
    }
}
