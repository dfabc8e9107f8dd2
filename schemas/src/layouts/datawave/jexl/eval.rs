//! Evaluates a precondition.

use super::{FieldValue, Groups, JexlError, Node, Order, Outcome};

/// A value while an expression is evaluated.
enum Value<'a> {
    Null,
    Bool(bool),
    Number(i64),
    Text(&'a str),
    Field(&'a [FieldValue]),
}

struct Evaluation<'a, 'f> {
    field: &'f dyn Fn(&str) -> &'a [FieldValue],
    matched: Groups,
    excluded: Groups,
}

pub(super) fn evaluate<'a>(
    root: &'a Node,
    field: &dyn Fn(&str) -> &'a [FieldValue],
) -> Result<Outcome, JexlError> {
    let mut evaluation = Evaluation {
        field,
        matched: Groups::new(),
        excluded: Groups::new(),
    };
    let holds = evaluation.truth(root)?;
    Ok(Outcome {
        holds,
        matched: evaluation.matched,
        excluded: evaluation.excluded,
    })
}

impl<'a> Evaluation<'a, '_> {
    fn value(&mut self, node: &'a Node) -> Result<Value<'a>, JexlError> {
        Ok(match node {
            Node::Null => Value::Null,
            Node::Bool(value) => Value::Bool(*value),
            Node::Number(value) => Value::Number(*value),
            Node::Text(text) => Value::Text(text),
            Node::Field(name) => match (self.field)(name) {
                [] => Value::Null,
                values => Value::Field(values),
            },
            Node::Size(inner) => Value::Number(match self.value(inner)? {
                Value::Text(text) => count(text.encode_utf16().count()),
                Value::Field(values) => count(values.len()),
                Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            }),
            _ => Value::Bool(self.truth(node)?),
        })
    }

    fn truth(&mut self, node: &'a Node) -> Result<bool, JexlError> {
        match node {
            Node::Not(inner) => Ok(!self.truth(inner)?),
            Node::And(left, right) => Ok(self.truth(left)? && self.truth(right)?),
            Node::Or(left, right) => {
                let left = self.truth(left)?;
                Ok(self.truth(right)? || left)
            }
            Node::Equal {
                left,
                right,
                negated,
            } => self.equal(left, right, *negated),
            Node::Order(order, left, right) => self.order(*order, left, right),
            Node::Match {
                left,
                pattern,
                negated,
            } => self.matches(left, pattern, *negated),
            Node::Empty(inner) => Ok(match self.value(inner)? {
                Value::Null => true,
                Value::Text(text) => text.is_empty(),
                Value::Field(values) => values.is_empty(),
                Value::Number(number) => number == 0,
                Value::Bool(value) => !value,
            }),
            _ => Ok(match self.value(node)? {
                Value::Null => false,
                Value::Bool(value) => value,
                Value::Number(number) => number != 0,
                Value::Text(text) => text == "true",
                Value::Field(values) => !values.is_empty(),
            }),
        }
    }

    /// Tries `fits` on every value of a field, or on the one value, and keeps the groups.
    fn any(
        &mut self,
        values: &'a [FieldValue],
        negated: bool,
        fits: impl Fn(&Value<'_>) -> Result<bool, JexlError>,
    ) -> Result<bool, JexlError> {
        let mut any = false;
        for value in values {
            let fit = fits(&Value::Text(&value.value))? != negated;
            any |= fit;
            let groups = match (fit, negated) {
                (true, _) => &mut self.matched,
                (false, true) => &mut self.excluded,
                (false, false) => continue,
            };
            let parts = groups.entry(value.group.clone()).or_default();
            parts.insert(value.sub_group.clone());
        }
        Ok(any)
    }

    fn equal(&mut self, left: &'a Node, right: &'a Node, negated: bool) -> Result<bool, JexlError> {
        let (left, right) = (self.value(left)?, self.value(right)?);
        match (left, right) {
            (Value::Field(values), other) | (other, Value::Field(values)) => {
                if let Value::Field(others) = other {
                    let same = |value: &Value<'_>| {
                        let found = others
                            .iter()
                            .map(|other| same(value, &Value::Text(&other.value)));
                        found.into_iter().try_fold(false, |any, one| Ok(any | one?))
                    };
                    return self.any(values, negated, same);
                }
                self.any(values, negated, |value| same(value, &other))
            }
            (left, right) => Ok(same(&left, &right)? != negated),
        }
    }

    fn order(&mut self, order: Order, left: &'a Node, right: &'a Node) -> Result<bool, JexlError> {
        let (left, right) = (self.value(left)?, self.value(right)?);
        match (left, right) {
            // What is not there is neither less nor greater than anything.
            (Value::Null, _) | (_, Value::Null) => Ok(false),
            (Value::Field(values), right) => {
                let right = number(&right)?;
                self.any(values, false, |value| {
                    Ok(holds(order, number(value)?, right))
                })
            }
            (left, Value::Field(values)) => {
                let left = number(&left)?;
                self.any(values, false, |value| {
                    Ok(holds(order, left, number(value)?))
                })
            }
            (left, right) => Ok(holds(order, number(&left)?, number(&right)?)),
        }
    }

    fn matches(
        &mut self,
        left: &'a Node,
        pattern: &fancy_regex::Regex,
        negated: bool,
    ) -> Result<bool, JexlError> {
        let text = match self.value(left)? {
            Value::Null => return Ok(negated),
            Value::Bool(value) => value.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Text(text) => text.to_owned(),
            Value::Field(values) => collection_text(values),
        };
        let found = pattern.is_match(&text);
        let found = found.map_err(|_| JexlError::PatternLimit(pattern.as_str().to_owned()))?;
        Ok(found != negated)
    }
}

fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn number(value: &Value<'_>) -> Result<i64, JexlError> {
    let text = match value {
        Value::Number(number) => return Ok(*number),
        Value::Text(text) => text,
        Value::Bool(value) => return Ok(i64::from(*value)),
        Value::Null | Value::Field(_) => "",
    };
    text.parse()
        .map_err(|_| JexlError::NotANumber(text.to_owned()))
}

/// Equality of single values: as numbers if one of them is a number, else as truth values, else as texts.
fn same(left: &Value<'_>, right: &Value<'_>) -> Result<bool, JexlError> {
    Ok(match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(_), _) | (_, Value::Number(_)) => number(left)? == number(right)?,
        (Value::Bool(bool), Value::Text(text)) | (Value::Text(text), Value::Bool(bool)) => {
            (*text == "true") == *bool
        }
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Text(left), Value::Text(right)) => left == right,
        (Value::Field(_), _) | (_, Value::Field(_)) => false,
    })
}

fn holds(order: Order, left: i64, right: i64) -> bool {
    match order {
        Order::Less => left < right,
        Order::LessOrEqual => left <= right,
        Order::Greater => left > right,
        Order::GreaterOrEqual => left >= right,
    }
}

/// A field's values as one text, as a Java collection prints itself.
fn collection_text(values: &[FieldValue]) -> String {
    let none = "null";
    let values = values.iter().map(|value| {
        let group = value.group.as_deref().unwrap_or(none);
        let part = value.sub_group.as_deref().unwrap_or(none);
        format!("({}, {group}, {part})", value.value)
    });
    format!("[{}]", values.collect::<Vec<_>>().join(", "))
}
