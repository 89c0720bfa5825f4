import { Failure } from '#domain/errors.ts'

/** Limits of request bodies, in memory and in time. */
export interface BodyLimits {
  /** One request. */
  readonly requestBytesMax: number
  /** All requests in the process, from their first byte to the ends of their calls. */
  readonly bodyBytesMax: number
  /** A body must arrive at this rate on average, after the grace; else it is refused. */
  readonly bodyBytesPerSecondMin: number
  readonly bodyGraceMs: number
  /** A body of announced length must arrive within so long, whatever its length. */
  readonly bodyArrivesMs: number
}

/** Whom a body belongs to; each of them has a share of the memory for large bodies. */
export interface BodyOwner {
  readonly keyId: string
  readonly applicationId: string
  readonly organizationId: string
}

/** Smaller bodies come with their heads and count for the process alone. */
export const largeBodyBytesMin = 64 * 1024

/** Parts of the memory for bodies that one owner's large bodies may take, and that small bodies keep. */
export const bodyShares = { key: 1 / 4, application: 3 / 8, organization: 1 / 2 } as const
export const smallBodyShare = 1 / 8

type Owner = keyof typeof bodyShares

const sweepMs = 1_000

/**
 * The bodies that are being read or worked on. Their bytes count as they arrive, until the call is over, however it
 * ends. What a head announces counts for nothing: an announcement costs its sender nothing, so counting it would let
 * eight requests close the gateway.
 *
 * A body of 64 KiB or less finds room as long as an eighth of the memory is free, whatever larger bodies hold. Larger
 * ones share the rest: no key, application or organization gets all of it.
 */
export class BodyIntake {
  readonly #limits: BodyLimits
  readonly #monotonicMs: () => number
  #bytes = 0
  #largeBytes = 0
  /** Bytes of large bodies by the ID of an owner: an entry that comes and goes with every call is expensive. */
  readonly #bytesOf = new Map<string, number>()
  /** Each knows its index, so that it leaves without a search. */
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

  /** Keys, applications and organizations that hold large bodies. */
  get ownersHolding(): number {
    return this.#bytesOf.size
  }

  /**
   * Begins a body. Nothing is held yet.
   * @param announced its length; 0: not known
   * @throws Failure `too_many_bodies`, `overloaded`: what is held now leaves no room for so many bytes
   */
  hold(owner: BodyOwner, announced: number): HeldBody {
    this.#assertRoom(owner, 0, announced)
    return new HeldBody(this, owner)
  }

  /** Called by a held body as it grows. @throws Failure as `hold` */
  take(owner: BodyOwner, from: number, to: number): void {
    this.#assertRoom(owner, from, to)
    this.#bytes += to - from
    if (to > largeBodyBytesMin) this.#changeLarge(owner, to - largeOf(from))
  }

  /** Called by a held body, once. */
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
      // Always room for one request of any size.
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
   * Memory for a body in many pieces, to be given back. The largest returned one is kept: new memory beside the heap
   * for every large body makes the engine collect all of its heap at nearly every one.
   */
  room(bytes: number): Buffer {
    const spare = this.#spare
    if (spare.length < bytes) return Buffer.allocUnsafeSlow(bytes)
    this.#spare = Buffer.alloc(0)
    return spare
  }

  /** Takes back memory that is no longer read. */
  giveRoomBack(room: Buffer): void {
    if (room.length > this.#spare.length) this.#spare = room
  }

  /**
   * From now on the body must keep coming; else `onSlow`, once.
   * @param announced its length; 0: not known
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

  /** Called when the body is whole or its call has ended. Safe to repeat. */
  unwatch(body: ArrivingBody): void {
    if (body.place < 0) return
    const last = this.#arriving.pop()
    if (last !== undefined && last !== body) {
      this.#arriving[body.place] = last
      last.place = body.place
    }
    body.place = -1
  }

  /** One timer for all bodies; it ends when no body is coming. */
  #sweep(): void {
    const { bodyArrivesMs, bodyBytesPerSecondMin, bodyGraceMs } = this.#limits
    const nowMs = this.#monotonicMs()
    for (const body of this.#arriving.slice()) {
      const lateMs = nowMs - body.startedMs - bodyGraceMs
      // The rate grows with the announced length, so that a large body is no cheaper to hold open than a small one.
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
  /** Bytes that have come. */
  bytes: number
  readonly announced: number
  readonly startedMs: number
  place: number
  readonly onSlow: () => void
}

/** The bytes of one body, held until its call ends. */
export class HeldBody {
  readonly #intake: BodyIntake
  readonly #owner: BodyOwner
  #bytes = 0
  #isOver = false

  constructor(intake: BodyIntake, owner: BodyOwner) {
    this.#intake = intake
    this.#owner = owner
  }

  /** @throws Failure if there is no room for it */
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

/** The bytes of a body that count as large. */
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
