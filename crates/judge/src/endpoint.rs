use reqwest::Url;
use secrecy::SecretString;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    net::IpAddr,
    path::{Path, PathBuf},
    time::Duration,
};

/// The endpoints that the operator has configured, by name. Projects name them; only this file says where they are.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoints {
    /// `[endpoint.NAME]` in TOML.
    #[serde(default, rename = "endpoint")]
    by_name: BTreeMap<String, Endpoint>,
}

/// Where and how a model is called.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// Which language it speaks.
    pub kind: EndpointKind,
    /// Base address, up to `/v1`.
    #[serde(default)]
    pub url: String,
    /// Program with its arguments, for `kind = "command"`.
    #[serde(default)]
    pub command: Vec<String>,
    /// Environment variables that the program is given; it sees no others.
    #[serde(default)]
    pub environment: Vec<String>,
    /// The environment variable that holds the key.
    #[serde(default)]
    pub key_variable: Option<String>,
    /// The file that holds the key.
    #[serde(default)]
    pub key_file: Option<PathBuf>,
    /// Whether the endpoint holds the model to a JSON schema (`response_format`); for `kind = "openai"` only.
    #[serde(default)]
    pub json_schema: bool,
    /// Tokens that fit, question and answer together; what is longer is a failure and is not sent.
    #[serde(default = "usual::context_tokens")]
    pub context_tokens: u32,
    /// Longest time to a whole answer, in seconds.
    #[serde(default = "usual::timeout_seconds")]
    pub timeout_seconds: f64,
    /// Calls at the same time.
    #[serde(default = "usual::concurrency")]
    pub concurrency: u32,
    /// Calls that are begun in a minute, at most.
    #[serde(default)]
    pub requests_per_minute: Option<u32>,
    /// Tokens that are sent in a minute, at most, by estimate.
    #[serde(default)]
    pub tokens_per_minute: Option<u32>,
    /// How often a call is tried that was not answered.
    #[serde(default = "usual::attempts")]
    pub attempts: u32,
    /// First pause before another try, in milliseconds; the next ones double.
    #[serde(default = "usual::backoff_ms")]
    pub backoff_ms: u32,
    /// What tokens cost.
    #[serde(default)]
    pub price: Option<Price>,
}

/// The languages that providers speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointKind {
    /// Chat completions, as hosted providers, vLLM, Ollama and llama.cpp have them.
    Openai,
    /// Anthropic's messages.
    Anthropic,
    /// A program that reads a JSON object on standard input and writes one on standard output.
    Command,
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Sent.
    pub input: f64,
    /// Received.
    pub output: f64,
}

mod usual {
    pub(super) fn context_tokens() -> u32 {
        128_000
    }

    pub(super) fn timeout_seconds() -> f64 {
        60.0
    }

    pub(super) fn concurrency() -> u32 {
        8
    }

    pub(super) fn attempts() -> u32 {
        6
    }

    pub(super) fn backoff_ms() -> u32 {
        500
    }
}

/// Why there is no endpoint to call.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The file cannot be read.
    #[error("{}: {source}: name the file of endpoints in {VARIABLE}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Not TOML, or not of the file's shape; the message has line and column.
    #[error("endpoints: {0}")]
    Shape(String),
    /// A setting that cannot stand.
    #[error("endpoint.{endpoint}: {field}: expected {expected}")]
    Field {
        /// The endpoint.
        endpoint: String,
        /// The setting.
        field: &'static str,
        /// What would have been right.
        expected: &'static str,
    },
    /// A name that is not configured.
    #[error("there is no endpoint `{name}`; the operator has configured: {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// Those that are there.
        known: String,
    },
    /// The key is not where the file says.
    #[error("endpoint.{endpoint}: there is no key in {place}")]
    NoKey {
        /// The endpoint.
        endpoint: String,
        /// The environment variable or the file.
        place: String,
    },
    /// The HTTP client cannot be made.
    #[error("no HTTP client: {0}")]
    Client(String),
}

/// The environment variable that names the operator's file.
const VARIABLE: &str = "TOUCHSTONE_JUDGES";

/// The operator's file where the variable names none.
const USUAL_FILE: &str = "touchstone-judges.toml";

impl Endpoints {
    /// Reads the file that `TOUCHSTONE_JUDGES` names, else `touchstone-judges.toml` of the working directory. Without either there are
    /// no endpoints.
    ///
    /// # Errors
    /// As [`Endpoints::read`].
    pub fn configured() -> Result<Endpoints, EndpointError> {
        match std::env::var_os(VARIABLE) {
            Some(path) => Endpoints::read(Path::new(&path)),
            None if Path::new(USUAL_FILE).exists() => Endpoints::read(Path::new(USUAL_FILE)),
            None => Ok(Endpoints::default()),
        }
    }

    /// Reads and checks the operator's file.
    ///
    /// # Errors
    /// [`EndpointError`], which names the endpoint and the setting.
    pub fn from_toml(text: &str) -> Result<Endpoints, EndpointError> {
        let endpoints: Endpoints =
            toml::from_str(text).map_err(|error| EndpointError::Shape(error.to_string()))?;
        for (name, endpoint) in &endpoints.by_name {
            endpoint.check(name)?;
        }
        Ok(endpoints)
    }

    /// Reads the operator's file from disk.
    ///
    /// # Errors
    /// As [`Endpoints::from_toml`], and [`EndpointError::File`].
    pub fn read(path: &Path) -> Result<Endpoints, EndpointError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| EndpointError::File { path: path.to_owned(), source })?;
        Endpoints::from_toml(&text)
    }

    /// The endpoint with this name.
    ///
    /// # Errors
    /// [`EndpointError::Unknown`], which lists those that are there.
    pub fn get(&self, name: &str) -> Result<&Endpoint, EndpointError> {
        self.by_name.get(name).ok_or_else(|| EndpointError::Unknown {
            name: domain::visible(name),
            known: if self.by_name.is_empty() {
                "none".to_owned()
            } else {
                self.names().collect::<Vec<_>>().join(", ")
            },
        })
    }

    /// The names, as pages may show them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }
}

impl Endpoint {
    fn check(&self, endpoint: &str) -> Result<(), EndpointError> {
        let wrong =
            |(field, expected)| EndpointError::Field { endpoint: endpoint.to_owned(), field, expected };
        self.check_place().and_then(|()| self.check_numbers()).map_err(wrong)
    }

    /// Where it is, and how it is opened.
    fn check_place(&self) -> Result<(), (&'static str, &'static str)> {
        let is_command = self.kind == EndpointKind::Command;
        if is_command == self.command.is_empty() {
            return Err((
                "command",
                "a program with its arguments where the kind is `command`, and only there",
            ));
        }
        if is_command {
            return if self.has_key() || !self.url.is_empty() {
                Err(("kind", "a program without `url` and key: what it needs stands in `environment`"))
            } else {
                Ok(())
            };
        }
        if !self.environment.is_empty() {
            return Err(("environment", "names of variables where the kind is `command`, and only there"));
        }
        let url = Url::parse(&self.url).ok().filter(|url| matches!(url.scheme(), "https" | "http"));
        let Some(url) = url else {
            return Err(("url", "an address that begins with https:// or http://"));
        };
        if !url.username().is_empty()
            || url.password().is_some()
            || url.query().is_some()
            || url.fragment().is_some()
        {
            return Err((
                "url",
                "an address without name, password, query or fragment: secrets stand elsewhere",
            ));
        }
        if self.has_key() && url.scheme() == "http" && !is_loopback(&url) {
            return Err(("url", "https://: a key is not sent in the clear to another machine"));
        }
        if self.key_variable.is_some() && self.key_file.is_some() {
            return Err(("key_file", "a key in one place: `key_variable` or `key_file`"));
        }
        if self.json_schema && self.kind != EndpointKind::Openai {
            return Err(("json_schema", "true where the kind is `openai`, and only there"));
        }
        Ok(())
    }

    fn check_numbers(&self) -> Result<(), (&'static str, &'static str)> {
        let positive = [
            ("concurrency", Some(self.concurrency)),
            ("attempts", Some(self.attempts)),
            ("context_tokens", Some(self.context_tokens)),
            ("requests_per_minute", self.requests_per_minute),
            ("tokens_per_minute", self.tokens_per_minute),
        ];
        if let Some((field, _)) = positive.into_iter().find(|(_, value)| *value == Some(0)) {
            return Err((field, "a number from 1 on"));
        }
        if !(0.001..=86_400.0).contains(&self.timeout_seconds) {
            return Err(("timeout_seconds", "a time from 0.001 s to a day"));
        }
        let is_price = |price: f64| price.is_finite() && price >= 0.0;
        if self.price.is_some_and(|price| !is_price(price.input) || !is_price(price.output)) {
            return Err(("price", "US dollars for a million tokens, from 0 on"));
        }
        Ok(())
    }

    fn has_key(&self) -> bool {
        self.key_variable.is_some() || self.key_file.is_some()
    }

    /// The key, from the environment or from its file.
    pub(crate) fn key(&self, endpoint: &str) -> Result<Option<SecretString>, EndpointError> {
        let (found, place) = match (&self.key_variable, &self.key_file) {
            (Some(variable), _) => (
                std::env::var(variable).ok(),
                format!("the environment variable {}", domain::visible(variable)),
            ),
            (None, Some(file)) => {
                (std::fs::read_to_string(file).ok(), format!("the file {}", file.display()))
            }
            (None, None) => return Ok(None),
        };
        match found.as_deref().map(str::trim) {
            Some(key) if !key.is_empty() => Ok(Some(key.to_owned().into())),
            _ => Err(EndpointError::NoKey { endpoint: endpoint.to_owned(), place }),
        }
    }

    /// The address of one of its doors.
    pub(crate) fn address(&self, path: &str) -> String {
        format!("{}/{path}", self.url.trim_end_matches('/'))
    }

    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout_seconds)
    }

    /// What tokens cost here, where that is known.
    #[must_use]
    pub fn cost(&self, input_tokens: u64, output_tokens: u64) -> Option<f64> {
        let price = self.price?;
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
        let cost = (price.input * input_tokens as f64 + price.output * output_tokens as f64) / 1e6;
        Some(cost)
    }
}

/// Whether an address is of this machine: only there may secrets travel in the clear.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    host == "localhost"
        || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openai(settings: &str) -> String {
        format!("[endpoint.a]\nkind = \"openai\"\nurl = \"https://x.test/v1\"\n{settings}")
    }

    fn at(url: &str) -> String {
        format!("[endpoint.a]\nkind = \"openai\"\nurl = \"{url}\"\nkey_variable = \"PATH\"")
    }

    #[test]
    fn what_cannot_stand_is_named() {
        for (text, says) in [
            ("[endpoint.a]\nkind = \"openai\"".to_owned(), "endpoint.a: url"),
            ("[endpoint.a]\nkind = \"command\"".to_owned(), "endpoint.a: command"),
            (
                "[endpoint.a]\nkind = \"command\"\ncommand = [\"x\"]\nkey_variable = \"K\"".to_owned(),
                "endpoint.a: kind",
            ),
            (at("http://x.test/v1"), "not sent in the clear"),
            (at("http://localhost.x.test/v1"), "not sent in the clear"),
            (at("http://localhost@x.test/v1"), "without name, password"),
            (at("https://x.test/v1?key=sk-1"), "without name, password"),
            (at("ftp://x.test/v1"), "url: expected an address"),
            (openai("attempts = 0"), "attempts: expected a number from 1 on"),
            (openai("timeout_seconds = nan"), "timeout_seconds"),
            (openai("key = \"sk-1\""), "unknown field `key`"),
            (openai("price = { input = -1, output = 1 }"), "price"),
            (openai("environment = [\"HOME\"]"), "environment"),
            (openai("key_variable = \"A\"\nkey_file = \"b\""), "key_file"),
            (openai("").replace("openai", "anthropic") + "json_schema = true", "json_schema"),
            (openai("").replace("openai", "oracle"), "unknown variant `oracle`"),
        ] {
            let message = Endpoints::from_toml(&text).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
    }

    #[test]
    fn keys_come_from_where_the_file_says_and_are_never_shown() {
        let endpoint = |text: &str| Endpoints::from_toml(text).unwrap().get("a").unwrap().clone();
        for url in
            ["http://127.0.0.1:8080/v1/", "http://[::1]/v1", "http://localhost/v1", "https://x.test/v1"]
        {
            let endpoint = endpoint(&at(url));
            let key = endpoint.key("a").unwrap().unwrap();
            assert!(!format!("{key:?}{endpoint:?}").contains(&std::env::var("PATH").unwrap()));
            assert!(endpoint.address("messages").ends_with("/v1/messages"));
        }
        assert!(endpoint(&openai("")).key("a").unwrap().is_none());
        for (settings, place) in [
            ("key_variable = \"NOT_THERE\"", "variable NOT_THERE"),
            ("key_file = \"/nowhere\"", "file /nowhere"),
        ] {
            let message = endpoint(&openai(settings)).key("a").unwrap_err().to_string();
            assert!(message.contains(place), "{message}");
        }
        let endpoints = Endpoints::from_toml(&openai("")).unwrap();
        assert!(endpoints.get("b").unwrap_err().to_string().contains("configured: a"));
    }

    #[test]
    fn the_example_of_the_documentation_is_read() {
        let example = include_str!("../../../docs/examples/touchstone-judges.toml");
        let endpoints = Endpoints::from_toml(example).unwrap();
        assert_eq!(endpoints.names().collect::<Vec<_>>(), ["anthropic", "encoder", "hosted", "local"]);
        let hosted = endpoints.get("hosted").unwrap();
        assert!((hosted.cost(1_000_000, 500_000).unwrap() - 0.45).abs() < 1e-12);
        let nowhere = Endpoints::read(Path::new("/nowhere.toml")).unwrap_err().to_string();
        assert!(nowhere.contains("/nowhere.toml") && nowhere.contains(VARIABLE), "{nowhere}");
    }
}
