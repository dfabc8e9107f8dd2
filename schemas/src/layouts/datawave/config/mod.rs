//! The configuration of DataWave's layout: the section of a job file, and DataWave's own files.
//!
//! | file | what it answers |
//! |---|---|
//! | [`model`] | everything that can be said, as a section `[datawave]` says it and the plan keeps it; a site's XML arrives at the same |
//! | [`hadoop_xml`] | which properties do Hadoop configuration files give, and where? |
//! | [`registry`], [`classes`] | which properties and Java classes does DataWave have, and what are they to us? |
//! | [`edges_xml`] | which edges does a Spring file define? |
//! | [`resolve`] | from files to the model, with every fault in one pass |
//! | [`check`] | the table of all properties with their class, value and origin |
//!
//! Nothing here opens a file: whoever calls gives the bytes, and answers a callback for files that are named or included.

pub mod check;
pub mod classes;
pub mod edges_xml;
pub mod hadoop_xml;
pub mod model;
pub mod problem;
pub mod registry;
pub mod resolve;
mod xml;
