//! The HTTP side: pages and server functions, the embedded site, downloads, and what protects them.

pub mod api;
mod download;
mod events;
mod headers;
mod origin;
mod site;
mod upload;

use app::{App, origin::PublicOrigin, shell};
use axum::{Router, extract::FromRef, http::StatusCode, middleware, routing::get};
use headers::ContentNonce;
use leptos::{
    config::LeptosOptions,
    nonce::Nonce,
    prelude::{provide_context, use_context},
};
use leptos_axum::{AxumRouteListing, LeptosRoutes, generate_route_list};
use service::Service;
use std::{
    net::SocketAddr,
    sync::{Arc, LazyLock},
    time::Duration,
};
use time::OffsetDateTime;
use tower_http::{
    CompressionLevel, catch_panic::CatchPanicLayer, compression::CompressionLayer,
    limit::RequestBodyLimitLayer, timeout::TimeoutLayer,
};
use tower_sessions::{Expiry, SessionManagerLayer, cookie::SameSite};

/// How hard pages are compressed, of 11 at most: a page of 100 kB takes about two milliseconds.
const COMPRESSION: i32 = 6;

/// Longest request body, but for files that are sent.
const LONGEST_BODY: usize = 2 * 1024 * 1024;

/// Longest time that an answer may take.
const LONGEST_ANSWER: Duration = Duration::from_secs(30);

/// Where the site is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// What the server listens on.
    pub listen: SocketAddr,
    /// What people type, without a path: `https://touchstone.example`.
    pub public_origin: String,
}

impl Address {
    /// Checks that passwords and sessions do not travel in the open: plain http is for loopback alone.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub fn new(listen: SocketAddr, public_origin: Option<String>) -> Result<Address, String> {
        let public_origin = public_origin.unwrap_or_else(|| format!("http://{listen}"));
        let public_origin = public_origin.trim_end_matches('/').to_owned();
        let rest = public_origin.strip_prefix("https://").or_else(|| public_origin.strip_prefix("http://"));
        if rest.is_none_or(|host| host.is_empty() || host.contains(['/', '?', '#', '@', ' '])) {
            return Err(format!(
                "--public-origin {public_origin}: expected https://HOST or https://HOST:PORT"
            ));
        }
        let plain = public_origin.starts_with("http://");
        if plain && !listen.ip().is_loopback() {
            let says = "without https, sessions and passwords would travel in the open: listen on 127.0.0.1, \
                        or put a server that speaks https in front and say --public-origin https://HOST";
            return Err(format!("--listen {listen}: {says}"));
        }
        Ok(Address { listen, public_origin })
    }

    fn is_https(&self) -> bool {
        self.public_origin.starts_with("https://")
    }
}

/// What handlers are given.
#[derive(Clone, FromRef)]
struct AppState {
    options: LeptosOptions,
    service: Service,
}

/// All routes with everything that protects them.
pub fn router(service: Service, address: &Address) -> Router {
    let options = LeptosOptions::builder()
        .output_name("touchstone")
        .site_pkg_dir("pkg")
        .site_addr(address.listen)
        .build();
    let provide = provider(service.clone(), address);
    let page = {
        let (options, has_desk) = (options.clone(), site::has("desk/touchstone.wasm"));
        move || shell(options.clone(), has_desk)
    };
    let state = AppState { options, service: service.clone() };
    let unknown = leptos_axum::render_app_async_with_context(provide.clone(), page.clone());
    Router::new()
        .route("/p/{project}/agreement.json", get(download::agreement_json))
        .route("/p/{project}/agreement.csv", get(download::agreement_csv))
        .route("/p/{project}/compare.json", get(download::comparison_json))
        .route("/p/{project}/compare.csv", get(download::comparison_csv))
        .route("/p/{project}/diagnose.json", get(download::diagnosis_json))
        .route("/p/{project}/diagnose.csv", get(download::diagnosis_csv))
        .route("/p/{project}/anchor-sets/{set}/file", get(download::anchor_set))
        .route("/p/{project}/exports/{file}", get(download::export))
        .route("/p/{project}/runs/{run}/events", get(events::of_run))
        .leptos_routes_with_context(&state, pages(), provide, page)
        .fallback(unknown)
        .layer(RequestBodyLimitLayer::new(LONGEST_BODY))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, LONGEST_ANSWER))
        .merge(upload::router())
        .layer(sessions(&service, address))
        .route("/pkg/{*file}", get(site::file))
        .route("/healthz", get(|| async { "ok\n" }))
        .layer(middleware::from_fn_with_state(
            Arc::<str>::from(&*address.public_origin),
            origin::require_same_origin,
        ))
        .merge(api::router())
        .layer(CompressionLayer::new().quality(CompressionLevel::Precise(COMPRESSION)))
        .layer(CatchPanicLayer::new())
        .layer(middleware::from_fn(api::say_as_problem))
        .layer(middleware::from_fn_with_state(address.is_https(), headers::protect))
        .with_state(state)
}

/// The routes of the pages. While the list is made no page of this process can load anything: it is made once, before the first.
#[must_use]
pub fn pages() -> Vec<AxumRouteListing> {
    static PAGES: LazyLock<Vec<AxumRouteListing>> = LazyLock::new(|| generate_route_list(App));
    PAGES.clone()
}

/// What pages and server functions find in their context.
fn provider(service: Service, address: &Address) -> impl Fn() + Clone + Send + Sync + 'static {
    let origin = PublicOrigin(address.public_origin.clone());
    move || {
        provide_context(service.clone());
        provide_context(origin.clone());
        let parts = use_context::<axum::http::request::Parts>();
        if let Some(nonce) = parts.and_then(|parts| parts.extensions.get::<ContentNonce>().cloned()) {
            provide_context(Nonce::from_value(nonce.0));
        }
    }
}

fn sessions(service: &Service, address: &Address) -> SessionManagerLayer<store::Sessions> {
    let sessions = service.store().sessions(OffsetDateTime::now_utc);
    SessionManagerLayer::new(sessions)
        .with_name(if address.is_https() { "__Host-session" } else { "session" })
        .with_secure(address.is_https())
        .with_http_only(true)
        // People arrive by links in mails and chats; what changes something is held to its origin.
        .with_same_site(SameSite::Lax)
        .with_path("/")
        // The store ends sessions that nobody uses, and all of them after a week.
        .with_expiry(Expiry::OnInactivity(::time::Duration::days(7)))
}
