//! `touchstone serve`.

use super::say;
use crate::http::{Address, router};
use anyhow::Context;
use judge::Endpoints;
use service::{Service, Webhook};
use std::{net::SocketAddr, path::Path, time::Duration};
use store::Store;
use time::OffsetDateTime;
use tokio::{net::TcpListener, signal};

/// Between two looks at production.
const BETWEEN_LOOKS: Duration = Duration::from_secs(15 * 60);

pub(super) async fn serve(
    db: &Path,
    listen: SocketAddr,
    public_origin: Option<String>,
    endpoints: Endpoints,
) -> anyhow::Result<u8> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("TOUCHSTONE_LOG").unwrap_or_else(|_| "warn".into()),
        )
        .init();
    let address = Address::new(listen, public_origin).map_err(anyhow::Error::msg)?;
    let store = Store::open(db).await?;
    // Two servers on one file would each believe in a queue of their own.
    let _lock = store.lock_for_serving()?;
    let service = Service::new(store.clone(), OffsetDateTime::now_utc).with_endpoints(endpoints);
    store.delete_expired_sessions(OffsetDateTime::now_utc()).await?;
    let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    let address = Address { listen: listener.local_addr()?, ..address };
    let origin =
        if listen.port() == 0 { format!("http://{}", address.listen) } else { address.public_origin.clone() };
    let address = Address { public_origin: origin, ..address };
    let service = service.with_webhook(Webhook::configured(&address.public_origin)?);
    if let Some(token) = service.first_admin_link().await? {
        say(&format!(
            "No admin yet. Open this link once to become it:\n  {}/invitation/{token}",
            address.public_origin
        ));
    }
    say(&format!("Touchstone serves {} at {} (stop with Ctrl-C)", db.display(), address.public_origin));
    service.resume_runs().await?;
    tokio::spawn(watch(service.clone()));
    let app = router(service.clone(), &address).into_make_service_with_connect_info::<SocketAddr>();
    let told = service.clone();
    let leaving = async move {
        stopped().await;
        told.begin_leaving();
    };
    axum::serve(listener, app).with_graceful_shutdown(leaving).await?;
    service.leave().await;
    store.close().await;
    Ok(0)
}

/// Looks for falls in production as long as the process serves.
async fn watch(service: Service) {
    while !service.is_leaving() {
        if let Err(error) = service.look_for_falls_everywhere().await {
            tracing::warn!(%error, "production could not be looked at");
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}

/// Ctrl-C, or the signal that a supervisor sends.
async fn stopped() {
    let interrupted = async {
        // Without a handler Ctrl-C ends the process by itself, which is safe too.
        if signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match signal::unix::signal(signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => signal.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<Option<()>>();
    tokio::select! {
        () = interrupted => {}
        _ = terminated => {}
    }
}
