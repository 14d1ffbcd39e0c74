use std::{collections::HashSet, sync::Arc};

/// Gives equal texts one allocation.
#[derive(Default)]
pub(crate) struct Texts(HashSet<Arc<str>>);

impl Texts {
    pub(crate) fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(present) = self.0.get(text) {
            return present.clone();
        }
        let new: Arc<str> = text.into();
        self.0.insert(new.clone());
        new
    }
}
