//! The `touchstone` program, run as others run it.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// A folder with a database, in which the program is run.
pub(crate) struct Workplace {
    directory: tempfile::TempDir,
}

/// What the program did.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            code: output.status.code().expect("the program ends by itself"),
            out: String::from_utf8(output.stdout).expect("data are UTF-8"),
            err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }
}

impl Run {
    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Workplace {
    pub(crate) fn new() -> Workplace {
        Workplace { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file, and gives its name.
    pub(crate) fn file<'a>(&self, name: &'a str, content: impl AsRef<[u8]>) -> &'a str {
        std::fs::write(self.path(name), content).unwrap();
        name
    }

    /// The program with arguments, not yet started.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_touchstone"));
        command.args(arguments).current_dir(self.directory.path()).env_remove("TOUCHSTONE_DB");
        command.env_remove("TOUCHSTONE_TOKEN").env_remove("TOUCHSTONE_WEBHOOK");
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Run {
        self.command(arguments).stdin(Stdio::null()).output().unwrap().into()
    }

    /// Runs the program, which must succeed.
    #[track_caller]
    pub(crate) fn done<S: AsRef<OsStr> + std::fmt::Debug>(&self, arguments: &[S]) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {run:?}");
        run
    }

    /// How many rows `touchstone doctor` counts in a table; the file must be sound.
    #[track_caller]
    pub(crate) fn rows(&self, table: &str) -> u64 {
        let health = self.done(&["doctor", "--json"]).json();
        assert_eq!(health["sound"], true, "{health}");
        health["rows"][table].as_u64().unwrap_or_else(|| panic!("no table {table} in {health}"))
    }
}

/// A data set of real conversations; `None`, and a word about it, where it is not there.
pub(crate) fn data(set: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(set);
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return None;
    }
    Some(folder)
}
