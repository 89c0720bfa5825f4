import type { Usage } from '#money/usage-counts.ts'
import type { Mode } from '#domain/billing/money-account-key.ts'
import type { CustomerId, EmitterAmount, EmitterKind } from './emitter-kinds.ts'
import type { PaidFigures } from '#domain/sums-of-request-figures.ts'
import { suffixMs } from '#domain/ids-sorted-by-time.ts'
import type { SettleRequest, Target } from '#domain/ledger-interface.ts'
import type { Page, Rows } from '#domain/list-page.ts'

export interface Emitter {
  readonly id: string
  readonly applicationId: string
  readonly mode: Mode
  readonly kind: EmitterKind
  readonly name: string
  readonly destination: string
  readonly eventName: string | null
  readonly customerId: CustomerId
  readonly amount: EmitterAmount
  readonly isEnabled: boolean
  /** The vendor's credential, or the signing secret. The text is encrypted for this organization and emitter. */
  readonly sealedSecret: string
  readonly lastFour: string
  /** The signing secret before the last rotation, encrypted like `sealedSecret`. */
  readonly formerSealedSecret: string | null
  /** Until this time, events are also signed with the former secret. */
  readonly formerSecretEndsAtMs: number | null
  /**
   * The real time at which the emitter was created or last enabled. The emitter receives calls that settle after this
   * time.
   */
  readonly sinceMs: number
  readonly createdAtMs: number
}

export interface EnabledEmitter extends Emitter {
  readonly organizationId: string
}

/** All data comes from the usage record of the call. */
export interface UsageEvent {
  readonly callId: string
  /** Null in the sample event of emitters.test. */
  readonly endUserId: string | null
  readonly externalId: string | null
  readonly keyId: string | null
  readonly tags: readonly string[]
  readonly payerId: string | null
  readonly target: Pick<Target, 'provider' | 'model'>
  readonly streamed: boolean
  /** Input tokens of all kinds, including cached tokens. */
  readonly inputTokens: number
  readonly usage: Pick<Usage, 'output' | 'cacheRead' | 'reasoning'>
  readonly tokenSource: SettleRequest['tokenSource'] | 'recovered'
  readonly costMicros: bigint
  readonly billedMicros: bigint
  /** Null if the record was written before charges were split. */
  readonly paid: PaidFigures | null
  /** `atMs` and `settledAtMs` are by the clock of the mode. */
  readonly atMs: number
  readonly settledAtMs: number
}

export interface Delivery {
  /** The batch ID without its prefix. */
  readonly id: string
  readonly reason: 'settled' | 'replay' | 'test'
  readonly createdAtMs: number
  readonly callIds: readonly string[]
  readonly isDelivered: boolean
  readonly attempts: number
  /** HTTP status of the last attempt. */
  readonly httpStatus: number | null
  /** Why the batch was not accepted, as a sentence fragment. */
  readonly failure: string | null
  /** Time from the start of the first attempt to the end of the last attempt. */
  readonly latencyMs: number
  /**
   * The beginning of the request body and of the response body, for troubleshooting. Null if the batch was accepted, or
   * is older than `deliveryBodyDays`. The response body is also null if no response arrived.
   */
  readonly requestBody: string | null
  readonly responseBody: string | null
}

/** Maximum number of characters that are kept of each request body and response body. */
export const deliveryBodyMax = { request: 16_384, response: 2_048 } as const
export const deliveryBodyDays = 7

export interface ListenedApplication {
  readonly organizationId: string
  readonly applicationId: string
  readonly mode: Mode
}

/**
 * A signed batch of events that a listener (`tollgate listen`) receives and posts to a server on the developer's
 * machine.
 */
export interface SignedBatch {
  readonly id: string
  readonly callIds: readonly string[]
  /** The signature of the batch covers exactly this text. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly signingSecret: string
}

export interface EmitterCounts {
  readonly delivered: number
  readonly rejected: number
  /** Number of events that were dropped because too many events waited. */
  readonly dropped: number
  readonly lastDeliveredAtMs: number | null
  readonly lastFailedAtMs: number | null
  readonly lastFailure: string | null
  /** The time of the first failed batch after the last accepted batch. */
  readonly failingSinceMs: number | null
  /** The first call whose event was rejected or dropped, and has not been sent again. */
  readonly missedFrom: string | null
  readonly missedTo: string | null
}

export interface Replay {
  readonly emitterId: string
  /**
   * The events of a call are sent again if the time in the call's ID is at least `fromMs` and less than `toMs`.
   */
  readonly fromMs: number
  readonly toMs: number
  /** A call ID, or the beginning of a call ID. The events of all calls up to this ID were accepted. */
  readonly through: string
  readonly sent: number
  readonly state: 'running' | 'done' | 'stopped'
  readonly failure: string | null
  /** Epoch of the process that sends the events of the replay. */
  readonly epoch: number
  readonly startedAtMs: number
  readonly updatedAtMs: number
}

export interface EventStory {
  readonly emitter: Emitter
  /** The newest stored delivery that contains the event. */
  readonly delivery: Delivery | null
  /**
   * Whether the event is still waiting to be sent. The value has a meaning only if no stored delivery contains the
   * event.
   */
  readonly isWaiting: boolean
}

export interface EmitterRows {
  /** Every running process then sends events to the emitter. */
  insert(emitter: Emitter): Promise<void>
  /** Replaces the emitter's name, event name, customer ID, secret and `isEnabled`. */
  update(emitter: Emitter): Promise<void>
  byId(applicationId: string, id: string): Promise<Emitter | null>
  list(applicationId: string, mode: Mode, page: Page): Promise<Rows<Emitter>>
  /** Returns every emitter of the mode, oldest first. */
  all(applicationId: string, mode: Mode): Promise<readonly Emitter[]>
  /** Deletes the emitter, its deliveries and its waiting events. */
  remove(id: string): Promise<void>
  /**
   * Returns the secrets of all organizations, to find the IDs of their master keys. Expired former secrets are omitted.
   */
  sealedSecrets(nowMs: number): Promise<readonly string[]>
  counts(id: string): Promise<EmitterCounts>
  replay(id: string): Promise<Replay | null>
  putReplay(replay: Replay): Promise<void>
  /** @param isDelivered only deliveries with this result; null means all */
  deliveries(id: string, isDelivered: boolean | null, page: Page): Promise<Rows<Delivery>>
  /** @param batchId the batch ID without its prefix */
  delivery(id: string, batchId: string): Promise<Delivery | null>
  ofCall(applicationId: string, mode: Mode, call: SettledCall): Promise<readonly EventStory[]>
}

export interface SettledCall {
  readonly callId: string
  readonly paid: Pick<PaidFigures, 'onDemandMicros'> | null
  /** `atMs` and `settledAtMs` are by the clock of the mode. */
  readonly atMs: number
  readonly settledAtMs: number
  readonly tokenSource: UsageEvent['tokenSource']
}

/** An emitter whose `amount` is `on_demand` receives only calls with usage that is billed on demand. */
export function isWanted({ amount }: Pick<Emitter, 'amount'>, { paid }: Pick<SettledCall, 'paid'>): boolean {
  return amount === 'all' || (paid !== null && paid.onDemandMicros > 0n)
}

/**
 * Whether a call settled while the emitter was enabled. In test mode, the call's times follow a test clock, which may
 * be years ahead of the real time. However, one clock measures both the beginning and the end of a call, and the call's
 * ID contains the real time of the beginning.
 */
export function isToldOf(
  { mode, sinceMs }: Pick<Emitter, 'mode' | 'sinceMs'>,
  { atMs, callId, settledAtMs, tokenSource }: Omit<SettledCall, 'paid'>,
): boolean {
  if (mode === 'live') return settledAtMs >= sinceMs
  // Different clocks may have measured the start and the end of a recovered call, so these times cannot be compared.
  // No comparison is needed: only emitters that existed before the call's process died have a mark for the process.
  if (tokenSource === 'recovered') return true
  const beganMs = suffixMs(callId)
  return beganMs === null || beganMs + settledAtMs - atMs >= sinceMs
}

/**
 * How far an emitter has sent the events of the calls of one process. The migration that creates the table
 * `emitter_marks` explains the fields.
 */
export interface EmitterMark {
  readonly emitterId: string
  readonly epoch: number
  readonly through: string
  readonly pending: readonly string[]
}

export interface EmitterNews {
  /** Null if the process has not read the emitter's progress yet. */
  readonly mark: EmitterMark | null
  readonly emitterId: string
  readonly delivered: number
  readonly rejected: number
  readonly dropped: number
  readonly deliveries: readonly Delivery[]
  readonly missedFrom: string | null
  readonly missedTo: string | null
}

export interface CallSpan {
  readonly applicationId: string
  readonly mode: Mode
  /** The range begins after this call ID (exclusive). */ readonly after: string
  /** The range ends before this call ID (exclusive). */ readonly before: string
  /** Epoch of the process that created the call IDs. */
  readonly epoch: number | null
  /**
   * The range contains only calls that settled at or after this time, by the clock of the mode. In test mode, the range
   * may include calls that `isToldOf` rejects.
   */
  readonly settledSinceMs: number
  readonly limit: number
}

/** Operations of the control plane do not use this port. */
export interface EmitterProgress {
  /** Returns a number that increases with every change of any emitter. */
  version(): Promise<number>
  enabled(): Promise<readonly EnabledEmitter[]>
  byId(id: string): Promise<EnabledEmitter | null>
  /** Returns the calls among these IDs that have settled, in the order of their IDs. */
  events(applicationId: string, mode: Mode, callIds: readonly string[]): Promise<readonly UsageEvent[]>
  settledCalls(span: CallSpan): Promise<readonly string[]>
  /** Adds the marks in `missing` that are not stored yet, and returns all marks of the process. */
  marksOf(epoch: number, missing: readonly EmitterMark[]): Promise<readonly EmitterMark[]>
  /**
   * Takes over the marks of ended processes for these emitters. A mark is taken over only after all calls of its
   * process have ended. Also returns the marks that this process took over earlier and has not dropped, because the
   * commit of the earlier call may not have been confirmed.
   */
  claim(epoch: number, emitterIds: readonly string[]): Promise<readonly EmitterMark[]>
  /** Returns the running replays of this process, and takes over the running replays of ended processes. */
  claimReplays(epoch: number, emitterIds: readonly string[]): Promise<readonly Replay[]>
  dropMark(mark: Pick<EmitterMark, 'emitterId' | 'epoch'>): Promise<void>
  /** If the commit of an earlier call with the same deliveries was not confirmed, each delivery counts once. */
  save(news: readonly EmitterNews[]): Promise<void>
  /** Stores the progress of the replay, unless the replay was stopped or replaced, or its emitter was deleted. */
  saveReplay(replay: Replay): Promise<void>
}
