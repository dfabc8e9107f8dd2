//! Which values a definition means: its selectors name a field, possibly with a group.

use super::EdgeField;

/// A field as a definition names it.
#[derive(Clone, Debug)]
pub(super) struct Selector {
    field: String,
    /// Empty: values without a group.
    group: String,
    /// Groups of values are compared without their last part and without numbers.
    trim: bool,
}

impl Selector {
    pub(super) fn new(name: &str, trim: bool) -> Self {
        let (field, group) = name.split_once('.').unwrap_or((name, ""));
        Selector {
            field: field.to_owned(),
            group: group.to_owned(),
            trim,
        }
    }

    /// The name of the field, without the group.
    pub(super) fn field(&self) -> &str {
        &self.field
    }

    /// Whether both mean values of one group.
    pub(super) fn shares_group(&self, other: &Selector) -> bool {
        !self.group.is_empty() && self.group == other.group
    }

    fn takes(&self, field: &EdgeField<'_>) -> bool {
        if self.field != field.name {
            return false;
        }
        match field.group {
            Some(group) if self.trim => trimmed(group).eq(self.group.split('.')),
            group => self.group == group.unwrap_or_default(),
        }
    }

    /// The values it means, by their places; values that are equal in everything are one.
    pub(super) fn values<'s>(&'s self, fields: &'s [EdgeField<'_>]) -> impl Iterator<Item = usize> {
        let places = 0..fields.len();
        places.filter(|&at| self.takes(&fields[at]) && !is_repeated(fields, at))
    }

    /// The first value it means.
    pub(super) fn first<'f, 'e>(&self, fields: &'f [EdgeField<'e>]) -> Option<&'f EdgeField<'e>> {
        fields.iter().find(|field| self.takes(field))
    }
}

/// Whether an equal value stands before this one.
pub(super) fn is_repeated(fields: &[EdgeField<'_>], at: usize) -> bool {
    fields[..at].contains(&fields[at])
}

/// The parts of a group without the last one, each without the number that it ends in: `CAST_1.PERSON_2.NAME_0` is `CAST`, `PERSON`.
/// A group of one part keeps it.
fn trimmed(group: &str) -> impl Iterator<Item = &str> {
    let parents = group.rsplit_once('.').map_or(group, |(parents, _)| parents);
    parents.split('.').map(|part| match part.rsplit_once('_') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => part,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(group: Option<&'static str>) -> EdgeField<'static> {
        EdgeField {
            name: "F",
            group,
            indexed: "x",
            text: "X",
            marking: None,
        }
    }

    #[test]
    fn selectors_and_groups() {
        for (selector, trim, group, expected) in [
            ("F", false, None, true),
            ("F", true, None, true),
            ("F", false, Some("G.1"), false),
            ("F.G.1", false, Some("G.1"), true),
            ("F.G", false, Some("G.1"), false),
            ("F.G", true, Some("G.1"), true),
            ("F.G", true, None, false),
            ("F.CAST.PERSON", true, Some("CAST_1.PERSON_2.NAME_0"), true),
            ("F.CAST_1x", true, Some("CAST_1x.0"), true),
            ("F.1", true, Some("1"), true),
            ("E", false, None, false),
        ] {
            let takes = Selector::new(selector, trim).takes(&field(group));
            assert_eq!(takes, expected, "{selector} {trim} {group:?}");
        }
    }

    #[test]
    fn equal_values_are_one() {
        let fields = [field(None), field(Some("G.1")), field(None)];
        let selector = Selector::new("F", false);
        assert_eq!(selector.values(&fields).collect::<Vec<_>>(), [0]);
    }
}
