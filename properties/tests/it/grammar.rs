//! Every form of the event language: it is read, holds of one log, and not of another.

use std::collections::BTreeMap;

use midturn_properties::scenario::{Matcher, Mistake, What};
use midturn_protocol::{
    ClearedBy, Event, InputId, InputKind, Landing, ModelItem, Phase, PhaseCause, Place, Purpose,
    Reason, Reply, RequestEnd, SlotShape, TaskKind, TurnEnd, TurnId, Verdict,
};

use crate::documents::{parse, with_condition};

const PROMPT: InputId = InputId(1);
const YAML: InputId = InputId(2);
const MAIL: InputId = InputId(3);
const LOOK: InputId = InputId(4);

fn turn() -> TurnId {
    TurnId::of(PROMPT)
}

/// A log in which everything happens that a phrase can name, to `prompt` and `yaml`.
fn log() -> Vec<Event> {
    let turn = turn();
    let verdict = |command, verdict| Event::Returned { command, reply: Reply::Verdict(verdict) };
    let slot = |from, to| Event::Slot { from, to, turn: Some(turn) };
    let ended = |request| Event::RequestEnded {
        turn,
        request,
        how: RequestEnd::Completed { follow_up: false },
    };
    let purpose = Purpose::Turn;
    let began = |request, new| Event::RequestBegan { turn, request, purpose, settings: 0, new };
    let item = |item| Event::ModelItem { turn, item };
    vec![
        Event::Called { command: PROMPT },
        slot(SlotShape::Idle, SlotShape::Reserved),
        slot(SlotShape::Reserved, SlotShape::Running),
        verdict(PROMPT, Verdict::Started(turn)),
        Event::TurnStarted { turn, kind: TaskKind::Regular },
        began(1, vec![PROMPT]),
        item(ModelItem::tool("shell")),
        ended(1),
        Event::Called { command: YAML },
        Event::Accepted { input: YAML, kind: InputKind::User, place: Place::Pending(turn) },
        verdict(YAML, Verdict::Steered(turn)),
        Event::Looked { turn, found: true },
        Event::Drained { turn, inputs: vec![YAML] },
        Event::Hooked { input: YAML, accepted: true },
        Event::Recorded { input: YAML, turn: Some(turn) },
        began(2, vec![YAML]),
        item(ModelItem::Commentary("hm".into())),
        item(ModelItem::Final("done".into())),
        Event::Phase { turn, to: Phase::NextTurn, because: PhaseCause::FinalAnswer },
        Event::Refused { input: MAIL, reason: Reason::NotIdle },
        ended(2),
        Event::Woken { command: LOOK, found: false },
        Event::CancelRequested { turn },
        Event::CancelSeen { turn },
        Event::Marker { turn },
        Event::Cleared { input: MAIL, by: ClearedBy::Interrupt },
        Event::GivenBack { input: MAIL },
        Event::PendingCleared { turn },
        slot(SlotShape::Running, SlotShape::Finishing),
        Event::TurnEnded { turn, how: TurnEnd::Interrupted },
        slot(SlotShape::Finishing, SlotShape::Idle),
        Event::Looked { turn: turn.next(), found: false },
    ]
}

fn landings() -> BTreeMap<InputId, Landing> {
    BTreeMap::from([
        (PROMPT, Landing::Sampled { turn: turn(), request: 1 }),
        (YAML, Landing::Recorded),
        (MAIL, Landing::Cleared(ClearedBy::Hook)),
        (LOOK, Landing::Refused(Reason::PlanMode)),
    ])
}

fn holds(condition: &str) -> bool {
    let scenario = parse(&with_condition("idle", condition)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scenario.reach[0].text, condition);
    let log = log();
    let events: Vec<_> = log.iter().map(|event| (0, event)).collect();
    scenario.reach[0].value.holds(&events, &landings())
}

#[test]
fn every_form_holds_where_it_should_and_not_elsewhere() {
    let rows = [
        ("yaml called", "look called"),
        ("yaml returned", "look returned"),
        ("prompt started", "yaml started"),
        ("yaml steered", "prompt steered"),
        ("yaml accepted", "mail accepted"),
        ("mail refused", "yaml refused"),
        ("mail refused not_idle", "mail refused plan_mode"),
        ("yaml drained", "mail drained"),
        ("yaml hooked", "mail hooked"),
        ("yaml recorded", "mail recorded"),
        ("yaml sampled", "mail sampled"),
        ("yaml sampled in turn of prompt", "yaml sampled in turn after prompt"),
        ("mail cleared", "yaml cleared"),
        ("mail given_back", "yaml given_back"),
        ("look woken", "yaml woken"),
        ("turn of prompt started", "turn of yaml started"),
        ("turn of prompt ended", "turn after prompt ended"),
        ("turn of prompt ended interrupted", "turn of prompt ended completed"),
        ("turn after prompt looked", "turn 2 after prompt looked"),
        ("turn 1 after prompt looked", "turn of yaml looked"),
        ("turn of prompt cancel_requested", "turn of yaml cancel_requested"),
        ("turn of prompt cancel_seen", "turn of yaml cancel_seen"),
        ("turn of prompt marker", "turn of yaml marker"),
        ("turn of prompt pending_cleared", "turn of yaml pending_cleared"),
        ("request 2 began", "request 3 began"),
        ("request 2 ended", "request 3 ended"),
        ("answer shown", "answer shown before request 2 began"),
        ("tool called", "tool called before request 1 began"),
        ("slot finishing", "slot finishing before answer shown"),
        ("yaml called before yaml returned", "yaml returned before yaml called"),
        ("yaml called before answer shown", "yaml called before mail drained"),
        ("request 1 ended before request 2 began", "request 2 ended before request 1 ended"),
        ("yaml accepted while slot running", "yaml accepted while slot idle"),
        ("prompt called while slot idle", "prompt called while slot running"),
        ("turn of prompt ended while slot finishing", "turn of prompt ended while slot idle"),
        ("mail refused while phase next", "mail refused while phase current"),
        ("yaml accepted while phase current", "yaml accepted while phase next"),
        ("turn after prompt looked while phase current", "answer shown while phase next"),
        ("never mail drained", "never yaml drained"),
        ("never turn of yaml ended", "never answer shown"),
        ("prompt ends sampled", "yaml ends sampled"),
        ("yaml ends recorded", "yaml ends queued"),
        ("mail ends cleared", "mail ends lost"),
        ("look ends refused", "look ends returned"),
        ("  yaml   called ", "look called before yaml called"),
    ];
    for (yes, no) in rows {
        assert!(holds(yes), "should hold: {yes}");
        assert!(!holds(no), "should not hold: {no}");
    }
}

#[test]
fn the_preset_turn_has_a_name_and_its_slot_a_shape() {
    let text = with_condition("running", "yaml called while slot running");
    let condition = parse(&text).unwrap().reach.remove(0).value;
    assert!(condition.holds(&[(0, &Event::Called { command: YAML })], &BTreeMap::new()));
    let text = with_condition("running", "slot recorded before turn of slot ended");
    let condition = parse(&text).unwrap().reach.remove(0).value;
    let slot = TurnId::of(InputId::PRESET);
    let recorded = Event::Recorded { input: InputId::PRESET, turn: Some(slot) };
    let ended = Event::TurnEnded { turn: slot, how: TurnEnd::Completed };
    assert!(condition.holds(&[(0, &recorded), (0, &ended)], &BTreeMap::new()));
    assert!(parse(&with_condition("idle", "turn of slot ended")).is_err());
    assert!(parse(&with_condition("running", "slot ends sampled")).is_ok());
    assert!(parse(&with_condition("idle", "slot finishing before slot idle")).is_ok());
}

#[test]
fn a_matcher_tells_each_occurrence() {
    let text = with_condition("idle", "turn of prompt looked");
    let condition = parse(&text).unwrap().reach.remove(0).value;
    let midturn_properties::scenario::Condition::Happens(pattern) = condition else {
        panic!("{condition:?}")
    };
    let mut matcher = Matcher::new(pattern);
    let looked = Event::Looked { turn: turn(), found: false };
    let fed = [looked.clone(), Event::Marker { turn: turn() }, looked].map(|e| matcher.feed(0, &e));
    assert_eq!(fed, [true, false, true]);
    assert!(matcher.seen());
}

#[test]
fn what_is_no_phrase_is_refused_at_the_word() {
    let unknown = |what: What, word: &str| Some((what, word.to_owned()));
    let rows = [
        ("", None, ""),
        ("yaml", None, "yaml"),
        ("yaml caled", unknown(What::Condition, "caled"), "caled"),
        ("yml called", unknown(What::Id, "yml"), "yml"),
        ("yaml called before", None, "before"),
        ("before yaml called", None, "before"),
        ("yaml called while", None, ""),
        ("yaml called while slot", None, "slot"),
        ("yaml called while slot gone", unknown(What::Condition, "gone"), "gone"),
        ("yaml called while moon full", unknown(What::Condition, "moon"), "moon"),
        ("yaml called twice", None, "twice"),
        ("yaml refused because", unknown(What::Condition, "because"), "because"),
        ("yaml ends", None, "yaml ends"),
        ("yaml ends well", unknown(What::Condition, "well"), "well"),
        ("turn of nobody ended", unknown(What::Id, "nobody"), "nobody"),
        ("turn prompt ended", unknown(What::Condition, "prompt"), "prompt"),
        ("turn of prompt stopped", unknown(What::Condition, "stopped"), "stopped"),
        ("turn 0 after prompt ended", unknown(What::Condition, "0"), "0"),
        (
            "turn 9999999999 after prompt ended",
            unknown(What::Condition, "9999999999"),
            "9999999999",
        ),
        ("yaml sampled in request 2", unknown(What::Turn, "request"), "request"),
        ("request 0 began", unknown(What::Condition, "0"), "0"),
        ("request one began", unknown(What::Condition, "one"), "one"),
        ("request 99999999999 began", unknown(What::Condition, "99999999999"), "99999999999"),
        ("answer given", unknown(What::Condition, "given"), "given"),
        ("slot empty", unknown(What::Condition, "empty"), "empty"),
        ("never", None, ""),
        ("never never yaml called", unknown(What::Id, "never"), "never"),
    ];
    for (condition, unknown, place) in rows {
        let errors = parse(&with_condition("idle", condition)).expect_err(condition);
        assert_eq!(errors.errors.len(), 1, "{condition}: {errors}");
        let error = &errors.errors[0];
        if let Some((what, word)) = unknown {
            let Mistake::Unknown { what: found, word: at, .. } = &error.mistake else {
                panic!("{condition}: {:?}", error.mistake)
            };
            assert_eq!((*found, at), (what, &word), "{condition}");
        } else {
            let unfinished =
                matches!(error.mistake, Mistake::Unfinished { .. } | Mistake::Superfluous { .. });
            assert!(unfinished, "{condition}: {:?}", error.mistake);
        }
        let marked = &errors.source[error.span.clone()];
        assert!(marked.contains(place), "{condition}: {marked} is marked");
    }
}
