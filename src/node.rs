//! The Node-API glue: values in, values out, no decision.
//!
//! Every function catches a panic and throws it as an error. The hints of a caller arrive as one number, made by the
//! face from the positions in [`LANES`] and [`EXECUTORS`].

mod failure;

use std::cell::RefCell;
use std::{ptr, slice};

use napi::bindgen_prelude::{Either, JsValue, Null, ToNapiValue, Unknown};
use napi::{Env, Error, JsString, Result, Status, check_status, sys};
use napi_derive::napi;

use crate::capacity::{gates, is_counter, limiting};
use crate::error::{Class, Misuse, WANTED};
use crate::health::{Health, counter_paths};
use crate::intent::{EXECUTORS, Executor, Intent, LANES, Lane, Route};
use crate::refusal::refusal;

/// Text is copied here to be read. More than a body may have is not kept between calls.
const SCRATCH_KEPT: usize = 4 << 20;

/// The last character of ASCII.
const DEL: u16 = 0x7F;

struct Scratch {
    units: Vec<u16>,
    bytes: Vec<u8>,
}

impl Scratch {
    const EMPTY: Self = Self { units: Vec::new(), bytes: Vec::new() };
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::EMPTY) };
}

/// A refusal, or `undefined`.
pub struct Answer(Option<String>);

impl ToNapiValue for Answer {
    #[expect(unsafe_code, reason = "the trait is unsafe; the work is left to napi's own conversions")]
    unsafe fn to_napi_value(env: sys::napi_env, answer: Self) -> Result<sys::napi_value> {
        // Node-API takes a NULL for undefined.
        let Some(text) = answer.0 else { return Ok(ptr::null_mut()) };
        // SAFETY: `env` is the environment of the running call.
        unsafe { String::to_napi_value(env, text) }
    }
}

/// The refusal for the JSON text of a body.
#[napi(catch_unwind, ts_return_type = "string | undefined")]
pub fn refusal_of_text(env: Env, text: JsString, slots: f64, hints: u32) -> Result<Answer> {
    let intent = intent(env, slots, hints)?;
    let health = health_of_text(env, text)?;
    Ok(answer(health.as_ref(), &intent, None))
}

/// The refusal for the JSON bytes of a body. `url` is the bridge's, where it is known.
#[napi(catch_unwind, ts_return_type = "string | undefined")]
pub fn refusal_of_bytes(
    env: Env,
    #[napi(ts_arg_type = "Uint8Array")] bytes: Unknown,
    slots: f64,
    hints: u32,
    url: Option<JsString>,
) -> Result<Answer> {
    let intent = intent(env, slots, hints)?;
    let health = with_bytes(env, &bytes, &mut Health::from_json)?;
    let url = url.map(owned).transpose()?;
    Ok(answer(health.as_ref(), &intent, url.as_deref()))
}

/// The refusal for the bytes of a `Float64Array`: the counters in the order of `counterPaths`, NaN where unreported.
#[napi(catch_unwind, ts_return_type = "string | undefined")]
pub fn refusal_of_counters(
    env: Env,
    #[napi(ts_arg_type = "Uint8Array")] counters: Unknown,
    slots: f64,
    hints: u32,
) -> Result<Answer> {
    let intent = intent(env, slots, hints)?;
    let health = with_counters(env, &counters)?;
    Ok(answer(health.as_ref(), &intent, None))
}

/// What `bridgeCapacity` answers.
#[napi(object, object_from_js = false)]
pub struct Capacity {
    /// How many slots are free over all gates; `null` where no gate is reported.
    pub free: Either<f64, Null>,
    /// The gate with the fewest free slots, the first of equals.
    pub limiting: Option<&'static str>,
    /// The gates that apply, in the order in which they are checked.
    pub gates: Vec<GateReading>,
}

/// One gate of a `Capacity`.
#[napi(object, object_from_js = false)]
pub struct GateReading {
    /// The gate's name, as refusals call it.
    pub name: &'static str,
    /// What is taken.
    pub active: f64,
    /// What there is in all.
    pub limit: f64,
    /// What is left, at least 0.
    pub free: f64,
    /// Spawns that wait, where the gate is an executor's and reports it.
    pub queued: Option<f64>,
    /// How long a spawn waits before it is refused, in ms, likewise.
    pub acquire_deadline_ms: Option<f64>,
}

/// The capacity for the JSON text of a body.
#[napi(catch_unwind)]
pub fn capacity_of_text(env: Env, text: JsString, slots: f64, hints: u32) -> Result<Capacity> {
    let intent = intent(env, slots, hints)?;
    let health = health_of_text(env, text)?;
    Ok(capacity(&health.unwrap_or(Health::UNREPORTED), &intent))
}

/// The capacity for the JSON bytes of a body.
#[napi(catch_unwind)]
pub fn capacity_of_bytes(
    env: Env,
    #[napi(ts_arg_type = "Uint8Array")] bytes: Unknown,
    slots: f64,
    hints: u32,
) -> Result<Capacity> {
    let intent = intent(env, slots, hints)?;
    let health = with_bytes(env, &bytes, &mut Health::from_json)?;
    Ok(capacity(&health.unwrap_or(Health::UNREPORTED), &intent))
}

/// The capacity for the bytes of a `Float64Array`: the counters in the order of `counterPaths`, NaN where unreported.
#[napi(catch_unwind)]
pub fn capacity_of_counters(
    env: Env,
    #[napi(ts_arg_type = "Uint8Array")] counters: Unknown,
    slots: f64,
    hints: u32,
) -> Result<Capacity> {
    let intent = intent(env, slots, hints)?;
    let health = with_counters(env, &counters)?;
    Ok(capacity(&health.unwrap_or(Health::UNREPORTED), &intent))
}

/// Where each counter stands in a parsed body.
#[napi(js_name = "counterPaths", catch_unwind)]
#[must_use]
pub fn js_counter_paths() -> Vec<Vec<&'static str>> {
    counter_paths()
}

/// The names of the lanes, in the order of their codes.
#[napi(catch_unwind)]
#[must_use]
pub fn lanes() -> Vec<&'static str> {
    LANES.map(|(name, _)| name).into()
}

/// The names of the executors, in the order of their codes. The first, without a name, is for callers that give none.
#[napi(catch_unwind)]
#[must_use]
pub fn executors() -> Vec<&'static str> {
    EXECUTORS.map(|(name, _)| name).into()
}

/// The code of the executor that a model's name tells; `null` where the turn passes no gate at all.
#[napi(catch_unwind)]
pub fn executor_of_model(model: JsString) -> Result<Option<u32>> {
    Ok(match Route::of_model(&owned(model)?) {
        Route::Executor(executor) => {
            EXECUTORS.iter().position(|row| row.1 == executor).and_then(|code| code.try_into().ok())
        }
        Route::Ungated => None,
    })
}

/// Throws where the intent is misuse.
#[napi(catch_unwind)]
pub fn check_intent(env: Env, slots: f64, hints: u32) -> Result<()> {
    intent(env, slots, hints).map(|_| ())
}

/// Throws the error for a misused value; `got` is the value as a person would write it.
#[napi(catch_unwind, ts_return_type = "never")]
pub fn throw_misuse(env: Env, wanted: JsString, got: JsString) -> Result<()> {
    let (wanted, got) = (owned(wanted)?, owned(got)?);
    let (_, wanted) = *WANTED
        .iter()
        .find(|(name, _)| *name == wanted)
        .ok_or_else(|| Error::new(Status::InvalidArg, "a misuse that the face never names"))?;
    Err(throw(env, &Misuse { wanted, got }))
}

/// Panics, as no other function should.
#[cfg(feature = "panic-probe")]
#[napi(catch_unwind)]
#[expect(clippy::panic, reason = "it is what the tests want to see caught")]
pub fn panic_probe() {
    panic!("the probe panicked");
}

fn answer(health: Option<&Health>, intent: &Intent, url: Option<&str>) -> Answer {
    Answer(health.and_then(|health| refusal(health, intent, url)))
}

fn capacity(health: &Health, intent: &Intent) -> Capacity {
    let limiting = limiting(health, intent);
    Capacity {
        free: limiting.map_or(Either::B(Null), |gate| Either::A(gate.free())),
        limiting: limiting.map(|gate| gate.gate.name),
        gates: gates(health, intent)
            .map(|gate| {
                let semaphore = gate.semaphore();
                GateReading {
                    name: gate.gate.name,
                    active: gate.active,
                    limit: gate.limit,
                    free: gate.free(),
                    queued: semaphore.map(|of| of.queued).filter(|queued| is_counter(*queued)),
                    acquire_deadline_ms: semaphore
                        .map(|of| of.acquire_deadline_ms)
                        .filter(|ms| is_counter(*ms)),
                }
            })
            .collect(),
    }
}

fn intent(env: Env, slots: f64, hints: u32) -> Result<Intent> {
    let (lane, executor) =
        hinted(hints).ok_or_else(|| Error::new(Status::InvalidArg, "hints that the face never makes"))?;
    Intent::new(slots, lane, executor).map_err(|misuse| throw(env, &misuse))
}

/// `hints` is the code of the lane plus the number of lanes times the code of the executor.
fn hinted(hints: u32) -> Option<(Lane, Executor)> {
    let hints = usize::try_from(hints).ok()?;
    let lane = LANES.get(hints.checked_rem(LANES.len())?)?;
    let executor = EXECUTORS.get(hints.checked_div(LANES.len())?)?;
    Some((lane.1, executor.1))
}

fn throw(env: Env, misuse: &Misuse) -> Error {
    let (text, code) = (misuse.to_string(), Some(misuse.code()));
    let thrown = match misuse.class() {
        Class::Type => env.throw_type_error(&text, code),
        Class::Range => env.throw_range_error(&text, code),
    };
    match thrown {
        Ok(()) => Error::new(Status::PendingException, text),
        Err(error) => error,
    }
}

/// A text of the face. (A `String` argument can say what else it was, and links `JSON.stringify` for it.)
fn owned(text: JsString) -> Result<String> {
    text.into_utf8()?.into_owned()
}

/// Copies the text once, as the units that it is made of, and narrows them to bytes. What is not ASCII becomes DEL: like
/// it, that may stand inside a string and nowhere else, and is no part of a wanted key or number. UTF-8 would take up to
/// thirty times as long to make. (Latin-1 would be quick and wrong: it makes a quote of U+0122.)
#[expect(unsafe_code, reason = "a String argument would allocate on every call")]
fn health_of_text(env: Env, text: JsString) -> Result<Option<Health>> {
    SCRATCH.with_borrow_mut(|scratch| {
        let value = text.value();
        let (env, value) = (env.raw(), value.value);
        let mut length = 0;
        // SAFETY: without a buffer the call only reports the length, in units.
        check_status!(unsafe {
            sys::napi_get_value_string_utf16(env, value, ptr::null_mut(), 0, &raw mut length)
        })?;
        // The call adds a NUL.
        let capacity = length.saturating_add(1);
        scratch.units.clear();
        scratch.units.reserve(capacity);
        let (units, mut written) = (scratch.units.as_mut_ptr(), 0);
        // SAFETY: the buffer has room for `capacity` units.
        check_status!(unsafe {
            sys::napi_get_value_string_utf16(env, value, units, capacity, &raw mut written)
        })?;
        // SAFETY: the call has initialised as many.
        unsafe { scratch.units.set_len(written) };
        scratch.bytes.clear();
        scratch.bytes.extend(scratch.units.iter().map(|unit| narrow(*unit)));
        // SAFETY: no unit was left larger than DEL, so all of it is ASCII.
        let result = Health::from_text(unsafe { str::from_utf8_unchecked(&scratch.bytes) });
        if scratch.units.capacity() > SCRATCH_KEPT {
            *scratch = Scratch::EMPTY;
        }
        Ok(result)
    })
}

fn narrow(unit: u16) -> u8 {
    unit.min(DEL) as u8
}

/// Reads the bytes where they stand: JavaScript does not run meanwhile. Only shared memory can change under the reader,
/// and is copied.
#[expect(unsafe_code, reason = "a Buffer argument would make a reference on every call")]
fn with_bytes(
    env: Env,
    bytes: &Unknown,
    read: &mut dyn FnMut(&[u8]) -> Option<Health>,
) -> Result<Option<Health>> {
    let (mut kind, mut length, mut offset) = (0, 0, 0);
    let (mut data, mut buffer) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: all out-parameters live until the call returns.
    check_status!(unsafe {
        sys::napi_get_typedarray_info(
            env.raw(),
            bytes.raw(),
            &raw mut kind,
            &raw mut length,
            &raw mut data,
            &raw mut buffer,
            &raw mut offset,
        )
    })?;
    if kind != sys::TypedarrayType::uint8_array {
        return Err(Error::new(Status::InvalidArg, "an array of another type than the face makes"));
    }
    if length == 0 {
        return Ok(read(&[]));
    }
    // SAFETY: the view is a live Uint8Array of this length, and JavaScript does not run while it is read.
    let bytes = unsafe { slice::from_raw_parts(data.cast::<u8>(), length) };
    let mut owned = false;
    // SAFETY: `buffer` is the value that Node-API has just given.
    check_status!(unsafe { sys::napi_is_arraybuffer(env.raw(), buffer, &raw mut owned) })?;
    if owned {
        return Ok(read(bytes));
    }
    let copy = bytes.to_vec();
    Ok(read(&copy))
}

/// The counters come as the bytes of their doubles: of all typed arrays Node-API finds a `Uint8Array` quickest.
fn with_counters(env: Env, counters: &Unknown) -> Result<Option<Health>> {
    with_bytes(env, counters, &mut |bytes| {
        let (doubles, _) = bytes.as_chunks();
        Some(Health::from_counters(doubles.iter().map(|bytes| f64::from_ne_bytes(*bytes))))
    })
}
