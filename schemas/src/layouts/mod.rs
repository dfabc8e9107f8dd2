//! The layouts, one folder each. They know nothing of one another.

pub mod datawave;
