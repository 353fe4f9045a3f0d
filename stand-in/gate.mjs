/** Thrown by `Gate.acquire` to a caller who got no slot. */
export class NoSlot extends Error {
  /**
   * @param {'queue_full' | 'queue_timeout' | 'aborted'} reason
   * @param {'reserved' | 'bulk'} lane the lane that was asked for
   * @param {number} waitMs how long the caller was ready to wait
   * @param {object} counts the gate's counts when it refused, the caller no longer among them
   */
  constructor(reason, lane, waitMs, counts) {
    super(`no slot: ${reason}`)
    this.name = 'NoSlot'
    Object.assign(this, { reason, lane, waitMs, counts })
  }
}

/**
 * A counting semaphore with a reserved share, one FIFO queue and a deadline. The bridge's admission gate and its two
 * executors are one each. Bulk callers fill it up to `max - reserved`, reserved callers up to `max`. Waiters of the
 * other lane may pass a waiter whose lane is full, those of its own lane never.
 */
export class Gate {
  #holders = new Set()
  #waiters = new Set()
  #acquires = 0
  #timeouts = 0

  /**
   * @param {object} limits
   * @param {number} limits.max slots
   * @param {number} [limits.reserved] slots that bulk callers may not take
   * @param {number} [limits.maxQueue] callers who may wait
   * @param {number} limits.waitMs how long a caller waits who does not say it
   */
  constructor({ max, reserved = 0, maxQueue = Infinity, waitMs }) {
    Object.assign(this, { max, reserved, maxQueue, waitMs, bulkMax: max - reserved })
  }

  /**
   * Resolves to a function that gives the slot back; calling it again does nothing. Rejects with `NoSlot`.
   *
   * @param {{ lane?: 'reserved' | 'bulk', waitMs?: number, signal?: AbortSignal }} [asked]
   */
  async acquire({ lane = 'bulk', waitMs = this.waitMs, signal } = {}) {
    const refuse = (reason) => new NoSlot(reason, lane, waitMs, this.counts())
    this.#acquires += 1
    if (signal?.aborted) throw refuse('aborted')
    if (this.#fits(lane)) return this.#take(lane)
    if (this.#waiters.size >= this.maxQueue) throw refuse('queue_full')
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.delete(waiter)
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      const giveUp = (reason) => {
        leave()
        reject(refuse(reason))
      }
      const abort = () => giveUp('aborted')
      const timer = setTimeout(() => {
        this.#timeouts += 1
        giveUp('queue_timeout')
      }, waitMs)
      const waiter = {
        lane,
        enter: () => {
          leave()
          resolve(this.#take(lane))
        }
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiters.add(waiter)
    })
  }

  /** What the gate holds now. `acquires` counts attempts, as the bridge does. */
  counts() {
    const { max, reserved, bulkMax, maxQueue, waitMs } = this
    const since = [...this.#holders].map((holder) => holder.since)
    return {
      inFlight: this.#holders.size,
      inFlightByLane: byLane(this.#holders),
      queued: this.#waiters.size,
      queuedByLane: byLane(this.#waiters),
      acquires: this.#acquires,
      timeouts: this.#timeouts,
      oldestHeldMs: since.length === 0 ? null : Math.round(performance.now() - Math.min(...since)),
      max,
      reserved,
      bulkMax,
      maxQueue,
      waitMs
    }
  }

  #fits(lane) {
    if (this.#holders.size >= this.max) return false
    return lane === 'reserved' || byLane(this.#holders).bulk < this.bulkMax
  }

  #take(lane) {
    const holder = { lane, since: performance.now() }
    this.#holders.add(holder)
    return () => {
      if (this.#holders.delete(holder)) this.#letIn()
    }
  }

  #letIn() {
    for (const waiter of [...this.#waiters]) {
      if (this.#fits(waiter.lane)) waiter.enter()
    }
  }
}

function byLane(entries) {
  const count = { reserved: 0, bulk: 0 }
  for (const { lane } of entries) count[lane] += 1
  return count
}
