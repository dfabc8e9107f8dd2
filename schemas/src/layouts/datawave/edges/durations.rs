//! How long an edge lasted.

use super::groups::Selector;
use super::{EdgeEvent, EdgeField};
use crate::java_number::{parse_int, parse_long};
use crate::layout::Reject;
use crate::layouts::datawave::config::edges_xml::Duration;

/// Where a definition has its durations from.
#[derive(Clone, Debug)]
pub(super) enum DurationFields {
    Elapsed(Selector),
    UpDown { up: Selector, down: Selector },
}

impl DurationFields {
    pub(super) fn new(duration: &Duration, trim: bool) -> Self {
        match duration {
            Duration::Elapsed(field) => DurationFields::Elapsed(Selector::new(field, trim)),
            Duration::UpDown { up, down } => DurationFields::UpDown {
                up: Selector::new(up, trim),
                down: Selector::new(down, trim),
            },
        }
    }

    pub(super) fn selectors(&self) -> impl Iterator<Item = &Selector> {
        let (first, second) = match self {
            DurationFields::Elapsed(elapsed) => (elapsed, None),
            DurationFields::UpDown { up, down } => (up, Some(down)),
        };
        std::iter::once(first).chain(second)
    }

    /// The duration in seconds and the visibility of statistics of it; none where an event lacks a field.
    ///
    /// An elapsed time brings its own visibility; a time from a beginning and an end has the event's, whatever the two fields say: so in
    /// DataWave.
    pub(super) fn of<'e>(&self, event: &EdgeEvent<'e>) -> Result<Option<(i64, &'e [u8])>, Reject> {
        match self {
            DurationFields::Elapsed(selector) => {
                let Some(field) = selector.first(event.fields) else {
                    return Ok(None);
                };
                let seconds = parse_int(field.indexed, 10).ok_or_else(|| refused(field))?;
                let visibility = field.marking.unwrap_or(event.visibility);
                Ok(Some((i64::from(seconds), visibility)))
            }
            DurationFields::UpDown { up, down } => {
                let (Some(up), Some(down)) = (up.first(event.fields), down.first(event.fields))
                else {
                    return Ok(None);
                };
                let millis = |field| instant(field).ok_or_else(|| refused(field));
                let seconds = millis(down)?.wrapping_sub(millis(up)?) / 1000;
                Ok(Some((seconds, event.visibility)))
            }
        }
    }
}

fn instant(field: &EdgeField<'_>) -> Option<i64> {
    parse_long(field.indexed, 10)
}

fn refused(field: &EdgeField<'_>) -> Reject {
    let message = format!("a duration is a whole number, not {:?}", field.indexed);
    Reject::field("bad-duration", field.name, message)
}
