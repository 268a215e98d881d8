//! The words of stories.

use midturn_protocol::{
    Activity, ClearedBy, Event, GraceEnd, InputId, InputKind, Landing, ModelItem, Outside, Phase,
    PhaseCause, Place, Purpose, Reason, Reply, RequestEnd, SlotShape, TaskKind, ToolUse, ToolWake,
    ToolWork, TurnEnd, TurnId, Verdict, WaiterEvent, WaiterTable,
};

use crate::documents::{parse, with_condition};

const PROMPT: InputId = InputId(1);
const YAML: InputId = InputId(2);

#[test]
fn replies_and_landings_are_in_words() {
    let names = parse(&with_condition("running", "slot recorded")).unwrap().names;
    let turn = TurnId::of(PROMPT);
    assert_eq!(names.turn(turn), "turn of prompt");
    assert_eq!(names.turn(turn.next()), "turn after prompt");
    assert_eq!(names.turn(turn.next().next()), "turn 2 after prompt");
    assert_eq!(names.turn(TurnId::of(InputId::PRESET)), "turn of slot");
    assert_eq!(names.input(InputId(99)), "unnamed");
    assert_eq!(names.reply(&Reply::Verdict(Verdict::Steered(turn))), "Steered(turn of prompt)");
    assert_eq!(names.verdict(Verdict::Started(turn)), "Started(turn of prompt)");
    let refused = Verdict::NotSubmitted(Reason::NoActiveTurn);
    assert_eq!(names.verdict(refused), "refused no_active_turn");
    let mismatch = Reason::ExpectedTurnMismatch { expected: turn, actual: turn.next() };
    let words = "expected_turn_mismatch (turn after prompt, not turn of prompt)";
    assert_eq!(names.reason(mismatch), words);
    let review = Reason::ActiveTurnNotSteerable(TaskKind::Review);
    assert_eq!(names.reason(review), "active_turn_not_steerable (review)");
    let sampled = Landing::Sampled { turn, request: 2 };
    assert_eq!(names.landing(sampled), "sampled in turn of prompt, request 2");
    let cleared = Landing::Cleared(ClearedBy::Interrupt);
    assert_eq!(names.landing(cleared), "cleared by interrupt");
    assert_eq!(names.landing(Landing::Refused(Reason::PlanMode)), "refused plan_mode");
}

#[test]
fn every_event_has_words() {
    let names = parse(&with_condition("running", "slot recorded")).unwrap().names;
    let turn = TurnId::of(PROMPT);
    let (from, to) = (SlotShape::Running, SlotShape::Finishing);
    let how = RequestEnd::Completed { follow_up: false };
    let (phase, because) = (Phase::NextTurn, PhaseCause::FinalAnswer);
    let interrupted = Reply::Interrupted(Some(turn));
    let request =
        |purpose, new| Event::RequestBegan { turn, request: 1, purpose, settings: 0, new };
    let rows = [
        (Event::Called { command: YAML }, "yaml called"),
        (
            Event::Returned { command: YAML, reply: interrupted },
            "yaml returned interrupted turn of prompt",
        ),
        (
            Event::Accepted { input: YAML, kind: InputKind::User, place: Place::Pending(turn) },
            "yaml accepted, pending on turn of prompt",
        ),
        (Event::Refused { input: YAML, reason: Reason::NotIdle }, "yaml refused not_idle"),
        (Event::GivenBack { input: YAML }, "yaml given_back"),
        (Event::Cleared { input: YAML, by: ClearedBy::Hook }, "yaml cleared by hook"),
        (Event::Slot { from, to, turn: Some(turn) }, "slot finishing, was running, turn of prompt"),
        (
            Event::Phase { turn, to: phase, because },
            "turn of prompt phase next, because final_answer",
        ),
        (Event::Looked { turn, found: false }, "turn of prompt looked, found nothing"),
        (
            Event::Drained { turn, inputs: vec![YAML, PROMPT] },
            "turn of prompt drained yaml, prompt",
        ),
        (Event::Drained { turn, inputs: vec![] }, "turn of prompt drained nothing"),
        (Event::Hooked { input: YAML, accepted: false }, "yaml hooked, blocked"),
        (Event::Recorded { input: YAML, turn: Some(turn) }, "yaml recorded in turn of prompt"),
        (Event::TurnStarted { turn, kind: TaskKind::Regular }, "turn of prompt started"),
        (Event::TurnStarted { turn, kind: TaskKind::Review }, "turn of prompt started, review"),
        (request(Purpose::Turn, vec![PROMPT]), "turn of prompt request 1 began, new: prompt"),
        (request(Purpose::Compaction, vec![]), "turn of prompt request 1 began, to compact"),
        (request(Purpose::Review, vec![]), "turn of prompt request 1 began, to review"),
        (
            Event::ModelItem { turn, item: ModelItem::Final("done".into()) },
            "turn of prompt model: final \"done\"",
        ),
        (Event::RequestEnded { turn, request: 1, how }, "turn of prompt request 1 ended completed"),
        (Event::TurnEnded { turn, how: TurnEnd::Completed }, "turn of prompt ended completed"),
        (Event::CancelRequested { turn }, "turn of prompt cancel_requested"),
        (Event::CancelSeen { turn }, "turn of prompt cancel_seen"),
        (
            Event::GraceEnded { turn, how: GraceEnd::TimedOut },
            "turn of prompt grace_ended timed_out",
        ),
        (Event::Marker { turn }, "turn of prompt marker"),
        (Event::PendingCleared { turn }, "turn of prompt pending_cleared"),
        (Event::Flushed { turn }, "turn of prompt flushed"),
        (Event::Sent { activity: Activity::Steer, input: YAML }, "yaml told the watch: steer"),
        (Event::Woken { command: YAML, found: true }, "yaml woken, something waits"),
    ];
    for (event, words) in rows {
        assert_eq!(names.event(&event), words, "{event:?}");
    }
}

#[test]
fn what_else_happens_has_words() {
    let names = parse(&with_condition("running", "slot recorded")).unwrap().names;
    let turn = TurnId::of(PROMPT);
    let command = YAML;
    let waiter = Event::Waiter {
        turn,
        table: WaiterTable::UserInput,
        key: "shell".into(),
        what: WaiterEvent::Closed,
    };
    let rows = [
        (Event::SettingsApplied { command, version: 2, turn: None }, "yaml applied, settings 2"),
        (
            Event::SettingsApplied { command, version: 2, turn: Some(turn) },
            "yaml applied, settings 2, also of turn of prompt",
        ),
        (Event::AnswerDropped { command }, "yaml dropped_answer"),
        (Event::MetadataSet { command, turn }, "yaml set the metadata of turn of prompt"),
        (Event::ErrorSent { command }, "yaml error_sent"),
        (Event::StartUpCancelled { command }, "yaml cancelled the start-up"),
        (Event::DrainingBegan { command }, "yaml began to drain the host"),
        (Event::Closed { command }, "yaml closed the session"),
        (Event::ThreadIdle, "thread idle"),
        (Event::Awaits { on: Outside::Preparation }, "waits for the preparation"),
        (waiter, "turn of prompt waiter shell in user_input: closed"),
        (Event::ToolWoken { turn, how: ToolWake::Steer }, "turn of prompt stops_waiting, steer"),
        (Event::TaskDone { turn }, "turn of prompt task_done"),
        (Event::GraceBegan { turn }, "turn of prompt grace_began"),
        (
            Event::ContextBuilt { turn, settings: 3, start: Box::default() },
            "turn of prompt context built, settings 3",
        ),
        (Event::Compacted { turn }, "turn of prompt compacted"),
        (Event::StopBlocked { turn }, "turn of prompt stop_blocked"),
        (Event::TurnSuspended { turn }, "turn of prompt suspended"),
        (Event::ReviewLeft { turn, output: true }, "turn of prompt left review mode, with output"),
        (
            Event::ReviewLeft { turn, output: false },
            "turn of prompt left review mode, without output",
        ),
    ];
    for (event, words) in rows {
        assert_eq!(names.event(&event), words, "{event:?}");
    }
}

#[test]
fn tools_and_answers_to_commands_have_words() {
    let names = parse(&with_condition("running", "slot recorded")).unwrap().names;
    let turn = TurnId::of(PROMPT);
    let tool = |work| names.model_item(&ModelItem::Tool(ToolUse { tool: "x".into(), work }));
    assert_eq!(tool(ToolWork::Run), "tool x");
    assert_eq!(tool(ToolWork::Ask(WaiterTable::DynamicTool)), "tool x, asks dynamic_tool");
    assert_eq!(tool(ToolWork::AwaitActivity), "tool x, waits");
    assert_eq!(tool(ToolWork::SleepUntilMail), "tool x, sleeps");
    assert_eq!(names.model_item(&ModelItem::Full), "full");
    let rows = [
        (Reply::Answered { found: true }, "answered"),
        (Reply::Answered { found: false }, "answered nobody"),
        (Reply::Applied, "applied"),
        (Reply::Began(turn), "began turn of prompt"),
        (Reply::Refused(Reason::InvalidRequest), "refused invalid_request"),
        (Reply::Draining, "draining"),
        (Reply::ShutDown(Some(turn)), "shut_down, suspended turn of prompt"),
        (Reply::ShutDown(None), "shut_down"),
        (Reply::Unsupported, "unsupported"),
    ];
    for (reply, words) in rows {
        assert_eq!(names.reply(&reply), words);
    }
    assert_eq!(names.reason(Reason::ServerDraining), "server_draining");
    let mismatch = names.reason(Reason::ActiveTurnOutputSchemaMismatch);
    assert_eq!(mismatch, "output_schema_mismatch");
}
