//! The rule against an independent bridge: every small state of the five gates, every hint, one to four spawns.
//!
//! The bridge here knows nothing of the rule. It lets spawns in one after the other and says whether one had to wait.

#![expect(clippy::arithmetic_side_effects, reason = "small numbers")]

use bridge_admission::health::Health;
use bridge_admission::intent::{Executor, Intent, Lane};
use bridge_admission::refusal::refusal;

/// Places of which some are taken.
#[derive(Clone, Copy)]
struct Places {
    taken: u32,
    all: u32,
}

impl Places {
    /// Takes one where one is free.
    fn take(&mut self) -> bool {
        let free = self.taken < self.all;
        self.taken += u32::from(free);
        free
    }
}

#[derive(Clone, Copy)]
struct Bridge {
    /// Whether it runs under a systemd user manager and has spawned there before.
    uses_scoped_host: bool,
    host: Places,
    scoped_host: Places,
    scoped_host_bulk: Places,
    admission: Places,
    bulk_admission: Places,
}

impl Bridge {
    /// One spawn: into the lane, then a slot of each semaphore that it may need. False where it has to wait.
    fn spawn(&mut self, intent: &Intent) -> bool {
        let admitted = match intent.lane {
            Lane::Bulk => self.bulk_admission.take() && self.admission.take(),
            Lane::Reserved => self.admission.take(),
            Lane::None => true,
        };
        let (host, scoped_host) = self.may_need(intent.executor);
        admitted
            && (!host || self.host.take())
            && (!scoped_host || (intent.lane == Lane::Reserved || self.scoped_host_bulk.take()))
            && (!scoped_host || self.scoped_host.take())
    }

    /// Which semaphores the spawn may need, as far as the caller knows: host, scoped-host.
    fn may_need(&self, executor: Executor) -> (bool, bool) {
        match executor {
            Executor::None => (false, false),
            Executor::Host => (true, false),
            Executor::ScopedHost => (!self.uses_scoped_host, self.uses_scoped_host),
            // Where scoped-host is used, a host semaphore that somebody holds shows that it is used too.
            Executor::Unknown => (!self.uses_scoped_host || self.host.taken > 0, self.uses_scoped_host),
        }
    }

    fn health(&self) -> Health {
        let mut health = Health::UNREPORTED;
        health.host.in_flight = f64::from(self.host.taken);
        health.host.max = f64::from(self.host.all);
        health.host.queued = 0.0;
        health.scoped_host.in_flight = f64::from(self.scoped_host.taken);
        health.scoped_host.max = f64::from(self.scoped_host.all);
        health.scoped_host.queued = 0.0;
        health.scoped_host_acquires = f64::from(u8::from(self.uses_scoped_host));
        health.scoped_host_bulk_in_flight = f64::from(self.scoped_host_bulk.taken);
        health.scoped_host_bulk_max = f64::from(self.scoped_host_bulk.all);
        health.active = f64::from(self.admission.taken);
        health.max_active = f64::from(self.admission.all);
        health.bulk_active = f64::from(self.bulk_admission.taken);
        health.bulk_max_active = f64::from(self.bulk_admission.all);
        health
    }
}

/// A gate with 1 to 3 places, from empty to over full (a limit can be lowered under load).
fn states() -> impl Iterator<Item = Places> + Clone {
    (1..=3).flat_map(|all| (0..=all + 1).map(move |taken| Places { taken, all }))
}

/// A lane of a gate: it has no more places than the gate, and none taken that the gate does not count.
fn lanes(of: Places) -> impl Iterator<Item = Places> + Clone {
    states().filter(move |lane| lane.all <= of.all && lane.taken <= of.taken)
}

fn bridges() -> impl Iterator<Item = Bridge> {
    states().flat_map(|host| {
        states().flat_map(move |admission| {
            lanes(admission).flat_map(move |bulk_admission| {
                let idle = Places { taken: 0, all: 1 };
                let unused = Bridge {
                    uses_scoped_host: false,
                    host,
                    scoped_host: idle,
                    scoped_host_bulk: idle,
                    admission,
                    bulk_admission,
                };
                let used = states().flat_map(move |scoped_host| {
                    lanes(scoped_host).map(move |scoped_host_bulk| Bridge {
                        uses_scoped_host: true,
                        scoped_host,
                        scoped_host_bulk,
                        ..unused
                    })
                });
                std::iter::once(unused).chain(used)
            })
        })
    })
}

#[test]
fn a_refusal_exactly_where_a_spawn_would_wait() {
    let lanes = [Lane::Bulk, Lane::Reserved, Lane::None];
    let executors = [Executor::Unknown, Executor::Host, Executor::ScopedHost, Executor::None];
    let mut checked = 0_u64;
    let mut refused = 0_u64;
    for bridge in bridges() {
        let health = bridge.health();
        for lane in lanes {
            for executor in executors {
                let mut after = bridge;
                let mut waits = false;
                for slots in 1..=4_u8 {
                    let intent = Intent::new(f64::from(slots), lane, executor).unwrap();
                    waits |= !after.spawn(&intent);
                    let refusal = refusal(&health, &intent, None);
                    assert_eq!(
                        refusal.is_some(),
                        waits,
                        "{slots} {lane:?} {executor:?} spawns: {refusal:?} for {health:?}"
                    );
                    checked += 1;
                    refused += u64::from(waits);
                }
            }
        }
    }
    println!("{checked} states and intents, {refused} refused");
    assert!(checked > 1_000_000 && refused > 100_000 && checked - refused > 100_000);
}
