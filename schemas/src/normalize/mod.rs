//! Normalizers: how a value looks in an index.
//!
//! Each is DataWave's normalizer of the same name, to the byte. A type class of DataWave's configuration (`datawave.data.type.NumberType`)
//! names one of them; [`NORMALIZERS`] is the list. To add one: a file here and a line there.

mod date;
mod degrees;
mod geo;
mod geo_degrees;
mod hex_string;
mod ip_address;
mod lc;
mod lc_no_diacritics;
mod list;
mod mac_address;
mod no_op;
mod number;
mod trim_leading_zeros;

pub use date::Date;
pub use geo::Geo;
pub use geo_degrees::{GEO_LAT, GEO_LON, GeoDegrees};
pub use hex_string::HexString;
pub use ip_address::IpAddress;
pub use lc::Lc;
pub use lc_no_diacritics::LcNoDiacritics;
pub use list::{LC_NO_DIACRITICS_LIST, ListOf, NUMBER_LIST};
pub use mac_address::MacAddress;
pub use no_op::NoOp;
pub use number::Number;
pub use trim_leading_zeros::TrimLeadingZeros;

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
    /// No form of an IPv4 or IPv6 address.
    #[error("not an IP address")]
    NotAnIpAddress,
    /// Neither six parts nor twelve digits.
    #[error("not a MAC address (six parts between `:` or `-`, or up to twelve hexadecimal digits)")]
    NotAMacAddress,
    /// Something else than hexadecimal digits, or nothing.
    #[error("not a hexadecimal number")]
    NotHex,
    /// No number of degrees, or one out of range.
    #[error("not a latitude or longitude")]
    NotDegrees,
    /// Not two coordinates with something between them.
    #[error("not a point (latitude and longitude)")]
    NotAPoint,
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
    NormalizerDef { class: "datawave.data.type.LcType", short: "lc", normalizer: &Lc },
    NormalizerDef { class: "datawave.data.type.LcNoDiacriticsType", short: "lc_no_diacritics", normalizer: &LcNoDiacritics },
    NormalizerDef { class: "datawave.data.type.StringType", short: "string", normalizer: &LcNoDiacritics },
    NormalizerDef { class: "datawave.data.type.HitTermType", short: "hit_term", normalizer: &LcNoDiacritics },
    NormalizerDef { class: "datawave.data.type.NumberType", short: "number", normalizer: &Number },
    NormalizerDef { class: "datawave.data.type.DateType", short: "date", normalizer: &Date },
    NormalizerDef { class: "datawave.data.type.RawDateType", short: "raw_date", normalizer: &Date },
    NormalizerDef { class: "datawave.data.type.IpAddressType", short: "ip_address", normalizer: &IpAddress },
    NormalizerDef { class: "datawave.data.type.IpV4AddressType", short: "ip_v4_address", normalizer: &IpAddress },
    NormalizerDef { class: "datawave.data.type.MacAddressType", short: "mac_address", normalizer: &MacAddress },
    NormalizerDef { class: "datawave.data.type.HexStringType", short: "hex_string", normalizer: &HexString },
    NormalizerDef { class: "datawave.data.type.TrimLeadingZerosType", short: "trim_leading_zeros", normalizer: &TrimLeadingZeros },
    NormalizerDef { class: "datawave.data.type.GeoType", short: "geo", normalizer: &Geo },
    NormalizerDef { class: "datawave.data.type.GeoLatType", short: "geo_lat", normalizer: &GEO_LAT },
    NormalizerDef { class: "datawave.data.type.GeoLonType", short: "geo_lon", normalizer: &GEO_LON },
    NormalizerDef { class: "datawave.data.type.LcNoDiacriticsListType", short: "lc_no_diacritics_list", normalizer: &LC_NO_DIACRITICS_LIST },
    NormalizerDef { class: "datawave.data.type.NumberListType", short: "number_list", normalizer: &NUMBER_LIST },
];

/// The type of this name: its Java class with or without its package, or its short name.
#[must_use]
pub fn find(name: &str) -> Option<&'static NormalizerDef> {
    NORMALIZERS
        .iter()
        .find(|def| def.short == name || def.class == name || def.simple_name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn types_are_found_by_every_name() {
        for name in ["datawave.data.type.GeoLatType", "GeoLatType", "geo_lat"] {
            assert_eq!(find(name).unwrap().short, "geo_lat");
        }
        assert!(find("GeometryType").is_none());
    }

    proptest! {
        #[test]
        fn any_text_is_normalized_or_refused(
            text in "([0-9]{1,9}|[ .:|,;*+!aAeEnNsSwWzZx_-]|[0é٣ａΣ\u{1f600}]|\\PC){0,12}",
        ) {
            let mut buffer = String::new();
            for def in NORMALIZERS {
                let result = def.normalizer.normalize(&text, &mut buffer, &mut |_| ());
                assert!(def.normalizer.can_fail() || result.is_ok());
            }
        }
    }
}
