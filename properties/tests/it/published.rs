//! The published schema says what the parser says.

use std::collections::{BTreeMap, BTreeSet};

use midturn_properties::scenario::tables;
use serde_json::Value;

use crate::documents::{EXAMPLE, FULL, SMALL, parse, with_commands};
use crate::validator::is_valid;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../scenario.schema.json")).unwrap()
}

/// Whether the schema accepts a TOML document.
pub fn accepts(text: &str) -> bool {
    let json: Value = toml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    SCHEMA.with(|schema| is_valid(schema, schema, &json))
}

thread_local! {
    static SCHEMA: Value = schema();
}

#[test]
fn every_table_has_the_keys_of_the_parser() {
    let schema = schema();
    let parser: BTreeMap<_, BTreeSet<_>> =
        tables().iter().map(|(name, keys)| (*name, keys.iter().copied().collect())).collect();
    let published: BTreeMap<_, BTreeSet<_>> = schema["$defs"]
        .as_object()
        .unwrap()
        .iter()
        .filter_map(|(name, table)| Some((name.as_str(), table["properties"].as_object()?)))
        .map(|(name, keys)| (name, keys.keys().map(String::as_str).collect()))
        .collect();
    assert_eq!(parser, published);
}

/// Documents that both accept.
fn good() -> Vec<String> {
    let mut good = vec![SMALL.to_owned(), EXAMPLE.to_owned(), FULL.to_owned()];
    let commands = [
        "",
        "{ id = 'a', start_if_idle = '', automatic = false }",
        "{ id = 'a-b_9', steer = 'x', expected = 'turn of a-b_9' }",
        "{ id = 'a', interrupt = 'turn after a' }",
        "{ id = 'a', interrupt = true, drop = false }",
        "{ id = 'a', mail = 'x', to = 'main' }",
        "{ id = 'a', answer = 'x', to = 'anything' }",
        "{ id = 'a', abort = true, table = 'elicitation', to = 'anything' }",
        "{ id = 'a', settings = {} }",
        "{ id = 'a', settings = { mode = 'plan', x = 1 } }",
        "{ id = 'a', forbid = { x = true } }",
        "{ id = 'a', drain = true }, { id = 'b', suspend = true }, { id = 'c', shutdown = true }",
        "{ id = 'a', steer = 'x', overrides = { mode = 'default' }, start = {} }",
        "{ id = 'a', mail = 'x', start = { schema = [1, { a = 1.5 }], root = 'r' } }",
        "{ id = 'a', tool_output = '', context = { b-c_1 = 1 }, metadata = { '' = 'x' } }",
        "{ id = 'a', inject = 'x', client_id = 'y' }",
        "{ id = 'a', wait = 'activity', when = 'request 1 began' }",
    ];
    good.extend(commands.iter().map(|command| with_commands("", command)));
    let tables = [
        "[session]",
        "[session]\nname = 'x'\nslot = 'finishing'",
        "[[session]]\nmode = 'plan'",
        "session = { hooks = [] }",
        "[[session]]\nname = 'a'\n[[session]]\nname = 'b'",
        "[model]\nrequests = []",
        "[model]\nrequests = [[], [{ tool = 't' }]]",
        "[model]\nrequests = [[{ full = true }, { tool = 't', asks = 'approval', output = 'x' }]]",
        "[model]\nrequests = [[{ tool = 't', waits = true }, { tool = 't', sleeps = true }]]",
        "[session]\nsettings = { x = 1 }\nforbid = {}\ncontext_full = false",
        "[session]\nstart_hooks = []\nstop_hooks = [{ go_on = '' }, { pass = true }]",
        "[session]\nmailbox = [{ id = 'm', text = '', start = { trigger = 'x' } }]",
        "[[session]]\nname = 'a'\n[[session]]\nname = 'b'\nparent = 'a'\nreports = ['r', 's']\n\
         requests = [[{ tool = 't', sends = { id = 'm', to = 'a', text = '' }, output = '' }]]",
        "[reach]\nsometimes = []",
        "parked = ['user']\nrelation = 'a'\nbound = { deviations = 0 }",
        "[expect]",
        "[expect.codex]",
        "[expect.codex.'seed+forget_leftovers']\nviolates = []",
    ];
    good.extend(tables.iter().map(|table| with_commands(table, "")));
    good
}

/// Documents that both refuse.
fn bad() -> Vec<String> {
    let mut bad: Vec<_> = BAD_FILES.iter().map(|file| (*file).to_owned()).collect();
    bad.extend(BAD_COMMANDS.iter().map(|command| with_commands("", command)));
    bad.extend(BAD_TABLES.iter().map(|table| with_commands(table, "")));
    bad
}

const BAD_FILES: &[&str] = &[
    "schema = 1\n",
    "schema = 1\npromise = 'p'\nactor = []\n",
    "schema = 1\npromise = 'p'\n[actor]\nname = 'a'\ndoes = []\n",
    "schema = 1\npromise = 'p'\n[[actor]]\nname = 'a'\n",
    "schema = 1\npromise = 'p'\n[[actor]]\nname = 'a b'\ndoes = []\n",
    "schema = 2\npromise = 'p'\n[[actor]]\nname = 'a'\ndoes = []\n",
    "schema = '1'\npromise = 'p'\n[[actor]]\nname = 'a'\ndoes = []\n",
    "promise = 'p'\n[[actor]]\nname = 'a'\ndoes = []\n",
    "schema = 1\npromise = 1\n[[actor]]\nname = 'a'\ndoes = []\n",
];

const BAD_COMMANDS: &[&str] = &[
    "1",
    "{ id = 'a' }",
    "{ steer = 'x' }",
    "{ id = 'slot', steer = 'x' }",
    "{ id = '', steer = 'x' }",
    "{ id = 'a', steer = 'x', mail = 'y' }",
    "{ id = 'a', steer = 'x', automatic = true }",
    "{ id = 'a', start_if_idle = 'x', settings_refused = true }",
    "{ id = 'a', forbid = {} }",
    "{ id = 'a', forbid = { x = 1, y = 2 } }",
    "{ id = 'a', forbid = { mode = 'plan' } }",
    "{ id = 'a', forbid = 'x' }",
    "{ id = 'a', drain = false }",
    "{ id = 'a', suspend = 'x' }",
    "{ id = 'a', abort = 'x', to = 'y' }",
    "{ id = 'a', abort = true, to = 'y', form = 'client' }",
    "{ id = 'a', settings = { mode = 'loud' } }",
    "{ id = 'a', settings = { mode = 1 } }",
    "{ id = 'a', steer = 'x', overrides = { mode = 'loud' } }",
    "{ id = 'a', steer = 'x', overrides = [] }",
    "{ id = 'a', recover = 'turn of a', overrides = {} }",
    "{ id = 'a', steer = 'x', start = { why = 'x' } }",
    "{ id = 'a', steer = 'x', start = { trigger = 1 } }",
    "{ id = 'a', inject = 'x', start = {} }",
    "{ id = 'a', mail = 'x', context = {} }",
    "{ id = 'a', mail = 'x', client_id = 'y' }",
    "{ id = 'a', interrupt = true, metadata = {} }",
    "{ id = 'a', steer = 'x', context = { 'b c' = 1 } }",
    "{ id = 'a', mail = 'x', expected = 'turn of a' }",
    "{ id = 'a', steer = 'x', to = 'main' }",
    "{ id = 'a', steer = 'x', expected_previous = 'turn of a' }",
    "{ id = 'a', inject = 'x', form = 'loud' }",
    "{ id = 'a', inject = 'x', table = 'approval' }",
    "{ id = 'a', answer = 'x', table = 'round' }",
    "{ id = 'a', interrupt = false }",
    "{ id = 'a', interrupt = 1 }",
    "{ id = 'a', wait = 'mail' }",
    "{ id = 'a', compact = false }",
    "{ id = 'a', settings = { x = 1.5 } }",
    "{ id = 'a', steer = 'x', context = 'y' }",
    "{ id = 'a', steer = 'x', drop = 'yes' }",
    "{ id = 'a', steer = 'x', sometimes = 'y' }",
];

const BAD_TABLES: &[&str] = &[
    "session = 1",
    "session = []",
    "[[session]]\n[[session]]",
    "[[session]]\nname = 'a'\n[[session]]\nmode = 'plan'",
    "[session]\ntime = 'late'",
    "[session]\nmailbox = [{ id = 'm' }]",
    "[session]\nhooks = [{ input = 'm' }]",
    "[session]\nsettings = { mode = 'plan' }",
    "[session]\nsettings = { x = [] }",
    "[session]\nforbid = { mode = 'plan' }",
    "[session]\ncontext_full = 'yes'",
    "[session]\nstart_hooks = [{ go_on = 'x' }]",
    "[session]\nstart_hooks = [{ stop = false }]",
    "[session]\nstop_hooks = [{}]",
    "[session]\nstop_hooks = [{ stop = true, pass = true }]",
    "[session]\nstop_hooks = { pass = true }",
    "[session]\nreports = ['r']",
    "[[session]]\nname = 'a'\n[[session]]\nname = 'b'\nparent = 'a'\nreports = [1]",
    "[[session]]\nname = 'a'\n[[session]]\nname = 'b'\nparent = 'a'\nreports = ['turn']",
    "[[session]]\nname = 'a'\n[[session]]\nname = 'b'\nrequests = [{ final = 'x' }]",
    "[model]\nrequests = [[{ final = 'x', waits = true }]]",
    "[model]\nrequests = [[{ full = 'x' }]]",
    "[model]\nrequests = [[{ tool = 'x', waits = false }]]",
    "[model]\nrequests = [[{ tool = 'x', waits = true, sleeps = true }]]",
    "[model]\nrequests = [[{ tool = 'x', waits = true, asks = 'approval' }]]",
    "[model]\nrequests = [[{ tool = 'x', sleeps = true, asks = 'approval' }]]",
    "[model]\nrequests = [[{ tool = 'x', waits = true, output = 'x' }]]",
    "[model]\nrequests = [[{ tool = 'x', sleeps = true, output = 'x' }]]",
    "[model]\nrequests = [[{ tool = 'x', sends = { id = 'm', to = 'b' } }]]",
    "[model]\nrequests = [[{ tool = 'x', sends = { id = 'turn', to = 'b', text = '' } }]]",
    "[model]\nrequests = [[{ tool = 'x', sends = { id = 'm', to = 'b', text = '', from = 'c' } }]]",
    "[model]\nrequests = [[{ tool = 'x', sleeps = true, sends = { id = 'm', to = 'b', text = '' } }]]",
    "[model]",
    "[model]\nrequests = [{ final = 'x' }]",
    "[model]\nrequests = [[{ output = 'x' }]]",
    "[model]\nrequests = [[{ final = 'x', blank = true }]]",
    "[model]\nrequests = [[{ final = 'x', output = 'y' }]]",
    "[model]\nrequests = [[{ tool = 'x', asks = 'nobody' }]]",
    "[model]\nrequests = [[{ blank = false }]]",
    "[reach]",
    "[reach]\nsometimes = 'x'",
    "parked = 'user'",
    "assume = ['luck']",
    "bound = { deviations = -1 }",
    "bound = { deviations = 4294967296 }",
    "bound = {}",
    "relation = 'b'",
    "waive = [{ property = 'no_input_is_lost' }]",
    "expect = 1",
    "[expect]\ncodex = 1",
    "[expect.codex]\nseed = 1",
    "[expect.codex.seed]",
    "[expect.codex.seed]\nholds = 'some'",
    "[expect.codex.seed]\nholds = 1",
];

/// What the parser refuses and a schema cannot express.
fn beyond() -> Vec<String> {
    let commands = [
        // Names that must be unique, or exist.
        "{ id = 'a', steer = 'x' }, { id = 'a', steer = 'y' }",
        "{ id = 'a', mail = 'x', to = 'nowhere' }",
        "{ id = 'a', steer = 'x', expected = 'turn of b' }",
        "{ id = 'a', steer = 'x', expected = 'turn of slot' }",
        // The languages of turns, events and conditions.
        "{ id = 'a', steer = 'x', expected = 'the turn of a' }",
        "{ id = 'a', steer = 'x', when = 'a sings' }",
        // Who is answered must be known.
        "{ id = 'a', answer = 'x' }",
        // What JSON cannot say.
        "{ id = 'a', steer = 'x', start = { schema = nan } }",
    ];
    let mut beyond: Vec<_> = commands.iter().map(|command| with_commands("", command)).collect();
    let tables = [
        "[reach]\nsometimes = ['']",
        // Names of the program.
        "parked = ['nobody']",
        "[expect.other.seed]\nholds = 'all'",
        "[expect.codex.other]\nholds = 'all'",
        "[expect.codex.'seed+other']\nholds = 'all'",
        "[expect.codex.seed]\nholds = ['other']",
        // Two tables that belong together.
        "[expect.codex.seed]\nholds = ['no_input_is_lost']\nviolates = ['no_input_is_lost']",
        "[[session]]\nname = 'a'\nslot = 'running'\n[[session]]\nname = 'b'\nslot = 'running'",
        "[[session]]\nname = 'a'\n[[session]]\nname = 'a'",
        "[[session]]\nname = 'a'\nrequests = []\n[[session]]\nname = 'b'",
        "[[session]]\nname = 'a'\n[[session]]\nname = 'b'\ntime = 'patient'",
        "[[session]]\nname = 'a'\n[[session]]\nname = 'b'\nparent = 'b'",
        "[[session]]\nname = 'a'\n[[session]]\nname = 'b'\nparent = 'c'",
        "[model]\nrequests = [[{ tool = 'x', sends = { id = 'm', to = 'main', text = '' } }]]",
        // For a schema 1.0 is a whole number.
        "bound = { deviations = 1.0 }",
    ];
    beyond.extend(tables.iter().map(|table| with_commands(table, "")));
    beyond
}

#[test]
fn schema_and_parser_agree() {
    let by_parser = |text: &str| parse(text).is_ok();
    let rows = [(good(), true, true), (bad(), false, false), (beyond(), true, false)];
    for (documents, schema, parser) in rows {
        for text in documents {
            assert_eq!(accepts(&text), schema, "the schema, of:\n{text}");
            assert_eq!(
                by_parser(&text),
                parser,
                "the parser, of:\n{text}\n{:?}",
                parse(&text).err()
            );
        }
    }
}
