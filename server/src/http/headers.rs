//! What every answer says to the browser about how far to trust it.

use axum::{
    extract::{Request, State},
    http::{HeaderValue, header},
    middleware::Next,
    response::Response,
};

/// The nonce of one answer: scripts without it do not run.
#[derive(Clone, Debug)]
pub(super) struct ContentNonce(pub(super) String);

/// Mints the nonce of the answer, hands it to the page by the request's extensions, and sets the headers.
pub(super) async fn protect(State(https): State<bool>, mut request: Request, next: Next) -> Response {
    let nonce = ContentNonce(service::random_token());
    if let Ok(number) = HeaderValue::from_str(&service::random_token()) {
        request.headers_mut().insert("x-request-id", number);
    }
    let is_asset = request.uri().path().starts_with("/pkg/");
    request.extensions_mut().insert(nonce.clone());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{0}' 'strict-dynamic' 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
         object-src 'none'; frame-ancestors 'none'",
        nonce.0
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
        ("x-frame-options", "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if https {
        headers.insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000; includeSubDomains"),
        );
    }
    if !is_asset {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}
