//! The evidence of one failure: which fields count, and the tree they are kept in.

use super::prose::Prose;
use super::tables::{self, Table};
use super::text;
use crate::json::CUT;

/// What a field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A text, a number or a boolean.
    Value,
    /// An object with evidence of its own.
    Child,
    /// An object with evidence of its own, or a text (or its bytes) that is read for evidence.
    Body,
    /// A text, or an object with details that are no evidence of their own.
    Block,
    /// A list of failures.
    Members,
    /// Headers, of which one is wanted: [`RETRY_AFTER`].
    Headers,
}

impl Role {
    /// The name under which the gatherer knows the role.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Child | Self::Block => "object",
            Self::Body => "body",
            Self::Members => "members",
            Self::Headers => "headers",
        }
    }
}

/// What a field means, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Name,
    Message,
    Detail,
    Type,
    Code,
    UpstreamCode,
    Status,
    Capacity,
    Reason,
    Lane,
    Dispatch,
    RetryAfterMs,
    RetryAfter,
    Executor,
    InFlight,
    Max,
    Queued,
    DeadlineMs,
    Error,
    Nested,
    Response,
    Cause,
    Members,
}

/// One field name that counts as evidence.
#[derive(Debug)]
pub struct Row {
    /// The name, as it stands in a body or on an error.
    pub name: &'static str,
    /// What the field may hold.
    pub role: Role,
    pub(crate) field: Field,
}

const fn row(name: &'static str, role: Role, field: Field) -> Row {
    Row { name, role, field }
}

/// Every field name that counts, in the order in which aliases are preferred and nested records are looked at.
pub static FIELDS: [Row; 30] = [
    row("name", Role::Value, Field::Name),
    row("message", Role::Value, Field::Message),
    row("detail", Role::Value, Field::Detail),
    row("type", Role::Value, Field::Type),
    row("code", Role::Value, Field::Code),
    row("upstreamCode", Role::Value, Field::UpstreamCode),
    row("status", Role::Value, Field::Status),
    row("statusCode", Role::Value, Field::Status),
    row("capacity", Role::Value, Field::Capacity),
    row("reason", Role::Value, Field::Reason),
    row("admissionClass", Role::Value, Field::Lane),
    row("provider_dispatch", Role::Value, Field::Dispatch),
    row("providerDispatch", Role::Value, Field::Dispatch),
    row("retry_after_ms", Role::Value, Field::RetryAfterMs),
    row("retryAfterMs", Role::Value, Field::RetryAfterMs),
    row("headers", Role::Headers, Field::RetryAfter),
    row("executor", Role::Block, Field::Executor),
    row("in_flight", Role::Value, Field::InFlight),
    row("inFlight", Role::Value, Field::InFlight),
    row("max", Role::Value, Field::Max),
    row("queued", Role::Value, Field::Queued),
    row("deadline_ms", Role::Value, Field::DeadlineMs),
    row("deadlineMs", Role::Value, Field::DeadlineMs),
    row("error", Role::Body, Field::Error),
    row("body", Role::Body, Field::Nested),
    row("data", Role::Body, Field::Nested),
    row("event", Role::Child, Field::Nested),
    row("response", Role::Child, Field::Response),
    row("cause", Role::Body, Field::Cause),
    row("errors", Role::Members, Field::Members),
];

/// The one header that is wanted, in lower case.
pub const RETRY_AFTER: &str = "retry-after";
/// How deep nested records are followed.
pub const DEPTH: usize = 10;
/// How many members of one list are looked at. A longer list proves nothing, so one empty member stands for the rest.
pub const MEMBERS: usize = 100;
/// How many records the gatherer makes of one failure.
pub const RECORDS: usize = 1000;
/// How much of all texts together is read, in units of UTF-16. Whatever they are, and whatever stands before them in an
/// answer, that can be given back: a text of the engine has 512 Mi units at most, and as much UTF-8.
pub const LONGEST: usize = 64 << 20;
/// How often a text inside a text is opened: a message, the body in it, the message of that, encoded twice.
const NESTING: usize = 5;

/// One item of what the gatherer hands over. See [`Record::from_events`].
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A text value.
    Text(String),
    /// A number value, or what comes next.
    Number(f64),
    /// A boolean value, or the end of a record.
    Flag(bool),
}

/// A text, and the place in the gatherer's list where the original stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) at: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) enum Value {
    Text(Text),
    Number(f64),
    Flag(bool),
}

/// What a nested record can prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// All that it says.
    Whole,
    /// What it says in structured words.
    Words,
    /// No refusal of the bridge, and nothing that is safe to retry.
    NoRefusal,
}

/// What the message of a record says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    /// The HTTP status of the runtime's framing, `bridge 502: `.
    pub(crate) status: Option<u16>,
    /// A text of the bridge about a slot.
    pub(crate) prose: Option<Prose>,
    /// The bridge's frame around a harness that ran, `opencode exited 1: `.
    pub(crate) ran: bool,
    /// A structured text stood in it, as a nested record.
    pub(crate) structured: bool,
}

/// The evidence of one object, and of the records nested in it.
#[derive(Debug, Clone, Default)]
pub struct Record {
    values: Vec<(usize, Value)>,
    children: Vec<(usize, Record)>,
    members: Vec<Record>,
    /// Its text ended before the object did.
    pub(crate) cut: bool,
    /// It stands for a text, not for an object: its message is that text.
    pub(crate) is_text: bool,
    /// It was read from a body, so the bridge or something behind it wrote it.
    pub(crate) is_body: bool,
    pub(crate) said: Said,
}

impl Record {
    /// The evidence in a text: a JSON body, an SSE text, or prose.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let mut record = Self::of_text(Text { text: text.to_owned(), at: None });
        record.finish(NESTING, false);
        record
    }

    /// The evidence that the gatherer found.
    ///
    /// The items are, in order: a number n ≥ 0 and a value, the value of field n of [`FIELDS`]; a number n < 0, the
    /// beginning of a record in field −1 − n; a boolean, the end of the record that began last. The field of the
    /// outermost is not looked at. A list's members come one by one under the list's field. Anything else is skipped.
    #[must_use]
    pub fn from_events(events: impl IntoIterator<Item = Event>) -> Self {
        let mut items = events.into_iter().enumerate();
        let mut open: Vec<(usize, Self)> = Vec::new();
        let mut outermost = Self::default();
        while let Some((_, item)) = items.next() {
            match item {
                Event::Number(op) if op < 0.0 => open.push((index(-1.0 - op), Self::default())),
                Event::Number(op) => {
                    let Some((at, item)) = items.next() else { break };
                    let value = match item {
                        Event::Text(text) => Value::Text(Text { text, at: Some(at) }),
                        Event::Number(number) => Value::Number(number),
                        Event::Flag(flag) => Value::Flag(flag),
                    };
                    match (open.last_mut(), value) {
                        (Some((_, record)), value) => record.set(index(op), value),
                        (None, Value::Text(text)) => outermost = Self::of_text(text),
                        (None, _) => {}
                    }
                }
                Event::Flag(_) => {
                    let Some((row, record)) = open.pop() else { continue };
                    // Of a deeper one only its place is kept, so that no depth of input becomes a depth of the tree.
                    let record = if open.len() <= DEPTH { record } else { Self::default() };
                    match open.last_mut() {
                        None => outermost = record,
                        Some((_, parent)) => parent.attach(row, record),
                    }
                }
                Event::Text(_) => {}
            }
        }
        outermost.finish(NESTING, false);
        outermost
    }

    pub(crate) fn of_text(text: Text) -> Self {
        let values = row_of("message").map(|row| (row, Value::Text(text))).into_iter().collect();
        Self { values, is_text: true, ..Self::default() }
    }

    /// Forgets what row `row` held: of two equal keys the last one counts.
    pub(crate) fn clear(&mut self, row: usize) {
        self.values.retain(|(at, _)| *at != row);
        self.children.retain(|(at, _)| *at != row);
        if role(row) == Some(Role::Members) {
            self.members.clear();
        }
    }

    /// Takes a value for row `row`, if the row can hold one.
    pub(crate) fn set(&mut self, row: usize, value: Value) {
        let cut = matches!(&value, Value::Text(text) if text.text.ends_with(CUT));
        match (role(row), value) {
            (Some(Role::Members), Value::Text(text)) => self.add(Self::of_text(text)),
            (Some(Role::Members), _) => self.add(Self::default()),
            (Some(Role::Body), Value::Text(text)) => self.attach(row, Self::of_text(text)),
            // Half a word is no word; half a message still says how it began.
            (Some(Role::Value), value) if !cut || is_prose(row) => self.values.push((row, value)),
            (Some(Role::Block | Role::Headers), value) if !cut => self.values.push((row, value)),
            _ => {}
        }
    }

    /// Takes a nested record for row `row`, if the row can hold one.
    pub(crate) fn attach(&mut self, row: usize, record: Self) {
        match role(row) {
            Some(Role::Members) => self.add(record),
            Some(Role::Child | Role::Body | Role::Block) => self.children.push((row, record)),
            _ => {}
        }
    }

    /// Takes one more member of a list. One more than [`MEMBERS`] is the empty one that stands for the rest.
    pub(crate) fn add(&mut self, member: Self) {
        match self.members.len() {
            0..MEMBERS => self.members.push(member),
            MEMBERS => self.members.push(Self::default()),
            _ => {}
        }
    }

    /// Reads the messages of this record and of those in it, once every field is known. `opens` is how many texts in
    /// texts may still be opened, `is_body` whether the record was read from a body.
    pub(crate) fn finish(&mut self, opens: usize, is_body: bool) {
        self.is_body = is_body;
        for (row, child) in &mut self.children {
            child.finish(opens, is_body || child.is_answer(*row));
        }
        for member in &mut self.members {
            member.finish(opens, is_body);
        }
        // A record that says whose failure it was is not asked again through its message: there the words are those of
        // whoever it names.
        let is_foreign = self.type_word().is_some_and(is_foreign);
        if self.find(&tables::PROVIDER).is_some()
            || (is_body && (is_foreign || self.known_words().any(self::is_foreign)))
        {
            return;
        }
        let typed = self.typed();
        let Some(message) = self.message() else { return };
        let (said, nested) = text::read(&message.text, self.cut && !typed, is_body && !typed, opens);
        self.said = said;
        if is_foreign {
            // An error of the caller's own, with a type of its own: the answer that it quotes counts, its prose does not.
            self.said.prose = None;
            self.said.ran = false;
        }
        if let (Some(row), Some(record)) = (row_of("message"), nested) {
            self.children.insert(0, (row, record));
        }
    }

    /// Whether the record, standing in row `row` of another, is what a bridge answered. An error of JavaScript has a name,
    /// an error in a body has none.
    fn is_answer(&self, row: usize) -> bool {
        let field = FIELDS.get(row).map(|row| row.field);
        let is_answered = matches!(field, Some(Field::Error | Field::Nested));
        is_answered && !self.is_text && self.word(Field::Name).is_none()
    }

    /// What the nested record `child` can prove. Where this record has a type that is not the bridge's, what is nested in
    /// it is the matter of somebody else: a harness's error, a tool's result, a model's words. Only the type `error` says
    /// no more than that an error is inside, and an object of JavaScript may have a type of its own, as a `Response` has:
    /// then the bridge's structured words in its body still count.
    pub(crate) fn trust(&self, field: Field, child: &Self) -> Trust {
        let Some(word) = self.type_word().filter(|word| is_foreign(word) && *word != "error") else {
            return Trust::Whole;
        };
        let is_quoted = matches!(field, Field::Error | Field::Message) && child.is_body;
        if self.is_body || is_quoted || tables::PROVIDER.find(word).is_some() {
            Trust::NoRefusal
        } else {
            Trust::Words
        }
    }

    /// Whether the record has a type or a known word.
    fn typed(&self) -> bool {
        self.type_word().is_some() || self.known_words().next().is_some()
    }

    fn known_words(&self) -> impl Iterator<Item = &str> {
        self.words().filter(|word| tables::find(word).is_some())
    }

    /// The event of a canonical run says what it is in `type` and how it went in `status`.
    fn is_failed_run(&self) -> bool {
        self.word(Field::Type) == Some("status") && self.word(Field::Status) == Some("failed")
    }

    fn type_word(&self) -> Option<&str> {
        self.word(Field::Type).filter(|_| !self.is_failed_run())
    }

    /// The first usable value of `field`, in the order of the table.
    fn pick<'a, T>(&'a self, field: Field, usable: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
        let rows = FIELDS.iter().enumerate().filter(|(_, row)| row.field == field);
        let mut values = rows.flat_map(|(at, _)| self.values.iter().filter(move |(row, _)| *row == at));
        values.find_map(|(_, value)| usable(value))
    }

    fn text(&self, field: Field) -> Option<&Text> {
        self.pick(field, |value| match value {
            Value::Text(text) if !text.text.is_empty() => Some(text),
            _ => None,
        })
    }

    /// A text that is not empty.
    pub(crate) fn word(&self, field: Field) -> Option<&str> {
        self.text(field).map(|text| text.text.as_str())
    }

    /// A number that is finite and not negative.
    pub(crate) fn count(&self, field: Field) -> Option<f64> {
        self.pick(field, |value| match value {
            Value::Number(number) if number.is_finite() && *number >= 0.0 => Some(*number),
            _ => None,
        })
    }

    pub(crate) fn flag(&self, field: Field) -> bool {
        self.pick(field, |value| matches!(value, Value::Flag(true)).then_some(())).is_some()
    }

    /// The record's own message.
    pub(crate) fn message(&self) -> Option<&Text> {
        self.text(if self.is_failed_run() { Field::Detail } else { Field::Message })
    }

    /// The words that may name a kind: first what came from upstream, then the record's own.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        [self.word(Field::UpstreamCode), self.type_word(), self.word(Field::Code)].into_iter().flatten()
    }

    /// The word to report where none decided: a known one, any code, or the type of something that has a message.
    pub(crate) fn code(&self) -> Option<&str> {
        let is_known = |word: &&str| tables::find(word).is_some() || tables::is_neutral(word);
        let typed = || self.type_word().filter(|_| self.message().is_some());
        self.words().find(is_known).or_else(|| self.word(Field::Code)).or_else(typed)
    }

    /// Whether the record's message is there to its end.
    pub(crate) fn has_whole_message(&self) -> bool {
        self.message().is_some_and(|message| !message.text.ends_with(CUT))
    }

    /// The first of the words that is in `table`, and whether it is retry-safe.
    pub(crate) fn find(&self, table: &Table) -> Option<(&str, bool)> {
        self.words().find_map(|word| table.find(word).map(|retry_safe| (word, retry_safe)))
    }

    /// The HTTP status: the record's own, or that of the runtime's framing.
    pub(crate) fn status(&self) -> Option<u16> {
        let own = self
            .count(Field::Status)
            .filter(|status| status.fract() == 0.0 && (100.0..600.0).contains(status));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number from 100 to 599"
        )]
        let own = own.map(|status| status as u16);
        own.or(self.said.status)
    }

    /// The record that carries the details of the executor, if they stand in one of their own.
    pub(crate) fn executor(&self) -> Option<&Self> {
        self.nested(|row| row.field == Field::Executor).map(|(_, record)| record).next()
    }

    /// Whether the record carries an error inside.
    pub(crate) fn has_error(&self) -> bool {
        self.nested(|row| row.field == Field::Error).next().is_some()
    }

    /// The nested records that are evidence, in the order of the table.
    pub(crate) fn children(&self) -> impl Iterator<Item = &Self> {
        self.matter().map(|(_, record)| record).chain(self.causes())
    }

    /// The nested records but the causes, each with its field.
    pub(crate) fn matter(&self) -> impl Iterator<Item = (Field, &Self)> {
        self.nested(|row| row.role != Role::Block && row.field != Field::Cause)
    }

    /// The records that caused this one.
    pub(crate) fn causes(&self) -> impl Iterator<Item = &Self> {
        self.nested(|row| row.field == Field::Cause).map(|(_, record)| record)
    }

    fn nested(&self, is_wanted: impl Fn(&Row) -> bool) -> impl Iterator<Item = (Field, &Self)> {
        let rows = FIELDS.iter().enumerate().filter(move |(_, row)| is_wanted(row));
        rows.flat_map(|(at, wanted)| {
            let found = self.children.iter().filter(move |(row, _)| *row == at);
            found.map(|(_, record)| (wanted.field, record))
        })
    }

    /// The members of the list, if it has any.
    pub(crate) fn members(&self) -> &[Self] {
        &self.members
    }
}

/// The row of the table with this name.
pub(crate) fn row_of(name: &str) -> Option<usize> {
    FIELDS.iter().position(|row| row.name == name)
}

pub(crate) fn role(row: usize) -> Option<Role> {
    FIELDS.get(row).map(|row| row.role)
}

/// Whether `word` says that the failure is somebody's other than the bridge's, or something that is not known.
fn is_foreign(word: &str) -> bool {
    !tables::is_neutral(word) && tables::CAPACITY.find(word).is_none()
}

/// Whether row `row` holds a sentence, not a word.
fn is_prose(row: usize) -> bool {
    FIELDS.get(row).is_some_and(|row| matches!(row.field, Field::Message | Field::Detail))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "out of range means no row, and no row is skipped"
)]
fn index(op: f64) -> usize {
    op as usize
}
