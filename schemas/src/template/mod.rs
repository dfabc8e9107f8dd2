//! Templates: the small language in which a design says what stands in a row, a column or a value.
//!
//! ```text
//! customer | '_' | format_date(ts,'yyyyMM')
//! ```
//!
//! | form | meaning |
//! |---|---|
//! | `name` | the field of this name: letters, digits, `_`, `-`, `.`; the first character is no digit, `-` or `.` |
//! | `` `nick name` `` | the field of any other name; a backtick in it is doubled |
//! | `'text'` | this text; `\\`, `\'`, `\0`, `\t`, `\n` and `\xNN` (a byte in hexadecimal) stand for what cannot be written |
//! | `a \| b` | the bytes of `a`, then the bytes of `b` |
//! | `f(a, ...)` | a function, see below |
//! | `field`, `value` | in a rule with `for_each`: name and value of the field it has come to (in backticks always the record's own field) |
//! | `@now`, `@timestamp` | milliseconds of the plan's clock; of the record, where the input carries one |
//! | `@visibility` | the record's visibility, where the input carries one |
//! | `@file`, `@type`, `@record` | name of the input file, its data type, ordinal of the record in the file |
//!
//! A field that is null or absent makes the whole template null, and a null template makes no cell. An empty field is empty text.
//!
//! | function | gives |
//! |---|---|
//! | `long ulong int uint double float date biginteger string text bytes uuid` | the bytes of Accumulo's Lexicoder of this name |
//! | `reverse(a)` | the bytes of `a` so that they sort in descending order (`ReverseLexicoder`) |
//! | `pair(a,b)`, `list(a,...)`, `sequence(a,...)` | the Lexicoders of several values: elements escaped and separated by a zero byte |
//! | `decimal(a)`, `varlen(a)`, `fixedlen(a)` | a number as the long combiners keep it: `STRING`, `VARLEN`, `FIXEDLEN` |
//! | `lower(a)`, `upper(a)`, `trim(a)` | text in lower or upper case, without spaces around it |
//! | `hex(a)` | the bytes of `a` as lower-case hexadecimal |
//! | `hash(a,n)` | a bucket from 0 to n-1, FNV-1a (64 bits) of the bytes modulo n, as decimal digits: as many as n-1 has, at least two |
//! | `java_hash(a,n)` | a bin: `%08x` of `abs(hashCode % n)`, Java's `String.hashCode`, as the shard example of Accumulo has it |
//! | `reverse_domain(a)` | `mail.google.com` as `com.google.mail`: lower case, one trailing dot dropped, IP addresses as they are |
//! | `format_date(a,'yyyyMM')` | a date in UTC: `yyyy MM dd HH mm ss SSS`, `YYYY` and `ww` for the ISO week; other letters are errors |
//! | `nonempty(a)` | `a`, but null where it is empty |
//! | `without_nul(a)` | `a`; a record with a zero byte in it is rejected, since such a byte would end the part too early |
//! | `default(a,b)` | `a`, or `b` where `a` is null |
//! | `equals(a,b)` | `a` where both have the same bytes, else null |
//! | `tokens(a)` | *one cell for each* distinct token of `a`: split at everything outside `[A-Za-z0-9_]`, in lower case |
//! | `each(a,';')` | *one cell for each* distinct, non-empty part of `a` between the separators |
//!
//! Lexicoders and the combiner encodings give bytes, not text: functions that work on text refuse them when the template is read.
//! One rule may use one multi-valued function (`tokens`, `each`), as often as it likes: its uses go through the same items together.

mod bind;
mod dates;
mod eval;
mod functions;
mod parse;

pub use bind::{Binder, Multi, Tier};
pub use dates::DateFormat;
pub use eval::{Env, Fault, Source};

use functions::Function;

/// A template that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {position} of \"{template}\": {problem}")]
pub struct TemplateError {
    /// The template.
    pub template: String,
    /// Which character, counted from 1.
    pub position: usize,
    /// What is wrong there and what would be right.
    pub problem: String,
}

/// A template that is ready to be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    root: Node,
    tier: Tier,
    binary: bool,
    columns: Vec<usize>,
}

impl Template {
    /// How often its value can change.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Whether it gives bytes that are no text.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        self.binary
    }

    /// The columns of the [`Binder`] that it reads, each once.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Its bytes, if they are the same for every record.
    #[must_use]
    pub fn constant(&self) -> Option<&[u8]> {
        match &self.root {
            Node::Literal(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// The name of a field as a template reads it, whatever characters it has.
#[must_use]
pub fn column_reference(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// What gives bytes: a leaf, several in a row, or a function of some.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Literal(Vec<u8>),
    /// Index of a name in the binder's list of columns.
    Column(usize),
    LoopName,
    LoopValue,
    /// The item at which the rule's multi-valued function has come.
    Item,
    Fact(Fact),
    Concat(Vec<Node>),
    Apply(Function, Vec<Node>),
}

/// What is known of a record besides its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    Now,
    Timestamp,
    Visibility,
    File,
    Type,
    Record,
}

impl Fact {
    const ALL: [(&'static str, Fact); 6] = [
        ("now", Fact::Now),
        ("timestamp", Fact::Timestamp),
        ("visibility", Fact::Visibility),
        ("file", Fact::File),
        ("type", Fact::Type),
        ("record", Fact::Record),
    ];
}
