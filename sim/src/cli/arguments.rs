//! What can be said on the command line.

use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Proves where a message lands when it is sent to a busy AI agent: this turn, the next, or
/// refused, under every interleaving.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,

    #[command(flatten)]
    check: CheckArguments,
}

const EXAMPLES: &str = "\
Examples:
  midturn                                              the whole catalogue, every expectation
  midturn check steer_races_turn_end --policy upstream all properties under one policy
  midturn check my_race.toml --bound 2                 a file of your own, at most 2 deviations
  midturn replay m1:steer_races_turn_end:codex:...     a schedule, step by step
  midturn soak --budget 5m                             the catalogue on real threads

Exit: 0 as expected, 1 violated, 2 usage or bad input, 4 not deterministic or blind,
      5 vacuous, 6 not refuted (budget or bound), 7 a pinned violation is gone";

#[derive(Clone, Debug, Subcommand)]
pub(super) enum Verb {
    /// Run scenarios under every interleaving and judge them (what `midturn` alone does)
    Check(CheckArguments),
    /// Run the schedule of a token and tell its story
    Replay(ReplayArguments),
    /// List the built-in scenarios
    List(ListArguments),
    /// Describe a scenario, and all its outcomes with their smallest witnesses
    Show(ShowArguments),
    /// Show which planted mistake which backend catches, by which property
    Faults(FaultsArguments),
    /// Play scenarios on real threads with random pauses, for a time; never a proof
    Soak(SoakArguments),
}

#[derive(Clone, Debug, Default, Args)]
pub(super) struct CheckArguments {
    /// Scenario files or names of built-in scenarios; all built-in ones if none is given
    #[arg(value_name = "FILE|NAME")]
    pub(super) scenarios: Vec<String>,

    /// Judge all properties under this policy and ignore pins (`hardened`, `upstream`,
    /// `hardened+FAULT`)
    #[arg(long, value_name = "POLICY")]
    pub(super) policy: Option<String>,

    /// Only expectations of this design
    #[arg(long, value_name = "DESIGN", default_value = "codex")]
    pub(super) design: String,

    /// Stop after so long or so many runs a scenario: `30s`, `5m`, `10000runs`
    #[arg(long, value_parser = budget)]
    pub(super) budget: Option<BudgetArgument>,

    /// Look only at schedules with at most so many deviations from the default one
    #[arg(long, value_name = "DEVIATIONS")]
    pub(super) bound: Option<u32>,

    /// Draw schedules at random from this seed instead; wants a budget, and is never a proof
    #[arg(long, value_name = "SEED", num_args = 0..=1, default_missing_value = "0")]
    pub(super) random: Option<u64>,

    /// What tells two classes apart: `a`, accesses to shared state; `r`, also real time (a return
    /// before a later call). The scenario's own relation unless given
    #[arg(long, value_enum, value_name = "RELATION")]
    pub(super) relation: Option<RelationArgument>,

    /// A bound that was reached counts as expected
    #[arg(long)]
    pub(super) accept_bounded: bool,

    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: Format,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ReplayArguments {
    /// The token, as a failure prints it
    pub(super) token: String,

    /// The scenario's file, if it is not a built-in one
    #[arg(long, value_name = "FILE")]
    pub(super) file: Option<String>,

    /// Also say where in the source each step stands
    #[arg(long)]
    pub(super) places: bool,

    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: Format,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ListArguments {
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: Format,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ShowArguments {
    /// The scenario's name or file
    pub(super) scenario: String,

    /// Only under this policy; under every one that the file expects something of, if not given
    #[arg(long, value_name = "POLICY")]
    pub(super) policy: Option<String>,

    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: Format,
}

#[derive(Clone, Debug, Args)]
pub(super) struct FaultsArguments {
    /// Names of planted faults; all if none is given
    #[arg(value_name = "FAULT")]
    pub(super) faults: Vec<String>,

    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: Format,
}

#[derive(Clone, Debug, Args)]
pub(super) struct SoakArguments {
    /// Scenario files or names of built-in scenarios; all built-in ones if none is given
    #[arg(value_name = "FILE|NAME")]
    pub(super) scenarios: Vec<String>,

    /// Generated scenarios instead, each for some rounds; stops at the first violation
    #[arg(long, conflicts_with = "scenarios")]
    pub(super) generated: bool,

    /// Judge all properties under this policy
    #[arg(long, value_name = "POLICY", default_value = "hardened")]
    pub(super) policy: String,

    /// How long, or how many rounds in all: `30s`, `5m`, `10000runs`
    #[arg(long, value_parser = budget, default_value = "60s")]
    pub(super) budget: BudgetArgument,

    /// How many threads
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(super) threads: u8,

    /// For what is drawn: pauses, timers, hooks. The threads themselves are not repeated
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
}

/// How to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// What tells two classes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum RelationArgument {
    /// Accesses to shared state.
    A,
    /// Also the order of returns and calls.
    R,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BudgetArgument {
    Time(Duration),
    Runs(u64),
}

fn budget(text: &str) -> Result<BudgetArgument, String> {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let wrong = || format!("`{text}` is no budget; `30s`, `5m` and `10000runs` are");
    let number: u64 = number.parse().map_err(|_| wrong())?;
    match unit {
        "runs" if number > 0 => Ok(BudgetArgument::Runs(number)),
        "s" => Ok(BudgetArgument::Time(Duration::from_secs(number))),
        "m" => Ok(BudgetArgument::Time(Duration::from_secs(number.saturating_mul(60)))),
        _ => Err(wrong()),
    }
}

impl Arguments {
    pub(super) fn verb(self) -> Verb {
        self.verb.unwrap_or(Verb::Check(self.check))
    }
}
