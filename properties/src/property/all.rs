//! Every property of a session, with its words.
//!
//! Promises: the words name all exceptions. An engineer who reads them knows what a violation
//! means, and what is not one.

use super::{Property, answer, interrupt, landing, linearizable, order, routing, settings, turn};

/// All properties of a session, in the order in which they are listed.
pub const ALL: &[Property] = &[
    Property {
        name: "no_silent_loss",
        words: "Every input that was handed over is in the end in a visible place: in \
                a request, in history, still queued, handed back, refused, or cleared by \
                something that has a name; no compaction takes it out of history unread. An \
                interrupt that clears the pending list of its turn \
                counts as a name for what was sent to that turn, and not for mail.",
        check: landing::no_silent_loss,
    },
    Property {
        name: "accepted_is_sampled",
        words: "User input, response items and injections that were accepted for a turn are \
                sampled by that turn, or their owner is told what became of them (cleared, given \
                back, refused, moved). History alone is not enough. Mail is promised to no turn.",
        check: landing::accepted_is_sampled,
    },
    Property {
        name: "delivered_once",
        words: "No input enters history twice, and no input is new in two requests or twice in \
                one.",
        check: landing::delivered_once,
    },
    Property {
        name: "verdict_tells_the_truth",
        words: "Who is told `Started(t)` or `Steered(t)` has input that was accepted for t \
                (empty input aside; a recovery is told the turn that it meant); who is told \
                anything else has not, unless it was given back since.",
        check: landing::verdict_tells_the_truth,
    },
    Property {
        name: "rejected_leaves_no_trace",
        words: "An input that was refused, given back or cleared is never queued, drained, \
                recorded or sampled after that.",
        check: landing::rejected_leaves_no_trace,
    },
    Property {
        name: "left_mail_is_sampled_next_turn",
        words: "Mail that a turn took out of the mailbox is sampled in that turn if the turn \
                completes, or is put back.",
        check: landing::left_mail_is_sampled_next_turn,
    },
    Property {
        name: "single_active_turn",
        words: "A client never sees a turn start before the one before it has ended or was \
                suspended.",
        check: turn::single_active_turn,
    },
    Property {
        name: "one_terminal_per_turn",
        words: "A turn that a client saw start ends exactly once, and no turn ends that did not \
                start before. A turn that still occupies the slot when nobody can move may be \
                open. Being suspended stands for an end. A turn that was interrupted may be \
                recovered: then it starts, and ends, once more.",
        check: turn::one_terminal_per_turn,
    },
    Property {
        name: "answered_stays_answered",
        words: "After a final answer was shown, the same turn samples again only for user input, \
                an injection, a tool output or a tool call, for trigger mail that it had taken \
                before, or because the model itself or a stop hook said that it goes on. A \
                request that is cancelled before its first item does not count, nor does one \
                that compacts or reviews, nor the first one of a turn that was recovered.",
        check: turn::answered_stays_answered,
    },
    Property {
        name: "no_work_stranded_while_idle",
        words: "When the slot is empty and nobody can move, no trigger mail waits, unless the \
                session was ended. For an agent that sleeps until mail comes, any mail counts.",
        check: turn::no_work_stranded_while_idle,
    },
    Property {
        name: "no_leaked_reservation",
        words: "When nobody can move, the slot is not reserved.",
        check: turn::no_leaked_reservation,
    },
    Property {
        name: "abort_order",
        words: "An abort first asks the task to stop and waits for it (or for the grace), then \
                gives up answers that are waited for, clears what is pending and records the \
                marker, has it in the log, then says that the turn ended; nothing of that turn enters history after \
                its marker, except from the new task of a turn that was recovered. What a task \
                clears or gives up itself does not count.",
        check: interrupt::abort_order,
    },
    Property {
        name: "order_by_acceptance",
        words: "Of two mails, and of two explicit inputs of one turn, the one that was accepted \
                first enters history first. In one drain explicit input comes before mail, unless \
                the turn had taken that mail when it started.",
        check: order::order_by_acceptance,
    },
    Property {
        name: "callers_order_is_kept",
        words: "What one caller steers and then mails is read in that order: a turn that samples \
                both has the mail in no earlier request than the steer, if the caller was told \
                of the steer before it sent the mail. Where a drain takes the turn's own list \
                and the mailbox in two steps, as in `codex_0_149`, mail may be one request \
                early: `mail_overtakes_steer`.",
        check: order::callers_order_is_kept,
    },
    Property {
        name: "automatic_start_yields_to_trigger_mail",
        words: "An automatic start that makes its reservation while trigger mail waits is \
                refused, unless somebody else takes that mail first.",
        check: order::automatic_start_yields_to_trigger_mail,
    },
    Property {
        name: "data_before_signal",
        words: "Activity is published after the input that it announces can be found.",
        check: order::data_before_signal,
    },
    Property {
        name: "verdict_needs_no_one_else",
        words: "While a submission is carried out by its caller, it waits for no hook, log, model, \
                tool or task. A start that has made its reservation may be prepared. Behind a \
                loop nothing can be seen of this.",
        check: answer::verdict_needs_no_one_else,
    },
    Property {
        name: "settings_follow_the_verdict",
        words: "Settings of a submission that is refused are not applied; of one that steers, \
                once, for later turns; of one that starts, once, with the context of its turn; \
                of an edit by itself, once, if it is told so. All requests of a turn are made \
                under the settings with which it started. Of a caller who went away nothing is \
                known.",
        check: settings::settings_follow_the_verdict,
    },
    Property {
        name: "plan_refuses_automatic_starts",
        words: "No turn that nobody asked for by user input starts under settings whose mode \
                somebody has set to Plan. Recoveries, continuations, successors and turns for \
                mail may.",
        check: settings::plan_refuses_automatic_starts,
    },
    Property {
        name: "a_steer_is_one_batch",
        words: "An input and the context that comes with it are accepted, taken and recorded in \
                one piece, context first. Context that the session knows already does not count; \
                a hook may keep the input itself out and leave its context; empty input is no \
                part of it.",
        check: settings::a_steer_is_one_batch,
    },
    Property {
        name: "every_request_answered",
        words: "When nobody can move, every command was answered, except a wait for activity; \
                whoever waited for an answer from outside got one, or was told that none comes, \
                if its turn is over; who answers is told that somebody took the answer if, and \
                only if, somebody did.",
        check: answer::every_request_answered,
    },
    Property {
        name: "hook_block_releases",
        words: "A hook that blocks an input of a turn that completes holds up nothing else: \
                explicit input that was taken together with it is sampled by that turn, and \
                everything else that was taken then or later is in a visible place. Leftovers \
                that are taken when the turn ends need not be sampled.",
        check: routing::hook_block_releases,
    },
    Property {
        name: "not_steerable_is_safe",
        words: "No explicit input is queued on a review or compaction, and input that was \
                refused because of one starts no turn.",
        check: routing::not_steerable_is_safe,
    },
    Property {
        name: "steer_hits_its_turn",
        words: "Input that is meant for one turn is queued on that turn or not at all.",
        check: routing::steer_hits_its_turn,
    },
    Property {
        name: "continue_follows_its_turn",
        words: "A continuation that names the turn which it follows takes the slot only if no \
                other turn has run since.",
        check: routing::continue_follows_its_turn,
    },
    Property {
        name: "cut_implies_follow_up",
        words: "A request that is cut for waiting input is followed by another of the same turn, \
                unless the turn is stopped or fails, or a hook keeps that input out.",
        check: routing::cut_implies_follow_up,
    },
    Property {
        name: "interrupt_hits_what_it_names",
        words: "An interrupt that names a turn stops and ends that turn or none, and a turn is \
                interrupted only if somebody has named it before, or has named none (an aborted \
                approval and the end of a session name none); who names none stops one turn. A \
                suspension tells which turn it stopped.",
        check: interrupt::interrupt_hits_what_it_names,
    },
    Property {
        name: "done_is_heard",
        words: "An abort that begins to wait for a task that has ended does not wait for its \
                grace to be over. A turn that was recovered had two tasks, and does not count.",
        check: interrupt::done_is_heard,
    },
    Property {
        name: "waits_end_on_input",
        words: "A tool that waits for activity does not run out of time while explicit input \
                waits on its turn, neither taken nor cleared.",
        check: answer::waits_end_on_input,
    },
    Property {
        name: "compaction_resumes_first",
        words: "After a compaction in the middle of a tool exchange, the next request of that \
                task takes nothing that waits on the turn, mail aside. A compaction before the \
                first request is in the middle of nothing, and so is one after a request that was \
                cut.",
        check: settings::compaction_resumes_first,
    },
    Property {
        name: "turns_end_themselves",
        words: "The task of one turn does not take another turn out of the slot.",
        check: turn::turns_end_themselves,
    },
    Property {
        name: "no_turn_for_nothing",
        words: "A turn that nobody asked for takes or records something that waited before its \
                first request of its own. What a submission started, and what was recovered, was \
                asked for.",
        check: turn::no_turn_for_nothing,
    },
    Property {
        name: "no_turn_after_close",
        words: "After a session was closed, by its end or by a suspension, no turn takes the slot.",
        check: turn::no_turn_after_close,
    },
    Property {
        name: "no_start_while_draining",
        words: "Once the host drains, no submission is given a turn of its own, unless a parent \
                turn delegates it. Turns for mail, reviews and compactions may start.",
        check: settings::no_start_while_draining,
    },
    Property {
        name: "constraints_are_kept",
        words: "No edit takes effect with a value that was forbidden before it, while the session \
                ran.",
        check: settings::constraints_are_kept,
    },
    Property {
        name: "known_context_was_told",
        words: "Context that is left out of a submission because the session knows it is in \
                history, in a request, or still waits, unless that submission was itself \
                cleared.",
        check: settings::known_context_was_told,
    },
    Property {
        name: "no_turn_abandoned",
        words: "When nobody can move, the turn that has the slot has a task that has not ended.",
        check: turn::no_turn_abandoned,
    },
    Property {
        name: "linearizable",
        words: "What was answered, taken, sampled and told can be explained by an order of the \
                atomic steps that the design promises: each actor's own order, and with relation \
                `r` real time.",
        check: linearizable::linearizable,
    },
];
