use super::{Criterion, Rubric};
use crate::{Level, Scale, ScaleKind};
use std::fmt::Write as _;

impl Rubric {
    /// The rubric as `rubric.toml`, one level a line; [`Rubric::from_toml`] reads it back.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = format!("name = {}\nversion = {}\n", quoted(&self.name), self.version);
        for scale in &self.scales {
            write_scale(&mut text, scale);
        }
        for criterion in &self.criteria {
            write_criterion(&mut text, criterion);
        }
        text
    }
}

impl Scale {
    /// The scale as `rubric.toml` declares it.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        write_scale(&mut text, self);
        text.trim_start().to_owned()
    }
}

fn write_scale(text: &mut String, scale: &Scale) {
    let kind = match scale.kind {
        ScaleKind::Ordinal => "ordinal",
        ScaleKind::Binary => "binary",
        ScaleKind::Nominal => "nominal",
        ScaleKind::Continuous => "continuous",
    };
    line(text, "\n[[scale]]\nid", &quoted(&scale.id));
    line(text, "kind", &quoted(kind));
    if !scale.levels.is_empty() {
        let levels: String = scale.levels.iter().map(level).collect();
        line(text, "levels", &format!("[\n{levels}]"));
    }
    for (field, number) in
        [("min", scale.min), ("max", scale.max), ("step", scale.step), ("relevant_from", scale.relevant_from)]
    {
        if let Some(number) = number {
            line(text, field, &number.to_string());
        }
    }
    if let Some(coarse) = &scale.coarse {
        let coarse: Vec<String> = coarse.iter().map(f64::to_string).collect();
        line(text, "coarse", &format!("[{}]", coarse.join(", ")));
    }
}

fn level(level: &Level) -> String {
    let means = level.means.as_ref().map(|means| format!(", means = {}", quoted(means))).unwrap_or_default();
    let not_applicable = if level.not_applicable { ", not_applicable = true" } else { "" };
    format!("  {{ value = {}, name = {}{means}{not_applicable} }},\n", level.value, quoted(&level.name))
}

fn write_criterion(text: &mut String, criterion: &Criterion) {
    line(text, "\n[[criterion]]\nid", &quoted(&criterion.id));
    line(text, "component", &quoted(criterion.component.word()));
    line(text, "unit", &quoted(criterion.unit.word()));
    line(text, "scale", &quoted(&criterion.scale));
    line(text, "question", &quoted(&criterion.question));
    if !criterion.guideline.is_empty() {
        line(text, "guideline", &quoted(&criterion.guideline));
    }
    if criterion.required {
        line(text, "required", "true");
    }
}

fn line(text: &mut String, field: &str, value: &str) {
    // Writing into a text cannot fail.
    let _ = writeln!(text, "{field} = {value}");
}

/// A text as TOML quotes it.
fn quoted(text: &str) -> String {
    ::toml::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use crate::{Rubric, RubricTemplate};
    use proptest::prelude::*;

    #[test]
    fn every_template_is_read_back() {
        for template in RubricTemplate::all().unwrap() {
            let text = template.rubric.to_toml();
            assert_eq!(Rubric::from_toml(&text).unwrap(), template.rubric, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_text_holds_is_read_back(question in "\\PC*[\"'\\\\\n\t]?\\PC+", guideline in ".*\n?.*") {
            let mut rubric = RubricTemplate::named("routing").unwrap().unwrap().rubric;
            prop_assume!(!question.trim().is_empty());
            rubric.criteria[0].question = question;
            rubric.criteria[0].guideline = guideline;
            prop_assert_eq!(Rubric::from_toml(&rubric.to_toml()).unwrap(), rubric);
        }
    }
}
