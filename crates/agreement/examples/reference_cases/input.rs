//! The ways in which cases give ratings: numbers, text or truth values; with declared categories or without.

use agreement::{Basis, CustomWeights, Pairs, Ratings, Scale, Weights};
use serde_json::Value;

/// A label as it is compared: "3", 3 and 3.0 are one label, true is 1.
fn key(label: &Value) -> Option<String> {
    match label {
        Value::Null => None,
        Value::Bool(truth) => Some(if *truth { "1".to_owned() } else { "0".to_owned() }),
        Value::Number(number) => number.as_f64().map(|number| (number + 0.0).to_string()),
        Value::String(text) => Some(text.trim().parse::<f64>().map_or_else(
            |_| text.trim().to_owned(),
            |number| if number.is_nan() { text.trim().to_owned() } else { (number + 0.0).to_string() },
        )),
        _ => None,
    }
}

/// Labels in their declared order, and the scale that they make.
pub(crate) struct Categories {
    keys: Vec<String>,
    values: Vec<f64>,
    pub(crate) scale: Scale,
}

impl Categories {
    /// As declared, or inferred from the labels: numbers in numeric order; text without a declared order is nominal.
    pub(crate) fn of(case: &Value, labels: &[&Value]) -> Result<Categories, String> {
        let declared =
            case["input"].get("categories").or(case["params"].get("categories")).and_then(Value::as_array);
        let keys: Vec<String> = match declared {
            Some(declared) => declared.iter().filter_map(key).collect(),
            None => inferred(labels),
        };
        let numbers: Vec<f64> = keys.iter().filter_map(|key| key.parse().ok()).collect();
        let numeric = numbers.len() == keys.len();
        let increasing = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let ranks: Vec<f64> = (0..keys.len()).map(|rank| rank as f64).collect();
        let nominal_level = case["params"]["level"] == "nominal";
        let (values, scale) = if numeric && increasing {
            (numbers.clone(), Scale::ordinal(padded(numbers)))
        } else if declared.is_some() && !numeric {
            (ranks.clone(), Scale::ordinal(padded(ranks)))
        } else if numeric && nominal_level {
            (numbers.clone(), Scale::nominal_values(numbers))
        } else {
            (ranks.clone(), Scale::nominal_values(padded(ranks)))
        };
        Ok(Categories { keys, values, scale: scale.map_err(|problem| problem.to_string())? })
    }

    /// The value of a label; none where it is missing.
    pub(crate) fn value(&self, label: &Value) -> Result<Option<f64>, String> {
        match key(label) {
            None => Ok(None),
            Some(key) => match self.keys.iter().position(|known| *known == key) {
                Some(at) => Ok(Some(self.values[at])),
                None => Err(format!("the label {label} is not on the declared scale")),
            },
        }
    }
}

/// A scale has two levels at least; one that is never used changes nothing where the scale is inferred.
fn padded(mut values: Vec<f64>) -> Vec<f64> {
    while values.len() < 2 {
        values.push(values.last().map_or(0.0, |last| last + 1.0));
    }
    values
}

fn inferred(labels: &[&Value]) -> Vec<String> {
    let mut keys: Vec<String> = labels.iter().filter_map(|label| key(label)).collect();
    let number = |key: &String| key.parse::<f64>().ok();
    if keys.iter().all(|key| number(key).is_some()) {
        keys.sort_by(|left, right| number(left).unwrap_or(0.0).total_cmp(&number(right).unwrap_or(0.0)));
    } else {
        keys.sort();
    }
    keys.dedup();
    keys
}

pub(crate) fn list<'c>(case: &'c Value, name: &str) -> Result<&'c Vec<Value>, String> {
    case["input"].get(name).and_then(Value::as_array).ok_or_else(|| format!("input without a list `{name}`"))
}

pub(crate) fn numbers(case: &Value, name: &str) -> Result<Vec<f64>, String> {
    list(case, name)?
        .iter()
        .map(|value| value.as_f64().ok_or_else(|| format!("`{name}` holds {value}")))
        .collect()
}

pub(crate) fn count(case: &Value, name: &str) -> Result<u64, String> {
    case["input"].get(name).and_then(Value::as_u64).ok_or_else(|| format!("input without a count `{name}`"))
}

pub(crate) fn parameter(case: &Value, name: &str, default: f64) -> f64 {
    case["params"].get(name).and_then(Value::as_f64).unwrap_or(default)
}

pub(crate) fn confidence(case: &Value) -> f64 {
    parameter(case, "conf", 0.95)
}

/// Several raters' labels of the same items, one column for each, with the cluster of each item if there is one.
pub(crate) fn columns(case: &Value, columns: &[&Vec<Value>]) -> Result<Ratings, String> {
    let labels: Vec<&Value> = columns.iter().flat_map(|column| column.iter()).collect();
    let categories = Categories::of(case, &labels)?;
    let clusters = case["input"].get("cluster").or(case["input"].get("clusters")).and_then(Value::as_array);
    let scale = continuous(case, &labels).map_or(Ok(categories.scale.clone()), |scale| scale)?;
    let mut rows = Ratings::builder(scale);
    for item in 0..columns.iter().map(|column| column.len()).max().unwrap_or(0) {
        let cluster = clusters.and_then(|clusters| clusters.get(item)).map(Value::to_string);
        for (rater, column) in columns.iter().enumerate() {
            let value = categories.value(column.get(item).unwrap_or(&Value::Null))?;
            rows.push(&rater.to_string(), &item.to_string(), value, cluster.as_deref())
                .map_err(|problem| problem.to_string())?;
        }
    }
    Ok(rows.build())
}

/// Numbers that are no whole ones, without declared categories, are a continuous scale.
fn continuous(case: &Value, labels: &[&Value]) -> Option<Result<Scale, String>> {
    let declared = case["input"].get("categories").is_some() || case["params"].get("categories").is_some();
    let values: Vec<f64> = labels.iter().filter_map(|label| label.as_f64()).collect();
    if declared || values.iter().all(|value| value.fract() == 0.0) {
        return None;
    }
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(Scale::continuous(least, most.max(least + 1.0), None).map_err(|problem| problem.to_string()))
}

/// Two raters, given as `a` and `b`, or as `pairs`.
pub(crate) fn pairs(case: &Value) -> Result<Pairs, String> {
    let (a, b) = match case["input"].get("pairs").and_then(Value::as_array) {
        Some(pairs) => pairs.iter().map(|pair| (pair[0].clone(), pair[1].clone())).unzip(),
        None => (list(case, "a")?.clone(), list(case, "b")?.clone()),
    };
    Ok(columns(case, &[&a, &b])?.pair(0, 1))
}

/// A rectangular table of ratings by items and raters, or counts by items and levels.
pub(crate) fn table(case: &Value) -> Result<Ratings, String> {
    if case["input"].get("counts").is_some() {
        return expanded(case);
    }
    let rows = list(case, "ratings")?;
    let row = |at: usize| rows[at].as_array().cloned().unwrap_or_default();
    let width = (0..rows.len()).map(|at| row(at).len()).max().unwrap_or(0);
    let by_raters = case["input"].get("orientation").and_then(Value::as_str) == Some("raters_by_units");
    let raters: Vec<Vec<Value>> = if by_raters {
        (0..rows.len()).map(row).collect()
    } else {
        (0..width)
            .map(|rater| {
                (0..rows.len()).map(|at| row(at).get(rater).cloned().unwrap_or(Value::Null)).collect()
            })
            .collect()
    };
    columns(case, &raters.iter().collect::<Vec<_>>())
}

/// Counts of each level for each item, as ratings by raters without a name.
fn expanded(case: &Value) -> Result<Ratings, String> {
    let mut counts: Vec<Vec<u64>> = list(case, "counts")?
        .iter()
        .map(|row| row.as_array().into_iter().flatten().filter_map(Value::as_u64).collect())
        .collect();
    if case["input"].get("orientation").and_then(Value::as_str) == Some("categories_by_units") {
        let units = counts.iter().map(Vec::len).max().unwrap_or(0);
        counts = (0..units)
            .map(|unit| counts.iter().map(|row| row.get(unit).copied().unwrap_or(0)).collect())
            .collect();
    }
    let levels = counts.iter().map(Vec::len).max().unwrap_or(0).max(2);
    let scale = Scale::ordinal((0..levels).map(|level| level as f64).collect::<Vec<_>>());
    let rows: Vec<Vec<Option<f64>>> = counts
        .iter()
        .map(|row| {
            row.iter()
                .enumerate()
                .flat_map(|(level, count)| (0..*count).map(move |_| Some(level as f64)))
                .collect()
        })
        .collect();
    Ratings::from_table(scale.map_err(|problem| problem.to_string())?, &rows)
        .map_err(|problem| problem.to_string())
}

/// The weights of a case, by name or as a matrix of similarities, on the levels of a scale.
pub(crate) fn weights(case: &Value, named: &Value, scale: &Scale) -> Result<Weights, String> {
    let basis = match &case["params"]["weights_basis"] {
        Value::Null => Basis::Value,
        Value::String(basis) if basis == "value" => Basis::Value,
        Value::String(basis) if basis == "rank" => Basis::Rank,
        other => return Err(format!("weights_basis {other}")),
    };
    let matrix = || {
        let given = case["params"].get("weight_matrix").or(case["input"].get("weight_matrix"));
        given.ok_or_else(|| "custom weights without `weight_matrix`".to_owned()).and_then(matrix_of)
    };
    let custom = |found: Result<CustomWeights, agreement::WeightsError>| {
        found.map(Weights::Custom).map_err(|problem| problem.to_string())
    };
    let name = match named {
        Value::Null => "none",
        Value::String(name) => name,
        Value::Array(_) => return custom(CustomWeights::from_similarity(&matrix_of(named)?)),
        other => return Err(format!("weights {other}")),
    };
    match name {
        "none" | "unweighted" | "identity" | "nominal" => Ok(Weights::Unweighted),
        "linear" => Ok(Weights::Linear(basis)),
        "quadratic" => Ok(Weights::Quadratic(basis)),
        "custom_disagreement" => custom(CustomWeights::from_disagreement(&matrix()?)),
        "custom_similarity" | "custom" => custom(CustomWeights::from_similarity(&matrix()?)),
        "ordinal" => custom(CustomWeights::from_disagreement(&between(scale, ordinal_weight))),
        "radical" => {
            custom(CustomWeights::from_disagreement(&between(scale, |_, _, a, b| (a - b).abs().sqrt())))
        }
        "ratio" => custom(CustomWeights::from_disagreement(&between(scale, |_, _, a, b| {
            if a + b > 0.0 { ((a - b) / (a + b)).powi(2) } else { 0.0 }
        }))),
        "circular" => custom(CustomWeights::from_disagreement(&between(scale, |_, _, a, b| {
            (std::f64::consts::PI * (a - b) / (scale.range() + 1.0)).sin().powi(2)
        }))),
        "bipolar" => custom(CustomWeights::from_disagreement(&between(scale, |k, l, a, b| {
            let from_ends = (a + b - 2.0 * scale.min()) * (2.0 * scale.max() - a - b);
            if k == l { 0.0 } else { (a - b).powi(2) / from_ends }
        }))),
        other => Err(format!("weights `{other}`")),
    }
}

fn matrix_of(rows: &Value) -> Result<Vec<Vec<f64>>, String> {
    let row = |row: &Value| -> Option<Vec<f64>> { row.as_array()?.iter().map(Value::as_f64).collect() };
    let rows: Option<Vec<Vec<f64>>> = rows.as_array().and_then(|rows| rows.iter().map(row).collect());
    rows.ok_or_else(|| "a matrix of weights that is not rows of numbers".to_owned())
}

/// Gwet's ordinal weights: the number of pairs of levels between two levels, the two included.
fn ordinal_weight(k: usize, l: usize, _: f64, _: f64) -> f64 {
    let levels = (k.abs_diff(l) + 1) as f64;
    levels * (levels - 1.0) / 2.0
}

fn between(scale: &Scale, of: impl Fn(usize, usize, f64, f64) -> f64) -> Vec<Vec<f64>> {
    let levels = scale.levels();
    (0..levels.len()).map(|k| (0..levels.len()).map(|l| of(k, l, levels[k], levels[l])).collect()).collect()
}
