//! Whose failure it was.
