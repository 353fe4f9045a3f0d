/**
 * What a parsed `/health` body of a cli-bridge may hold. Only `executor` and `admission` are read; whatever in them is
 * not a finite number ≥ 0 is unreported and never refuses.
 */
export interface HealthBody {
  readonly executor?: unknown
  readonly admission?: unknown
  readonly status?: string
  readonly cached_verdicts?: unknown
  readonly oldest_probed_at?: unknown
  readonly backends?: unknown
  readonly memory?: unknown
  readonly ts?: unknown
}

/** A `/health` body: parsed, as its JSON text, or as its bytes. `null` and `undefined` report nothing. */
export type Health = HealthBody | string | ArrayBufferView | ArrayBufferLike | null | undefined

/** The admission lane of the turn: `'none'` is for turns of retained sessions, which enter none. */
export type Lane = 'bulk' | 'reserved' | 'none'

/**
 * The semaphore that the spawn takes its slots from: `'none'` is for the docker pool and for backends that spawn without
 * a slot. `'scoped-host'` means the host semaphore on a bridge that does not use scoped-host.
 */
export type Executor = 'host' | 'scoped-host' | 'none'

/** What the caller is about to take at once: a number of executor slots, or that with what it knows of the spawn. */
export type Intended =
  number | { readonly slots: number; readonly lane?: Lane | undefined; readonly executor?: Executor | undefined }

/** Where a bridge is, and how to speak to it. */
export interface BridgeSeam {
  /** An http(s) URL; `/health` is asked below it. */
  readonly bridgeUrl: string
  /** Sent as `authorization: Bearer …`. Never part of an error or a message. */
  readonly bridgeBearer?: string | null | undefined
  /** The full wire id, such as `gemini/gemini-2.5-pro`. It tells the executor where `options.intended` gives none. */
  readonly model?: string | null | undefined
}

/** How to ask the bridge of a seam. */
export interface BridgeOptions {
  /** What is intended. One slot by default. */
  readonly intended?: Intended | undefined
  /** The deadline for the whole answer, in ms. 5000 by default: a full bridge needs 3500 for its `/health`. */
  readonly timeoutMs?: number | undefined
}

/**
 * Asks the bridge for room before a spawn.
 *
 * @returns why the spawn would have to wait, as one sentence; `undefined` where nothing speaks against it, which is also
 * the answer of a bridge that cannot be reached or read.
 * @throws (rejects) `AbortError` when `signal` aborts; `TypeError` or `RangeError` for misuse, naming the value.
 */
export function bridgeAdmissionRefusal(
  seam: BridgeSeam,
  signal?: AbortSignal | undefined,
  options?: BridgeOptions | undefined
): Promise<string | undefined>

/**
 * Decides over a `/health` body that is already here. The HTTP status does not matter: a full bridge answers 503 with
 * the same body.
 *
 * @returns why the spawn would have to wait, as one sentence; `undefined` where nothing speaks against it.
 * @throws `TypeError` or `RangeError` for misuse, naming the value. Never for what a body holds.
 */
export function bridgeAdmissionRefusal(health: Health, intended?: Intended | undefined): string | undefined

/** The name of a gate, as refusals call it. */
export type GateName =
  'executor' | 'scoped-host executor bulk lane' | 'scoped-host executor' | 'bulk admission' | 'admission'

/** One gate that a spawn has to pass. */
export interface Gate {
  name: GateName
  /** What is taken. */
  active: number
  /** What there is in all. */
  limit: number
  /** What is left, at least 0. */
  free: number
  /** Spawns that wait there, where an executor gate reports it. Orphaned health probes are among them. */
  queued?: number
  /** How long a spawn waits there before it is refused, in ms, where an executor gate reports it. */
  acquireDeadlineMs?: number
}

/** The room of a bridge, for one intent. */
export interface Capacity {
  /** Slots free over all gates; `null` where no gate is reported. */
  free: number | null
  /** The gates that apply, in the order in which they are checked. */
  gates: Gate[]
  /** The gate with the fewest free slots, the first of equals. */
  limiting?: GateName
}

/**
 * What was read, for launchers, dashboards and logs. `bridgeAdmissionRefusal(health, n)` is `undefined` exactly where
 * `free` is `null` or at least `n`.
 *
 * @throws `TypeError` or `RangeError` for misuse, naming the value. Never for what a body holds.
 */
export function bridgeCapacity(health: Health, intended?: Intended | undefined): Capacity

interface FailureFacts {
  /** What happened, in words: a capacity refusal in the package's own, any other failure in its own, unchanged. */
  message: string
  /** The structured word that says it, such as `executor_saturated`, `upstream` or `ECONNREFUSED`. */
  code?: string
  /** The HTTP status, from the answer, the error or the runtime's framing. */
  status?: number
  /** What the bridge said of the dispatch. `'not_started'` alone proves no capacity refusal. */
  providerDispatch?: string
  /** When to ask again, in ms: the bridge's `retry_after_ms`, else the `Retry-After` header. */
  retryAfterMs?: number
}

/** The bridge had no slot. Nothing ran, and nothing was dispatched to the provider. */
export interface CapacityFailure extends FailureFacts {
  kind: 'capacity'
  capacity: true
  /** The same request can succeed later. Send it under a new run id: a refusal is replayed for its own. */
  retrySafe: true
  /**
   * How it was refused: `'acquire-timeout'` waited for a slot and gave up, `'queue-full'` and `'queue-timeout'` are
   * refusals of a queue, `'pre-spawn'` is this package's own. Absent where nothing tells.
   */
  reason?: 'acquire-timeout' | 'queue-full' | 'queue-timeout' | 'pre-spawn'
  /** How long it waited, in ms. */
  waitedMs?: number
  /** The executor that was full, as far as the failure tells. */
  executor?: { name: string; inFlight?: number; max?: number; queued?: number; deadlineMs?: number }
}

/** Any other failure. */
export interface OtherFailure extends FailureFacts {
  /**
   * Whose failure it was: `'provider'` the harness, model or provider failed, or its time ran out after it had started;
   * `'request'` refused for what it asked, and the same request fails again; `'bridge'` the bridge or the way to it
   * failed; `'aborted'` the caller cancelled; `'unknown'` nothing tells.
   */
  kind: 'provider' | 'request' | 'bridge' | 'aborted' | 'unknown'
  capacity: false
  /** Whether it is proven that no provider call was made and the same request can succeed later. */
  retrySafe: boolean
  reason?: undefined
  waitedMs?: undefined
  executor?: undefined
}

/** Whose failure it was, and whether sending the same request again is safe. */
export type FailureClassification = CapacityFailure | OtherFailure

/**
 * Says whose failure it was. Takes whatever was thrown or received: an error of any class or realm, an HTTP answer
 * `{ status, headers?, body }`, a body parsed or not, an SSE frame or text, bytes, `null`. Never throws. It is
 * synchronous, so of a `Response` whose body is a stream it sees the status alone: read the body first.
 */
export function classifyFailure(failure: unknown): FailureClassification
