import { comparePlaces, isTailed } from '#domain/calls/requests-tail-interface.ts'
import type {
  CallLabels,
  TailEvent,
  TailPiece,
  TailPlace,
  TailReader,
  TailWanted,
} from '#domain/calls/requests-tail-interface.ts'
import type { CallRecord } from '#domain/calls/call-record.ts'

export interface ReaderSupply {
  /**
   * Returns the places of the calls that ended after `after`. First waits until the other processes report their ended
   * calls, so that no call is missed. Null if `after` is too old or there are too many calls.
   */
  readonly placesBehind: (after: TailPlace) => Promise<readonly TailPlace[] | null>
  readonly callsAt: (places: readonly TailPlace[]) => Promise<{
    readonly calls: ReadonlyMap<string, CallRecord>
    readonly labels: CallLabels
  }>
  readonly onLeft: () => void
}

/** If more characters wait, the reader is disconnected. Most characters take one byte. */
export const waitingCharactersMax = 1024 * 1024
/** Limits the size of one write. */
const eventsAtOnce = 100

interface Waiting {
  readonly place: TailPlace
  readonly text: string
}

/**
 * A client that reads `requests.tail`. After a reconnect, the client first receives the recorded calls after its
 * position, page by page as it reads. Calls that end meanwhile wait in the queue. A call that is both recorded and
 * queued is sent once.
 */
export class QueuedReader implements TailReader {
  readonly #wanted: TailWanted
  readonly #supply: ReaderSupply
  #waiting: Waiting[] = []
  #characters = 0
  /** The recorded calls to send, from index `#recordedSent` on. Null before the recorded calls are looked up. */
  #recorded: readonly TailPlace[] | null
  #recordedSent = 0
  #recordedIds: ReadonlySet<string> = new Set()
  #last: TailPlace | null
  #dropped: 'slow' | 'link_lost' | 'crowded' | null = null
  #isOver = false
  #wake: (() => void) | null = null

  constructor(wanted: TailWanted, supply: ReaderSupply) {
    this.#wanted = wanted
    this.#supply = supply
    this.#last = wanted.after
    this.#recorded = wanted.after === null ? [] : null
  }

  get characters(): number {
    return this.#characters
  }

  /** @param calls sorted by the time at which they ended */
  offer(calls: readonly (readonly [TailPlace, CallRecord])[], labels: CallLabels): void {
    if (this.#dropped !== null) return
    const { filter, write } = this.#wanted
    for (const [place, call] of calls) {
      if (!isTailed(filter, call)) continue
      const text = write(call, labels)
      this.#characters += text.length
      this.#waiting.push({ place, text })
    }
    if (this.#characters > waitingCharactersMax) this.drop('slow')
    else if (this.#waiting.length > 0) this.#wake?.()
  }

  /** After a reconnect, the client receives the discarded calls from the stored records. */
  drop(reason: 'slow' | 'link_lost' | 'crowded'): void {
    this.#dropped ??= reason
    this.#waiting = []
    this.#characters = 0
    this.#wake?.()
    this.leave()
  }

  leave(): void {
    this.#supply.onLeft()
  }

  async next(quietMs: number, ending: AbortSignal): Promise<TailPiece | null> {
    if (this.#isOver || ending.aborted) return null
    if (this.#dropped === null && this.#waiting.length === 0 && this.#recorded?.length === this.#recordedSent)
      await this.#waited(quietMs, ending)
    if (ending.aborted) return null
    if (this.#dropped !== null) {
      this.#isOver = true
      return { kind: 'dropped', reason: this.#dropped }
    }
    if (this.#recorded === null || this.#recordedSent < this.#recorded.length) return this.#nextRecorded()
    const events = this.#take()
    return events.length === 0 ? { kind: 'quiet' } : { kind: 'calls', events }
  }

  #waited(quietMs: number, ending: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        ending.removeEventListener('abort', done)
        this.#wake = null
        resolve()
      }
      const timer = setTimeout(done, quietMs)
      this.#wake = done
      ending.addEventListener('abort', done)
    })
  }

  async #nextRecorded(): Promise<TailPiece> {
    const { after, filter, write } = this.#wanted
    if (this.#recorded === null && after !== null) {
      const places = await this.#supply.placesBehind(after)
      this.#recorded = places ?? []
      this.#recordedIds = new Set(this.#recorded.map(({ callId }) => callId))
      if (places === null) return { kind: 'gap', after }
    }
    const page = (this.#recorded ?? []).slice(this.#recordedSent, this.#recordedSent + eventsAtOnce)
    this.#recordedSent += page.length
    const { calls, labels } = await this.#supply.callsAt(page)
    const events: TailEvent[] = []
    for (const place of page) {
      const call = calls.get(place.callId)
      if (call && isTailed(filter, call)) events.push(this.#sent(place, write(call, labels)))
    }
    return { kind: 'calls', events }
  }

  #take(): TailEvent[] {
    const taken = this.#waiting.splice(0, eventsAtOnce)
    const events: TailEvent[] = []
    for (const { place, text } of taken) {
      this.#characters -= text.length
      if (!this.#recordedIds.has(place.callId)) events.push(this.#sent(place, text))
    }
    return events
  }

  #sent(place: TailPlace, text: string): TailEvent {
    const isLate = this.#last !== null && comparePlaces(place, this.#last) <= 0
    if (!isLate) this.#last = place
    return { place: isLate ? null : place, text }
  }
}
