//! The language of templates: MiniJinja without includes and macros, where each name must be there.

use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value, syntax::SyntaxConfig};

/// What a template may spend: a step costs one, and so do 64 bytes that it reads, keeps or prints. Bounds time and memory (32 MB).
const FUEL: u64 = 500_000;

/// Checks that a template can be read and names only what is there; else says what is wrong.
pub(crate) fn check(template: &str, names: &[&str]) -> Result<(), String> {
    let environment = environment()?;
    let parsed = environment.template_from_str(template).map_err(|error| words(&error))?;
    let functions: Vec<&str> = environment.globals().map(|(name, _)| name).collect();
    let mut unknown: Vec<String> = parsed.undeclared_variables(false).into_iter().collect();
    unknown.retain(|name| !names.contains(&name.as_str()) && !functions.contains(&name.as_str()));
    unknown.sort();
    match unknown.first() {
        Some(name) => Err(format!("there is no `{}`; there are {}", domain::visible(name), names.join(", "))),
        None => Ok(()),
    }
}

/// Renders a template; else says what is wrong.
pub(crate) fn render(template: &str, facts: &Value) -> Result<String, String> {
    let environment = environment()?;
    let parsed = environment.template_from_str(template).map_err(|error| words(&error))?;
    parsed.render(facts).map_err(|error| words(&error))
}

fn environment() -> Result<Environment<'static>, String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    // A tag on a line of its own leaves no line behind.
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(|error| words(&error))?);
    Ok(environment)
}

fn words(error: &Error) -> String {
    let line = error.line().map(|line| format!(" (line {line})")).unwrap_or_default();
    let cause = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    format!("{}{cause}{line}", error.kind())
}
