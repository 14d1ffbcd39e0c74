//! What the browser keeps of letters that the server has not confirmed: it outlives the tab, the session and the browser.

use crate::page::label::outbox::Letter;
use js_sys::{Array, Promise};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransactionMode};

const DATABASE: &str = "touchstone";
const OUTBOX: &str = "outbox";

/// Keeps a letter; comes back when the browser has it.
///
/// # Errors
/// What the browser says where it keeps nothing: in a private window, or on a full disk.
pub(crate) async fn keep(letter: &Letter) -> Result<(), JsValue> {
    let text = serde_json::to_string(letter).map_err(|error| JsValue::from(error.to_string()))?;
    let letters = letters(IdbTransactionMode::Readwrite).await?;
    letters.put_with_key(&text.into(), &letter.key.as_str().into())?;
    let transaction = letters.transaction();
    let written = Promise::new(&mut |done, failed| {
        transaction.set_oncomplete(Some(&done));
        transaction.set_onabort(Some(&failed));
    });
    JsFuture::from(written).await.map(drop)
}

/// Forgets the letter of a key.
///
/// # Errors
/// As [`keep`].
pub(crate) async fn forget(key: &str) -> Result<(), JsValue> {
    let letters = letters(IdbTransactionMode::Readwrite).await?;
    outcome(&letters.delete(&key.into())?).await.map(drop)
}

/// All letters, oldest first.
///
/// # Errors
/// As [`keep`].
pub(crate) async fn kept() -> Result<Vec<Letter>, JsValue> {
    let letters = letters(IdbTransactionMode::Readonly).await?;
    let found: Array = outcome(&letters.get_all()?).await?.dyn_into()?;
    // What another version wrote and this one cannot read is left where it is.
    let read = |text: JsValue| serde_json::from_str(&text.as_string()?).ok();
    Ok(found.iter().filter_map(read).collect())
}

async fn letters(mode: IdbTransactionMode) -> Result<IdbObjectStore, JsValue> {
    let nothing = || JsValue::from("this browser keeps nothing");
    let request = window().indexed_db()?.ok_or_else(nothing)?.open_with_u32(DATABASE, 1)?;
    let make = Closure::once_into_js(made(request.clone()));
    request.set_onupgradeneeded(Some(make.unchecked_ref()));
    let database: IdbDatabase = outcome(&request).await?.dyn_into()?;
    let letters = database.transaction_with_str_and_mode(OUTBOX, mode)?.object_store(OUTBOX)?;
    // The browser closes it when the transaction is done.
    database.close();
    Ok(letters)
}

/// Makes the store in a new database.
fn made(request: IdbOpenDbRequest) -> impl FnOnce() {
    move || {
        if let Some(database) = request.result().ok().and_then(|new| new.dyn_into::<IdbDatabase>().ok()) {
            // Where it cannot be made, opening it fails and says so.
            let _ = database.create_object_store(OUTBOX);
        }
    }
}

async fn outcome(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let settled = Promise::new(&mut |done, failed| {
        request.set_onsuccess(Some(&done));
        request.set_onerror(Some(&failed));
    });
    JsFuture::from(settled).await?;
    request.result()
}
