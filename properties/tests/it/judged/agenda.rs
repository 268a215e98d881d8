//! What is asked of a session: what its scenario says, and what of it came about.

use midturn_properties::history::Asked;
use midturn_protocol::{Event, InputId, InputKind, Landing, Mode, Reason, Reply, Verdict};

use super::{OTHER, Run, TASK, USER, Words, words, words_of};

impl Words {
    fn asked_of(&self, name: &str) -> Asked {
        self.agenda.inputs[&self.id(name)]
    }

    /// The inputs that may be asked of the session.
    fn inputs(&self) -> Vec<&str> {
        self.agenda.inputs.keys().map(|id| self.scenario.names.input(*id)).collect()
    }
}

impl Run<'_> {
    fn asked(self) -> Vec<String> {
        let names = &self.words.scenario.names;
        self.history().asked.keys().map(|id| names.input(*id).to_owned()).collect()
    }

    fn lands(self, name: &str) -> Option<Landing> {
        let id = self.words.id(name);
        self.history().landings.get(&id).copied()
    }
}

#[test]
fn a_preset_has_an_input_if_it_goes_through_a_queue() {
    let mode = Some(Mode::StartIfIdle);
    let user = Some(Asked::plain(InputKind::User));
    let rows = [
        ("idle", None),
        ("reserved", Some(Asked { mode, ..Asked::plain(InputKind::Response) })),
        ("running", user),
        ("finishing", user),
        ("review", None),
        ("compact", None),
    ];
    for (slot, asked) in rows {
        let of = words(&format!("[session]\nslot = '{slot}'"), "{ id = 'yaml', steer = 'a' }");
        assert_eq!(of.agenda.inputs.get(&InputId::PRESET), asked.as_ref(), "{slot}");
        // It is handed over before anybody is called.
        let handed_over = of.by(USER, []).history().asked.contains_key(&InputId::PRESET);
        assert_eq!(handed_over, asked.is_some(), "{slot}");
    }
}

#[test]
fn commands_hand_over_inputs_with_what_travels_with_them() {
    let of = words(
        "",
        "{ id = 'told', steer = 'a', context = { cwd = '/', day = 'Monday' }, drop = true },
         { id = 'blank', start_or_steer = '' }, { id = 'output', tool_output = '' },
         { id = 'again', recover = 'turn of told' }, { id = 'note', mail = 'b', drop = true },
         { id = 'hint', inject = 'c' }, { id = 'stop', interrupt = true },
         { id = 'check', review = 'd' }, { id = 'close', drain = true },
         { id = 'look', wait = 'activity' }, { id = 'low', settings = { effort = 'low' } },
         { id = 'rest', suspend = true }, { id = 'bye', shutdown = true }",
    );
    let inputs = ["told", "told.cwd", "told.day", "blank", "output", "again", "note", "hint"];
    assert_eq!(of.inputs(), inputs);
    assert_eq!(of.agenda.commands.len(), 13, "context is no command");
    let travels_with = Some(of.id("told"));
    let context = Asked { may_drop: true, travels_with, ..Asked::plain(InputKind::Response) };
    assert_eq!(of.asked_of("told.day"), context);
    let mode = Some(Mode::Steer { expected: None });
    assert_eq!(
        of.asked_of("told"),
        Asked { mode, may_drop: true, ..Asked::plain(InputKind::User) }
    );
    let mode = Some(Mode::StartOrSteer);
    assert_eq!(of.asked_of("blank"), Asked { mode, empty: true, ..Asked::plain(InputKind::User) });
    // An output may say nothing and is something all the same.
    assert_eq!(of.asked_of("output"), Asked { mode, ..Asked::plain(InputKind::ToolOutput) });
    let mode = Some(Mode::Recover { turn: of.turn("told") });
    assert_eq!(of.asked_of("again"), Asked { mode, empty: true, ..Asked::plain(InputKind::User) });
    let mail = InputKind::Mail { trigger: false };
    assert_eq!(of.asked_of("note"), Asked { may_drop: true, ..Asked::plain(mail) });
}

#[test]
fn what_is_not_called_is_not_asked() {
    let of = words(
        "[session]\nmailbox = [{ id = 'old', trigger = false, text = 'x' }]",
        "{ id = 'told', steer = 'a', context = { cwd = '/' } }, { id = 'note', mail = 'b' }",
    );
    // What was in the mailbox was there before anybody was called.
    assert_eq!(of.by(USER, []).asked(), ["old"]);
    assert_eq!(of.by(USER, []).lands("note"), None);
    let called = || of.by(USER, [of.called("told"), of.called("note")]);
    assert_eq!(called().asked(), ["old", "told", "note"]);
    // Nobody has answered yet.
    assert_eq!(called().lands("note"), Some(Landing::Queued));
    // Context counts once something has taken it; what is refused takes it along.
    let refused = [of.called("told"), of.refused("told", Reason::NoActiveTurn)];
    assert_eq!(of.by(USER, refused).asked(), ["old", "told"]);
    let accepted = [of.called("told"), of.pending("told.cwd", "told"), of.pending("told", "told")];
    assert_eq!(of.by(USER, accepted.clone()).asked(), ["old", "told", "told.cwd"]);
    assert_eq!(of.by(USER, accepted).lands("told.cwd"), Some(Landing::Lost));
}

#[test]
fn a_loop_that_has_ended_refuses_whatever_comes() {
    let of = words(
        "",
        "{ id = 'yaml', steer = 'a' }, { id = 'prompt', start_or_steer = 'b' },
         { id = 'note', mail = 'c' }, { id = 'hint', inject = 'd' }, { id = 'blank', steer = '' },
         { id = 'bye', shutdown = true }",
    );
    let ended = || {
        let told = of.returned("bye", Reply::ShutDown(None));
        of.by(USER, [of.called("bye"), of.closed("bye"), told]).leaves(|last| last.closed = true)
    };
    let draining = Reason::ServerDraining;
    for name in ["yaml", "prompt", "note", "hint", "blank"] {
        let refused =
            || ended().by(OTHER, [of.called(name), of.returned(name, Reply::Refused(draining))]);
        assert_eq!(refused().lands(name), Some(Landing::Refused(draining)), "{name}");
        refused().breaks_nothing();
        let taken = refused().by(OTHER, [of.pending(name, "prompt")]);
        let lost = (name != "blank").then_some(Landing::Lost);
        assert_eq!(taken.lands(name), lost, "{name} was taken all the same");
    }
    // A verdict is no such answer: whoever refuses says so where it is decided.
    let verdict = Reply::Verdict(Verdict::NotSubmitted(draining));
    let silent = || of.by(USER, [of.called("yaml"), of.returned("yaml", verdict.clone())]);
    assert_eq!(silent().lands("yaml"), Some(Landing::Lost));
    silent().breaks_only("no_silent_loss", "yaml is in no place at all");
}

/// A parent, a child that reports to it, and a stranger. Their tools send mail to each other.
fn family(session: usize) -> Words {
    let text = super::with_commands(
        "[[session]]\nname = 'parent'\n\
         [[session]]\nname = 'child'\nparent = 'parent'\nreports = ['first', 'second']\n\
         requests = [[{ tool = 'ask', sends = { id = 'help', to = 'parent', trigger = true, text = 'x' } }]]\n\
         [[session]]\nname = 'stranger'\nmailbox = [{ id = 'old', trigger = false, text = 'y' }]\n\
         requests = [[{ tool = 'tell', sends = { id = 'news', to = 'child', text = 'z' } }]]\n\
         [model]\nrequests = [[{ tool = 'send', sends = { id = 'task', to = 'child', trigger = true, text = 'w' } }]]",
        "{ id = 'prompt', start_or_steer = 'a' },
         { id = 'hint', mail = 'b', to = 'child' }",
    );
    words_of(session, &text)
}

#[test]
fn mail_is_asked_of_who_gets_it_once_it_has_come() {
    let inputs =
        [vec!["first", "help", "prompt", "second"], vec!["hint", "news", "task"], vec!["old"]];
    for (session, inputs) in inputs.into_iter().enumerate() {
        let of = family(session);
        let mut known = of.inputs();
        known.sort_unstable();
        assert_eq!(known, inputs);
        assert!(of.by(USER, []).asked().iter().all(|name| name == "old"), "nothing has come");
    }
    let of = family(0);
    let sent = |trigger| Asked { is_sent: true, ..Asked::plain(InputKind::Mail { trigger }) };
    assert_eq!(of.asked_of("help"), sent(true));
    assert_eq!(of.asked_of("second"), sent(false), "a report only waits");
    assert!(!of.agenda.commands.contains_key(&of.id("hint")), "it is asked of another session");
    let came = || of.by(TASK, [of.mailed("first"), of.mailed("help")]);
    assert_eq!(came().asked(), ["help", "first"]);
    let waits = came().leaves(|last| last.mailbox = vec![of.id("first")]);
    assert_eq!(waits.lands("first"), Some(Landing::Queued));
    came().breaks_all(
        "no_silent_loss",
        &["help is in no place at all", "first is in no place at all"],
    );
    // It was sent, and no session of its own ever read it.
    let sent_only = [Event::Awaits { on: midturn_protocol::Outside::Tool }];
    of.by(TASK, sent_only).breaks_nothing();
}

#[test]
fn trigger_mail_that_was_sent_strands_no_session() {
    let of = family(1);
    let came = || {
        of.by(OTHER, [of.mailed("task")])
            .leaves(|last| last.mailbox.push(of.id("task")))
            .leaves(|last| last.trigger_mail.push(of.id("task")))
    };
    let what = "trigger mail task waits, and the session is idle";
    came().breaks_only("no_work_stranded_while_idle", what);
    came().leaves(|last| last.closed = true).breaks_nothing();
    // Its turn has its name.
    let starts =
        [of.reserves("task"), of.built("task", 0), of.started("task"), of.installs("task")];
    of.by(OTHER, [of.mailed("task")])
        .by(OTHER, starts)
        .by(TASK, [of.drained("task", &["task"]), of.recorded("task", "task")])
        .by(TASK, [of.begins("task", 1, &["task"]), of.answers("task")])
        .by(TASK, [of.ends("task", 1, super::DONE)])
        .completes(TASK, "task")
        .breaks_nothing();
}
