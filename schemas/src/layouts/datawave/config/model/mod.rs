//! Everything that a configuration can say, as plain data.
//!
//! It stands in the plan, and it is what a section `[datawave]` of a job file looks like: the keys are DataWave's properties in words.
//! Every key has a default but `types`. Lists of fields and names of types are as DataWave has them; `*` stands for any text.

mod fields;
mod job;
mod tokens;

pub use fields::{Composite, FailurePolicy, FieldSettings, Grouping, Member, VirtualField};
pub use job::{EdgeSwitches, ErrorSettings, JobSettings, OnFailure, Policy, TableNames, UidLists};
pub use tokens::{ListSettings, TokenSettings};

use super::edges_xml::EdgeType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A whole configuration.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Resolved {
    /// What holds for all types that have no settings of the job of their own.
    #[serde(flatten)]
    pub job: JobSettings,
    /// The data types by name.
    pub types: BTreeMap<String, TypeSettings>,
}

impl Resolved {
    /// The settings of the job that hold for a type.
    #[must_use]
    pub fn job_of<'a>(&'a self, data_type: &'a TypeSettings) -> &'a JobSettings {
        data_type.job.as_deref().unwrap_or(&self.job)
    }
}

/// A data type.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TypeSettings {
    /// Settings of the job that hold for this type instead of those for all: each of DataWave's files that names a type is a world of its own.
    pub job: Option<Box<JobSettings>>,
    /// `output.name`: the name in keys; default: the type's name.
    pub output_name: Option<String>,
    /// How input is read, where the input does not say so itself.
    pub reader: Option<ReaderSettings>,
    /// What is written.
    pub writes: Writes,

    /// `data.category.id.field`: the field whose text identifies an event.
    pub id_field: Option<String>,
    /// `data.category.id.field.downcase`.
    pub id_downcase: bool,
    /// `data.id.parser.…`, in their order.
    pub id_parsers: Vec<IdParser>,
    /// `data.category.uid.fields`: fields whose values make the UID.
    pub uid_fields: Vec<String>,
    /// `ingest.uid.include.time.component`.
    pub uid_time: bool,
    /// `data.category.uuid.fields`: fields of further ids; the first goes into edges.
    pub uuid_fields: Vec<String>,

    /// `data.category.date`.
    pub date_field: Option<String>,
    /// `data.category.date.formats`.
    pub date_formats: Vec<String>,
    /// `event.discard.interval`, in milliseconds; 0: no limit.
    pub discard_older: i64,
    /// `event.discard.future.interval`, in milliseconds; 0: no limit.
    pub discard_newer: i64,

    /// `data.category.marking.default`.
    pub marking: Option<String>,
    /// `data.category.marking.visibility.field`, or the security field of the domain `columnVisibility`.
    pub visibility_field: Option<String>,

    /// `data.category.index`.
    pub index: Option<Vec<String>>,
    /// `data.category.index.disallowlist`.
    pub index_except: Option<Vec<String>>,
    /// `data.category.index.reverse`.
    pub reverse_index: Option<Vec<String>>,
    /// `data.category.index.reverse.disallowlist`.
    pub reverse_index_except: Option<Vec<String>>,
    /// `data.category.index.only`.
    pub index_only: Vec<String>,
    /// `data.category.index.aliases`, if they are enabled.
    pub index_aliases: BTreeMap<String, Vec<String>>,
    /// `data.category.normalized`.
    pub normalized: Vec<String>,
    /// `data.shard.field.exclusions`.
    pub shard_except: Vec<String>,

    /// `data.field.drop`.
    pub drop: Vec<String>,
    /// `data.fields.required`.
    pub required: Vec<String>,
    /// `data.fields.to.downcase`.
    pub downcase: Vec<String>,
    /// `data.fieldname.filter`.
    pub name_filters: Vec<FieldFilter>,
    /// `data.fieldvalue.filter`.
    pub value_filters: Vec<FieldFilter>,
    /// `data.fields.multivalued`, as `FIELD` or `FIELD:NAME`.
    pub multi_valued: Option<Vec<String>>,
    /// `data.fields.multivalued.disallowlist`.
    pub multi_valued_except: Option<Vec<String>>,
    /// `data.multivalued.separator`.
    pub multi_valued_separator: String,
    /// `data.multivalued.threshold`.
    pub max_values: Option<u64>,
    /// `data.field.length.threshold`.
    pub max_length: Option<u64>,
    /// `data.threshold.action`, for both.
    pub beyond_max: Beyond,
    /// `data.category.field.aliases`.
    pub aliases: BTreeMap<String, String>,

    /// `data.default.type.class`; of several the last.
    pub default_type: String,
    /// `use.most.precise.field.type.regex`.
    pub most_precise_type: bool,
    /// `data.default.normalization.failure.policy`.
    pub failure_policy: FailurePolicy,
    /// `data.normalization.failure.field`.
    pub failure_field: String,
    /// Settings of single fields.
    pub fields: BTreeMap<String, FieldSettings>,
    /// Virtual fields.
    pub virtual_fields: Vec<VirtualField>,
    /// Composite fields by name.
    pub composites: BTreeMap<String, Composite>,

    /// Tokenized fields.
    pub tokens: TokenSettings,
    /// Fields that hold lists.
    pub lists: ListSettings,

    /// `date.index.type.to.field.map`, as `TYPE=FIELD`.
    pub date_index: Vec<String>,
    /// `ingest.fatal.errors`, the job's and the type's.
    pub fatal_errors: Vec<String>,
    /// `ingest.ignorable.fatal.errors`.
    pub ignorable_errors: Vec<String>,
    /// `data.replace.malformed.utf8`.
    pub replace_malformed: bool,
    /// `data.rawDocumentViewName`: the view under which the record itself is kept.
    pub document_view: Option<String>,

    /// Whether events get LOAD_DATE.
    pub load_date: bool,
    /// `ingest.event.mapper.load.seq.filename`.
    pub orig_file: bool,
    /// `ingest.event.mapper.load.raw.filename`.
    pub raw_file: bool,
    /// `ingest.event.mapper.trim.sequence.filename`.
    pub trim_file_name: bool,

    /// `trim.field.group`: groups lose their last part before edges are looked for.
    pub trim_groups: bool,
    /// Edges of the type.
    pub edges: Option<EdgeType>,
}

impl Default for TypeSettings {
    fn default() -> Self {
        TypeSettings {
            job: None,
            output_name: None,
            reader: None,
            writes: Writes::default(),
            id_field: None,
            id_downcase: false,
            id_parsers: Vec::new(),
            uid_fields: Vec::new(),
            uid_time: false,
            uuid_fields: Vec::new(),
            date_field: None,
            date_formats: Vec::new(),
            discard_older: 0,
            discard_newer: 0,
            marking: None,
            visibility_field: None,
            index: None,
            index_except: None,
            reverse_index: None,
            reverse_index_except: None,
            index_only: Vec::new(),
            index_aliases: BTreeMap::new(),
            normalized: Vec::new(),
            shard_except: Vec::new(),
            drop: Vec::new(),
            required: Vec::new(),
            downcase: ["MD5", "SHA1", "SHA256"].map(Into::into).into(),
            name_filters: Vec::new(),
            value_filters: Vec::new(),
            multi_valued: None,
            multi_valued_except: None,
            multi_valued_separator: ";".into(),
            max_values: None,
            max_length: None,
            beyond_max: Beyond::Fail,
            aliases: BTreeMap::new(),
            default_type: "no_op".into(),
            most_precise_type: false,
            failure_policy: FailurePolicy::Fail,
            failure_field: "FAILED_NORMALIZATION_FIELD".into(),
            fields: BTreeMap::new(),
            virtual_fields: Vec::new(),
            composites: BTreeMap::new(),
            tokens: TokenSettings::default(),
            lists: ListSettings::default(),
            date_index: Vec::new(),
            fatal_errors: default_fatal_errors(),
            ignorable_errors: Vec::new(),
            replace_malformed: false,
            document_view: None,
            load_date: true,
            orig_file: true,
            raw_file: true,
            trim_file_name: true,
            trim_groups: false,
            edges: None,
        }
    }
}

/// `ingest.fatal.errors`, where nothing is said.
#[must_use]
pub fn default_fatal_errors() -> Vec<String> {
    ["EVENT_DATE_MISSING", "UID_ERROR", "UUID_MISSING"]
        .map(Into::into)
        .into()
}

/// How input is read.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReaderSettings {
    /// `reader.class`.
    pub format: Format,
    /// `data.header`: names of the columns; none: all columns are `NAME=VALUE`.
    pub header: Option<Vec<String>>,
    /// `data.separator`: `,` and `\t` (two characters) come with quoting, other text without.
    pub separator: String,
    /// `skip.csv.header.row`.
    pub skip_header: bool,
    /// `data.process.extra.fields`: columns past the header are `NAME=VALUE`; in JSON, fields that are not in the header are taken.
    pub extra_fields: bool,
    /// `data.field.allowlist`.
    pub only_fields: Option<Vec<String>>,
    /// What DataWave makes of `data.field.disallowlist`: the fields of the allow list, so that nothing is left if both are set.
    pub except_fields: Vec<String>,
    /// `data.json.flattener.mode`.
    pub flattener: Flattener,
}

impl Default for ReaderSettings {
    fn default() -> Self {
        ReaderSettings {
            format: Format::Csv,
            header: None,
            separator: ",".into(),
            skip_header: false,
            extra_fields: false,
            only_fields: None,
            except_fields: Vec::new(),
            flattener: Flattener::Normal,
        }
    }
}

/// Format of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Delimited text.
    Csv,
    /// JSON objects.
    Json,
}

/// How nested JSON becomes fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flattener {
    /// Members of the root only.
    Simple,
    /// `PARENT_FIELD`.
    Normal,
    /// `FIELD.PARENT_0.FIELD_0`.
    Grouped,
    /// `PARENT_FIELD.PARENT_0.FIELD_0`.
    GroupedAndNormal,
}

/// What is written, as the handlers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Writes {
    /// The shard table and the indexes.
    pub shard: bool,
    /// Tokens in them; without, an excluded field has no index entries and index aliases count.
    pub tokens: bool,
    /// The date index.
    pub date_index: bool,
    /// Edges.
    pub edges: bool,
}

impl Default for Writes {
    fn default() -> Self {
        Writes {
            shard: true,
            tokens: true,
            date_index: true,
            edges: true,
        }
    }
}

/// A date inside an id.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct IdParser {
    /// The field of the id.
    pub field: String,
    /// A regular expression of Java that the id fits; its first group is the date.
    pub regex: String,
    /// The format of the date, as `SimpleDateFormat` has it.
    pub format: String,
}

/// One field in place of another: where `keep` is there, `drop` is left out.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FieldFilter {
    /// The field that stays.
    pub keep: String,
    /// The field that goes.
    pub drop: String,
}

/// What happens to values that are too long or too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Beyond {
    /// The record is rejected.
    Fail,
    /// They are left out.
    Drop,
    /// A text stands for them.
    Replace,
    /// They are cut.
    Truncate,
}
