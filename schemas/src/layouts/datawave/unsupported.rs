//! Settings that DataWave has and that change key/values which are not made here: an error each, so that none does silently nothing.

use super::config::model::{FieldSettings, JobSettings, Policy, TypeSettings, UidLists};
use crate::layout::ConfigError;

/// The faults of the settings that hold for all types.
pub(super) fn job_faults(job: &JobSettings) -> Vec<ConfigError> {
    faults(
        "",
        &[
            ("delete", job.delete),
            ("uid_lists", job.uid_lists != UidLists::Uids),
            ("policy", job.policy != Policy::None),
            ("locality_groups", !job.locality_groups.is_empty()),
            ("errors", job.errors.is_some()),
        ],
    )
}

/// The faults of the settings of the type `name`.
pub(super) fn type_faults(name: &str, settings: &TypeSettings) -> Vec<ConfigError> {
    let event_types = |field: &FieldSettings| !field.event_types.is_empty();
    faults(
        &format!("types.{name}."),
        &[
            ("uid_fields", !settings.uid_fields.is_empty()),
            ("index_aliases", !settings.index_aliases.is_empty()),
            ("required", !settings.required.is_empty()),
            ("name_filters", !settings.name_filters.is_empty()),
            ("value_filters", !settings.value_filters.is_empty()),
            ("max_values", settings.max_values.is_some()),
            ("max_length", settings.max_length.is_some()),
            ("virtual_fields", !settings.virtual_fields.is_empty()),
            ("composites", !settings.composites.is_empty()),
            ("document_view", settings.document_view.is_some()),
            ("edges", settings.edges.is_some()),
            ("fields", settings.fields.values().any(event_types)),
        ],
    )
}

fn faults(prefix: &str, settings: &[(&str, bool)]) -> Vec<ConfigError> {
    let given = settings.iter().filter(|(_, given)| *given);
    given
        .map(|(key, _)| ConfigError::new(format!("{prefix}{key}"), "not supported"))
        .collect()
}
