//! A Touchstone server that is asked by its API, for those who do not hold the database file.

use crate::http::api::{Problem, ROOT};
use judge::{client_builder, is_loopback};
use reqwest::{Client, Method, RequestBuilder, StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use std::{error::Error, time::Duration};

/// The environment variable that holds the token.
const VARIABLE: &str = "TOUCHSTONE_TOKEN";

/// Longest time for the connection, and for the answer: the server gives up after half a minute.
const CONNECT: Duration = Duration::from_secs(10);
const LONGEST_ANSWER: Duration = Duration::from_secs(60);

/// A server, and the token by which it is asked.
pub(super) struct Server {
    url: Url,
    token: SecretString,
    client: Client,
}

/// Why a server did not answer what was asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServerError {
    /// An address that cannot be one.
    #[error(
        "--server {0}: expected https://HOST or https://HOST:PORT; http:// for this machine alone, since a token must not travel in the open"
    )]
    Address(String),
    /// No token.
    #[error(
        "{VARIABLE} holds no token: make one on the account page, or by `touchstone token create`, and set it"
    )]
    NoToken,
    /// No connection, or none that held.
    #[error("{url}: no answer ({says}): is it the right address, and does the server run?")]
    Unreachable {
        /// The server.
        url: String,
        /// What the connection said.
        says: String,
    },
    /// What was asked is not answered.
    #[error("{0}")]
    Refused(String),
    /// An answer that is none of Touchstone's.
    #[error("{url}: the answer ({status}) is none of a Touchstone server of this version: {says}")]
    Foreign {
        /// The server.
        url: String,
        /// Its status.
        status: StatusCode,
        /// What is wrong with it.
        says: String,
    },
}

impl Server {
    /// The server at an address, with the token of the environment.
    pub(super) fn at(address: &str) -> Result<Server, ServerError> {
        let url = Url::parse(address).ok().filter(is_safe);
        let url = url.ok_or_else(|| ServerError::Address(domain::visible(address)))?;
        let token = std::env::var(VARIABLE).unwrap_or_default().trim().to_owned();
        if token.is_empty() {
            return Err(ServerError::NoToken);
        }
        let client = client_builder()
            .connect_timeout(CONNECT)
            .timeout(LONGEST_ANSWER)
            .build()
            .map_err(|error| unreachable(&url, &error))?;
        Ok(Server { url, token: token.into(), client })
    }

    /// A question about a project, to be narrowed by further parameters.
    pub(super) fn get(&self, place: &[&str], project: &str) -> RequestBuilder {
        self.request(Method::GET, place).query(&[("project", project)])
    }

    /// Something to be done.
    pub(super) fn post(
        &self,
        place: &[&str],
        body: &impl serde::Serialize,
    ) -> Result<RequestBuilder, ServerError> {
        let body = serde_json::to_string(body).map_err(|error| ServerError::Refused(error.to_string()))?;
        Ok(self.request(Method::POST, place).header("content-type", "application/json").body(body))
    }

    /// A file.
    pub(super) fn send(&self, place: &[&str], bytes: Vec<u8>) -> RequestBuilder {
        self.request(Method::POST, place).header("content-type", "application/octet-stream").body(bytes)
    }

    fn request(&self, method: Method, place: &[&str]) -> RequestBuilder {
        let mut url = self.url.clone();
        // An address of http or https always has a path.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(ROOT.split('/').skip(1)).extend(place);
        }
        self.client.request(method, url).bearer_auth(self.token.expose_secret())
    }

    /// The text of the answer.
    pub(super) async fn text(&self, request: RequestBuilder) -> Result<String, ServerError> {
        let response = request.send().await.map_err(|error| unreachable(&self.url, &error))?;
        let status = response.status();
        let body = response.text().await.map_err(|error| unreachable(&self.url, &error))?;
        if status.is_success() {
            return Ok(body);
        }
        match serde_json::from_str::<Problem>(&body) {
            Ok(problem) => Err(ServerError::Refused(domain::visible(&problem.detail))),
            Err(_) => Err(self.foreign(status, "it says no reason")),
        }
    }

    /// The answer as the value that the server wrote.
    pub(super) async fn answer<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
    ) -> Result<T, ServerError> {
        let body = self.text(request).await?;
        serde_json::from_str(&body).map_err(|error| self.foreign(StatusCode::OK, &error.to_string()))
    }

    fn foreign(&self, status: StatusCode, says: &str) -> ServerError {
        ServerError::Foreign { url: self.url.to_string(), status, says: says.to_owned() }
    }
}

/// Whether a token may be sent there.
fn is_safe(url: &Url) -> bool {
    let names_nobody = url.username().is_empty() && url.password().is_none();
    let ends_there = url.query().is_none() && url.fragment().is_none();
    let scheme = url.scheme();
    names_nobody && ends_there && (scheme == "https" || (scheme == "http" && is_loopback(url)))
}

fn unreachable(url: &Url, error: &reqwest::Error) -> ServerError {
    let mut says = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        says = deeper.to_string();
        cause = deeper.source();
    }
    ServerError::Unreachable { url: url.to_string(), says }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_sent_over_https_or_to_this_machine_alone() {
        for (url, safe) in [
            ("https://touchstone.example", true),
            ("https://touchstone.example:8443/here", true),
            ("http://127.0.0.1:3000", true),
            ("http://[::1]:3000", true),
            ("http://localhost:3000", true),
            ("http://touchstone.example", false),
            ("http://localhost.example", false),
            ("http://localhost@touchstone.example", false),
            ("https://ada@touchstone.example", false),
            ("https://touchstone.example/?a=b", false),
            ("ftp://touchstone.example", false),
        ] {
            assert_eq!(Url::parse(url).is_ok_and(|url| is_safe(&url)), safe, "{url}");
        }
    }
}
