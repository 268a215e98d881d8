//! The scenario format, from outside.

mod documents;
mod example;
mod grammar;
mod hostile;
mod mistakes;
mod published;
mod reports;
mod stories;
mod validator;
