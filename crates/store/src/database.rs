use crate::{StoreError, error::result_code, label::SaveQueue};
use sqlx::{
    ConnectOptions, Connection, Sqlite, SqlitePool, Transaction,
    migrate::Migrator,
    pool::PoolConnection,
    sqlite::{
        SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
    },
};
use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::sleep;

static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations");

/// How long a statement waits for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Between two attempts where SQLite does not wait by itself.
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// Connections that read at the same time.
const READERS: u32 = 4;

/// Rows on their way from SQLite's thread. With few, a read of 50,000 rows waits a thousand times for the other thread.
const ROW_BUFFER: usize = 1_000;

/// SQLite's primary result code for a file that is none of its own.
const SQLITE_NOTADB: i32 = 26;

/// One SQLite file. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    path: Arc<Path>,
    writer: SqlitePool,
    reader: SqlitePool,
    pub(crate) saves: Arc<SaveQueue>,
}

/// Held by the one process that may do something with a file. Released when it is dropped, or when the process ends.
#[derive(Debug)]
pub struct ProcessLock {
    _file: File,
}

/// What `doctor` finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// What SQLite says is wrong with the file; empty where all is well.
    pub integrity: Vec<String>,
    /// Rows that name what is not there.
    pub orphans: u64,
    /// `wal`, unless someone changed it.
    pub journal_mode: String,
    /// The last migration that ran.
    pub migration: i64,
    /// The last migration that this version knows.
    pub newest_migration: i64,
    /// Rows by table, in the order of the loop.
    pub rows: Vec<(&'static str, u64)>,
}

impl Store {
    /// Opens a file, makes it where there is none, and brings its schema up to date.
    ///
    /// # Errors
    /// [`StoreError::NotADatabase`] for a file that is something else, [`StoreError::Migration`] for one that a newer version wrote.
    pub async fn open(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        let begun = Instant::now();
        loop {
            match Store::open_at_once(path.as_ref()).await {
                // SQLite itself does not wait while another process gives a new file its write-ahead log.
                Err(StoreError::Busy) if begun.elapsed() < BUSY_TIMEOUT => sleep(BUSY_PAUSE).await,
                opened => return opened,
            }
        }
    }

    async fn open_at_once(path: &Path) -> Result<Store, StoreError> {
        let here = |error| opening(path, error);
        let options = options(path);
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_with(options.clone().create_if_missing(true).optimize_on_close(true, None))
            .await
            .map_err(here)?;
        migrate(&writer).await?;
        let reader = SqlitePoolOptions::new()
            .max_connections(READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_with(options.pragma("query_only", "on"))
            .await
            .map_err(here)?;
        let path =
            path.canonicalize().map_err(|source| StoreError::Io { path: path.to_owned(), source })?.into();
        Ok(Store { path, writer, reader, saves: Arc::default() })
    }

    /// Opens a file that must be there.
    ///
    /// # Errors
    /// [`StoreError::NoDatabase`], and as [`Store::open`].
    pub async fn open_existing(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        let path = path.as_ref();
        if !path.is_file() {
            return Err(StoreError::NoDatabase { path: path.to_owned() });
        }
        Store::open(path).await
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Claims the file for the one process that serves it. Commands beside it need no lock: SQLite keeps them apart.
    ///
    /// # Errors
    /// [`StoreError::Locked`] where another process serves the file.
    pub fn lock_for_serving(&self) -> Result<ProcessLock, StoreError> {
        self.lock("-lock", "is served by another process")
    }

    /// Claims the file for the one process that runs judges on it, so that no unit is paid for twice.
    ///
    /// # Errors
    /// [`StoreError::Locked`] where another process runs judges.
    pub fn lock_for_judging(&self) -> Result<ProcessLock, StoreError> {
        self.lock("-judging", "has judges run on it by another process")
    }

    fn lock(&self, suffix: &str, held: &'static str) -> Result<ProcessLock, StoreError> {
        let path = beside(&self.path, suffix);
        let refused = |source| StoreError::Io { path: path.clone(), source };
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(refused)?;
        match file.try_lock() {
            Ok(()) => Ok(ProcessLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: self.path.to_path_buf(), held }),
            Err(TryLockError::Error(source)) => Err(refused(source)),
        }
    }

    /// Writes a whole and consistent copy while others read and write.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] where `to` exists.
    pub async fn backup(&self, to: impl AsRef<Path>) -> Result<(), StoreError> {
        let to = to.as_ref();
        if to.exists() {
            let what = format!("{} exists: name a file that does not", to.display());
            return Err(StoreError::conflict(what));
        }
        let name = to.to_str().ok_or_else(|| {
            StoreError::conflict(format!("{} is not UTF-8: name another file", to.display()))
        })?;
        // A connection of its own: neither the writer nor a reader waits for the copy.
        let mut connection = options(&self.path).connect().await?;
        sqlx::query("vacuum into $1").bind(name).execute(&mut connection).await?;
        connection.close().await?;
        File::open(to)
            .and_then(|file| file.sync_all())
            .map_err(|source| StoreError::Io { path: to.to_owned(), source })
    }

    /// Looks at the whole file.
    ///
    /// # Errors
    /// Only where the file cannot be read at all; what is wrong with it is in the answer.
    pub async fn check(&self) -> Result<Health, StoreError> {
        let mut snapshot = self.snapshot().await?;
        let said: Vec<String> =
            sqlx::query_scalar("pragma integrity_check").fetch_all(&mut *snapshot).await?;
        let orphans = sqlx::query("pragma foreign_key_check").fetch_all(&mut *snapshot).await?.len() as u64;
        let journal_mode = sqlx::query_scalar("pragma journal_mode").fetch_one(&mut *snapshot).await?;
        let mut rows = Vec::with_capacity(COUNTED.len());
        for (table, count) in COUNTED {
            let count: i64 = sqlx::query_scalar(count).fetch_one(&mut *snapshot).await?;
            rows.push((table, count.unsigned_abs()));
        }
        Ok(Health {
            integrity: said.into_iter().filter(|line| line != "ok").collect(),
            orphans,
            journal_mode,
            migration: last_migration(&self.reader).await?,
            newest_migration: newest_migration(),
            rows,
        })
    }

    /// Waits for what is under way and closes the file.
    pub async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }

    /// The one write transaction. It takes the lock at once, so that what it reads is still true when it writes.
    pub(crate) async fn write(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        Ok(self.writer.begin_with("begin immediate").await?)
    }

    /// The one connection that writes, for who must be able to give it up.
    pub(crate) async fn writer(&self) -> Result<PoolConnection<Sqlite>, StoreError> {
        Ok(self.writer.acquire().await?)
    }

    /// A connection for one statement that reads.
    pub(crate) fn read(&self) -> &SqlitePool {
        &self.reader
    }

    /// A connection for several statements that must see the same state.
    pub(crate) async fn snapshot(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        Ok(self.reader.begin().await?)
    }
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .auto_vacuum(SqliteAutoVacuum::Incremental)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(256)
        .row_buffer_size(ROW_BUFFER)
        .pragma("temp_store", "memory")
}

/// Pending migrations run in one immediate transaction, so that two processes that open a new file at the same time do not both make
/// its tables. Where none is pending no lock is taken: a file that another process writes can be opened.
async fn migrate(writer: &SqlitePool) -> Result<(), StoreError> {
    if last_migration(writer).await? >= newest_migration() {
        return MIGRATIONS.run(writer).await.map_err(StoreError::Migration);
    }
    let mut transaction = writer.begin_with("begin immediate").await?;
    MIGRATIONS.run(&mut *transaction).await.map_err(StoreError::Migration)?;
    Ok(transaction.commit().await?)
}

/// The last migration that ran on the file; 0 on a new one.
async fn last_migration(database: &SqlitePool) -> Result<i64, StoreError> {
    let recorded = "select count(*) from sqlite_master where name = '_sqlx_migrations'";
    if sqlx::query_scalar::<_, i64>(recorded).fetch_one(database).await? == 0 {
        return Ok(0);
    }
    let last = "select coalesce(max(version), 0) from _sqlx_migrations";
    Ok(sqlx::query_scalar(last).fetch_one(database).await?)
}

fn newest_migration() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

fn opening(path: &Path, error: sqlx::Error) -> StoreError {
    match result_code(&error) {
        Some(SQLITE_NOTADB) => StoreError::NotADatabase { path: path.to_owned() },
        _ => error.into(),
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

const COUNTED: [(&str, &str); 10] = [
    ("projects", "select count(*) from project"),
    ("users", "select count(*) from user"),
    ("rubric versions", "select count(*) from rubric_version"),
    ("conversations", "select count(*) from conversation"),
    ("assignments", "select count(*) from assignment"),
    ("labels", "select count(*) from label"),
    ("adjudications", "select count(*) from adjudication"),
    ("judge versions", "select count(*) from judge_version"),
    ("verdicts", "select count(*) from verdict"),
    ("decisions", "select count(*) from decision"),
];

#[cfg(test)]
mod tests;
