//! The rule against a model of the bridge.
//!
//! Random schedules move a simulated bridge. At random moments it renders its `/health`; what the package says of it is
//! compared with what the model then does to a caller who spawns that many turns at once.
//!
//! `PROPTEST_CASES` sets the number of schedules, `PROPTEST_RNG_SEED` the seed.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a model that fails has to say so"
)]

#[path = "model/bridge.rs"]
mod bridge;
#[path = "model/wire.rs"]
mod wire;

use std::cell::Cell;

use bridge_admission::capacity::{GATES, Reading, gates, limiting};
use bridge_admission::failure::{Classification, Kind, Reason, Record, classify};
use bridge_admission::health::Health;
use bridge_admission::intent::{Executor, Intent, Lane};
use bridge_admission::refusal::{NEVER, refusal};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

use bridge::{Backend, Bridge, Class, Id, Limits, Ms, Outcome, Settings, Stage, Turn};

/// As many as a debug build plays in a few seconds.
const SCHEDULES: u32 = 1_500;
/// Within this many a broken rule has to be caught.
const SCHEDULES_TO_CATCH: u32 = 1_000;
/// Longer than any deadline of the model, in ms.
const EVER: Ms = 1_000_000;
/// How many characters of a body the runtime keeps in its error.
const RUNTIME_KEEPS: usize = 300;
const SEED: u64 = 0x0b21_d6e5;

/// What happens to the bridge. Numbers that pick one of many are taken modulo how many there are.
#[derive(Clone, Debug)]
enum Event {
    Arrive(Turn),
    End(usize),
    Abort(usize),
    Pass(Ms),
    Probe,
    Limit {
        admission: usize,
        host: usize,
        scoped_host: usize,
    },
    /// A caller asks, and spawns where it is let.
    Ask {
        turn: Turn,
        slots: u8,
    },
}

#[derive(Clone, Debug)]
struct Schedule {
    settings: Settings,
    events: Vec<Event>,
}

/// What a rule says of a body.
struct Answer {
    refusal: Option<String>,
    free: Option<f64>,
}

type Rule = fn(&Health, &Intent) -> Answer;

/// The package's own.
fn rule(health: &Health, intent: &Intent) -> Answer {
    Answer { refusal: refusal(health, intent, None), free: limiting(health, intent).map(|gate| gate.free()) }
}

fn turn() -> impl Strategy<Value = Turn> {
    let class = prop_oneof![3 => Just(Class::Bulk), 2 => Just(Class::Reserved)];
    let backend = prop_oneof![
        3 => Just(Backend::Host),
        5 => Just(Backend::Scoped),
        1 => Just(Backend::ScopedBulk),
        1 => Just(Backend::NoSlot),
    ];
    (class, backend, prop::bool::weighted(0.2)).prop_map(|(class, backend, retained)| Turn {
        class,
        backend,
        retained,
    })
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => turn().prop_map(Event::Arrive),
        4 => any::<usize>().prop_map(Event::End),
        1 => any::<usize>().prop_map(Event::Abort),
        2 => (0..40_000_u64).prop_map(Event::Pass),
        1 => Just(Event::Probe),
        1 => (1..9_usize, 1..7_usize, 1..7_usize)
            .prop_map(|(admission, host, scoped_host)| Event::Limit { admission, host, scoped_host }),
        8 => (turn(), 1..8_u8).prop_map(|(turn, slots)| Event::Ask { turn, slots }),
    ]
}

fn limits(max: std::ops::Range<usize>, reserved: std::ops::Range<usize>) -> impl Strategy<Value = Limits> {
    (max, reserved, 500..60_000_u64, 0..17_usize).prop_map(|(max, reserved, wait_ms, max_queue)| Limits {
        max,
        reserved,
        wait_ms,
        max_queue,
    })
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let settings = (
        limits(1..9, 0..4),
        limits(1..7, 0..1),
        limits(1..7, 0..4),
        prop::bool::weighted(0.7),
        prop::bool::weighted(0.1),
        prop_oneof![2 => Just(0_u64), 1 => 0..6_000_u64],
    )
        .prop_map(|(admission, host, scoped_host, user_manager, old, probe_ms)| {
            // The executors' queues have no bound. A bulk lane of no slots at all is no gate to the rule.
            let host = Limits { max_queue: usize::MAX, ..host };
            let reserved = scoped_host.reserved.min(scoped_host.max - 1);
            let scoped_host = Limits { max_queue: usize::MAX, reserved, ..scoped_host };
            Settings { admission, host, scoped_host, user_manager, old, probe_ms }
        });
    (settings, vec(event(), 0..60)).prop_map(|(settings, events)| Schedule { settings, events })
}

/// Plays the schedule. An error is a violation.
fn play(schedule: &Schedule, rule: Rule, asked: &Cell<u64>) -> Result<(), TestCaseError> {
    let mut bridge = Bridge::new(schedule.settings);
    for event in &schedule.events {
        match event {
            Event::Arrive(turn) => {
                bridge.arrive(*turn);
            }
            Event::End(pick) => {
                if let Some(id) = picked(&bridge.running(), *pick) {
                    bridge.end(id);
                }
            }
            Event::Abort(pick) => {
                if let Some(id) = picked(&bridge.waiting(), *pick) {
                    bridge.abort(id);
                }
            }
            Event::Pass(ms) => bridge.advance(*ms),
            Event::Probe => bridge.probe(),
            Event::Limit { admission, host, scoped_host } => bridge.limit(*admission, *host, *scoped_host),
            Event::Ask { turn, slots } => {
                asked.set(asked.get() + 1);
                bridge = ask(bridge, *turn, *slots, rule)?;
            }
        }
    }
    Ok(())
}

fn picked(ids: &[u64], pick: usize) -> Option<u64> {
    pick.checked_rem(ids.len()).map(|place| ids[place])
}

/// A caller asks for room for `slots` turns. The bridge after it: with the turns in it, where they were admitted.
fn ask(mut bridge: Bridge, turn: Turn, slots: u8, rule: Rule) -> Result<Bridge, TestCaseError> {
    bridge.probe();
    let health = Health::from_json(&wire::health(&bridge)).unwrap();
    let told = Told::of(turn);
    let hinted = rule(&health, &told.intent(slots));
    let unhinted = rule(&health, &Told { executor: Executor::Unknown, ..told }.intent(slots));
    let refused = hinted.refusal.is_some();

    let (after, turns, started) = spawned(&bridge, turn, slots);
    let all_start = started == slots;
    if !bridge.settings.old {
        prop_assert!(refused || all_start, "admitted, but {} of {} start", started, slots);
        // A host semaphore that is idle is taken for unused, so without a hint its limit alone is not seen.
        let seen = usize::from(slots) <= bridge.host.limits.max;
        prop_assert!(
            unhinted.refusal.is_some() || all_start || !seen,
            "admitted without a hint: {} start",
            started
        );
    }
    if told.exact {
        prop_assert!(!refused || !all_start, "all start, but: {:?}", hinted.refusal);
    }
    if told.exact && !bridge.settings.old {
        let foretold = hinted.free.map_or(f64::from(slots), |free| free.min(f64::from(slots)));
        prop_assert!(
            f64::from(started).total_cmp(&foretold).is_eq(),
            "{} start, free is {:?}",
            started,
            hinted.free
        );
    }
    if told.exact && hinted.refusal.is_some_and(|text| text.contains(NEVER)) {
        let (_, _, started) = spawned(&bridge.emptied(), turn, slots);
        prop_assert!(started < slots, "can never fit, but does");
    }
    told_apart(after.clone(), &turns)?;
    Ok(if refused { bridge } else { after })
}

/// The bridge after `slots` turns came at once, these turns, and how many of them run.
fn spawned(bridge: &Bridge, turn: Turn, slots: u8) -> (Bridge, Vec<Id>, u8) {
    let mut after = bridge.clone();
    let turns: Vec<Id> = (0..slots).map(|_| after.arrive(turn)).collect();
    let started = turns.iter().filter(|id| after.stage(**id) == Some(Stage::Running)).count();
    (after, turns, u8::try_from(started).unwrap())
}

/// Nobody gives a slot back: each of the turns either runs, and then fails, or waits until it is refused. What the bridge
/// answers tells the two apart.
fn told_apart(mut bridge: Bridge, turns: &[Id]) -> Result<(), TestCaseError> {
    bridge.advance(EVER);
    for id in turns.iter().filter(|id| bridge.running().contains(id)).copied().collect::<Vec<Id>>() {
        bridge.end(id);
    }
    for (_, outcome) in bridge.ended.iter().filter(|(id, _)| turns.contains(id)) {
        let body = wire::answer(outcome, bridge.settings.old);
        let framed: String = body.chars().take(RUNTIME_KEEPS).collect();
        for text in [body, format!("bridgeExecutor: bridge 502: {framed}")] {
            let Classification { kind, reason, waited_ms, retry_safe, .. } =
                classify(&Record::from_text(&text), 0.0);
            let (expected, counts) = match outcome {
                Outcome::AcquireTimeout(_, counts) => (Some(Reason::AcquireTimeout), Some(counts)),
                Outcome::QueueTimeout(counts) => (Some(Reason::QueueTimeout), Some(counts)),
                Outcome::QueueFull(_) => (Some(Reason::QueueFull), None),
                Outcome::Ran | Outcome::Aborted => (None, None),
            };
            let capacity = expected.is_some();
            prop_assert_eq!(kind, if capacity { Kind::Capacity } else { Kind::Provider }, "{}", text);
            prop_assert_eq!((retry_safe, reason), (capacity, expected), "{}", text);
            let waited = waited_ms.map(|ms| format!("{ms}"));
            prop_assert_eq!(waited, counts.map(|counts| counts.waited.to_string()), "{}", text);
        }
    }
    Ok(())
}

/// What a caller that knows its turn tells the package of it.
#[derive(Clone, Copy)]
struct Told {
    lane: Lane,
    executor: Executor,
    /// No hint says this turn exactly: reserved at admission, bulk at scoped-host. Such a caller passes for bulk.
    exact: bool,
}

impl Told {
    fn of(turn: Turn) -> Self {
        let two_faced = turn.class == Class::Reserved && turn.backend == Backend::ScopedBulk;
        let lane = match turn.class {
            _ if turn.retained => Lane::None,
            Class::Reserved if !two_faced => Lane::Reserved,
            _ => Lane::Bulk,
        };
        let executor = match turn.backend {
            Backend::Host => Executor::Host,
            Backend::Scoped | Backend::ScopedBulk => Executor::ScopedHost,
            Backend::NoSlot => Executor::None,
        };
        Self { lane, executor, exact: turn.retained || !two_faced }
    }

    fn intent(self, slots: u8) -> Intent {
        Intent::new(f64::from(slots), self.lane, self.executor).unwrap()
    }
}

fn config(schedules: u32) -> Config {
    let rng_seed = match Config::default().rng_seed {
        RngSeed::Random => RngSeed::Fixed(SEED),
        given @ RngSeed::Fixed(_) => given,
    };
    Config { cases: schedules, rng_seed, failure_persistence: None, ..Config::default() }
}

#[test]
fn the_package_says_what_the_bridge_does() {
    let given = std::env::var("PROPTEST_CASES").is_ok();
    let schedules = if given { Config::default().cases } else { SCHEDULES };
    let asked = Cell::new(0_u64);
    let outcome =
        TestRunner::new(config(schedules)).run(&schedule(), |schedule| play(&schedule, rule, &asked));
    if let Err(error) = outcome {
        panic!("{error}");
    }
    println!("{schedules} schedules, {} questions", asked.get());
    assert!(asked.get() > u64::from(schedules), "the schedules ask too little");
}

/// Rules that are wrong in one way each.
const BROKEN: [(&str, Rule); 15] = [
    ("no executor gate", |health, intent| without(GATES[0].name, health, intent)),
    ("no scoped-host bulk lane gate", |health, intent| without(GATES[1].name, health, intent)),
    ("no scoped-host gate", |health, intent| without(GATES[2].name, health, intent)),
    ("no bulk admission gate", |health, intent| without(GATES[3].name, health, intent)),
    ("no admission gate", |health, intent| without(GATES[4].name, health, intent)),
    ("> for >=", |health, intent| decided(gates(health, intent), |gate| gate.free() > intent.slots())),
    ("full only beyond the limit", |health, intent| {
        decided(gates(health, intent), |gate| gate.limit - gate.active + 1.0 >= intent.slots())
    }),
    ("one slot, whatever is intended", |health, intent| {
        decided(gates(health, intent), |gate| gate.has_room(1.0))
    }),
    ("queued subtracted", |health, intent| {
        let queued = |gate: &Reading| gate.semaphore().map_or(0.0, |of| of.queued);
        decided(gates(health, intent), |gate| gate.limit - gate.active - queued(gate) >= intent.slots())
    }),
    ("lane ignored: all bulk", |health, intent| told(health, intent, Lane::Bulk, intent.executor)),
    ("lane ignored: all reserved", |health, intent| told(health, intent, Lane::Reserved, intent.executor)),
    ("lane ignored: none admitted", |health, intent| told(health, intent, Lane::None, intent.executor)),
    ("executor ignored", |health, intent| told(health, intent, intent.lane, Executor::Unknown)),
    ("scoped-host always in use", |health, intent| {
        rule(&Health { scoped_host_acquires: 1.0, ..*health }, intent)
    }),
    ("scoped-host never in use", |health, intent| {
        rule(
            &Health { scoped_host_acquires: 0.0, scoped_host: Health::UNREPORTED.scoped_host, ..*health },
            intent,
        )
    }),
];

/// The rule, without one of its gates.
fn without(name: &str, health: &Health, intent: &Intent) -> Answer {
    decided(gates(health, intent).filter(|gate| gate.gate.name != name), |gate| gate.has_room(intent.slots()))
}

/// The rule, told something else.
fn told(health: &Health, intent: &Intent, lane: Lane, executor: Executor) -> Answer {
    rule(health, &Intent::new(intent.slots(), lane, executor).unwrap())
}

fn decided<'a>(gates: impl Iterator<Item = Reading<'a>>, has_room: impl Fn(&Reading) -> bool) -> Answer {
    let gates: Vec<Reading> = gates.collect();
    let refusing = gates.iter().find(|gate| !has_room(gate));
    Answer {
        refusal: refusing.map(|gate| gate.gate.name.to_owned()),
        free: gates.iter().map(Reading::free).reduce(f64::min),
    }
}

#[test]
fn a_broken_rule_is_caught() {
    for (name, broken) in BROKEN {
        let played = Cell::new(0_u32);
        let config = Config { max_shrink_iters: 0, ..config(SCHEDULES_TO_CATCH) };
        let outcome = TestRunner::new(config).run(&schedule(), |schedule| {
            played.set(played.get() + 1);
            play(&schedule, broken, &Cell::new(0))
        });
        match outcome {
            Err(TestError::Fail(violation, _)) => {
                println!("{name}: caught by schedule {}: {violation}", played.get());
            }
            other => panic!("{name}: not caught within {SCHEDULES_TO_CATCH} schedules: {other:?}"),
        }
    }
}
