import type {
  CheckpointRequest,
  CompleteRequest,
  CreditRequest,
  CreditResult,
  ExtendRequest,
  ExtendResult,
  Ledger,
  ReleaseRequest,
  RequestRecord,
  ReserveRequest,
  ReserveResult,
  SettleRequest,
  SettleResult,
} from '#domain/ledger.ts'
import type { CallPlace, CallPlaces } from './call-owners.ts'
import type { GrantTerms } from '#store/ledger/book.ts'
import type { LedgerQueue } from '#store/ledger/queue.ts'

/**
 * The Ledger port over lanes: each is a queue with an engine on a connection of its own, and takes the
 * calls of a share of the people, so that batches of one process do not wait for each other's locks. Which
 * lane someone is in matters to no one else: what is true is decided under the lock of the person's row.
 */
export class PostgresLedger implements Ledger {
  readonly #lanes: readonly LedgerQueue[]
  readonly #places: CallPlaces

  constructor(lanes: readonly LedgerQueue[], places: CallPlaces) {
    this.#lanes = lanes
    this.#places = places
  }

  get keptCount(): number {
    return this.#lanes.reduce((sum, { keptCount }) => sum + keptCount, 0)
  }

  get recordsDropped(): number {
    return this.#lanes.reduce((sum, { recordsDropped }) => sum + recordsDropped, 0)
  }

  async reserve(request: ReserveRequest): Promise<ReserveResult> {
    const { callId, endUserId } = request
    // Kept when the call has a hold already, whose place this is.
    const isNew = this.#places.get(callId) === undefined
    if (isNew) this.#places.set(callId, placeOf(request))
    try {
      const result = await this.#laneOf(endUserId).reserve(request)
      if (isNew && result.kind !== 'reserved') this.#places.delete(callId)
      return result
    } catch (error) {
      if (isNew) this.#places.delete(callId)
      throw error
    }
  }

  extend(request: ExtendRequest): Promise<ExtendResult> {
    return this.#laneOfCall(request.callId).extend(request)
  }

  async settle(request: SettleRequest): Promise<SettleResult> {
    this.#place(request)
    return this.#until(request.callId, this.#laneOfCall(request.callId).settle(request))
  }

  async release(request: ReleaseRequest): Promise<void> {
    this.#place(request)
    return this.#until(request.callId, this.#laneOfCall(request.callId).release(request))
  }

  checkpoint(request: CheckpointRequest): void {
    this.#laneOfCall(request.callId).checkpoint(request)
  }

  record(request: RequestRecord): Promise<void> {
    return this.#laneOf(request.endUserId ?? request.callId).record(request)
  }

  complete(request: CompleteRequest): Promise<void> {
    return this.#laneOf(request.endUserId).complete(request)
  }

  credit(request: CreditRequest): Promise<CreditResult> {
    return this.#laneOf(request.endUserIds[0] ?? '').credit(request)
  }

  continueGrant(terms: GrantTerms, endUserIds: readonly string[]): Promise<void> {
    return this.#laneOf(endUserIds[0] ?? '').continueGrant(terms, endUserIds)
  }

  /** Ends a call of a process that is gone. */
  async recover(callId: string, place: CallPlace, nowMs: number): Promise<void> {
    this.#places.set(callId, place)
    await this.#laneOf(place.endUserId).recover(callId, nowMs)
    this.#places.delete(callId)
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()))
  }

  /** Of a repeat, whose call has no place any more. */
  #place({ callId, record }: SettleRequest | ReleaseRequest): void {
    const { endUserId, keyId, mode } = record
    if (endUserId === null || this.#places.get(callId) !== undefined) return
    this.#places.set(callId, { endUserId, mode, keyId, outcome: null })
  }

  /**
   * A settle that rejects may happen all the same (domain/ledger.ts), and its place is needed then: what is
   * left of a call that was given up is about a hundred bytes.
   */
  async #until<T>(callId: string, ending: Promise<T>): Promise<T> {
    const result = await ending
    this.#places.delete(callId)
    return result
  }

  #laneOfCall(callId: string): LedgerQueue {
    return this.#laneOf(this.#places.get(callId)?.endUserId ?? callId)
  }

  #laneOf(name: string): LedgerQueue {
    const lane = this.#lanes[hashOf(name) % this.#lanes.length]
    if (lane === undefined) throw new Error('a ledger has a lane')
    return lane
  }
}

function placeOf({ endUserId, keyId, mode, outcome }: ReserveRequest): CallPlace {
  return {
    endUserId,
    mode,
    keyId,
    outcome: outcome === null ? null : { slug: outcome.slug, runId: outcome.runId },
  }
}

/** FNV-1a: spreads ids that differ only in their last characters. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
