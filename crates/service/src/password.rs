//! Passwords: what is accepted, and how they are hashed.

use crate::ServiceError;
use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher, PasswordVerifier},
};
use std::sync::OnceLock;
use tokio::sync::Semaphore;

/// Shortest and longest password, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 12..=128;

/// Long passwords that everybody tries first.
const COMMON: [&str; 28] = [
    "123456789012",
    "1234567890123",
    "12345678901234",
    "123456123456",
    "111111111111",
    "000000000000",
    "qwertyuiop12",
    "qwertyuiop123",
    "qwertyuiopas",
    "qwerty123456",
    "1q2w3e4r5t6y",
    "1qaz2wsx3edc",
    "q1w2e3r4t5y6",
    "abcdefghijkl",
    "passwordpassword",
    "password1234",
    "password12345",
    "password123456",
    "passw0rd1234",
    "iloveyou1234",
    "letmeinletmein",
    "administrator",
    "welcome12345",
    "changemeplease",
    "changeme1234",
    "touchstone123",
    "touchstonetouchstone",
    "correcthorsebatterystaple",
];

/// Refuses a password that is too short, too long, common, or the account's own name.
pub(crate) fn check(password: &str, account: &str) -> Result<(), ServiceError> {
    let refuse = |reason: String| Err(ServiceError::Invalid { field: "password".to_owned(), reason });
    let length = password.chars().count();
    if !LENGTH.contains(&length) {
        return refuse(format!(
            "a password has {} to {} characters; this one has {length}",
            LENGTH.start(),
            LENGTH.end()
        ));
    }
    let lower = password.to_lowercase();
    let one_character = lower.chars().all(|character| lower.starts_with(character));
    if one_character || COMMON.contains(&lower.as_str()) || lower.trim() == account.trim().to_lowercase() {
        return refuse("this password is among those that are tried first; choose another".to_owned());
    }
    Ok(())
}

/// Hashes off the async threads, two at a time: each takes 46 MiB.
pub(crate) struct Hasher {
    places: Semaphore,
    /// What an unknown account is compared with, so that it takes as long as a known one.
    decoy: OnceLock<String>,
}

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher { places: Semaphore::new(2), decoy: OnceLock::new() }
    }
}

fn argon2id() -> Result<Argon2<'static>, ServiceError> {
    let parameters =
        Params::new(47_104, 1, 1, None).map_err(|error| ServiceError::Internal(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters))
}

impl Hasher {
    /// The PHC string of a password, with a salt of its own.
    pub(crate) async fn hash(&self, password: &str) -> Result<String, ServiceError> {
        let password = password.to_owned();
        self.apart(move || {
            let hash = argon2id()?.hash_password(password.as_bytes());
            hash.map(|hash| hash.to_string()).map_err(|error| ServiceError::Internal(error.to_string()))
        })
        .await
    }

    /// Whether the password is the one that was hashed. Without a hash the same time is spent, and the answer is no.
    pub(crate) async fn verify(&self, password: &str, hash: Option<String>) -> Result<bool, ServiceError> {
        let known = hash.is_some();
        let hash = match hash {
            Some(hash) => hash,
            None => match self.decoy.get() {
                Some(decoy) => decoy.clone(),
                None => {
                    let decoy = self.hash(&crate::random_token()).await?;
                    self.decoy.get_or_init(|| decoy).clone()
                }
            },
        };
        let password = password.to_owned();
        let same = self
            .apart(move || Ok(argon2id()?.verify_password(password.as_bytes(), hash.as_str()).is_ok()))
            .await?;
        Ok(known && same)
    }

    async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let _place =
            self.places.acquire().await.map_err(|error| ServiceError::Internal(error.to_string()))?;
        tokio::task::spawn_blocking(work).await.map_err(|error| ServiceError::Internal(error.to_string()))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_tried_first_is_refused() {
        for password in ["short", "aaaaaaaaaaaaaa", "Password1234", "ada.lovelace@example.org"] {
            assert!(check(password, "Ada.Lovelace@example.org").is_err(), "{password}");
        }
        assert!(check(&"x".repeat(129), "a").is_err());
        assert!(check("a stone from the river", "ada").is_ok());
    }

    #[tokio::test]
    async fn a_password_is_known_by_its_hash_alone() {
        let hasher = Hasher::default();
        let hash = hasher.hash("a stone from the river").await.unwrap();
        assert!(hash.starts_with("$argon2id$"));
        assert!(hasher.verify("a stone from the river", Some(hash.clone())).await.unwrap());
        assert!(!hasher.verify("a stone from the rivers", Some(hash)).await.unwrap());
        assert!(!hasher.verify("a stone from the river", None).await.unwrap());
    }
}
