//! The days under which an edge is filed.

use super::{EdgeEvent, EdgeRules};
use crate::java_date::{MILLIS_PER_DAY, civil, write_day};
use crate::normalize::Date;

/// A day of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Day {
    /// yyyyMMdd.
    pub(super) text: String,
    /// `A`, `B` or `C`.
    pub(super) letter: &'static str,
    /// Hour of the day; none for the instant 0, which stands for an unknown time.
    pub(super) hour: Option<usize>,
    /// Under `A`: whether there is no usable activity date.
    pub(super) bad_activity: Option<bool>,
}

/// The days of an event: one, or two where it was active on another day.
pub(super) fn days(rules: &EdgeRules, event: &EdgeEvent<'_>) -> Vec<Day> {
    let Some(activity) = activity(rules, event) else {
        return vec![day(event.date, "A", event.date, Some(true))];
    };
    let of = |instant: i64| instant.div_euclid(MILLIS_PER_DAY);
    if of(activity) == of(event.date) {
        return vec![day(event.date, "B", activity, None)];
    }
    vec![
        day(activity, "C", activity, None),
        day(event.date, "A", event.date, Some(false)),
    ]
}

/// The activity date, if there is one and it is near enough to the event's.
fn activity(rules: &EdgeRules, event: &EdgeEvent<'_>) -> Option<i64> {
    let field = rules.activity_date.first(event.fields)?;
    let activity = Date.parse(field.text, &mut String::new())?;
    let near = event.date.wrapping_sub(activity) <= rules.activity_past
        && activity.wrapping_sub(event.date) <= rules.activity_future;
    near.then_some(activity)
}

fn day(date: i64, letter: &'static str, time: i64, bad_activity: Option<bool>) -> Day {
    let mut text = String::new();
    write_day(date, &mut text);
    let hour = (time != 0).then(|| civil(time).millis as usize / 3_600_000);
    Day {
        text,
        letter,
        hour,
        bad_activity,
    }
}
