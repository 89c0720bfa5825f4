import { Failure } from '#domain/errors.ts'

export interface BodyLimits {
  readonly requestBytesMax: number
  /**
   * Maximum size of all request bodies in the process together. A body counts from its first byte until its call ends.
   */
  readonly bodyBytesMax: number
  /** Minimum average rate at which a body must arrive, after the grace period. Slower bodies are rejected. */
  readonly bodyBytesPerSecondMin: number
  readonly bodyGraceMs: number
  /** Maximum time until a body with an announced length must have arrived, regardless of this length. */
  readonly bodyArrivesMs: number
}

/** Each key, application and organization can use only a share of the memory for large bodies. */
export interface BodyOwner {
  readonly keyId: string
  readonly applicationId: string
  readonly organizationId: string
}

/** Bodies below this size arrive together with their headers and count only toward the limit of the process. */
export const largeBodyBytesMin = 64 * 1024

/**
 * Maximum share of the body memory for the large bodies of one owner. The rest is reserved for small bodies and other
 * owners.
 */
export const bodyShares = { key: 1 / 4, application: 3 / 8, organization: 1 / 2 } as const
export const smallBodyShare = 1 / 8

type Owner = keyof typeof bodyShares

const sweepMs = 1_000

/**
 * Each byte of a body counts from its arrival until the call ends. The announced length does not count, because
 * announcing a length costs the sender nothing. If the announced length counted, eight requests could block the
 * gateway.
 *
 * A body of 64 KiB or less is accepted as long as an eighth of the memory is free, regardless of larger bodies. Larger
 * bodies share the rest of the memory, and no key, application or organization can use all of it.
 */
export class BodyIntake {
  readonly #limits: BodyLimits
  readonly #monotonicMs: () => number
  #bytes = 0
  #largeBytes = 0
  /**
   * Number of bytes of large bodies in memory, by owner ID. Small bodies have no entry, because changing an entry for
   * every call is expensive.
   */
  readonly #bytesOf = new Map<string, number>()
  /** Each body stores its own index, so that it can be removed without a search. */
  readonly #arriving: ArrivingBody[] = []
  #timer: NodeJS.Timeout | null = null
  #spare: Buffer = Buffer.alloc(0)

  constructor(limits: BodyLimits, monotonicMs: () => number = () => performance.now()) {
    this.#limits = limits
    this.#monotonicMs = monotonicMs
  }

  get bytesHeld(): number {
    return this.#bytes
  }

  get ownersHolding(): number {
    return this.#bytesOf.size
  }

  /**
   * Call this before the first byte arrives.
   * @param announced the body's length; 0 if unknown
   * @throws Failure `too_many_bodies`, `overloaded` if this body would exceed the maximum size of all bodies
   */
  hold(owner: BodyOwner, announced: number): HeldBody {
    this.#assertRoom(owner, 0, announced)
    return new HeldBody(this, owner)
  }

  take(owner: BodyOwner, from: number, to: number): void {
    this.#assertRoom(owner, from, to)
    this.#bytes += to - from
    if (to > largeBodyBytesMin) this.#changeLarge(owner, to - largeOf(from))
  }

  giveBack(owner: BodyOwner, bytes: number): void {
    this.#bytes -= bytes
    if (bytes > largeBodyBytesMin) this.#changeLarge(owner, -bytes)
  }

  #assertRoom(owner: BodyOwner, from: number, to: number): void {
    const { bodyBytesMax, requestBytesMax } = this.#limits
    if (this.#bytes + to - from > bodyBytesMax) throw new Failure('overloaded', { retryAfterSeconds: 1 })
    if (to <= largeBodyBytesMin) return
    const more = to - largeOf(from)
    for (const [kind, id] of idsOf(owner)) {
      // An owner may always send a request of the maximum size.
      const most = Math.max(requestBytesMax, Math.floor(bodyBytesMax * bodyShares[kind]))
      if ((this.#bytesOf.get(id) ?? 0) + more > most)
        throw new Failure('too_many_bodies', { owner: kind, retryAfterSeconds: 1 })
    }
    if (this.#largeBytes + more > bodyBytesMax * (1 - smallBodyShare))
      throw new Failure('overloaded', { retryAfterSeconds: 1 })
  }

  #changeLarge(owner: BodyOwner, more: number): void {
    this.#largeBytes += more
    for (const [, id] of idsOf(owner)) {
      const after = (this.#bytesOf.get(id) ?? 0) + more
      if (after > 0) this.#bytesOf.set(id, after)
      else this.#bytesOf.delete(id)
    }
  }

  /**
   * The caller must give the buffer back. The largest returned buffer is kept for reuse. Without reuse, almost every
   * large body would trigger a full garbage collection.
   */
  room(bytes: number): Buffer {
    const spare = this.#spare
    if (spare.length < bytes) return Buffer.allocUnsafeSlow(bytes)
    this.#spare = Buffer.alloc(0)
    return spare
  }

  giveRoomBack(room: Buffer): void {
    if (room.length > this.#spare.length) this.#spare = room
  }

  /**
   * Calls `onSlow` once if the body is too slow.
   * @param announced the body's length; 0 if unknown
   */
  watch(announced: number, onSlow: () => void): ArrivingBody {
    const body: ArrivingBody = {
      bytes: 0,
      announced,
      startedMs: this.#monotonicMs(),
      place: this.#arriving.length,
      onSlow,
    }
    this.#arriving.push(body)
    this.#timer ??= setInterval(() => this.#sweep(), sweepMs).unref()
    return body
  }

  /** Repeated calls have no effect. */
  unwatch(body: ArrivingBody): void {
    if (body.place < 0) return
    const last = this.#arriving.pop()
    if (last !== undefined && last !== body) {
      this.#arriving[body.place] = last
      last.place = body.place
    }
    body.place = -1
  }

  /** A single timer serves all bodies, and stops when no body is arriving. */
  #sweep(): void {
    const { bodyArrivesMs, bodyBytesPerSecondMin, bodyGraceMs } = this.#limits
    const nowMs = this.#monotonicMs()
    for (const body of this.#arriving.slice()) {
      const lateMs = nowMs - body.startedMs - bodyGraceMs
      // The minimum rate grows with the announced length, so that a large body is no cheaper to keep open than a small
      // body.
      const rate = Math.max(bodyBytesPerSecondMin, (body.announced * 1000) / bodyArrivesMs)
      if (lateMs <= 0 || body.bytes * 1000 >= lateMs * rate) continue
      this.unwatch(body)
      body.onSlow()
    }
    if (this.#arriving.length > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

export interface ArrivingBody {
  bytes: number
  readonly announced: number
  readonly startedMs: number
  place: number
  readonly onSlow: () => void
}

export class HeldBody {
  readonly #intake: BodyIntake
  readonly #owner: BodyOwner
  #bytes = 0
  #isOver = false

  constructor(intake: BodyIntake, owner: BodyOwner) {
    this.#intake = intake
    this.#owner = owner
  }

  /** @throws Failure if the body does not fit */
  growTo(bytes: number): void {
    if (this.#isOver || bytes <= this.#bytes) return
    this.#intake.take(this.#owner, this.#bytes, bytes)
    this.#bytes = bytes
  }

  giveBack(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#intake.giveBack(this.#owner, this.#bytes)
  }
}

function largeOf(bytes: number): number {
  return bytes > largeBodyBytesMin ? bytes : 0
}

function idsOf({ applicationId, keyId, organizationId }: BodyOwner): readonly (readonly [Owner, string])[] {
  return [
    ['key', keyId],
    ['application', applicationId],
    ['organization', organizationId],
  ]
}
