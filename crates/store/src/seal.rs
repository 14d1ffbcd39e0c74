use crate::UserId;

/// For whom something is read. Nothing that others said of a conversation is shown to a person who has an open assignment on it,
/// whatever the person's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// Whoever holds the file, by the command line: nothing is sealed.
    Operator,
    /// A person who is signed in.
    Member(UserId),
}

impl Viewer {
    /// Who it is; without a user nothing is sealed.
    #[must_use]
    pub fn user(self) -> Option<UserId> {
        match self {
            Viewer::Operator => None,
            Viewer::Member(user) => Some(user),
        }
    }
}

/// The condition that keeps sealed conversations out of a query: the column that names the conversation, and the parameter that is
/// [`Viewer::user`]. The list is read once for each query, from the index of open assignments.
macro_rules! unsealed {
    ($conversation:literal, $viewer:literal) => {
        concat!(
            $conversation,
            " not in (select sealed.conversation_id from assignment sealed where sealed.user_id = ",
            $viewer,
            " and sealed.state = 'open')"
        )
    };
}
pub(crate) use unsealed;

#[cfg(test)]
mod tests;
