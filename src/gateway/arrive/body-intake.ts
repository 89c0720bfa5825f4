import { Failure } from '#domain/errors.ts'

/** Limits of request bodies, in memory and in time. */
export interface BodyLimits {
  /** One request. */
  readonly requestBytesMax: number
  /** All requests in the process, from their heads to the ends of their calls. */
  readonly bodyBytesMax: number
  /** All requests with one key, so that no key takes the room of all. */
  readonly bodyBytesPerKeyMax: number
  /** A body that is slower on average is refused, after this grace. */
  readonly bodyBytesPerSecondMin: number
  readonly bodyGraceMs: number
}

/** Smaller bodies come with their heads and count for the process alone. */
export const largeBodyBytesMin = 64 * 1024

const sweepMs = 1_000

/**
 * The bodies that are being read or worked on. Their bytes count as soon as a head announces them, or as they come
 * where nothing is announced, until the call is over, however it ends.
 */
export class BodyIntake {
  readonly #limits: BodyLimits
  readonly #monotonicMs: () => number
  #bytes = 0
  /** Large bodies only: an entry that comes and goes with every call is dear. */
  readonly #bytesOfKeys = new Map<string, number>()
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

  /** Keys that hold large bodies. */
  get keysHolding(): number {
    return this.#bytesOfKeys.size
  }

  /** @throws Failure `rate_limited`, `overloaded`: there is no room for so many bytes now */
  hold(keyId: string, bytes: number): HeldBody {
    const body = new HeldBody(this, keyId)
    body.growTo(bytes)
    return body
  }

  /** Called by a held body as it grows. @throws Failure */
  take(keyId: string, from: number, to: number): void {
    const { bodyBytesMax, bodyBytesPerKeyMax } = this.#limits
    if (this.#bytes + to - from > bodyBytesMax) throw new Failure('overloaded', { retryAfterSeconds: 1 })
    if (to > largeBodyBytesMin) {
      const before = this.#bytesOfKeys.get(keyId) ?? 0
      const after = before + to - (from > largeBodyBytesMin ? from : 0)
      if (after > bodyBytesPerKeyMax) throw new Failure('too_many_bodies', { retryAfterSeconds: 1 })
      this.#bytesOfKeys.set(keyId, after)
    }
    this.#bytes += to - from
  }

  /** Called by a held body, once. */
  giveBack(keyId: string, bytes: number): void {
    this.#bytes -= bytes
    if (bytes <= largeBodyBytesMin) return
    const left = (this.#bytesOfKeys.get(keyId) ?? 0) - bytes
    if (left > 0) this.#bytesOfKeys.set(keyId, left)
    else this.#bytesOfKeys.delete(keyId)
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

  /** From now on the body must keep coming; else `onSlow`, once. */
  watch(onSlow: () => void): ArrivingBody {
    const body: ArrivingBody = {
      bytes: 0,
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
    const { bodyBytesPerSecondMin, bodyGraceMs } = this.#limits
    const nowMs = this.#monotonicMs()
    for (const body of this.#arriving.slice()) {
      const lateMs = nowMs - body.startedMs - bodyGraceMs
      if (lateMs <= 0 || body.bytes * 1000 >= lateMs * bodyBytesPerSecondMin) continue
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
  readonly startedMs: number
  place: number
  readonly onSlow: () => void
}

/** The bytes of one body, held until its call ends. */
export class HeldBody {
  readonly #intake: BodyIntake
  readonly #keyId: string
  #bytes = 0
  #isOver = false

  constructor(intake: BodyIntake, keyId: string) {
    this.#intake = intake
    this.#keyId = keyId
  }

  /** @throws Failure where there is no room for it */
  growTo(bytes: number): void {
    if (this.#isOver || bytes <= this.#bytes) return
    this.#intake.take(this.#keyId, this.#bytes, bytes)
    this.#bytes = bytes
  }

  giveBack(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#intake.giveBack(this.#keyId, this.#bytes)
  }
}
