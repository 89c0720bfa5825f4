/**
 * The processes of one server inform each other about ended calls through database notifications. A process with
 * readers of `requests.tail` announces the topics that it wants, and repeats the announcement every few seconds. The
 * other processes then send it the IDs of ended calls in batches, and it reads the calls' rows from the store. If no
 * process wants a topic, nothing is sent.
 *
 * A notification has one of these forms:
 *
 * - `want <process> <application> <mode>`: the process wants to learn about ended calls of this application and mode.
 * - `calls <process> <application> <mode> <call id>:<end> ...`: calls have ended in the process. The end is in
 *   milliseconds since 1970, in base 36.
 * - `lost <process>`: some IDs of calls of the process were not sent.
 */
import { randomUUID } from 'node:crypto'
import type { Mode } from '#domain/billing/money-account-key.ts'
import type { TailPlace } from '#domain/calls/requests-tail-interface.ts'
import type { Notices } from '#domain/messages-between-processes-interface.ts'

export interface Topic {
  readonly applicationId: string
  readonly mode: Mode
}

interface LinkListener {
  readonly onCalls: (topic: Topic, places: readonly TailPlace[]) => void
  /** Called if calls of other processes may have been missed. */
  readonly onLost: () => void
}

/** An announcement expires after this time, in case its process has died. */
const wantedForMs = 15_000
const wantAgainMs = 5_000
const batchMs = 100
const closeMsMax = 1_000
/**
 * Each call takes 36 bytes, and the payload of a notification must be smaller than 8,000 bytes
 * (postgresql.org/docs/current/sql-notify.html).
 */
const callsAtOnce = 200
/** Beyond this number of unsent calls, the database cannot keep up, and calls are dropped. */
const unsentMax = 20_000

export class EndedCallNotifications {
  readonly #own = randomUUID()
  readonly #notices: Notices
  readonly #monotonicMs: () => number
  /** Topics that other processes want, with the times when their announcements expire. */
  readonly #wanted = new Map<string, number>()
  /** Topics that this process wants, each with the promise of the first announcement. */
  readonly #wants = new Map<string, Promise<void>>()
  readonly #unsent = new Map<string, TailPlace[]>()
  #sending: NodeJS.Timeout | null = null
  #sent: Promise<void> = Promise.resolve()
  #isClosed = false
  readonly #again: NodeJS.Timeout

  constructor(notices: Notices, monotonicMs: () => number) {
    this.#notices = notices
    this.#monotonicMs = monotonicMs
    this.#again = setInterval(() => this.#wantAgain(), wantAgainMs)
    this.#again.unref()
  }

  get wantedCount(): number {
    return this.#wanted.size
  }

  isWanted(name: string): boolean {
    return this.#wanted.has(name)
  }

  listen({ onCalls, onLost }: LinkListener): void {
    this.#notices.listen({
      onNotice: (text) => {
        const [kind, process, applicationId, mode, ...calls] = text.split(' ')
        if (process === this.#own) return
        if (kind === 'lost') onLost()
        if (applicationId === undefined) return
        if (mode !== 'live' && mode !== 'test') return
        const topic = { applicationId, mode } as const
        if (kind === 'want') this.#wanted.set(nameOf(topic), this.#monotonicMs() + wantedForMs)
        else if (kind === 'calls') onCalls(topic, calls.flatMap(placeOf))
      },
      onLost: () => {
        this.#unsent.clear()
        // If the database connection is lost, the notification is sent when it is restored.
        void this.#notices.send(`lost ${this.#own}`)
        onLost()
      },
    })
  }

  want(topic: Topic): void {
    this.#wants.set(nameOf(topic), this.#say(topic))
  }

  unwant(topic: Topic): void {
    this.#wants.delete(nameOf(topic))
  }

  /** Resolves after the other processes have been notified. */
  async wanted(topic: Topic): Promise<void> {
    await this.#wants.get(nameOf(topic))
  }

  publish(topic: Topic, place: TailPlace): void {
    const name = nameOf(topic)
    const unsent = this.#unsent.get(name) ?? []
    if (unsent.length === 0) this.#unsent.set(name, unsent)
    unsent.push(place)
    if (unsent.length > unsentMax) {
      this.#unsent.delete(name)
      void this.#notices.send(`lost ${this.#own}`)
    }
    this.#sending ??= setTimeout(() => void this.#send(), batchMs)
  }

  /** Sends the waiting IDs first. Waits for at most `closeMsMax`, because the database may not respond. */
  async close(): Promise<void> {
    clearInterval(this.#again)
    if (this.#sending !== null) clearTimeout(this.#sending)
    this.#isClosed = true
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, closeMsMax)
    await Promise.race([this.#send(), late])
    clearTimeout(timer)
  }

  #send(): Promise<void> {
    this.#sent = this.#sent.then(() => this.#sendWaiting())
    return this.#sent
  }

  async #sendWaiting(): Promise<void> {
    const batches = [...this.#unsent]
    this.#unsent.clear()
    for (const [name, places] of batches)
      for (let from = 0; from < places.length; from += callsAtOnce) {
        const calls = places.slice(from, from + callsAtOnce).map(textOf)
        // oxlint-disable-next-line no-await-in-loop -- one connection
        await this.#notices.send(`calls ${this.#own} ${name} ${calls.join(' ')}`)
      }
    this.#sending =
      this.#unsent.size > 0 && !this.#isClosed ? setTimeout(() => void this.#send(), batchMs) : null
  }

  #say({ applicationId, mode }: Topic): Promise<void> {
    return this.#notices.send(`want ${this.#own} ${applicationId} ${mode}`)
  }

  #wantAgain(): void {
    for (const name of this.#wants.keys()) void this.#notices.send(`want ${this.#own} ${name}`)
    const nowMs = this.#monotonicMs()
    for (const [name, untilMs] of this.#wanted) if (untilMs < nowMs) this.#wanted.delete(name)
  }
}

function nameOf({ applicationId, mode }: Topic): string {
  return `${applicationId} ${mode}`
}

function textOf({ callId, endedAtMs }: TailPlace): string {
  return `${callId}:${endedAtMs.toString(36)}`
}

function placeOf(text: string): TailPlace[] {
  const [callId, ended] = text.split(':')
  return callId === undefined || ended === undefined
    ? []
    : [{ callId, endedAtMs: Number.parseInt(ended, 36) }]
}
