//! The Node-API glue: values in, values out, no decision.
//!
//! The hints of a caller arrive as one number, made by the face from the positions in [`LANES`] and [`EXECUTORS`].

mod api;
mod failure;

use api::{Call, Function, Js, Result, Thrown};

use crate::capacity::{gates, is_counter, limiting};
use crate::error::{Misuse, WANTED};
use crate::health::{Health, counter_paths};
use crate::intent::{EXECUTORS, Executor, Intent, LANES, Lane, Route};
use crate::refusal::refusal;

/// What the face calls, with the arguments of each.
static FUNCTIONS: &[Function] = &[
    // (text: string, slots: number, hints: number) → string | undefined
    Function { name: c"refusalOfText", run: |call| answer(call, of_text) },
    // (bytes: Uint8Array, slots, hints, url?: string) → string | undefined
    Function { name: c"refusalOfBytes", run: |call| answer(call, of_bytes) },
    // (counters: Uint8Array, slots, hints) → string | undefined
    Function { name: c"refusalOfCounters", run: |call| answer(call, of_counters) },
    // As the three above → what bridgeCapacity answers
    Function { name: c"capacityOfText", run: |call| capacity(call, of_text) },
    Function { name: c"capacityOfBytes", run: |call| capacity(call, of_bytes) },
    Function { name: c"capacityOfCounters", run: |call| capacity(call, of_counters) },
    // (slots, hints) → undefined; throws where the intent is misuse
    Function { name: c"checkIntent", run: |call| intent(call, 0).map(|_| Js::Undefined) },
    // () → string[][]: where each counter stands in a parsed body
    Function { name: c"counterPaths", run: |_| Ok(counter_paths().into_iter().map(Js::from_iter).collect()) },
    // () → string[]: the names of the lanes, in the order of their codes
    Function { name: c"lanes", run: |_| Ok(LANES.into_iter().map(|(name, _)| name).collect()) },
    // () → string[]: likewise of the executors; the first, without a name, is for callers that give none
    Function { name: c"executors", run: |_| Ok(EXECUTORS.into_iter().map(|(name, _)| name).collect()) },
    // (model: string) → the code of the executor that it tells; null where the turn passes no gate at all
    Function { name: c"executorOfModel", run: executor_of_model },
    // (wanted: string, got: string) → never; throws the error for a misused value, written as a person would
    Function { name: c"throwMisuse", run: throw_misuse },
    // () → what the face gathers of a failure, and how much
    Function { name: c"failureTable", run: |_| Ok(failure::table()) },
    // (events: (string | number | boolean)[], now: ms) → what classifyFailure answers
    Function { name: c"classifyEvents", run: failure::classify_events },
    #[cfg(feature = "panic-probe")]
    Function { name: c"panicProbe", run: panic_probe },
];

fn of_text(call: &Call) -> Result<Option<Health>> {
    call.with_narrowed_text(0, Health::from_text)
}

fn of_bytes(call: &Call) -> Result<Option<Health>> {
    call.with_narrowed_bytes(0, Health::from_text)
}

/// The counters in the order of `counterPaths`, NaN where unreported. They come as the bytes of a `Float64Array`: of all
/// typed arrays Node-API finds a `Uint8Array` quickest.
fn of_counters(call: &Call) -> Result<Option<Health>> {
    call.with_bytes(0, |bytes| {
        let (doubles, _) = bytes.as_chunks();
        Some(Health::from_counters(doubles.iter().map(|bytes| f64::from_ne_bytes(*bytes))))
    })
}

/// Where the slots stand among the arguments of a function that takes a body. The hints come next, then the URL.
const SLOTS: usize = 1;
const URL: usize = 3;

type Reader = fn(&Call) -> Result<Option<Health>>;

fn answer(call: &Call, read: Reader) -> Result<Js> {
    let intent = intent(call, SLOTS)?;
    let health = read(call)?;
    let url = call.optional_text(URL)?;
    Ok(health.and_then(|health| refusal(&health, &intent, url.as_deref())).into())
}

fn capacity(call: &Call, read: Reader) -> Result<Js> {
    let intent = intent(call, SLOTS)?;
    let health = read(call)?.unwrap_or(Health::UNREPORTED);
    let limiting = limiting(&health, &intent);
    let gates = gates(&health, &intent).map(|gate| {
        let semaphore = gate.semaphore();
        let reported = |counter: f64| is_counter(counter).then_some(counter);
        Js::Object(vec![
            (c"name", gate.gate.name.into()),
            (c"active", gate.active.into()),
            (c"limit", gate.limit.into()),
            (c"free", gate.free().into()),
            (c"queued", semaphore.and_then(|of| reported(of.queued)).into()),
            (c"acquireDeadlineMs", semaphore.and_then(|of| reported(of.acquire_deadline_ms)).into()),
        ])
    });
    Ok(Js::Object(vec![
        (c"free", limiting.map_or(Js::Null, |gate| gate.free().into())),
        (c"gates", gates.collect()),
        (c"limiting", limiting.map(|gate| gate.gate.name).into()),
    ]))
}

fn intent(call: &Call, at: usize) -> Result<Intent> {
    let (slots, hints) = (call.number(at)?, call.code(at.saturating_add(1))?);
    let (lane, executor) = hinted(hints).ok_or(Thrown::Face("hints that the face never makes"))?;
    Ok(Intent::new(slots, lane, executor)?)
}

/// `hints` is the code of the lane plus the number of lanes times the code of the executor.
fn hinted(hints: u32) -> Option<(Lane, Executor)> {
    let hints = usize::try_from(hints).ok()?;
    let lane = LANES.get(hints.checked_rem(LANES.len())?)?;
    let executor = EXECUTORS.get(hints.checked_div(LANES.len())?)?;
    Some((lane.1, executor.1))
}

fn executor_of_model(call: &Call) -> Result<Js> {
    Ok(match Route::of_model(&call.text(0)?) {
        Route::Executor(executor) => (0_u32..)
            .zip(EXECUTORS)
            .find(|(_, row)| row.1 == executor)
            .map(|(code, _)| f64::from(code))
            .into(),
        Route::Ungated => Js::Null,
    })
}

fn throw_misuse(call: &Call) -> Result<Js> {
    let (wanted, got) = (call.text(0)?, call.text(1)?);
    let row = WANTED.iter().find(|(name, _)| *name == wanted);
    let (_, wanted) = *row.ok_or(Thrown::Face("a misuse that the face never names"))?;
    Err(Misuse { wanted, got }.into())
}

/// Panics, as no other function should.
#[cfg(feature = "panic-probe")]
#[expect(clippy::panic, reason = "it is what the tests want to see caught")]
fn panic_probe(_: &Call) -> Result<Js> {
    panic!("the probe panicked");
}
