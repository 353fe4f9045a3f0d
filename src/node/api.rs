//! Node-API in safe terms. All `unsafe` of the crate is here.
//!
//! Every function of [`FUNCTIONS`] is called through one trampoline, which catches a panic and throws what went wrong as
//! a JavaScript error. The crate napi would do that too, with 110 KB that nothing here uses.

#![expect(unsafe_code, reason = "Node-API is C")]

use std::any::Any;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use napi_sys as sys;

use super::FUNCTIONS;
use crate::error::{Class, Misuse};
use crate::health::narrow;

/// The most arguments that a function takes.
const ARGUMENTS: usize = 4;

/// A body is copied into memory that is kept for the next one, unless it has more units than the seam ever takes.
const SCRATCH_KEPT: usize = 4 << 20;

thread_local! {
    static UNITS: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
    /// Whether the last text was ASCII.
    static WAS_ASCII: Cell<bool> = const { Cell::new(true) };
    static NARROWED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A function that JavaScript can call.
pub(super) struct Function {
    /// Its name among the exports.
    pub(super) name: &'static CStr,
    /// What it does.
    pub(super) run: fn(&Call) -> Result<Js>,
}

/// A value for JavaScript.
pub(super) enum Js {
    /// As a field of an object: no such field.
    Undefined,
    Null,
    Flag(bool),
    Number(f64),
    Text(Cow<'static, str>),
    List(Vec<Js>),
    Object(Vec<(&'static CStr, Js)>),
}

/// Why a function gives no value.
#[derive(Debug)]
pub(super) enum Thrown {
    /// A caller's value cannot be used.
    Misuse(Misuse),
    /// The face has handed over what it never should.
    Face(&'static str),
    /// Node-API has refused; an exception may be pending.
    Status(sys::napi_status),
    /// The function has panicked.
    Panic(String),
}

pub(super) type Result<T> = std::result::Result<T, Thrown>;

impl From<Misuse> for Thrown {
    fn from(misuse: Misuse) -> Self {
        Self::Misuse(misuse)
    }
}

impl From<f64> for Js {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Js {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<&'static str> for Js {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Js {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl<T: Into<Js>> From<Option<T>> for Js {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Undefined, Into::into)
    }
}

impl<T: Into<Js>> FromIterator<T> for Js {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

/// One call of a function, with its arguments.
pub(super) struct Call {
    env: Env,
    /// Those not given are undefined.
    arguments: [sys::napi_value; ARGUMENTS],
    /// How many were given.
    count: usize,
}

impl Call {
    /// The number at a place among the arguments.
    pub(super) fn number(&self, at: usize) -> Result<f64> {
        self.env.number_of(self.argument(at))
    }

    /// The whole number, no larger than 32 bits, at a place among the arguments.
    pub(super) fn code(&self, at: usize) -> Result<u32> {
        let mut code = 0;
        // SAFETY: the out-parameter lives until the call returns.
        check(unsafe { sys::napi_get_value_uint32(self.env.0, self.argument(at), &raw mut code) })?;
        Ok(code)
    }

    /// The text at a place among the arguments.
    pub(super) fn text(&self, at: usize) -> Result<String> {
        self.env.text_of(self.argument(at))
    }

    /// Likewise, where the argument may be left out.
    pub(super) fn optional_text(&self, at: usize) -> Result<Option<String>> {
        // To ask for the type of each is what takes time.
        if at >= self.count {
            return Ok(None);
        }
        let value = self.argument(at);
        match self.env.type_of(value)? {
            sys::ValueType::napi_undefined => Ok(None),
            _ => self.env.text_of(value).map(Some),
        }
    }

    /// The texts, numbers and booleans of the list at a place among the arguments.
    pub(super) fn list(&self, at: usize) -> Result<impl Iterator<Item = Result<Js>>> {
        let list = self.argument(at);
        let mut length = 0;
        // SAFETY: the out-parameter lives until the call returns.
        check(unsafe { sys::napi_get_array_length(self.env.0, list, &raw mut length) })?;
        Ok((0..length).map(move |index| {
            let mut item = ptr::null_mut();
            // SAFETY: as above.
            check(unsafe { sys::napi_get_element(self.env.0, list, index, &raw mut item) })?;
            self.env.value_of(item)
        }))
    }

    /// Reads the text at a place among the arguments, narrowed.
    pub(super) fn with_narrowed_text<T>(&self, at: usize, read: impl FnOnce(&str) -> T) -> Result<T> {
        let text = self.argument(at);
        let mut length = 0;
        // SAFETY: without a buffer the call only reports the length, in units.
        check(unsafe {
            sys::napi_get_value_string_utf16(self.env.0, text, ptr::null_mut(), 0, &raw mut length)
        })?;
        NARROWED.with_borrow_mut(|bytes| {
            // Most bodies are ASCII. Where the last was not, the next is taken for one like it: that costs time alone.
            if !WAS_ASCII.get() || !self.env.copy_ascii(text, length, bytes)? {
                self.env.copy_narrowed(text, length, bytes)?;
            }
            Ok(read_ascii(bytes, read))
        })
    }

    /// Reads the bytes of the `Uint8Array` at a place among the arguments, narrowed.
    pub(super) fn with_narrowed_bytes<T>(&self, at: usize, read: impl FnOnce(&str) -> T) -> Result<T> {
        self.with_bytes(at, |bytes| {
            if bytes.is_ascii() {
                // SAFETY: it is.
                return Ok(read(unsafe { str::from_utf8_unchecked(bytes) }));
            }
            NARROWED.with_borrow_mut(|narrowed| {
                make_room(narrowed, bytes.len())?;
                narrowed.extend(bytes.iter().map(|byte| narrow((*byte).into())));
                Ok(read_ascii(narrowed, read))
            })
        })?
    }

    /// Reads the `Uint8Array` at a place among the arguments where it stands: JavaScript does not run meanwhile. The face
    /// copies memory that other threads may write to.
    pub(super) fn with_bytes<T>(&self, at: usize, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let (mut kind, mut length) = (0, 0);
        let mut data = ptr::null_mut();
        // SAFETY: all out-parameters live until the call returns.
        check(unsafe {
            sys::napi_get_typedarray_info(
                self.env.0,
                self.argument(at),
                &raw mut kind,
                &raw mut length,
                &raw mut data,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        })?;
        if kind != sys::TypedarrayType::uint8_array {
            return Err(Thrown::Face("an array of another type than the face makes"));
        }
        if length == 0 {
            return Ok(read(&[]));
        }
        // SAFETY: the view is a live Uint8Array of this length, and nothing writes to it while it is read.
        Ok(read(unsafe { slice::from_raw_parts(data.cast::<u8>(), length) }))
    }

    fn argument(&self, at: usize) -> sys::napi_value {
        self.arguments.get(at).copied().unwrap_or(ptr::null_mut())
    }
}

/// The environment of the running call.
#[derive(Clone, Copy)]
struct Env(sys::napi_env);

impl Env {
    /// Copies a text of so many units, if it is ASCII, and says whether it is. UTF-8 is made the most quickly of that. Of
    /// other text it would take up to thirty times as long as UTF-16, so it gets no more room than ASCII needs. (Latin-1
    /// would be quick and wrong: it makes a quote of U+0122.)
    fn copy_ascii(self, text: sys::napi_value, length: usize, bytes: &mut Vec<u8>) -> Result<bool> {
        fill(bytes, length, |start, capacity, written| {
            // SAFETY: the buffer has room for `capacity` bytes.
            unsafe { sys::napi_get_value_string_utf8(self.0, text, start.cast(), capacity, written) }
        })?;
        Ok(bytes.len() == length && bytes.is_ascii())
    }

    /// Copies a text of so many units, each narrowed.
    fn copy_narrowed(self, text: sys::napi_value, length: usize, bytes: &mut Vec<u8>) -> Result<()> {
        UNITS.with_borrow_mut(|units| {
            fill(units, length, |start, capacity, written| {
                // SAFETY: the buffer has room for `capacity` units.
                unsafe { sys::napi_get_value_string_utf16(self.0, text, start, capacity, written) }
            })?;
            WAS_ASCII.set(units.iter().all(|unit| *unit < 0x80));
            make_room(bytes, length)?;
            bytes.extend(units.iter().copied().map(narrow));
            keep(units);
            Ok(())
        })
    }

    fn type_of(self, value: sys::napi_value) -> Result<sys::napi_valuetype> {
        let mut found = 0;
        // SAFETY: the out-parameter lives until the call returns.
        check(unsafe { sys::napi_typeof(self.0, value, &raw mut found) })?;
        Ok(found)
    }

    fn number_of(self, value: sys::napi_value) -> Result<f64> {
        let mut number = 0.0;
        // SAFETY: as above.
        check(unsafe { sys::napi_get_value_double(self.0, value, &raw mut number) })?;
        Ok(number)
    }

    fn text_of(self, value: sys::napi_value) -> Result<String> {
        let mut length = 0;
        // SAFETY: without a buffer the call only reports the length.
        check(unsafe {
            sys::napi_get_value_string_utf8(self.0, value, ptr::null_mut(), 0, &raw mut length)
        })?;
        let mut bytes: Vec<u8> = Vec::new();
        fill(&mut bytes, length, |start, capacity, written| {
            // SAFETY: the buffer has room for `capacity` bytes.
            unsafe {
                sys::napi_get_value_string_utf8(self.0, value, start.cast::<c_char>(), capacity, written)
            }
        })?;
        Ok(String::from_utf8(bytes).unwrap_or_else(|other| String::from_utf8_lossy(other.as_bytes()).into()))
    }

    /// A text, a number or a boolean.
    fn value_of(self, value: sys::napi_value) -> Result<Js> {
        Ok(match self.type_of(value)? {
            sys::ValueType::napi_string => self.text_of(value)?.into(),
            sys::ValueType::napi_number => self.number_of(value)?.into(),
            _ => {
                let mut flag = false;
                // SAFETY: the out-parameter lives until the call returns.
                check(unsafe { sys::napi_get_value_bool(self.0, value, &raw mut flag) })?;
                Js::Flag(flag)
            }
        })
    }

    fn make(self, value: Js) -> Result<sys::napi_value> {
        // Node-API takes a NULL for undefined.
        let mut made = ptr::null_mut();
        // SAFETY: `made` lives until each call returns, and so does every text.
        check(unsafe {
            match value {
                Js::Undefined => return Ok(made),
                Js::Null => sys::napi_get_null(self.0, &raw mut made),
                Js::Flag(flag) => sys::napi_get_boolean(self.0, flag, &raw mut made),
                Js::Number(number) => sys::napi_create_double(self.0, number, &raw mut made),
                Js::Text(text) => {
                    let (chars, length) = (text.as_ptr().cast::<c_char>(), text.len().cast_signed());
                    sys::napi_create_string_utf8(self.0, chars, length, &raw mut made)
                }
                Js::List(items) => {
                    check(sys::napi_create_array_with_length(self.0, items.len(), &raw mut made))?;
                    for (index, item) in (0..).zip(items) {
                        check(sys::napi_set_element(self.0, made, index, self.make(item)?))?;
                    }
                    return Ok(made);
                }
                Js::Object(fields) => {
                    check(sys::napi_create_object(self.0, &raw mut made))?;
                    for (name, field) in fields {
                        if !matches!(field, Js::Undefined) {
                            let field = self.make(field)?;
                            check(sys::napi_set_named_property(self.0, made, name.as_ptr(), field))?;
                        }
                    }
                    return Ok(made);
                }
            }
        })?;
        Ok(made)
    }

    /// Leaves an error to be thrown when the call returns, unless there is one.
    fn throw(self, thrown: Thrown) -> Result<()> {
        let (class, code, text) = match thrown {
            Thrown::Misuse(misuse) => (Some(misuse.class()), misuse.code().into(), misuse.to_string().into()),
            Thrown::Face(text) => (None, Js::Undefined, text.into()),
            Thrown::Panic(text) => (None, Js::Undefined, text.into()),
            Thrown::Status(status) => (None, Js::Undefined, format!("Node-API status {status}").into()),
        };
        let (mut pending, mut error) = (false, ptr::null_mut());
        // SAFETY: the out-parameters live until each call returns.
        check(unsafe { sys::napi_is_exception_pending(self.0, &raw mut pending) })?;
        if pending {
            return Ok(());
        }
        let (code, text) = (self.make(code)?, self.make(text)?);
        // SAFETY: as above; `code` and `text` are values of this call.
        check(unsafe {
            match class {
                None => sys::napi_create_error(self.0, code, text, &raw mut error),
                Some(Class::Type) => sys::napi_create_type_error(self.0, code, text, &raw mut error),
                Some(Class::Range) => sys::napi_create_range_error(self.0, code, text, &raw mut error),
            }
        })?;
        // SAFETY: `error` is the value that Node-API has just given.
        check(unsafe { sys::napi_throw(self.0, error) })
    }
}

fn check(status: sys::napi_status) -> Result<()> {
    if status == sys::Status::napi_ok { Ok(()) } else { Err(Thrown::Status(status)) }
}

/// Has `write` fill a buffer with at most `length` units, and a NUL behind them, which is not kept. `write` takes the
/// buffer's start and capacity, and where to say how much it wrote.
fn fill<T>(
    buffer: &mut Vec<T>,
    length: usize,
    write: impl FnOnce(*mut T, usize, *mut usize) -> sys::napi_status,
) -> Result<()> {
    let capacity = length.saturating_add(1);
    let mut written = 0;
    make_room(buffer, capacity)?;
    check(write(buffer.as_mut_ptr(), capacity, &raw mut written))?;
    // SAFETY: the call has initialised as many, and had no room for more.
    unsafe { buffer.set_len(written.min(capacity)) };
    Ok(())
}

/// Empties a buffer that is to take as many. Where there is no memory for a value of the caller's, that is an error of
/// this call, and not the end of the process.
fn make_room<T>(buffer: &mut Vec<T>, capacity: usize) -> Result<()> {
    buffer.clear();
    buffer.try_reserve(capacity).map_err(|_| Thrown::Face("there is no memory for the text"))
}

/// Reads a body that was copied into `scratch`, all of it ASCII.
fn read_ascii<T>(scratch: &mut Vec<u8>, read: impl FnOnce(&str) -> T) -> T {
    // SAFETY: it is what `narrow` gives, or was found to be ASCII.
    let result = read(unsafe { str::from_utf8_unchecked(scratch) });
    keep(scratch);
    result
}

/// Leaves the memory to the next call, unless it is more than a body has.
fn keep<T>(scratch: &mut Vec<T>) {
    if scratch.capacity() > SCRATCH_KEPT {
        *scratch = Vec::new();
    }
}

/// What Node calls for every function; `info` leads to the function's row in [`FUNCTIONS`].
unsafe extern "C" fn trampoline(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let mut call = Call { env: Env(env), arguments: [ptr::null_mut(); ARGUMENTS], count: ARGUMENTS };
    let mut data = ptr::null_mut();
    // SAFETY: there is room for as many arguments as `count` says.
    let status = unsafe {
        let arguments = call.arguments.as_mut_ptr();
        sys::napi_get_cb_info(env, info, &raw mut call.count, arguments, ptr::null_mut(), &raw mut data)
    };
    let run = || {
        check(status)?;
        // SAFETY: `data` is what `export` gave: a row of a static table.
        let function = unsafe { &*data.cast::<Function>() };
        call.env.make((function.run)(&call)?)
    };
    let thrown = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(value)) => return value,
        Ok(Err(thrown)) => thrown,
        Err(payload) => Thrown::Panic(words(&*payload)),
    };
    // Where even that fails, there is nobody left to tell.
    let _ = call.env.throw(thrown);
    ptr::null_mut()
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic").to_owned()
}

/// What Node calls when it loads the addon, once in every thread that does.
#[unsafe(no_mangle)]
unsafe extern "C" fn napi_register_module_v1(
    env: sys::napi_env,
    exports: sys::napi_value,
) -> sys::napi_value {
    #[cfg(target_env = "msvc")]
    {
        static SYMBOLS: std::sync::Once = std::sync::Once::new();
        // SAFETY: the symbols are those of the running program, which stays.
        SYMBOLS.call_once(|| drop(unsafe { sys::setup() }));
    }
    if let Err(thrown) = export(Env(env), exports) {
        let _ = Env(env).throw(thrown);
    }
    exports
}

fn export(env: Env, exports: sys::napi_value) -> Result<()> {
    for function in FUNCTIONS {
        let (name, data) = (function.name.as_ptr(), ptr::from_ref(function).cast_mut().cast::<c_void>());
        let mut made = ptr::null_mut();
        // SAFETY: the row that `data` points to is static.
        check(unsafe {
            let length = function.name.count_bytes().cast_signed();
            sys::napi_create_function(env.0, name, length, Some(trampoline), data, &raw mut made)
        })?;
        // SAFETY: `made` is the value that Node-API has just given.
        check(unsafe { sys::napi_set_named_property(env.0, exports, name, made) })?;
    }
    Ok(())
}
