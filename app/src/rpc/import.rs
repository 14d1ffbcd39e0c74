//! Files to be imported, and what is taken out of them.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use domain::RedactionRules;
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[cfg(feature = "ssr")]
use crate::{door, page::import::report::Understood, typed::word};
#[cfg(feature = "ssr")]
use domain::{ImportReport, Permission, PrivateKind, visible};
#[cfg(feature = "ssr")]
use service::{
    ExportFormat, ServiceError,
    import::{ImportRequest, MAPPED_FIELDS, Options, Turns, Writer},
};

/// What the import page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ImportPage {
    /// The file that was sent and waits, or was imported.
    pub(crate) file: Option<SentFile>,
    /// What is taken out of everything that is imported.
    pub(crate) rules: RedactionRules,
    /// Names of the files that can be taken out.
    pub(crate) exports: Vec<String>,
}

/// A file that was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SentFile {
    /// By which it is asked for.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// Its size.
    pub(crate) bytes: u64,
    /// What may have written it.
    pub(crate) writers: Vec<String>,
    /// What wrote it, as it was chosen.
    pub(crate) from: String,
    /// What becomes of records of many turns.
    pub(crate) turns: String,
    /// Whether the good rows are taken where others are refused.
    pub(crate) keeps_going: bool,
    /// Fields of ours that a column can stand for, with the column that was chosen.
    pub(crate) fields: Vec<(String, String)>,
    /// The columns of a table.
    pub(crate) columns: Vec<String>,
    /// Names of the mappings that are remembered.
    pub(crate) mappings: Vec<String>,
    /// Name of the mapping that was chosen.
    pub(crate) mapping: String,
    /// What was understood, or what came in.
    pub(crate) report: Option<Markup>,
    /// Why nothing can be understood.
    pub(crate) wrong: Option<String>,
    /// Whether it can be imported as it is.
    pub(crate) is_ready: bool,
    /// Whether it was imported.
    pub(crate) is_done: bool,
}

/// The import page; `file` names a file that was sent, of which is shown what would come of it.
#[server(input = Json)]
pub(crate) async fn load_import(
    project: String,
    file: Option<String>,
) -> Result<Packed<ImportPage>, AppError> {
    let pass = door::authorise(&project, Permission::Import).await?;
    let service = door::service()?;
    let file = match file {
        None => None,
        Some(id) => Some(sent(&pass, &service, id).await?),
    };
    let rules = service.redaction_rules(pass.project).await.map_err(door::refused)?;
    let exports = ExportFormat::ALL.map(|format| format.file_name().to_owned()).to_vec();
    Packed::new(&ImportPage { file, rules, exports })
}

/// Says how a file that waits is to be read. `known` is a remembered mapping, which counts before the columns.
#[server]
pub(crate) async fn choose_import(
    project: String,
    file: String,
    #[server(default)] from: String,
    #[server(flatten)] choice: ImportChoice,
    #[server(default)] columns: BTreeMap<String, String>,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Import).await?;
    let service = door::service()?;
    let named = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let (mapping, columns) = match named(choice.known) {
        None => {
            (named(choice.mapping), columns.into_iter().filter(|(_, column)| !column.is_empty()).collect())
        }
        Some(known) => {
            let mut mappings = service.column_mappings(pass.project).await.map_err(door::refused)?;
            let reason = || "choose one of the mappings that are remembered".to_owned();
            let columns = mappings
                .remove(&known)
                .ok_or_else(|| AppError::Invalid { field: "known".to_owned(), reason: reason() })?;
            (Some(known), columns)
        }
    };
    let request = ImportRequest {
        from: named(from).map(|from| word("from", &from)).transpose()?,
        turns: named(choice.turns).map(|turns| word("turns", &turns)).transpose()?.unwrap_or_default(),
        mapping: mapping.filter(|_| !columns.is_empty()),
        columns,
        options: Options { keep_going: !choice.keep_going.is_empty(), ..Options::default() },
        ..ImportRequest::default()
    };
    service.choose_import(pass.project, pass.user, &file, request).map_err(door::refused)
}

/// How a file is to be read, as the form has it. What it leaves out stands empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ImportChoice {
    /// `each` or `whole`.
    pub(crate) turns: String,
    /// A remembered mapping.
    pub(crate) known: String,
    /// The name under which the columns are remembered.
    pub(crate) mapping: String,
    /// Something where the good rows are taken.
    pub(crate) keep_going: String,
}

/// Imports a file that waits.
#[server]
pub(crate) async fn import_file(project: String, file: String) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Import).await?;
    let imported = door::service()?.import_staged(pass.project, pass.user, &file, false).await;
    imported.map(|_| ()).map_err(refused)
}

/// Sets what is taken out of everything that is imported. A kind is on where its box was sent.
#[server]
pub(crate) async fn set_redaction(
    project: String,
    #[server(default)] email: String,
    #[server(default)] phone: String,
    #[server(default)] iban: String,
    #[server(default)] card: String,
    #[server(default)] orders: String,
    #[server(default)] own: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Import).await?;
    let boxes = PrivateKind::ALL.into_iter().zip([email, phone, iban, card]);
    let lines = |text: &str| {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let rules = RedactionRules {
        kinds: boxes.filter(|(_, sent)| !sent.is_empty()).map(|(kind, _)| kind).collect(),
        orders: lines(&orders),
        own: lines(&own).iter().map(|line| word("own", line)).collect::<Result<_, _>>()?,
    };
    let set = door::service()?.set_redaction_rules(pass.project, &rules, Some(pass.user)).await;
    set.map_err(door::refused)
}

/// A file that was sent, with what would come of it or has come.
#[cfg(feature = "ssr")]
async fn sent(pass: &door::Pass, service: &service::Service, id: String) -> Result<SentFile, AppError> {
    let waiting = service.staged(pass.project, pass.user, &id).map_err(door::refused)?;
    let (report, wrong) = match waiting.done.clone() {
        Some(report) => (Some(report), None),
        None => match service.import_staged(pass.project, pass.user, &id, true).await {
            Ok(report) => (Some(report), None),
            Err(error) => (None, Some(refused(error).to_string())),
        },
    };
    let ImportRequest { from, turns, columns, mapping, options, .. } = waiting.request;
    let mappings = service.column_mappings(pass.project).await.map_err(door::refused)?;
    let is_good = |report: &ImportReport| report.refused == 0 || options.keep_going;
    Ok(SentFile {
        id,
        name: waiting.name,
        bytes: waiting.bytes,
        writers: Writer::all().map(|writer| writer.word().to_owned()).collect(),
        from: from.map(|writer| writer.word().to_owned()).unwrap_or_default(),
        turns: if turns == Turns::Whole { "whole" } else { "each" }.to_owned(),
        keeps_going: options.keep_going,
        fields: MAPPED_FIELDS
            .map(|field| (field.to_owned(), columns.get(field).cloned().unwrap_or_default()))
            .to_vec(),
        columns: waiting.columns,
        mappings: mappings.into_keys().collect(),
        mapping: mapping.unwrap_or_default(),
        is_ready: waiting.done.is_none() && report.as_ref().is_some_and(is_good),
        is_done: waiting.done.is_some(),
        report: report.map(|report| Markup::of_part(view! { <Understood report=report/> })),
        wrong,
    })
}

/// A file that cannot be taken is the file's fault and no fault of ours.
#[cfg(feature = "ssr")]
fn refused(error: ServiceError) -> AppError {
    const LISTED: usize = 5;
    match error {
        ServiceError::Faults(faults) => {
            let mut lines: Vec<String> = faults.iter().take(LISTED).map(ToString::to_string).collect();
            if faults.len() > LISTED {
                lines.push(format!("and {} more", faults.len() - LISTED));
            }
            AppError::Invalid { field: "file".to_owned(), reason: visible(&lines.join("; ")) }
        }
        other => door::refused(other),
    }
}
