// The same rule in plain JavaScript over JSON.parse: what the addon is measured against, and nothing else.

const isCounter = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0
const isPositive = (value) => isCounter(value) && value > 0
const objectOf = (value) => (typeof value === 'object' && value !== null ? value : undefined)

export function refusalOfBytes(bytes, intended) {
  return refusalOfText(bytes.toString(), intended)
}

export function refusalOfText(text, intended) {
  let health
  try {
    health = JSON.parse(text)
  } catch {
    return undefined
  }
  return Array.isArray(health) ? undefined : refusalOfObject(health, intended)
}

export function refusalOfObject(health, intended = 1, url) {
  const { slots, lane = 'bulk', executor } = typeof intended === 'number' ? { slots: intended } : intended
  const host = objectOf(objectOf(health)?.executor)
  const scoped = objectOf(host?.scoped_host)
  const admission = objectOf(objectOf(health)?.admission)

  const scopedInUse = isPositive(scoped?.acquires) || isPositive(scoped?.in_flight) || isPositive(scoped?.queued)
  const hostIdle = !isPositive(host?.in_flight) && !isPositive(host?.queued)
  const takesHost =
    executor === 'host' || (executor !== 'none' && (!scopedInUse || (executor === undefined && !hostIdle)))
  const takesScoped = scopedInUse && executor !== 'host' && executor !== 'none'

  let said
  if (takesHost && (said = fullness('executor', 'in_flight', host?.in_flight, 'max', host?.max, slots))) {
    return sentence(url, said, waiting(host, false))
  }
  if (takesScoped && lane !== 'reserved') {
    const { bulk_in_flight: active, bulk_max: limit } = scoped
    if ((said = fullness('scoped-host executor bulk lane', 'bulk_in_flight', active, 'bulk_max', limit, slots))) {
      return sentence(url, said, waiting(scoped, true))
    }
  }
  if (takesScoped) {
    if ((said = fullness('scoped-host executor', 'in_flight', scoped.in_flight, 'max', scoped.max, slots))) {
      return sentence(url, said, waiting(scoped, false))
    }
  }
  const { active, maxActive, bulkMaxActive } = admission ?? {}
  if (lane === 'bulk') {
    const bulk = objectOf(admission?.activeByClass)?.bulk
    if ((said = fullness('bulk admission', 'active', bulk, 'bulkMaxActive', bulkMaxActive, slots, true))) {
      const total = Number.isFinite(active) && Number.isFinite(maxActive)
      return sentence(url, said, total ? ` (total active ${active} of maxActive ${maxActive})` : '')
    }
  }
  if (lane !== 'none' && (said = fullness('admission', 'active', active, 'maxActive', maxActive, slots))) {
    return sentence(url, said, '')
  }
  return undefined
}

function fullness(gate, activeName, active, limitName, limit, slots, zeroIsALimit = false) {
  if (!isCounter(active) || !isCounter(limit) || (limit === 0 && !zeroIsALimit)) return undefined
  if (limit - active >= slots) return undefined
  const how = active >= limit ? 'is full' : slots > limit ? `can never fit ${slots}` : `has no room for ${slots}`
  return `${gate} ${how}: ${activeName} ${active} of ${limitName} ${limit}`
}

function sentence(url, said, tail) {
  return `bridge ${url === undefined ? '' : `${url.replace(/\/$/, '')} `}${said}${tail}`
}

function waiting(semaphore, inLane) {
  const parts = []
  if (inLane && isCounter(semaphore.in_flight) && isCounter(semaphore.max)) {
    parts.push(`in_flight ${semaphore.in_flight} of max ${semaphore.max}`)
  }
  if (isCounter(semaphore.queued)) parts.push(`queued ${semaphore.queued}`)
  if (isCounter(semaphore.acquire_deadline_ms)) parts.push(`acquire deadline ${semaphore.acquire_deadline_ms} ms`)
  return parts.length > 0 ? ` (${parts.join(', ')})` : ''
}
