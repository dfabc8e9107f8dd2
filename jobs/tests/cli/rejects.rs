//! rejects
