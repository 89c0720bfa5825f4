import { LedgerStopped } from '#store/ledger/ledger-queue-options.ts'
import type {
  BackgroundRequest,
  CheckpointRequest,
  ClearMonthRequest,
  CompleteRequest,
  CreditRequest,
  CreditResult,
  ExtendRequest,
  ExtendResult,
  Ledger,
  LateUsageRequest,
  LateUsageResult,
  RedirectRequest,
  RefundRequest,
  RefundResult,
  ReleaseRequest,
  RequestRecord,
  ReserveRequest,
  ReserveResult,
  SettleRequest,
  SettleResult,
} from '#domain/ledger-interface.ts'
import type { GrantTerms } from '#store/ledger/state-types.ts'
import { namesStranger } from '#store/ledger/issue-grant.ts'
import { dayOf } from '#store/ledger/day-sums-of-batch.ts'
import { creditInSteps, partsOfGrant } from '#store/ledger/steps-of-large-grant.ts'
import { type LedgerQueue } from '#store/ledger/ledger-queue.ts'
import type { RecoverResult } from '#store/ledger/recover-call-of-dead-process.ts'
import type { LateDays } from './days-with-late-settles.ts'
import type { OrphanedUsage } from './shut-down-declared-dead-process.ts'
import type { CallOwner, CallOwners } from './predict-rows-for-batch.ts'
import type { ShardGroups } from './shard-groups.ts'

/** Returns the end users of the list that belong to the application, including deleted end users. */
type OwnedBy = (applicationId: string, endUserIds: readonly string[]) => Promise<ReadonlySet<string>>

export interface PostgresLedgerOptions {
  readonly owners: CallOwners
  readonly left: OrphanedUsage
  readonly lateDays: LateDays
  readonly ownedBy: OwnedBy
}

/**
 * Implements the `Ledger` port with several lanes: queues with their own connections, each for a share of the end
 * users. The batches of one process therefore do not wait for each other's locks. The choice of a lane does not affect
 * results, because every decision is made under the lock of the end user's row.
 */
export class PostgresLedger implements Ledger {
  readonly #lanes: readonly LedgerQueue[]
  readonly #groups: ShardGroups
  readonly #owners: CallOwners
  readonly #left: OrphanedUsage
  readonly #lateDays: LateDays
  readonly #ownedBy: OwnedBy

  /** @param lanes the same number of lanes for each shard group, in the order of the groups */
  constructor(
    lanes: readonly LedgerQueue[],
    groups: ShardGroups,
    { lateDays, left, ownedBy, owners }: PostgresLedgerOptions,
  ) {
    this.#lanes = lanes
    this.#groups = groups
    this.#owners = owners
    this.#left = left
    this.#lateDays = lateDays
    this.#ownedBy = ownedBy
  }

  get keptCount(): number {
    return this.#lanes.reduce((sum, { keptCount }) => sum + keptCount, 0)
  }

  get isAway(): boolean {
    return this.#lanes.some(({ isAway }) => isAway)
  }

  /**
   * Whether all lanes are busy. A single busy lane does not count. The end users of the other lanes would otherwise wait
   * for an unresponsive database node, or for one end user with many calls.
   */
  isBusyFor(applicationId: string): boolean {
    return this.#lanes.every((lane) => lane.isBusyFor(applicationId))
  }

  get waitingCount(): number {
    return this.#lanes.reduce((sum, { waitingCount }) => sum + waitingCount, 0)
  }

  get recordsDropped(): number {
    return this.#lanes.reduce((sum, { recordsDropped }) => sum + recordsDropped, 0)
  }

  async reserve(request: ReserveRequest): Promise<ReserveResult> {
    const { callId } = request
    const owner = ownerOf(request)
    // If the call already has a hold, keep its entry in `#owners`, because a call's owner never changes.
    const isNew = this.#owners.get(callId) === undefined
    if (isNew) this.#owners.set(callId, owner)
    try {
      const result = await this.#laneOf(nameOf(owner)).reserve(request)
      if (isNew && result.kind !== 'reserved') this.#owners.delete(callId)
      return result
    } catch (error) {
      if (isNew) this.#owners.delete(callId)
      throw error
    }
  }

  extend(request: ExtendRequest): Promise<ExtendResult> {
    return this.#laneOfCall(request.callId).extend(request)
  }

  redirect(request: RedirectRequest): Promise<void> {
    return this.#laneOfCall(request.callId).redirect(request)
  }

  async background(request: BackgroundRequest): Promise<void> {
    const { callId, owner } = request
    if (owner === undefined || this.#owners.get(callId) !== undefined)
      return this.#laneOfCall(callId).background(request)
    this.#owners.set(callId, { ...owner, outcome: null })
    try {
      await this.#laneOf(owner.endUserId).background(request)
    } finally {
      this.#owners.delete(callId)
    }
  }

  async settle(request: SettleRequest): Promise<SettleResult> {
    this.#note(request)
    const result = await this.#until(request, this.#laneOfCall(request.callId).settle(request))
    await this.#lateDays.tried(dayOf(request.nowMs))
    return result
  }

  async release(request: ReleaseRequest): Promise<void> {
    this.#note(request)
    return this.#until(request, this.#laneOfCall(request.callId).release(request))
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

  clearMonth(request: ClearMonthRequest): Promise<void> {
    return this.#laneOf(request.endUserId).clearMonth(request)
  }

  /**
   * If a grant's end users belong to several groups, stores the grant first, and then credits one group after the
   * other.
   */
  credit(request: CreditRequest): Promise<CreditResult> {
    const begin = async (terms: GrantTerms, people: readonly string[]) => {
      const sorted = people.toSorted((one, other) => this.#groups.of(one) - this.#groups.of(other))
      const [first = '', last = ''] = [sorted[0], sorted.at(-1)]
      const isInParts = this.#groups.of(first) !== this.#groups.of(last)
      if (isInParts) {
        const owned = await this.#ownedBy(terms.applicationId, sorted)
        const stranger = sorted.find((endUserId) => !owned.has(endUserId))
        if (stranger !== undefined) throw namesStranger(terms, stranger)
      }
      return this.#laneOf(first).beginGrant(terms, sorted, isInParts)
    }
    return creditInSteps(request, begin, this)
  }

  refund(request: RefundRequest): Promise<RefundResult> {
    return this.#laneOf(request.endUserId).refund(request)
  }

  async lateUsage(request: LateUsageRequest): Promise<LateUsageResult> {
    const { callId, endUserId, mode } = request
    // If recovery has not ended the call yet, the lane finds the call's hold through its owner.
    this.#owners.set(callId, { endUserId, mode, keyId: null, outcome: null })
    try {
      return await this.#laneOf(endUserId).lateUsage(request)
    } finally {
      this.#owners.delete(callId)
    }
  }

  /**
   * On a distributed database, each part of a grant needs every node. If a node does not respond, the part fails. The
   * lane does not retry the part, because settles on other nodes would wait. The sweeper continues the grant later.
   */
  async continueGrant(terms: GrantTerms, endUserIds: readonly string[], from: number): Promise<void> {
    const isKept = !this.#groups.isDistributed
    for (const { done, part } of partsOfGrant(endUserIds, from, (id) => this.#groups.of(id))) {
      // oxlint-disable-next-line no-await-in-loop -- concurrent parts would fill every batch and delay other calls
      await this.#laneOf(part[0] ?? '').creditPart(terms, part, done, isKept)
    }
  }

  async recover(callId: string, owner: CallOwner, nowMs: number): Promise<RecoverResult> {
    this.#owners.set(callId, owner)
    const result = await this.#laneOf(nameOf(owner)).recover(callId, nowMs)
    this.#owners.delete(callId)
    return result
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()))
  }

  /**
   * Records a call's owner that is not in memory. The call may have ended already, because a settle or release may be
   * repeated.
   */
  #note({ callId, record }: SettleRequest | ReleaseRequest): void {
    const { endUserId, keyId, mode } = record
    if (endUserId === null || this.#owners.get(callId) !== undefined) return
    this.#owners.set(callId, { endUserId, mode, keyId, outcome: null })
  }

  /**
   * Keeps the call's owner in memory until the call has ended. A settle whose promise was rejected may still be
   * completed later (domain/ledger-interface.ts), and needs the owner.
   */
  async #until<T>(request: SettleRequest | ReleaseRequest, ending: Promise<T>): Promise<T> {
    const { callId } = request
    try {
      const result = await ending
      this.#owners.delete(callId)
      return result
    } catch (error) {
      if (error instanceof LedgerStopped) {
        await this.#left.leave(request)
        this.#owners.delete(callId)
        this.#left.callEnded()
      }
      throw error
    }
  }

  #laneOfCall(callId: string): LedgerQueue {
    const owner = this.#owners.get(callId)
    return this.#laneOf(owner === undefined ? callId : nameOf(owner))
  }

  #laneOf(name: string): LedgerQueue {
    const lanesOfGroup = this.#lanes.length / this.#groups.keys.length
    const lane = this.#lanes[this.#groups.of(name) * lanesOfGroup + (hashOf(name) % lanesOfGroup)]
    if (lane === undefined) throw new Error('a ledger has a lane')
    return lane
  }
}

/** All calls of a team use the lane (ledger connection) of the team's payer, so that one batch decides about them. */
function nameOf({ endUserId, payerId = endUserId }: CallOwner): string {
  return payerId
}

function ownerOf({ endUserId, keyId, mode, outcome, payerId }: ReserveRequest): CallOwner {
  return {
    endUserId,
    mode,
    keyId,
    outcome: outcome === null ? null : { slug: outcome.slug, runId: outcome.runId },
    payerId,
  }
}

/** The FNV-1a hash distributes IDs well even if they differ only in their last characters. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
