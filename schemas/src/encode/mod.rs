//! How typed values become bytes: encodings that Accumulo's own classes read.
//!
//! [`lexicoder`] names the order-preserving encodings of rows and qualifiers, [`ordered`] makes their bytes, [`java_text`] reads the text
//! they are made of, [`long_values`] is what the summing combiners keep in values, [`vlong`] the variable-length integer under it.

pub mod java_text;
pub mod lexicoder;
pub mod long_values;
pub mod ordered;
pub mod vlong;
