//! Normalizers: how a value looks in an index.
//!
//! Each is DataWave's normalizer of the same name, to the byte. A type class of DataWave's configuration (`datawave.data.type.NumberType`)
//! names one of them; [`NORMALIZERS`] is the list. To add one: a file here and a line there.

mod date;
mod lc_no_diacritics;
mod no_op;
mod number;

pub use date::Date;
pub use lc_no_diacritics::LcNoDiacritics;
pub use no_op::NoOp;
pub use number::Number;

/// Why a value cannot be normalized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NormalizeError {
    /// The text is no number.
    #[error("not a number")]
    NotANumber,
    /// A number whose magnitude is not in 10^-26 … 10^26.
    #[error("number out of range (its magnitude must be from 1e-26 to below 1e26)")]
    NumberRange,
    /// None of the date formats takes the text.
    #[error("not a date in any of the known formats, between 1900 and 2100")]
    NotADate,
}

/// Turns text into the form that is indexed.
pub trait Normalizer: Send + Sync + std::fmt::Debug {
    /// Gives every normalized form of `text` to `each`: one for most normalizers, any number for list types. `buffer` is scratch space
    /// whose content is lost; reusing it saves the allocation.
    ///
    /// # Errors
    /// The text cannot be normalized. What was given to `each` before does not count then.
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError>;

    /// Whether it refuses some texts. Values that are not indexed need no check by one that takes all.
    fn can_fail(&self) -> bool {
        true
    }
}

/// A type of the configuration and its normalizer.
#[derive(Clone, Copy, Debug)]
pub struct NormalizerDef {
    /// The Java class, as the data dictionary names it.
    pub class: &'static str,
    /// The short name for job files.
    pub short: &'static str,
    /// The rule.
    pub normalizer: &'static dyn Normalizer,
}

impl NormalizerDef {
    /// The class without its package.
    #[must_use]
    pub fn simple_name(&self) -> &'static str {
        self.class.rsplit('.').next().unwrap_or(self.class)
    }
}

/// All types.
#[rustfmt::skip]
pub static NORMALIZERS: &[NormalizerDef] = &[
    NormalizerDef { class: "datawave.data.type.NoOpType", short: "no_op", normalizer: &NoOp },
    NormalizerDef { class: "datawave.data.type.LcNoDiacriticsType", short: "lc_no_diacritics", normalizer: &LcNoDiacritics },
    NormalizerDef { class: "datawave.data.type.StringType", short: "string", normalizer: &LcNoDiacritics },
    NormalizerDef { class: "datawave.data.type.HitTermType", short: "hit_term", normalizer: &LcNoDiacritics },
    NormalizerDef { class: "datawave.data.type.NumberType", short: "number", normalizer: &Number },
    NormalizerDef { class: "datawave.data.type.DateType", short: "date", normalizer: &Date },
    NormalizerDef { class: "datawave.data.type.RawDateType", short: "raw_date", normalizer: &Date },
];

/// The type of this name: its Java class with or without its package, or its short name.
#[must_use]
pub fn find(name: &str) -> Option<&'static NormalizerDef> {
    NORMALIZERS
        .iter()
        .find(|def| def.short == name || def.class == name || def.simple_name() == name)
}
