use crate::StoreError;
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;

/// SHA-256 of a secret that is never stored: a stolen file holds no usable link or cookie.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// The hash of a token as it stands in a link.
    #[must_use]
    pub fn of(token: &str) -> TokenHash {
        TokenHash(Sha256::digest(token.as_bytes()).into())
    }

    /// Whether two hashes are equal, in a time that does not tell how much of them is.
    #[must_use]
    pub fn is_equal(&self, other: &TokenHash) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn stored(bytes: &[u8]) -> Result<TokenHash, StoreError> {
        let hash = bytes.try_into().map_err(|_| StoreError::corrupt("a hash that is not 32 bytes long"))?;
        Ok(TokenHash(hash))
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(…)")
    }
}
