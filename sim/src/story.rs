//! One schedule, drawn as a table.
