//! A request that changes something must come from our own pages (cross-site request forgery).

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use std::sync::Arc;

/// Lets a request pass that reads only, or that the browser says is from our own pages: `Sec-Fetch-Site: same-origin` (or `none`: typed
/// by the person), and where that header is absent an `Origin` equal to ours. Without either header it is refused.
pub(super) async fn require_same_origin(
    State(origin): State<Arc<str>>,
    request: Request,
    next: Next,
) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if reads || is_same_origin(request.headers(), &origin) {
        return next.run(request).await;
    }
    tracing::warn!(path = request.uri().path(), "refused a request from another origin");
    let says =
        "This request does not come from a page of this site. Open the page again and repeat what you did.\n";
    (StatusCode::FORBIDDEN, says).into_response()
}

fn is_same_origin(headers: &HeaderMap, public_origin: &str) -> bool {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    match headers.get("sec-fetch-site").map(|value| value.as_bytes()) {
        Some(b"same-origin" | b"none") => true,
        Some(_) => false,
        None => match (text(header::ORIGIN), text(header::HOST)) {
            (Some(origin), _) if origin == public_origin => true,
            // On loopback people use `localhost` and `127.0.0.1` alike: the page's own host will do.
            (Some(origin), Some(host)) => is_loopback(host) && origin == format!("http://{host}"),
            _ => false,
        },
    }
}

fn is_loopback(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(pairs: &[(&'static str, &'static str)]) -> bool {
        let headers = pairs.iter().map(|(name, value)| {
            (header::HeaderName::from_static(name), header::HeaderValue::from_static(value))
        });
        is_same_origin(&headers.collect(), "https://touchstone.example")
    }

    #[test]
    fn only_our_own_pages_may_change_something() {
        assert!(allowed(&[("sec-fetch-site", "same-origin")]));
        assert!(allowed(&[("origin", "https://touchstone.example")]));
        assert!(allowed(&[("origin", "http://localhost:3000"), ("host", "localhost:3000")]));
        assert!(!allowed(&[]));
        assert!(!allowed(&[("sec-fetch-site", "cross-site"), ("origin", "https://touchstone.example")]));
        assert!(!allowed(&[("sec-fetch-site", "same-site")]));
        assert!(!allowed(&[("origin", "null"), ("host", "localhost:3000")]));
        assert!(!allowed(&[("origin", "https://evil.example"), ("host", "evil.example")]));
        assert!(!allowed(&[("origin", "http://evil.example:3000"), ("host", "evil.example:3000")]));
    }
}
