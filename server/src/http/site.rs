//! The browser's half, embedded in the binary: WebAssembly, its glue and the styles, in the form that the browser takes best.

use axum::{
    extract::Path,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../target/site/pkg"]
#[allow_missing = true]
struct Site;

/// Whether the site has that file.
pub(super) fn has(name: &str) -> bool {
    Site::get(name).is_some()
}

/// Answers `/pkg/{*file}`; unchanged files are not sent twice.
pub(super) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(content_type) = content_type(&name) else { return StatusCode::NOT_FOUND.into_response() };
    let accepts =
        headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let compressed = [("br", ".br"), ("gzip", ".gz")].into_iter().find_map(|(encoding, ending)| {
        let offered =
            accepts.split(',').any(|one| one.split(';').next().unwrap_or_default().trim() == encoding);
        offered.then(|| Site::get(&format!("{name}{ending}"))).flatten().map(|file| (file, Some(encoding)))
    });
    let Some((file, encoding)) = compressed.or_else(|| Site::get(&name).map(|file| (file, None))) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let tag = format!("\"{}\"", domain::ContentHash::of_bytes(&file.metadata.sha256_hash()).short());
    let common = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, "public, no-cache".to_owned()),
        (header::VARY, "accept-encoding".to_owned()),
    ];
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let mut response =
        (common, [(header::CONTENT_TYPE, content_type)], file.data.into_owned()).into_response();
    if let Some(encoding) = encoding {
        response.headers_mut().insert(header::CONTENT_ENCODING, header::HeaderValue::from_static(encoding));
    }
    response
}

fn content_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "js" => Some("text/javascript; charset=utf-8"),
        "wasm" => Some("application/wasm"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}
