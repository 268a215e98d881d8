//! The scenario format, from outside.

mod documents;
mod example;
mod grammar;
mod hostile;
mod judged;
mod judged_answers;
mod judged_histories;
mod judged_interrupts;
mod judged_landings;
mod judged_routing;
mod judged_settings;
mod judged_turns;
mod linearizability;
mod mistakes;
mod moments;
mod published;
mod refusals;
mod reports;
mod several;
mod stories;
mod validator;
