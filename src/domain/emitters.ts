import type { Usage } from '#money/usage.ts'
import type { Mode } from '#domain/accounts/account.ts'
import type { CustomerId, EmitterAmount, EmitterKind } from './emitter-kinds.ts'
import type { PaidFigures } from './figure-sums.ts'
import { suffixMs } from './id.ts'
import type { SettleRequest, Target } from './ledger.ts'
import type { Page, Rows } from './records.ts'

/** A destination for settled usage. */
export interface Emitter {
  readonly id: string
  readonly applicationId: string
  /** The emitter receives calls of this mode. */
  readonly mode: Mode
  readonly kind: EmitterKind
  readonly name: string
  readonly destination: string
  /** The vendor's name for the kind of event. Null if this kind of emitter has no such name. */
  readonly eventName: string | null
  readonly customerId: CustomerId
  readonly amount: EmitterAmount
  readonly isEnabled: boolean
  /** The vendor's credential, or the signing secret. It is encrypted for the organization and the emitter. */
  readonly sealedSecret: string
  readonly lastFour: string
  /** The signing secret before the last rotation, encrypted in the same way. Null if the secret was never rotated. */
  readonly formerSealedSecret: string | null
  /** Until this time, the former secret also signs. */
  readonly formerSecretEndsAtMs: number | null
  /** The emitter receives calls that settle from this real time on: its creation, or the last time it was enabled. */
  readonly sinceMs: number
  readonly createdAtMs: number
}

/** An emitter that is enabled. */
export interface EnabledEmitter extends Emitter {
  readonly organizationId: string
}

/** The event of one settled call. All of its data is in the usage record. */
export interface UsageEvent {
  readonly callId: string
  /** Null in the sample of emitters.test. */
  readonly endUserId: string | null
  /** The end user's external ID. */
  readonly externalId: string | null
  readonly keyId: string | null
  readonly target: Pick<Target, 'provider' | 'model'>
  readonly streamed: boolean
  /** Input tokens of all kinds, including cached tokens. */
  readonly inputTokens: number
  readonly usage: Pick<Usage, 'output' | 'cacheRead' | 'reasoning'>
  readonly tokenSource: SettleRequest['tokenSource'] | 'recovered'
  readonly costMicros: bigint
  readonly billedMicros: bigint
  /** The charge by payer. Null if the record is older than the split. */
  readonly paid: PaidFigures | null
  /** Both times are in the time of the mode. */
  readonly atMs: number
  readonly settledAtMs: number
}

/** The result of a batch. */
export interface Delivery {
  /** Suffix of the batch ID. */
  readonly id: string
  readonly reason: 'settled' | 'replay' | 'test'
  readonly createdAtMs: number
  readonly callIds: readonly string[]
  readonly isDelivered: boolean
  readonly attempts: number
  /** Status of the last attempt. Null if no response came. */
  readonly httpStatus: number | null
  /** Why the batch was not accepted, as a sentence fragment. Null if it was accepted. */
  readonly failure: string | null
  /** Time from the first attempt to the end of the last attempt. */
  readonly latencyMs: number
  /**
   * The beginning of the request body and of the response body, for troubleshooting. Null if the batch was accepted, or
   * is older than `deliveryBodyDays`. The response body is also null if no response came.
   */
  readonly requestBody: string | null
  readonly responseBody: string | null
}

/** Number of characters that are kept of the two bodies, and for how long. */
export const deliveryBodyMax = { request: 16_384, response: 2_048 } as const
export const deliveryBodyDays = 7

/** The application whose batches a listener receives. */
export interface ListenedApplication {
  readonly organizationId: string
  readonly applicationId: string
  readonly mode: Mode
}

/** A batch that its client posts. */
export interface SignedBatch {
  /** Suffix of the batch ID. */
  readonly id: string
  readonly callIds: readonly string[]
  /** The exact text of the body. The signature covers it. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly signingSecret: string
}

/** Sums of an emitter over all processes. */
export interface EmitterCounts {
  /**
   * Events in accepted batches, events in rejected batches, and events that were never sent because too many waited.
   */
  readonly delivered: number
  readonly rejected: number
  readonly dropped: number
  readonly lastDeliveredAtMs: number | null
  readonly lastFailedAtMs: number | null
  readonly lastFailure: string | null
  /** When the first batch failed since the last accepted one. Null if the last batch was accepted. */
  readonly failingSinceMs: number | null
  /** First and last call whose event was not accepted and has not been replayed since. Null if no such call exists. */
  readonly missedFrom: string | null
  readonly missedTo: string | null
}

export interface Replay {
  readonly emitterId: string
  /** Time span of the call IDs. `fromMs` is inclusive and `toMs` is exclusive. */
  readonly fromMs: number
  readonly toMs: number
  /** A call ID, or the beginning of one. All events up to it were accepted. */
  readonly through: string
  /** Number of events sent. */
  readonly sent: number
  readonly state: 'running' | 'done' | 'stopped'
  /** Why the replay was stopped. */
  readonly failure: string | null
  /** The process that sends the events. */
  readonly epoch: number
  readonly startedAtMs: number
  readonly updatedAtMs: number
}

/** The state of one call's event at one emitter. */
export interface EventStory {
  readonly emitter: Emitter
  /** The newest kept delivery that contains the event. Null if no kept delivery contains it. */
  readonly delivery: Delivery | null
  /** Whether the event still waits, if there is no delivery. */
  readonly isWaiting: boolean
}

/** The port to emitters, for the control plane. */
export interface EmitterRows {
  /** Inserts the emitter. From now on, every process that serves sends its events. */
  insert(emitter: Emitter): Promise<void>
  /** Replaces name, event name, customer ID, secret and whether the emitter is enabled. */
  update(emitter: Emitter): Promise<void>
  byId(applicationId: string, id: string): Promise<Emitter | null>
  list(applicationId: string, mode: Mode, page: Page): Promise<Rows<Emitter>>
  /** Returns every emitter of the mode, oldest first. */
  all(applicationId: string, mode: Mode): Promise<readonly Emitter[]>
  /** Deletes the emitter, its deliveries, and the events that wait for it. */
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
  /** @param batchId suffix of the batch ID */
  delivery(id: string, batchId: string): Promise<Delivery | null>
  /** Returns the state of a settled call's event, for each emitter that receives the call. */
  ofCall(applicationId: string, mode: Mode, call: SettledCall): Promise<readonly EventStory[]>
}

export interface SettledCall {
  readonly callId: string
  readonly paid: Pick<PaidFigures, 'onDemandMicros'> | null
  /** Both times are in the time of the mode. */
  readonly atMs: number
  readonly settledAtMs: number
  readonly tokenSource: UsageEvent['tokenSource']
}

/** Whether the emitter receives the call. An emitter with `on_demand` receives only usage billed on demand. */
export function isWanted({ amount }: Pick<Emitter, 'amount'>, { paid }: Pick<SettledCall, 'paid'>): boolean {
  return amount === 'all' || (paid !== null && paid.onDemandMicros > 0n)
}

/**
 * Whether a call settled while the emitter was enabled. The call's times follow the clock of its mode. The mode's clock
 * may be years ahead of the time at which the emitter was added, and may have moved since. But a call has one clock
 * from its beginning to its end, and its ID is created in real time.
 */
export function isToldOf(
  { mode, sinceMs }: Pick<Emitter, 'mode' | 'sinceMs'>,
  { atMs, callId, settledAtMs, tokenSource }: Omit<SettledCall, 'paid'>,
): boolean {
  if (mode === 'live') return settledAtMs >= sinceMs
  // The two times of a recovered call may follow different clocks, and the first is the time of its reserve. Such a
  // call is found only through the mark of an emitter that existed before the process died.
  if (tokenSource === 'recovered') return true
  const beganMs = suffixMs(callId)
  return beganMs === null || beganMs + settledAtMs - atMs >= sinceMs
}

/** The progress of an emitter with the calls of one process. The migration explains it. */
export interface EmitterMark {
  readonly emitterId: string
  readonly epoch: number
  readonly through: string
  readonly pending: readonly string[]
}

/** The changes of an emitter since it was last written. */
export interface EmitterNews {
  /** Null if the process does not know its progress yet. */
  readonly mark: EmitterMark | null
  readonly emitterId: string
  readonly delivered: number
  readonly rejected: number
  readonly dropped: number
  readonly deliveries: readonly Delivery[]
  readonly missedFrom: string | null
  readonly missedTo: string | null
}

/** A range of call IDs of an application and mode, in order. */
export interface CallSpan {
  readonly applicationId: string
  readonly mode: Mode
  /** Exclusive. */
  readonly after: string
  /** Exclusive. */
  readonly before: string
  /** Epoch of the process that created the IDs. Null means any. */
  readonly epoch: number | null
  /** In the time of the mode. In test mode, this range contains more calls than `isToldOf` accepts. */
  readonly settledSinceMs: number
  readonly limit: number
}

/** The port to the data of deliveries, outside of any operation. */
export interface EmitterProgress {
  /** Increases with every change of an emitter. */
  version(): Promise<number>
  enabled(): Promise<readonly EnabledEmitter[]>
  /** Returns the current emitter, or null if it was deleted. */
  byId(id: string): Promise<EnabledEmitter | null>
  /** Returns the settled calls among these IDs, in ID order. */
  events(applicationId: string, mode: Mode, callIds: readonly string[]): Promise<readonly UsageEvent[]>
  /** Returns the IDs of settled calls. */
  settledCalls(span: CallSpan): Promise<readonly string[]>
  /** Creates the missing marks of a process, and returns all of its marks. */
  marksOf(epoch: number, missing: readonly EmitterMark[]): Promise<readonly EmitterMark[]>
  /** Takes over these emitters' marks of dead processes, after the calls of those processes have ended. */
  claim(epoch: number, emitterIds: readonly string[]): Promise<readonly EmitterMark[]>
  /** Also claims replays of dead processes. */
  claimReplays(epoch: number, emitterIds: readonly string[]): Promise<readonly Replay[]>
  dropMark(mark: Pick<EmitterMark, 'emitterId' | 'epoch'>): Promise<void>
  /** Writes all changes in one transaction. */
  save(news: readonly EmitterNews[]): Promise<void>
  /** Does nothing if the replay was replaced or its emitter deleted. */
  saveReplay(replay: Replay): Promise<void>
}
