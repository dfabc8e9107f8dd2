//! How fast, next to whom?
