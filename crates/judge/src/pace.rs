//! How fast an endpoint is called, and how long to wait before asking again.

use crate::Endpoint;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use sha2::{Digest, Sha256};
use std::{num::NonZeroU32, time::Duration};
use time::{OffsetDateTime, format_description::well_known::Rfc2822};

/// Longest pause of our own choice.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Longest pause that a provider may ask for; beyond it the call has failed for now.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(300);

/// Limits of calls and tokens.
#[derive(Debug)]
pub(crate) struct Pace {
    requests: Option<DefaultDirectRateLimiter>,
    tokens: Option<(DefaultDirectRateLimiter, u32)>,
}

impl Pace {
    pub(crate) fn of(endpoint: &Endpoint) -> Pace {
        let per_minute = |limit: Option<u32>| limit.and_then(NonZeroU32::new).map(Quota::per_minute);
        let tokens = per_minute(endpoint.tokens_per_minute);
        Pace {
            // One burst of a tenth of a minute: a provider counts shorter windows as well.
            requests: per_minute(endpoint.requests_per_minute)
                .map(|quota| RateLimiter::direct(quota.allow_burst(tenth(quota.burst_size())))),
            tokens: tokens.map(|quota| (RateLimiter::direct(quota), quota.burst_size().get())),
        }
    }

    /// Waits until a call of about so many tokens may begin.
    pub(crate) async fn turn(&self, tokens: u32) {
        if let Some(requests) = &self.requests {
            requests.until_ready().await;
        }
        if let Some((limiter, most)) = &self.tokens
            && let Some(tokens) = NonZeroU32::new(tokens.min(*most))
        {
            // A call beyond a whole minute's tokens was cut to them just now.
            let _ = limiter.until_n_ready(tokens).await;
        }
    }
}

fn tenth(most: NonZeroU32) -> NonZeroU32 {
    NonZeroU32::new(most.get() / 10).unwrap_or(NonZeroU32::MIN)
}

/// How long to wait before try `attempt` + 1: what the provider asks for and a random share of the first pause, so that not all come at
/// once, else a random share of a pause that doubles. `None` where the provider asks for more than anyone waits.
pub(crate) fn pause(
    first: Duration,
    attempt: u32,
    retry_after: Option<Duration>,
    lot: &str,
) -> Option<Duration> {
    let share = share(&format!("{lot} {attempt}"));
    if let Some(asked) = retry_after {
        return (asked <= LONGEST_RETRY_AFTER).then(|| asked + first.mul_f64(share));
    }
    let most = first.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(LONGEST_PAUSE);
    Some(most.mul_f64(0.5 + 0.5 * share))
}

/// A number from 0 to 1 that the lot decides.
fn share(lot: &str) -> f64 {
    let digest = Sha256::digest(lot);
    digest.iter().take(4).fold(0.0, |share, byte| (share + f64::from(*byte)) / 256.0)
}

/// `Retry-After`, in seconds or as a date.
pub(crate) fn retry_after(header: &str, now: OffsetDateTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = OffsetDateTime::parse(header, &Rfc2822).ok()? - now;
    Some(Duration::try_from(until).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn what_the_provider_asks_for_is_waited() {
        let now = datetime!(2026-12-01 12:00 UTC);
        assert_eq!(retry_after("7", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("0.5", now), Some(Duration::from_millis(500)));
        assert_eq!(retry_after("Tue, 01 Dec 2026 12:00:09 GMT", now), Some(Duration::from_secs(9)));
        assert_eq!(retry_after("Tue, 01 Dec 2026 11:00:00 GMT", now), Some(Duration::ZERO));
        for nonsense in ["", "soon", "-3", "1e400", "NaN"] {
            assert_eq!(retry_after(nonsense, now), None, "{nonsense}");
        }
        let first = Duration::from_millis(500);
        let asked = Duration::from_secs(20);
        let pauses = ["x", "y"].map(|lot| pause(first, 1, Some(asked), lot).unwrap());
        assert!(pauses.iter().all(|pause| (asked..=asked + first).contains(pause)), "{pauses:?}");
        assert_ne!(pauses[0], pauses[1], "not all come at once");
        assert_eq!(pause(first, 1, Some(Duration::from_secs(3_600)), "x"), None);
    }

    #[test]
    fn pauses_double_and_differ_between_calls() {
        let first = Duration::from_millis(500);
        for attempt in 1..=30 {
            let most = first.saturating_mul(1 << (attempt - 1).min(16)).min(LONGEST_PAUSE);
            let pause = pause(first, attempt, None, "a").unwrap();
            assert!(pause >= most / 2 && pause <= most, "{attempt}: {pause:?}");
        }
        assert_ne!(pause(first, 3, None, "a"), pause(first, 3, None, "b"));
        assert_eq!(pause(first, 3, None, "a"), pause(first, 3, None, "a"));
    }
}
