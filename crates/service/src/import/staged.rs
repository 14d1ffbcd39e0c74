//! Files that wait to be imported: they were sent, are looked at, and then taken or left. Each is a file without a name, which ends with the
//! process; nothing of it is in the database before it is imported.

use super::{Form, ImportFile, ImportRequest};
use crate::{ProjectId, Service, ServiceError, UserId, Viewer, random_token};
use domain::{ImportReport, visible};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    fs::File,
    io::{BufRead, BufReader, Read, Seek},
    sync::{Arc, Mutex, PoisonError},
};
use time::{Duration, OffsetDateTime};

/// Largest file that is taken over the network; larger ones go by the command line.
pub const LARGEST_UPLOAD: u64 = 64 * 1024 * 1024;

/// How long a file waits.
const LONGEST_WAIT: Duration = Duration::hours(1);

/// Files that may wait at the same time.
const MOST_FILES: usize = 16;

/// Longest header row of a table that is shown, in bytes.
const LONGEST_HEADER: u64 = 1 << 16;

/// The files that wait.
#[derive(Default)]
pub(crate) struct Stage(Mutex<HashMap<String, Arc<Waiting>>>);

struct Waiting {
    project: ProjectId,
    user: UserId,
    name: String,
    bytes: u64,
    columns: Vec<String>,
    since: OffsetDateTime,
    /// One reader at a time: clones of a file share their place in it.
    file: tokio::sync::Mutex<Option<File>>,
    state: Mutex<State>,
}

#[derive(Clone, Default)]
struct State {
    request: ImportRequest,
    done: Option<ImportReport>,
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage").finish_non_exhaustive()
    }
}

/// A file that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct StagedFile {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The columns of a table.
    pub columns: Vec<String>,
    /// How it is to be imported.
    pub request: ImportRequest,
    /// What became of it, once it was imported.
    pub done: Option<ImportReport>,
}

impl Service {
    /// Keeps a file that somebody sent until it is imported, an hour at most; the person's last one in the project makes room for it. A
    /// remembered mapping that fits a table is chosen. Gives the name by which it is asked for.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for an empty file, [`ServiceError::Busy`] where too many wait.
    pub async fn stage(
        &self,
        project: ProjectId,
        user: UserId,
        name: &str,
        mut file: File,
    ) -> Result<String, ServiceError> {
        let failed = |error: std::io::Error| ServiceError::Internal(error.to_string());
        let bytes = file.metadata().map_err(failed)?.len();
        if bytes == 0 {
            let reason = "the file is empty: choose one that holds something".to_owned();
            return Err(ServiceError::Invalid { field: "file".to_owned(), reason });
        }
        let columns =
            if Form::of(name) == Form::Csv { header(&mut file).map_err(failed)? } else { Vec::new() };
        let known = self.column_mappings(project).await?;
        let mut request = ImportRequest::default();
        let fits =
            |mapping: &BTreeMap<String, String>| mapping.values().all(|column| columns.contains(column));
        if let Some((name, mapping)) = known.into_iter().find(|(_, mapping)| fits(mapping)) {
            request.mapping = Some(name);
            request.columns = mapping;
        }
        let (id, since) = (random_token(), self.now());
        let waiting = Waiting {
            project,
            user,
            name: visible(name),
            bytes,
            columns,
            since,
            file: tokio::sync::Mutex::new(Some(file)),
            state: Mutex::new(State { request, done: None }),
        };
        let mut stage = self.stage.0.lock().unwrap_or_else(PoisonError::into_inner);
        stage.retain(|_, other| {
            other.since + LONGEST_WAIT > since && (other.project, other.user) != (project, user)
        });
        if stage.len() >= MOST_FILES {
            let what =
                "too many files wait to be imported: try again later, or use the command line".to_owned();
            return Err(ServiceError::Busy { what });
        }
        stage.insert(id.clone(), Arc::new(waiting));
        Ok(id)
    }

    /// A file that the person sent.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for one of somebody else.
    pub fn staged(&self, project: ProjectId, user: UserId, id: &str) -> Result<StagedFile, ServiceError> {
        let waiting = self.waiting(project, user, id)?;
        let State { request, done } = waiting.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Waiting { name, bytes, columns, .. } = &*waiting;
        Ok(StagedFile { name: name.clone(), bytes: *bytes, columns: columns.clone(), request, done })
    }

    /// Says how a file that waits is to be imported.
    ///
    /// # Errors
    /// As [`Service::staged`].
    pub fn choose_import(
        &self,
        project: ProjectId,
        user: UserId,
        id: &str,
        request: ImportRequest,
    ) -> Result<(), ServiceError> {
        let waiting = self.waiting(project, user, id)?;
        waiting.state.lock().unwrap_or_else(PoisonError::into_inner).request = request;
        Ok(())
    }

    /// Imports a file that waits, or looks at what would come of it.
    ///
    /// # Errors
    /// As [`Service::import_file`]; [`ServiceError::Conflict`] where it was imported already.
    pub async fn import_staged(
        &self,
        project: ProjectId,
        user: UserId,
        id: &str,
        dry_run: bool,
    ) -> Result<ImportReport, ServiceError> {
        let waiting = self.waiting(project, user, id)?;
        let mut held = waiting.file.lock().await;
        let failed = |error: std::io::Error| ServiceError::Internal(error.to_string());
        let Some(file) = held.as_mut() else {
            return Err(ServiceError::Conflict { what: "this file was imported already".to_owned() });
        };
        file.rewind().map_err(failed)?;
        let sent = ImportFile::sent(&waiting.name, file.try_clone().map_err(failed)?);
        let mut request = waiting.state.lock().unwrap_or_else(PoisonError::into_inner).request.clone();
        request.options.dry_run = dry_run;
        let report = self.import_file(project, sent, request, Viewer::Member(user), |_| {}).await?;
        if !dry_run {
            *held = None;
            waiting.state.lock().unwrap_or_else(PoisonError::into_inner).done = Some(report.clone());
        }
        Ok(report)
    }

    fn waiting(&self, project: ProjectId, user: UserId, id: &str) -> Result<Arc<Waiting>, ServiceError> {
        let now = self.now();
        let stage = self.stage.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = stage.get(id).filter(|waiting| (waiting.project, waiting.user) == (project, user));
        let waiting = waiting.filter(|waiting| waiting.since + LONGEST_WAIT > now).cloned();
        waiting.ok_or_else(|| ServiceError::NotFound {
            what: "this file waits no longer: choose it again (files wait for an hour)".to_owned(),
        })
    }
}

/// The columns of a table, none where its header cannot be read.
fn header(file: &mut File) -> std::io::Result<Vec<String>> {
    file.rewind()?;
    let mut line = Vec::new();
    BufReader::new(&mut *file).take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
    file.rewind()?;
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
    let columns = reader.records().next().and_then(Result::ok);
    let columns = columns.iter().flatten().map(|column| column.trim().to_owned());
    Ok(columns.filter(|column| !column.is_empty()).collect())
}
