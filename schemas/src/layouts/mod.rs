//! The table layouts, each a folder. They know the seam and never each other; the registry is [`crate::layout::LAYOUTS`].

pub mod cells;
pub mod datawave;
pub mod manual;
