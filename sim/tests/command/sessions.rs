//! What the world does for a session besides its queues: scripts and mail of several sessions,
//! reports, hooks, settings, and tools that ask, wait or sleep. Each scenario is run until all
//! that it names was reached; what the engine owes is judged elsewhere.

use midturn::check::{Effort, Finding, Judge, check, options};
use midturn::design::CodexDesign;
use midturn::search::{Budget, Flow, Strategy, explore};
use midturn::world::{Suspension, World};
use midturn_properties::property::OF_THE_RUN;

use crate::subjects::{scenario, under};

const POLICIES: [&str; 2] = ["hardened", "codex_0_149"];

const USER: &str = "[[actor]]\nname = \"user\"\n";

/// Runs a scenario with this session, model and actors, and one condition a line.
fn run(name: &str, tables: &str, actors: &str, conditions: &[&str]) -> Vec<Finding> {
    let sometimes: Vec<String> = conditions.iter().map(|words| format!("{words:?}")).collect();
    let text = format!(
        "schema = 1\npromise = \"It is played.\"\n{tables}\n{actors}\n[reach]\n\
         sometimes = [{}]\n",
        sometimes.join(", ")
    );
    let scenario = scenario(name, &text);
    let findings = POLICIES.map(|policy| {
        let finding = check(&CodexDesign, under(&scenario, policy), &Effort::default());
        finding.unwrap_or_else(|errors| panic!("{errors}"))
    });
    for finding in &findings {
        let policy = &finding.subject.policy;
        println!("{name} under {policy}: {} runs", finding.summary.executions);
        assert!(finding.complete, "{name} under {policy}");
        for broken in &finding.broken {
            let of_the_run = OF_THE_RUN.iter().any(|(name, _)| *name == broken.property);
            assert!(!of_the_run, "{name} under {policy}: {} {}", broken.property, broken.what);
        }
    }
    findings.into()
}

/// That everything was reached, under every policy.
fn reached(findings: &[Finding]) {
    for finding in findings {
        let name = (&finding.subject.scenario.name, &finding.subject.policy);
        assert!(finding.missing.is_empty(), "{name:?} never: {:?}", finding.missing);
    }
}

const PARENT_AND_CHILD: &str = r#"
[[session]]
name = "main"

[[session]]
name     = "child"
parent   = "main"
reports  = ["result"]
requests = [[{ final = "it works" }]]

[model]
requests = [
  [{ tool = "send", sends = { id = "task", to = "child", trigger = true, text = "do it" } }],
  [{ final = "sent" }],
]
"#;

#[test]
fn a_tool_sends_mail_and_the_answer_comes_back() {
    let actors =
        format!("{USER}does = [{{ id = \"prompt\", start_or_steer = \"ask the child\" }}]");
    let conditions = [
        "task accepted before turn of task started",
        "task sampled in turn of task",
        "turn of task ended completed before result accepted",
        "result accepted before turn of prompt ended",
        "turn of prompt ended before result accepted",
        "result sampled in turn of prompt",
        "never result recorded",
    ];
    reached(&run("report_races_turn_end", PARENT_AND_CHILD, &actors, &conditions));
}

#[test]
fn mail_to_a_parent_that_has_ended_is_refused() {
    let parent_that_ends = r#"
[[session]]
name  = "main"
front = "serial"

[[session]]
name     = "child"
parent   = "main"
reports  = ["result"]
requests = [
  [{ hold = "bye returned" }, { tool = "tell", sends = { id = "news", to = "main", text = "ok" } }],
  [{ final = "it works" }],
]

[model]
requests = []
"#;
    let actors = "[[actor]]\nname = \"user\"\nsession = \"main\"\n\
                  does = [{ id = \"bye\", shutdown = true }]\n\
                  [[actor]]\nname = \"helper\"\nsession = \"child\"\n\
                  does = [{ id = \"task\", start_or_steer = \"help\" }]";
    let conditions = [
        "news ends refused",
        "news refused server_draining",
        "result ends refused",
        "never result accepted",
    ];
    reached(&run("child_mail_after_shutdown", parent_that_ends, actors, &conditions));
}

#[test]
fn a_run_is_forgotten_although_its_sessions_know_each_other() {
    let text = format!(
        "schema = 1\npromise = \"x\"\n{PARENT_AND_CHILD}\n{USER}does = [{{ id = \"prompt\", \
         start_or_steer = \"ask\" }}]\n"
    );
    let scenario = scenario("report_races_turn_end", &text);
    let subject = under(&scenario, "hardened");
    let judge = Judge::new(&CodexDesign, &subject);
    let options = options(&subject, Suspension::WhereItMatters);
    let program = |world: &World| judge.set_up(world);
    let mut names: Vec<String> = Vec::new();
    let mut runs = 0;
    explore(&options, Strategy::SourceDpor, Budget::default(), &program, &mut |run, _| {
        names = run.actors.iter().map(ToString::to_string).collect();
        let verdict = judge.judge(run).expect("every request is covered");
        let sessions = verdict.history.iter().flat_map(|history| &history.records);
        assert!(sessions.map(|record| record.session).max() == Some(1));
        runs += 1;
        Flow::Continue
    });
    assert!(names.contains(&"main: turn of prompt".to_owned()), "{names:?}");
    assert!(names.contains(&"child: turn of task".to_owned()), "{names:?}");
    drop(judge);
    // The sessions of a run hold their scenario, so what is left of them can be counted.
    drop(subject);
    assert_eq!(std::sync::Arc::strong_count(&scenario), 1, "after {runs} runs");
}

#[test]
fn hooks_speak_in_the_order_of_the_list() {
    let session = r#"
[session]
start_hooks = [{ pass = true }, { stop = true }]
stop_hooks  = [{ go_on = "check again" }, { pass = true }, { go_on = "never asked" }]
hooks       = [{ input = "prompt", verdict = "accept", context = "be brief" }]
[model]
requests = [[{ final = "done" }], [{ final = "done again" }]]
"#;
    let actors = format!(
        "{USER}does = [{{ id = \"prompt\", start_or_steer = \"go\" }},\n\
         {{ id = \"more\", start_or_steer = \"on\", when = \"turn of prompt task_done\" }}]"
    );
    let conditions = [
        "prompt sampled in turn of prompt",
        "request 2 ended before turn of prompt ended completed",
        "turn of more started",
        "never more sampled",
    ];
    reached(&run("hook_twice", session, &actors, &conditions));
}

#[test]
fn settings_are_applied_and_refused() {
    let session = r#"
[session]
settings = { effort = "low" }
forbid   = { effort = "max" }
[model]
requests = [[{ final = "done" }]]
"#;
    let actors = format!(
        "{USER}does = [\n\
         {{ id = \"wrong\", start_or_steer = \"go\", overrides = {{ effort = \"max\" }} }},\n\
         {{ id = \"tight\", forbid = {{ effort = \"high\" }} }},\n\
         {{ id = \"high\", settings = {{ effort = \"high\" }} }},\n\
         {{ id = \"plan\", settings = {{ mode = \"plan\", effort = \"none\" }} }},\n\
         {{ id = \"auto\", start_if_idle = \"go on\", automatic = true }},\n\
         {{ id = \"prompt\", start_or_steer = \"go\", overrides = {{ mode = \"default\" }},\n\
            context = {{ cwd = \"/tmp\" }}, client_id = \"c\", metadata = {{ ui = 1 }} }},\n]"
    );
    let conditions = [
        "wrong refused invalid_request",
        "never high applied",
        "plan applied",
        "auto refused plan_mode",
        "prompt applied before turn of prompt started",
        "prompt.cwd sampled in turn of prompt",
    ];
    reached(&run("settings_before_prompt", session, &actors, &conditions));
}

#[test]
fn tools_ask_wait_and_sleep() {
    let session = r#"
[model]
requests = [
  [{ tool = "shell", asks = "approval" }],
  [{ tool = "wait", waits = true }],
  [{ tool = "sleep", sleeps = true }],
  [{ final = "good night" }],
  [{ final = "good morning" }],
  [{ final = "and good day" }],
]
"#;
    let actors = format!(
        "{USER}does = [{{ id = \"prompt\", start_or_steer = \"go\" }},\n\
         {{ id = \"yes\", answer = \"y\", when = \"turn of prompt asks\" }},\n\
         {{ id = \"late\", answer = \"y\", to = \"nobody\" }},\n\
         {{ id = \"news\", mail = \"x\", when = \"turn of prompt ended\" }}]"
    );
    let conditions = [
        "turn of prompt asks before yes answered",
        "late dropped_answer",
        "turn of prompt stops_waiting",
        "news sampled",
        "news called before news sampled",
        "turn of news ended completed",
    ];
    reached(&run("tool_before_sleep", session, &actors, &conditions));
}

#[test]
fn history_is_compacted_by_the_next_script() {
    let session = r#"
[session]
context_full = true
[model]
requests = [[{ final = "a summary" }], [{ final = "done" }]]
"#;
    let actors = format!("{USER}does = [{{ id = \"prompt\", start_or_steer = \"go\" }}]");
    let conditions =
        ["request 1 ended before turn of prompt compacted", "answer shown", "request 2 began"];
    reached(&run("compaction_before_prompt", session, &actors, &conditions));
}

#[test]
fn reviews_compactions_and_the_end() {
    let session = r#"
[session]
front = "serial"
[model]
requests = [[{ final = "looks good" }], [{ final = "a summary" }]]
"#;
    let actors = format!(
        "{USER}does = [{{ id = \"look\", review = \"the diff\" }},\n\
         {{ id = \"squeeze\", compact = true, when = \"turn of look task_done\" }},\n\
         {{ id = \"close\", drain = true, when = \"turn of squeeze task_done\" }},\n\
         {{ id = \"late\", start_or_steer = \"go\" }},\n\
         {{ id = \"bye\", shutdown = true }}]"
    );
    let conditions = [
        "look began",
        "squeeze began before turn of squeeze compacted",
        "late refused server_draining",
        "bye returned",
    ];
    reached(&run("review_before_end", session, &actors, &conditions));
}
