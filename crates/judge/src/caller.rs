use crate::{
    Answered, Endpoint, EndpointError, EndpointKind, Endpoints, Failed, Prompt,
    pace::{Pace, pause},
    provider::{Miss, Reply, Then, anthropic, command, http, openai},
};
use domain::{FailureKind, Model};
use reqwest::{
    Client, ClientBuilder,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Calls one endpoint: at its pace, again where that is free of doubt, and never longer or larger than it may. How many calls run at
/// the same time, whoever calls decides.
#[derive(Debug)]
pub struct Caller {
    endpoint: Endpoint,
    key: Option<SecretString>,
    client: Client,
    pace: Pace,
}

/// One call of a model.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The model that is asked for, with its parameters.
    pub model: &'a Model,
    /// What is said.
    pub prompt: &'a Prompt,
    /// Tells calls apart: pauses before another try differ between lots.
    pub lot: &'a str,
}

/// Longest time to a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// How long a connection waits for the next call. Servers close theirs after five seconds or more, and a call that meets the closing is
/// lost: nobody can say whether it was read.
const IDLE: Duration = Duration::from_secs(2);

impl Caller {
    /// A caller of the endpoint with this name.
    ///
    /// # Errors
    /// [`EndpointError`]: the name is not configured, its key is not there, or there is no HTTP client.
    pub fn new(endpoints: &Endpoints, name: &str) -> Result<Caller, EndpointError> {
        let endpoint = endpoints.get(name)?.clone();
        let key = endpoint.key(name)?;
        Ok(Caller { client: client(&endpoint)?, pace: Pace::of(&endpoint), endpoint, key })
    }

    /// The endpoint that is called.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Asks, and asks again after 408, 409, 429, 5xx and where no connection was made; nothing else can be repeated without paying twice.
    ///
    /// # Errors
    /// [`Failed`], which tells whether the call may be made again.
    pub async fn call(&self, call: &Call<'_>) -> Result<Answered, Failed> {
        let tokens = self.tokens(call)?;
        let mut attempt = 1;
        loop {
            self.pace.turn(tokens).await;
            let begun = Instant::now();
            let miss = match self.attempt(call).await {
                Ok(reply) => return Ok(self.answered(reply, begun.elapsed(), attempt)),
                Err(miss) => miss,
            };
            let first = Duration::from_millis(self.endpoint.backoff_ms.into());
            let wait = match miss.then {
                Then::Retry(asked) if attempt < self.endpoint.attempts => {
                    pause(first, attempt, asked, call.lot)
                }
                _ => None,
            };
            match wait {
                Some(wait) => sleep(wait).await,
                None => return Err(self.failed(miss, begun.elapsed(), attempt)),
            }
            attempt += 1;
        }
    }

    async fn attempt(&self, call: &Call<'_>) -> Result<Reply, Miss> {
        let (endpoint, limit) = (&self.endpoint, self.endpoint.timeout());
        let post = async |path: &str, body: Value| {
            http::post(&self.client, &endpoint.address(path), self.headers()?, &body, limit).await
        };
        match endpoint.kind {
            EndpointKind::Command => command::call(endpoint, call).await,
            EndpointKind::Openai => {
                openai::read(post("chat/completions", openai::body(endpoint, call)).await?)
            }
            EndpointKind::Anthropic => anthropic::read(post("messages", anthropic::body(call)).await?),
        }
    }

    fn headers(&self) -> Result<HeaderMap, Miss> {
        let mut headers = HeaderMap::new();
        let (name, scheme) = match self.endpoint.kind {
            EndpointKind::Anthropic => {
                headers.insert("anthropic-version", HeaderValue::from_static(anthropic::VERSION));
                (HeaderName::from_static("x-api-key"), "")
            }
            _ => (AUTHORIZATION, "Bearer "),
        };
        if let Some(key) = &self.key {
            let mut value =
                HeaderValue::try_from(format!("{scheme}{}", key.expose_secret())).map_err(|_| {
                    Miss::new(
                        FailureKind::Other,
                        Then::Later,
                        "the key of the endpoint has characters that no key has",
                    )
                })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }

    /// About how many tokens the call takes, the longest answer included.
    fn tokens(&self, call: &Call<'_>) -> Result<u32, Failed> {
        let limit = |field: &str| call.model.parameters.get(field).and_then(Value::as_u64);
        let answer = limit("max_tokens").or_else(|| limit("max_completion_tokens")).unwrap_or(0);
        let prompt = call.prompt.tokens();
        let tokens = u32::try_from(prompt.saturating_add(answer)).unwrap_or(u32::MAX);
        if tokens <= self.endpoint.context_tokens {
            return Ok(tokens);
        }
        let says = format!(
            "does not fit: about {prompt} tokens and up to {answer} of the answer, where the endpoint has {}; nothing was sent",
            self.endpoint.context_tokens
        );
        Err(self.failed(Miss::new(FailureKind::Other, Then::Never, says), Duration::ZERO, 0))
    }

    fn answered(&self, reply: Reply, latency: Duration, attempts: u32) -> Answered {
        let cost = reply
            .input_tokens
            .zip(reply.output_tokens)
            .and_then(|(read, written)| self.endpoint.cost(read, written));
        Answered {
            text: self.without_key(reply.text),
            cut_off: reply.cut_off,
            refusal: reply.refusal.map(|words| self.without_key(words)),
            reported_model: reply.reported_model,
            input_tokens: reply.input_tokens,
            output_tokens: reply.output_tokens,
            cost,
            latency,
            attempts,
            raw: self.without_key(reply.raw),
        }
    }

    fn failed(&self, miss: Miss, latency: Duration, attempts: u32) -> Failed {
        Failed {
            kind: miss.kind,
            says: self.without_key(miss.says),
            raw: miss.raw.map(|raw| self.without_key(raw)),
            is_final: miss.then == Then::Never,
            latency,
            attempts,
        }
    }

    fn without_key(&self, text: String) -> String {
        match &self.key {
            Some(key) => struck(text, key.expose_secret()),
            None => text,
        }
    }
}

/// A client of HTTP that follows no redirect and knows the cryptography that TLS needs.
pub fn client_builder() -> ClientBuilder {
    // Fails where one is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().redirect(Policy::none())
}

fn client(endpoint: &Endpoint) -> Result<Client, EndpointError> {
    client_builder()
        .no_proxy()
        .connect_timeout(CONNECT.min(endpoint.timeout()))
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(endpoint.concurrency as usize)
        .build()
        .map_err(|error| EndpointError::Client(error.to_string()))
}

/// Shorter keys are words that local servers are content with, and that answers may hold.
const SHORTEST_SECRET: usize = 12;

/// Providers repeat keys in what they say of them: they are struck out.
fn struck(text: String, key: &str) -> String {
    if key.len() >= SHORTEST_SECRET && text.contains(key) { text.replace(key, "⟨key⟩") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_struck_out_and_a_word_is_left() {
        assert_eq!(struck("no sk-0123456789 here".to_owned(), "sk-0123456789"), "no ⟨key⟩ here");
        assert_eq!(struck("none is right".to_owned(), "none"), "none is right");
    }
}
