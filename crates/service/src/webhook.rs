//! Telling another system of each decision and alarm, such as a chat. It never holds up a gate, and a gate never fails by it.

use crate::{ProjectId, Service};
use domain::Decision;
use hmac::{Hmac, KeyInit, Mac};
use judge::{client_builder, is_loopback};
use reqwest::{Client, StatusCode, Url, header};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use sha2::Sha256;
use std::{fmt, sync::Arc, time::Duration};
use tokio::time::sleep;

/// The environment variables of the operator: where decisions are sent, and by which secret they are signed.
const VARIABLE: &str = "TOUCHSTONE_WEBHOOK";
const SECRET_VARIABLE: &str = "TOUCHSTONE_WEBHOOK_SECRET";

/// The header that holds the signature: `sha256=` and the hexadecimal HMAC-SHA256 of the body.
const SIGNATURE: &str = "touchstone-signature";

/// Longest time for one attempt.
const ATTEMPT: Duration = Duration::from_secs(10);

/// How long is waited before each further attempt.
const PAUSES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(25)];

/// Where decisions are sent.
pub struct Webhook {
    url: Url,
    secret: Option<SecretString>,
    /// Where people find the pages.
    origin: Url,
    client: Client,
}

/// Why decisions cannot be sent anywhere.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// An address that cannot be one. It is not repeated: addresses of chats are secrets.
    #[error(
        "{VARIABLE}: expected an address that begins with https://, or with http:// for this machine alone"
    )]
    Address,
    /// The address of the pages cannot be read.
    #[error("the public origin {0} is no address")]
    Origin(String),
    /// No client could be made.
    #[error("{VARIABLE}: {0}")]
    Client(String),
}

/// Whether an attempt that failed may be made again.
struct Miss {
    says: String,
    again: bool,
}

impl Webhook {
    /// Sends to an address, signed where there is a secret; `origin` is where people find the pages.
    ///
    /// # Errors
    /// [`WebhookError`] for an address to which nothing may be sent.
    pub fn new(url: &str, secret: Option<SecretString>, origin: &str) -> Result<Webhook, WebhookError> {
        let safe = |url: &Url| url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url));
        let url = Url::parse(url).ok().filter(safe).ok_or(WebhookError::Address)?;
        let origin = Url::parse(origin).map_err(|_| WebhookError::Origin(domain::visible(origin)))?;
        let client = client_builder().no_proxy().timeout(ATTEMPT).build();
        let client = client.map_err(|error| WebhookError::Client(error.without_url().to_string()))?;
        Ok(Webhook { url, secret, origin, client })
    }

    /// What the operator has configured by `TOUCHSTONE_WEBHOOK` and `TOUCHSTONE_WEBHOOK_SECRET`; nothing where they are not set.
    ///
    /// # Errors
    /// As [`Webhook::new`].
    pub fn configured(origin: &str) -> Result<Option<Webhook>, WebhookError> {
        let set = |variable| std::env::var(variable).ok().filter(|text| !text.trim().is_empty());
        let Some(url) = set(VARIABLE) else { return Ok(None) };
        Webhook::new(url.trim(), set(SECRET_VARIABLE).map(SecretString::from), origin).map(Some)
    }

    /// The address of a page.
    pub(crate) fn page(&self, parts: &[&str]) -> String {
        let mut page = self.origin.clone();
        // An address of http or https always has a path.
        if let Ok(mut path) = page.path_segments_mut() {
            path.clear().extend(parts);
        }
        page.into()
    }

    /// What is sent: `text` for chats, and the decision for programs.
    fn body(&self, decision: &Decision) -> String {
        let page = self.page(&["p", &decision.project, "gate", &decision.id]);
        let against = decision.incumbent.as_ref().map(|incumbent| format!(" against {}", plain(incumbent)));
        let mut text = format!(
            "{}: {}{} in {}",
            decision.decision.word(),
            plain(&decision.candidate),
            against.unwrap_or_default(),
            plain(&decision.project)
        );
        for reason in &decision.reasons {
            text.push_str(&format!("\n• {}", plain(reason)));
        }
        text.push_str(&format!("\n{page}"));
        json!({ "text": text, "page": page, "decision": decision }).to_string()
    }

    /// The signature of a body, where there is a secret.
    fn signature(&self, body: &str) -> Option<String> {
        let secret = self.secret.as_ref()?;
        let mut code = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()).ok()?;
        code.update(body.as_bytes());
        let digits: String = code.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        Some(format!("sha256={digits}"))
    }

    /// Sends, and again where that may help.
    pub(crate) async fn deliver(&self, body: &str) -> Result<(), String> {
        let mut pauses = PAUSES.into_iter();
        loop {
            let Err(miss) = self.attempt(body).await else { return Ok(()) };
            match pauses.next() {
                Some(pause) if miss.again => sleep(pause).await,
                _ => return Err(miss.says),
            }
        }
    }

    async fn attempt(&self, body: &str) -> Result<(), Miss> {
        let mut request = self.client.post(self.url.clone()).header(header::CONTENT_TYPE, "application/json");
        if let Some(signature) = self.signature(body) {
            request = request.header(SIGNATURE, signature);
        }
        let sent = request.body(body.to_owned()).send().await;
        let response = sent.map_err(|error| Miss { says: error.without_url().to_string(), again: true })?;
        let status = response.status();
        match status {
            _ if status.is_success() => Ok(()),
            _ if status.is_redirection() => {
                let says =
                    format!("{status}: redirects are not followed; name the address itself in {VARIABLE}");
                Err(Miss { says, again: false })
            }
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => {
                Err(Miss { says: status.to_string(), again: true })
            }
            _ => Err(Miss { says: status.to_string(), again: status.is_server_error() }),
        }
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").field("host", &self.url.host_str()).finish_non_exhaustive()
    }
}

/// Text that a chat shows as it stands: names must not mention people or make links.
pub(crate) fn plain(text: &str) -> String {
    domain::visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl Service {
    /// The same service, which tells of each decision where a webhook is given.
    #[must_use]
    pub fn with_webhook(self, webhook: Option<Webhook>) -> Service {
        Service { webhook: webhook.map(Arc::new), ..self }
    }

    /// Tells of a decision, on the side. That it could not be told is in the audit log.
    pub(crate) fn announce(&self, project: ProjectId, decision: &Decision) {
        let Some(webhook) = self.webhook.clone() else { return };
        let (service, decision) = (self.clone(), decision.clone());
        tokio::spawn(async move {
            let Err(says) = webhook.deliver(&webhook.body(&decision)).await else { return };
            tracing::warn!(decision = decision.id, says, "a decision could not be told to the webhook");
            let detail = format!("{}: {says}", decision.id);
            if let Err(error) = service.record(None, Some(project), "webhook_failed", &detail).await {
                tracing::error!(%error, "a webhook that failed could not be recorded");
            }
        });
    }
}
