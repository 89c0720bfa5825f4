/**
 * Sends calls to the readers of `requests.tail` when the calls end:
 *
 * - `told` is called for each call that ends in this process. `told` returns immediately if there are no readers.
 * - `link` sends the IDs of ended calls to the processes that want them (notify-processes-of-ended-calls.ts).
 * - `#hold` keeps calls for `holdMs`, so that the calls of all ledger queues and processes are sent in one order.
 * - `#flush` reads the rows of the calls once, and offers the calls to each reader.
 *
 * A reader's queue is limited (tail-reader.ts). A reader that reconnects receives the calls recorded after its last
 * position.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { suffixMs } from '#domain/ids-sorted-by-time.ts'
import type { EndedCall } from '#domain/ledger-interface.ts'
import { comparePlaces } from '#domain/calls/requests-tail-interface.ts'
import type {
  CallLabels,
  CallTail,
  TailPlace,
  TailReader,
  TailWanted,
} from '#domain/calls/requests-tail-interface.ts'
import type { CallRecord } from '#domain/calls/call-record.ts'
import type { Nouns, Store } from '#domain/store-interface.ts'
import type { EndedCallNotifications, Topic } from './notify-processes-of-ended-calls.ts'
import { QueuedReader } from './tail-reader.ts'

export interface HubOptions {
  readonly store: Pick<Store, 'readFor'>
  readonly nowMs: () => number
  /** Null if no other process serves calls. */
  readonly link: EndedCallNotifications | null
  /** Called if ended calls could not be read. The readers of these calls are disconnected and can reconnect. */
  readonly onFault: (error: unknown) => void
  readonly readersMax?: number
  readonly readersInAllMax?: number
}

export const readersMaxDefault = 200
export const readersInAllMaxDefault = 2_000
/** 16 readers with full queues reach this limit (tail-reader.ts). */
const charactersMax = 16 * 1024 * 1024
/**
 * How long ended calls are held, to be sent in order. All ledger queues (lanes) of a process commit within this time.
 * Notifications between processes need additional time.
 */
const holdMsAlone = 100
const holdMsLinked = 500
/** A reader whose last position is older than this does not receive the calls that it missed. */
const awayMsMax = 600_000
const placesMax = 10_000
/** Ended calls that wait to be read. More wait only if the store is too slow. */
export const heldMax = 50_000
const idsAtOnce = 200

interface Room {
  readonly topic: Topic
  readonly organizationId: string
  /**
   * Reads within the organization's limits (store/sql/turns-for-statements.ts). The organization's readers take turns.
   */
  readonly nouns: Nouns
  readonly readers: Set<QueuedReader>
  /** Ended calls that have not been offered to the readers yet. */
  held: TailPlace[]
  flushing: NodeJS.Timeout | null
}

export class CallTailHub implements CallTail {
  readonly readersMax: number
  readonly #readersInAllMax: number
  readonly #options: HubOptions
  readonly #holdMs: number
  readonly #rooms = new Map<string, Room>()
  /** By organization, oldest first. Organizations without readers have no entry. */
  readonly #readers = new Map<string, Set<QueuedReader>>()

  constructor(options: HubOptions) {
    this.#options = options
    this.readersMax = options.readersMax ?? readersMaxDefault
    this.#readersInAllMax = options.readersInAllMax ?? readersInAllMaxDefault
    this.#holdMs = options.link === null ? holdMsAlone : holdMsLinked
    options.link?.listen({
      onCalls: (topic, places) => {
        const room = this.#rooms.get(nameOf(topic))
        if (room) this.#hold(room, places)
      },
      onLost: () => {
        for (const room of this.#rooms.values()) dropAll(room, 'link_lost')
      },
    })
  }

  /** Must be fast, because every call waits for it. */
  told({ record: { applicationId, callId, latencyMs, mode } }: Pick<EndedCall, 'record'>): void {
    const { link } = this.#options
    if (this.#rooms.size === 0 && (link === null || link.wantedCount === 0)) return
    const topic = { applicationId, mode }
    const name = nameOf(topic)
    const room = this.#rooms.get(name)
    const isWanted = link?.isWanted(name) === true
    if (!room && !isWanted) return
    const place = { endedAtMs: (suffixMs(callId) ?? 0) + latencyMs, callId }
    if (room) this.#hold(room, [place])
    if (isWanted) link.publish(topic, place)
  }

  follow(wanted: TailWanted): TailReader | null {
    const { organizationId } = wanted
    const own = this.#readers.get(organizationId) ?? new Set<QueuedReader>()
    if (own.size >= this.readersMax || !this.#hasRoomFor(own)) return null
    const room = this.#roomOf(wanted)
    let isIn = true
    const reader: QueuedReader = new QueuedReader(wanted, {
      placesBehind: (after) => this.#placesBehind(room, after),
      callsAt: (places) => this.#callsAt(room, places),
      onLeft: () => {
        if (!isIn) return
        isIn = false
        room.readers.delete(reader)
        own.delete(reader)
        if (own.size === 0) this.#readers.delete(organizationId)
        if (room.readers.size === 0) this.#close(room)
      },
    })
    room.readers.add(reader)
    own.add(reader)
    this.#readers.set(organizationId, own)
    return reader
  }

  /**
   * If the process is full, the organization with the most readers loses its newest reader, unless it would then have
   * fewer readers than this organization. In that case, this organization gets no further reader.
   */
  #hasRoomFor(own: ReadonlySet<QueuedReader>): boolean {
    const organizations = [...this.#readers.values()]
    const count = organizations.reduce((sum, { size }) => sum + size, 0)
    if (count < this.#readersInAllMax) return true
    const largest = organizations.reduce((one, other) => (other.size > one.size ? other : one))
    if (largest.size <= own.size + 1) return false
    ;[...largest].at(-1)?.drop('crowded')
    return true
  }

  /** Readers that read nothing must not fill the memory, so drop the reader with the most waiting characters. */
  #limitWaiting(organizationId: string): void {
    const readers = [...(this.#readers.get(organizationId) ?? [])]
    let waiting = readers.reduce((sum, { characters }) => sum + characters, 0)
    for (const reader of readers.toSorted((one, other) => other.characters - one.characters)) {
      if (waiting <= charactersMax) return
      waiting -= reader.characters
      reader.drop('slow')
    }
  }

  #roomOf({ applicationId, mode, organizationId }: TailWanted): Room {
    const topic = { applicationId, mode }
    const name = nameOf(topic)
    const known = this.#rooms.get(name)
    if (known) return known
    const reader = { organizationId, callerId: `tail ${name}`, isEndUser: false, onCost: () => {} }
    const nouns = this.#options.store.readFor(reader)
    const room: Room = { topic, organizationId, nouns, readers: new Set(), held: [], flushing: null }
    this.#rooms.set(name, room)
    this.#options.link?.want(topic)
    return room
  }

  #close(room: Room): void {
    if (room.flushing !== null) clearTimeout(room.flushing)
    room.held = []
    const name = nameOf(room.topic)
    if (this.#rooms.get(name) !== room) return
    this.#rooms.delete(name)
    this.#options.link?.unwant(room.topic)
  }

  #hold(room: Room, places: readonly TailPlace[]): void {
    room.held.push(...places)
    if (room.held.length > heldMax) dropAll(room, 'slow')
    else room.flushing ??= setTimeout(() => void this.#flush(room), this.#holdMs)
  }

  async #flush(room: Room): Promise<void> {
    // Calls that end later are kept for the next flush.
    const places = room.held.toSorted(comparePlaces)
    room.held = []
    try {
      for (let from = 0; from < places.length && room.readers.size > 0; from += idsAtOnce) {
        const page = places.slice(from, from + idsAtOnce)
        // oxlint-disable-next-line no-await-in-loop -- one page after the other
        const { calls, labels } = await this.#callsAt(room, page)
        const ended = page.flatMap((place) => {
          const call = calls.get(place.callId)
          return call ? [[place, call] as const] : []
        })
        for (const reader of room.readers) reader.offer(ended, labels)
        this.#limitWaiting(room.organizationId)
      }
    } catch (error) {
      this.#options.onFault(error)
      dropAll(room, 'link_lost')
    }
    room.flushing = null
    if (room.held.length > 0) this.#hold(room, [])
  }

  async #callsAt(
    { nouns: { endedCalls, providers, teams }, organizationId, topic }: Room,
    places: readonly TailPlace[],
  ): Promise<{ calls: ReadonlyMap<string, CallRecord>; labels: CallLabels }> {
    const ids = places.map(({ callId }) => callId)
    const rows = await endedCalls.byIds(topic.applicationId, topic.mode, ids)
    const accounts = await providers.all(organizationId)
    const slugs = await teams.slugs(topic.applicationId)
    return {
      calls: new Map(rows.map((call) => [call.callId, call])),
      labels: new Map([...accounts.map(({ id, label }) => [id, label] as const), ...slugs]),
    }
  }

  async #placesBehind({ nouns, topic }: Room, after: TailPlace): Promise<readonly TailPlace[] | null> {
    const { link, nowMs } = this.#options
    if (nowMs() - after.endedAtMs > awayMsMax) return null
    if (link !== null) {
      // Wait until the other processes know that they must report ended calls.
      await link.wanted(topic)
      await delay(this.#holdMs)
    }
    return nouns.endedCalls.placesBehind(topic.applicationId, topic.mode, after, placesMax)
  }
}

function nameOf({ applicationId, mode }: Topic): string {
  return `${applicationId} ${mode}`
}

function dropAll(room: Room, reason: 'slow' | 'link_lost'): void {
  for (const reader of room.readers) reader.drop(reason)
}
