use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What is taken out of the rows of every import of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedactionRules {
    /// Kinds of private data that are known.
    pub kinds: Vec<PrivateKind>,
    /// How the numbers of orders, customers or contracts look: `#` is a digit, `?` a letter, all else itself.
    pub orders: Vec<String>,
    /// What else is found, by regular expressions.
    pub own: Vec<OwnRule>,
}

impl RedactionRules {
    /// Whether nothing is taken out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.orders.is_empty() && self.own.is_empty()
    }
}

/// The name that placeholders for numbers of orders bear.
pub const ORDER: &str = "order";

/// A kind of private data that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PrivateKind {
    /// Addresses of electronic mail.
    #[serde(rename = "e-mail")]
    EMail,
    /// Telephone numbers: international, national with a leading zero, North American.
    #[serde(rename = "phone")]
    Phone,
    /// Account numbers whose check digits are right (ISO 13616).
    #[serde(rename = "iban")]
    Iban,
    /// Card numbers whose check digit is right (Luhn, ISO/IEC 7812-1).
    #[serde(rename = "card")]
    Card,
}

impl PrivateKind {
    /// All kinds.
    pub const ALL: [PrivateKind; 4] =
        [PrivateKind::EMail, PrivateKind::Phone, PrivateKind::Iban, PrivateKind::Card];

    /// The word for it, which placeholders say.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            PrivateKind::EMail => "e-mail",
            PrivateKind::Phone => "phone",
            PrivateKind::Iban => "iban",
            PrivateKind::Card => "card",
        }
    }
}

impl fmt::Display for PrivateKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for PrivateKind {
    type Err = String;

    fn from_str(word: &str) -> Result<PrivateKind, String> {
        PrivateKind::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
            let known = PrivateKind::ALL.map(PrivateKind::word).join(", ");
            format!("`{}` is none of the kinds that are known: {known}", crate::visible(word))
        })
    }
}

/// A regular expression of the project's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnRule {
    /// Its name, which placeholders say.
    pub name: String,
    /// What it finds.
    pub expression: String,
}

impl fmt::Display for OwnRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.expression)
    }
}

impl FromStr for OwnRule {
    type Err = String;

    fn from_str(text: &str) -> Result<OwnRule, String> {
        let pair = text.split_once('=').map(|(name, expression)| (name.trim(), expression.trim()));
        let (name, expression) = pair
            .filter(|(name, expression)| !name.is_empty() && !expression.is_empty())
            .ok_or_else(|| {
                format!(
                    "found {}, expected NAME = EXPRESSION, as in customer = K-[0-9]{{6}}",
                    crate::visible(text)
                )
            })?;
        Ok(OwnRule { name: name.to_owned(), expression: expression.to_owned() })
    }
}
