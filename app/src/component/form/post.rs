//! Posting a form without leaving the page.

use crate::error::AppError;
use leptos::{
    prelude::FromServerFnError,
    server_fn::{
        client::{Client, browser::BrowserClient},
        request::{ClientReq, browser::BrowserRequest},
        response::{ClientRes, browser::BrowserResponse},
    },
};

/// Posts the fields; gives where to go next, if the server says so.
pub(super) async fn post(url: &str, fields: String) -> Result<Option<String>, AppError> {
    let (sent, wanted) = ("application/x-www-form-urlencoded", "application/json");
    let request = <BrowserRequest as ClientReq<AppError>>::try_new_post(url, sent, wanted, fields)?;
    let response: BrowserResponse = <BrowserClient as Client<AppError>>::send(request).await?;
    let status = ClientRes::<AppError>::status(&response);
    if status >= 400 {
        let body = ClientRes::<AppError>::try_into_bytes(response).await?;
        return Err(AppError::de(body));
    }
    let redirect = ClientRes::<AppError>::has_redirect(&response);
    Ok(redirect.then(|| ClientRes::<AppError>::location(&response)))
}
