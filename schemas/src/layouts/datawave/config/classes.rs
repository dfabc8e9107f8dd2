//! The Java classes that a configuration may name.
//!
//! DataWave loads what it is told to load; here a name chooses what is built in, and any other name is a fault.

/// What a class is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `<type>.ingest.helper.class`.
    Helper,
    /// `<type>.reader.class`.
    Reader,
    /// `<type>.handler.classes`.
    Handler,
    /// `all.ingest.policy.enforcer.class`.
    Policy,
    /// `<type>.data.id.parser.<FIELD>.<n>`.
    IdParser,
    /// `datawave.data.hash.uid.uidType`.
    Uid,
    /// `<type>.<FIELD>.data.field.type.class`.
    DataType,
}

impl Kind {
    /// The word for messages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Helper => "ingest helper",
            Kind::Reader => "reader",
            Kind::Handler => "handler",
            Kind::Policy => "policy enforcer",
            Kind::IdParser => "id parser",
            Kind::Uid => "UID class",
            Kind::DataType => "data type",
        }
    }
}

/// What a class does for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Reads delimited text.
    Csv,
    /// Reads JSON.
    Json,
    /// Writes shard and index tables without tokens.
    Columns,
    /// Writes shard and index tables and tokenizes fields.
    Content,
    /// Writes the date index.
    DateIndex,
    /// Writes edges and their dictionary.
    Edges,
    /// Writes the error tables.
    Errors,
    /// Leaves everything as it is.
    Nothing,
    /// Marks events without ids, dates or markings as faulty.
    Example,
    /// Takes a date out of an id.
    DateFromId,
    /// Hashes ids to UIDs.
    Hash,
    /// Normalizes values.
    Normalizes,
    /// It is DataWave's, and there is nothing like it here.
    Unsupported,
}

/// A class.
#[derive(Clone, Copy, Debug)]
pub struct ClassDef {
    /// What it may be named for.
    pub kind: Kind,
    /// Its full name.
    pub class: &'static str,
    /// What it does here.
    pub does: Does,
}

const fn class(kind: Kind, class: &'static str, does: Does) -> ClassDef {
    ClassDef { kind, class, does }
}

/// All classes.
#[rustfmt::skip]
pub static CLASSES: &[ClassDef] = &[
    class(Kind::Helper, "datawave.ingest.csv.config.helper.ExtendedCSVIngestHelper", Does::Csv),
    class(Kind::Helper, "datawave.ingest.json.config.helper.JsonIngestHelper", Does::Json),
    class(Kind::Helper, "datawave.ingest.data.config.ingest.ErrorShardedIngestHelper", Does::Errors),
    class(Kind::Helper, "datawave.ingest.data.config.ingest.CSVIngestHelper", Does::Unsupported),
    class(Kind::Helper, "datawave.ingest.wikipedia.WikipediaIngestHelper", Does::Unsupported),
    class(Kind::Reader, "datawave.ingest.csv.mr.input.CSVRecordReader", Does::Csv),
    class(Kind::Reader, "datawave.ingest.json.mr.input.JsonRecordReader", Does::Json),
    class(Kind::Reader, "datawave.ingest.csv.mr.input.CSVReaderBase", Does::Unsupported),
    class(Kind::Reader, "datawave.ingest.wikipedia.WikipediaRecordReader", Does::Unsupported),
    class(Kind::Handler, "datawave.ingest.csv.mr.handler.ContentCSVColumnBasedHandler", Does::Content),
    class(Kind::Handler, "datawave.ingest.json.mr.handler.ContentJsonColumnBasedHandler", Does::Content),
    class(Kind::Handler, "datawave.ingest.mapreduce.handler.shard.AbstractColumnBasedHandler", Does::Columns),
    class(Kind::Handler, "datawave.ingest.mapreduce.handler.dateindex.DateIndexDataTypeHandler", Does::DateIndex),
    class(Kind::Handler, "datawave.ingest.mapreduce.handler.edge.ProtobufEdgeDataTypeHandler", Does::Edges),
    class(Kind::Handler, "datawave.ingest.mapreduce.handler.error.ErrorShardedDataTypeHandler", Does::Errors),
    class(Kind::Handler, "datawave.ingest.mapreduce.handler.error.ErrorDataTypeHandler", Does::Unsupported),
    class(Kind::Policy, "datawave.policy.IngestPolicyEnforcer$NoOpIngestPolicyEnforcer", Does::Nothing),
    class(Kind::Policy, "datawave.policy.ExampleIngestPolicyEnforcer", Does::Example),
    class(Kind::IdParser, "datawave.ingest.metadata.id.DateIdParser", Does::DateFromId),
    class(Kind::Uid, "datawave.data.hash.HashUID", Does::Hash),
    class(Kind::Uid, "HashUID", Does::Hash),
    class(Kind::Uid, "datawave.data.hash.SnowflakeUID", Does::Unsupported),
    class(Kind::Uid, "SnowflakeUID", Does::Unsupported),
    class(Kind::DataType, "datawave.data.type.NoOpType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.LcType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.LcNoDiacriticsType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.StringType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.HitTermType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.NumberType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.DateType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.RawDateType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.IpAddressType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.IpV4AddressType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.MacAddressType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.HexStringType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.TrimLeadingZerosType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.GeoType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.GeoLatType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.GeoLonType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.LcNoDiacriticsListType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.NumberListType", Does::Normalizes),
    class(Kind::DataType, "datawave.data.type.PointType", Does::Unsupported),
    class(Kind::DataType, "datawave.data.type.GeometryType", Does::Unsupported),
];

/// The class of this full name.
#[must_use]
pub fn find(kind: Kind, name: &str) -> Option<&'static ClassDef> {
    CLASSES
        .iter()
        .find(|def| def.kind == kind && def.class == name)
}
