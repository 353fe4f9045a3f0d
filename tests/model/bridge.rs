//! A discrete simulation of the bridge: gates in series, queues, deadlines, sessions and probes, moved by events alone.

use std::collections::BTreeMap;

/// Milliseconds since the bridge started.
pub(crate) type Ms = u64;
/// A turn, a session or a probe.
pub(crate) type Id = u64;

/// How long a ready verdict of the probes is good.
const VERDICT_MS: Ms = 30_000;
/// How long `/health` waits for a probe.
const PROBE_TIMEOUT_MS: Ms = 3_500;

/// As the bridge classes a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Bulk,
    Reserved,
}

/// What a turn spawns through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    /// Such as gemini: always the host semaphore.
    Host,
    /// Such as claude: scoped-host under a systemd user manager, the host semaphore elsewhere.
    Scoped,
    /// Such as pi: as the former, and bulk there whoever asks.
    ScopedBulk,
    /// Spawns without a slot.
    NoSlot,
}

/// A spawn, as a caller asks for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) class: Class,
    pub(crate) backend: Backend,
    /// The first turn of a retained session: it enters no admission lane, and its slot is the session's.
    pub(crate) retained: bool,
}

/// The limits of a gate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) max: usize,
    /// Places that bulk may not take.
    pub(crate) reserved: usize,
    pub(crate) wait_ms: Ms,
    /// How many may wait.
    pub(crate) max_queue: usize,
}

impl Limits {
    pub(crate) fn bulk_max(&self) -> usize {
        self.max.saturating_sub(self.reserved)
    }
}

/// One bridge's settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) admission: Limits,
    pub(crate) host: Limits,
    pub(crate) scoped_host: Limits,
    /// The bridge runs under a systemd user manager.
    pub(crate) user_manager: bool,
    /// The bridge is of the time before the executor block.
    pub(crate) old: bool,
    /// How long a probe holds its slot.
    pub(crate) probe_ms: Ms,
}

/// A counting semaphore with a reserved share and one FIFO queue. A waiter passes another only where that one's lane is
/// full and its own is not.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub(crate) limits: Limits,
    holders: Vec<(Id, Class)>,
    queue: Vec<(Id, Class, Ms)>,
    pub(crate) acquires: usize,
    pub(crate) timeouts: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Entered,
    Waits,
    QueueFull,
}

impl Gate {
    fn new(limits: Limits) -> Self {
        Self { limits, holders: Vec::new(), queue: Vec::new(), acquires: 0, timeouts: 0 }
    }

    pub(crate) fn active(&self) -> usize {
        self.holders.len()
    }

    pub(crate) fn active_of(&self, class: Class) -> usize {
        self.holders.iter().filter(|holder| holder.1 == class).count()
    }

    pub(crate) fn queued(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn queued_of(&self, class: Class) -> usize {
        self.queue.iter().filter(|waiter| waiter.1 == class).count()
    }

    fn fits(&self, class: Class) -> bool {
        self.active() < self.limits.max
            && (class == Class::Reserved || self.active_of(Class::Bulk) < self.limits.bulk_max())
    }

    fn enter(&mut self, id: Id, class: Class, now: Ms) -> Entry {
        self.acquires += 1;
        if self.fits(class) {
            self.holders.push((id, class));
            Entry::Entered
        } else if self.queued() >= self.limits.max_queue {
            Entry::QueueFull
        } else {
            self.queue.push((id, class, now + self.limits.wait_ms));
            Entry::Waits
        }
    }

    fn leave(&mut self, id: Id) {
        self.holders.retain(|holder| holder.0 != id);
        self.queue.retain(|waiter| waiter.0 != id);
    }

    /// Lets in the first waiter whose lane has room.
    fn let_in(&mut self) -> Option<Id> {
        let place = self.queue.iter().position(|waiter| self.fits(waiter.1))?;
        let (id, class, _) = self.queue.remove(place);
        self.holders.push((id, class));
        Some(id)
    }

    /// The waiter whose deadline comes first.
    fn first_deadline(&self) -> Option<(Ms, Id)> {
        self.queue.iter().map(|waiter| (waiter.2, waiter.0)).min()
    }
}

/// Where a turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    AtAdmission,
    AtExecutor,
    Running,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The executor that the turn waited for, in the bridge's words, with its counts at that moment.
    AcquireTimeout(&'static str, Counts),
    QueueTimeout(Counts),
    QueueFull(Counts),
    /// The harness ran.
    Ran,
    /// The caller went away.
    Aborted,
}

/// What a refusal says of the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) class: Class,
    pub(crate) waited: Ms,
    pub(crate) active: usize,
    pub(crate) max: usize,
    pub(crate) bulk: usize,
    pub(crate) bulk_max: usize,
    pub(crate) queued: usize,
    pub(crate) max_queue: usize,
}

#[derive(Clone, Copy, Debug)]
struct Live {
    turn: Turn,
    stage: Stage,
    /// Probes end by themselves.
    ends: Option<Ms>,
    probe: bool,
}

/// The bridge.
#[derive(Clone, Debug)]
pub(crate) struct Bridge {
    pub(crate) settings: Settings,
    pub(crate) admission: Gate,
    pub(crate) host: Gate,
    pub(crate) scoped_host: Gate,
    live: BTreeMap<Id, Live>,
    now: Ms,
    next: Id,
    ready_until: Ms,
    pub(crate) ended: Vec<(Id, Outcome)>,
}

impl Bridge {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            admission: Gate::new(settings.admission),
            host: Gate::new(settings.host),
            scoped_host: Gate::new(settings.scoped_host),
            live: BTreeMap::new(),
            now: 0,
            next: 0,
            ready_until: 0,
            ended: Vec::new(),
        }
    }

    /// Takes a turn in, as far as it gets at once.
    pub(crate) fn arrive(&mut self, turn: Turn) -> Id {
        self.start(turn, false)
    }

    pub(crate) fn stage(&self, id: Id) -> Option<Stage> {
        self.live.get(&id).map(|live| live.stage)
    }

    /// The turns and sessions that run, oldest first. Probes are not among them.
    pub(crate) fn running(&self) -> Vec<Id> {
        self.where_live(|live| live.stage == Stage::Running && !live.probe)
    }

    /// The turns that wait, oldest first.
    pub(crate) fn waiting(&self) -> Vec<Id> {
        self.where_live(|live| live.stage != Stage::Running && !live.probe)
    }

    /// Ends a turn or a session that ran.
    pub(crate) fn end(&mut self, id: Id) {
        self.close(id, Outcome::Ran);
    }

    /// Takes back a turn whose caller went away.
    pub(crate) fn abort(&mut self, id: Id) {
        self.close(id, Outcome::Aborted);
    }

    /// Lets time pass: deadlines end and probes finish, in the order of their time.
    pub(crate) fn advance(&mut self, ms: Ms) {
        let until = self.now + ms;
        while let Some((at, id)) = self.next_event().filter(|event| event.0 <= until) {
            self.now = at;
            let Some(live) = self.live.get(&id).copied() else { unreachable!("{id} is live") };
            match live.stage {
                Stage::Running => self.end_probe(id),
                Stage::AtAdmission => {
                    self.admission.leave(id);
                    self.admission.timeouts += 1;
                    let counts = counts(&self.admission, live.turn.class);
                    self.close(id, Outcome::QueueTimeout(counts));
                }
                Stage::AtExecutor => {
                    let (name, class) = (self.executor_of(live.turn), class_at_executor(live.turn, self));
                    let Some(gate) = self.gate(name) else { unreachable!("{name:?} is waited for") };
                    gate.leave(id);
                    gate.timeouts += 1;
                    let counts = counts(gate, class);
                    self.close(id, Outcome::AcquireTimeout(name.unwrap_or_default(), counts));
                }
            }
        }
        self.now = until;
    }

    /// An operator changes the limits under load.
    pub(crate) fn limit(&mut self, admission: usize, host: usize, scoped_host: usize) {
        self.admission.limits.max = admission;
        self.host.limits.max = host;
        self.scoped_host.limits.max = scoped_host;
        let reserved = self.settings.scoped_host.reserved;
        self.scoped_host.limits.reserved = reserved.min(scoped_host - 1);
        self.settle();
    }

    /// The same bridge with nothing in it.
    pub(crate) fn emptied(&self) -> Self {
        let mut idle = Self::new(self.settings);
        for (gate, now) in [
            (&mut idle.admission, &self.admission),
            (&mut idle.host, &self.host),
            (&mut idle.scoped_host, &self.scoped_host),
        ] {
            gate.limits = now.limits;
        }
        idle
    }

    /// What `/health` does before it answers: where the verdicts are old, each backend is probed, and a probe needs a
    /// slot. One that is too late is not withdrawn.
    pub(crate) fn probe(&mut self) {
        if self.ready_until > self.now {
            return;
        }
        let probes = [Backend::Host, Backend::Scoped]
            .map(|backend| self.start(Turn { class: Class::Bulk, backend, retained: true }, true));
        let late = probes.iter().any(|id| self.stage(*id) == Some(Stage::AtExecutor));
        self.advance(if late { PROBE_TIMEOUT_MS } else { self.settings.probe_ms.min(PROBE_TIMEOUT_MS) });
    }

    fn start(&mut self, turn: Turn, probe: bool) -> Id {
        let id = self.next;
        self.next += 1;
        self.live.insert(id, Live { turn, stage: Stage::AtAdmission, ends: None, probe });
        if turn.retained {
            self.enter_executor(id);
        } else {
            match self.admission.enter(id, turn.class, self.now) {
                Entry::Entered => self.enter_executor(id),
                Entry::Waits => {}
                Entry::QueueFull => {
                    let counts = counts(&self.admission, turn.class);
                    self.close(id, Outcome::QueueFull(counts));
                }
            }
        }
        id
    }

    fn enter_executor(&mut self, id: Id) {
        let turn = self.live[&id].turn;
        let (class, now) = (class_at_executor(turn, self), self.now);
        let entry = match self.gate(self.executor_of(turn)) {
            Some(gate) => gate.enter(id, class, now),
            None => Entry::Entered,
        };
        if entry == Entry::Entered { self.run(id) } else { self.set_stage(id, Stage::AtExecutor) }
    }

    fn run(&mut self, id: Id) {
        self.set_stage(id, Stage::Running);
        let ends = self.now + self.settings.probe_ms;
        if let Some(live) = self.live.get_mut(&id).filter(|live| live.probe) {
            live.ends = Some(ends);
        }
    }

    fn end_probe(&mut self, id: Id) {
        self.ready_until = self.now + VERDICT_MS;
        self.close(id, Outcome::Ran);
    }

    fn close(&mut self, id: Id, outcome: Outcome) {
        self.live.remove(&id);
        for gate in [&mut self.admission, &mut self.host, &mut self.scoped_host] {
            gate.leave(id);
        }
        self.ended.push((id, outcome));
        self.settle();
    }

    /// Lets waiters in until none fits any more.
    fn settle(&mut self) {
        loop {
            if let Some(id) = self.scoped_host.let_in().or_else(|| self.host.let_in()) {
                self.run(id);
            } else if let Some(id) = self.admission.let_in() {
                self.enter_executor(id);
            } else {
                return;
            }
        }
    }

    fn next_event(&self) -> Option<(Ms, Id)> {
        let deadlines = [&self.admission, &self.host, &self.scoped_host].map(Gate::first_deadline);
        let probes = self.live.iter().filter_map(|(id, live)| live.ends.map(|at| (at, *id)));
        deadlines.into_iter().flatten().chain(probes).min()
    }

    fn executor_of(&self, turn: Turn) -> Option<&'static str> {
        match turn.backend {
            Backend::NoSlot => None,
            Backend::Scoped | Backend::ScopedBulk if self.settings.user_manager => Some("scoped-host"),
            _ => Some("host"),
        }
    }

    fn gate(&mut self, name: Option<&str>) -> Option<&mut Gate> {
        name.map(|name| if name == "host" { &mut self.host } else { &mut self.scoped_host })
    }

    fn set_stage(&mut self, id: Id, stage: Stage) {
        if let Some(live) = self.live.get_mut(&id) {
            live.stage = stage;
        }
    }

    fn where_live(&self, wanted: impl Fn(&Live) -> bool) -> Vec<Id> {
        self.live.iter().filter(|(_, live)| wanted(live)).map(|(id, _)| *id).collect()
    }
}

/// The host semaphore has no lanes; at scoped-host, sessions and some backends are bulk whoever asks.
fn class_at_executor(turn: Turn, bridge: &Bridge) -> Class {
    let bulk = turn.retained || turn.backend == Backend::ScopedBulk;
    if bulk && bridge.executor_of(turn) == Some("scoped-host") { Class::Bulk } else { turn.class }
}

fn counts(gate: &Gate, class: Class) -> Counts {
    Counts {
        class,
        waited: gate.limits.wait_ms,
        active: gate.active(),
        max: gate.limits.max,
        bulk: gate.active_of(Class::Bulk),
        bulk_max: gate.limits.bulk_max(),
        queued: gate.queued(),
        max_queue: gate.limits.max_queue,
    }
}
