import type { Usage } from '#money/usage.ts'
import type { Mode } from './account.ts'
import type { CustomerId, EmitterAmount, EmitterKind } from './emitter-kinds.ts'
import type { PaidFigures } from './figures.ts'
import { suffixMs } from './id.ts'
import type { SettleRequest, Target } from './ledger.ts'
import type { Page, Rows } from './records.ts'

/** A destination of settled usage. */
export interface Emitter {
  readonly id: string
  readonly applicationId: string
  /** It is told of calls of this mode. */
  readonly mode: Mode
  readonly kind: EmitterKind
  readonly name: string
  readonly destination: string
  /** The vendor's name for the kind of event; null: the kind of emitter has none. */
  readonly eventName: string | null
  readonly customerId: CustomerId
  readonly amount: EmitterAmount
  readonly isEnabled: boolean
  /** The vendor's credential, or the secret that signs; sealed for the organization and the emitter. */
  readonly sealedSecret: string
  readonly lastFour: string
  /** The signing secret before the last rotation, sealed alike. Null: the secret was never rotated. */
  readonly formerSealedSecret: string | null
  /** Until then the former secret signs as well. */
  readonly formerSecretEndsAtMs: number | null
  /** It is told of what settles from then on, in real time: when it was made, or last enabled. */
  readonly sinceMs: number
  readonly createdAtMs: number
}

/** An emitter at work. */
export interface EnabledEmitter extends Emitter {
  readonly organizationId: string
}

/** What is told of one settled call: all of it is in its usage record. */
export interface UsageEvent {
  readonly callId: string
  /** Null: the sample of emitters.test has none. */
  readonly endUserId: string | null
  /** The customer's own id of the person. */
  readonly externalId: string | null
  readonly keyId: string | null
  readonly target: Pick<Target, 'provider' | 'model'>
  readonly streamed: boolean
  /** Of all kinds, cached ones too. */
  readonly inputTokens: number
  readonly usage: Pick<Usage, 'output' | 'cacheRead' | 'reasoning'>
  readonly tokenSource: SettleRequest['tokenSource'] | 'recovered'
  readonly costMicros: bigint
  readonly billedMicros: bigint
  /** The charge by who paid; null: the record is from before the split. */
  readonly paid: PaidFigures | null
  /** Both in the time of the mode. */
  readonly atMs: number
  readonly settledAtMs: number
}

/** What came of a batch. */
export interface Delivery {
  /** Suffix of the batch id. */
  readonly id: string
  readonly reason: 'settled' | 'replay' | 'test'
  readonly createdAtMs: number
  readonly callIds: readonly string[]
  readonly isDelivered: boolean
  readonly attempts: number
  /** Of the last attempt; null: no answer came. */
  readonly httpStatus: number | null
  /** Why it was not accepted, as half a sentence; null: it was. */
  readonly failure: string | null
  /** From the first attempt to the end of the last one. */
  readonly latencyMs: number
  /**
   * Beginning of what was posted and of what came back, for those who look for the fault. Null: the batch was accepted,
   * or is older than `deliveryBodyDays`; of the response also that none came.
   */
  readonly requestBody: string | null
  readonly responseBody: string | null
}

/** Characters that are kept of the two bodies, and for how long. */
export const deliveryBodyMax = { request: 16_384, response: 2_048 } as const
export const deliveryBodyDays = 7

/** Whose batches a listener gets. */
export interface ListenedApplication {
  readonly organizationId: string
  readonly applicationId: string
  readonly mode: Mode
}

/** A batch that its client posts. */
export interface SignedBatch {
  /** Suffix of the batch id. */
  readonly id: string
  readonly callIds: readonly string[]
  /** The exact text of the body, which the signature covers. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly signingSecret: string
}

/** Sums of an emitter over all processes. */
export interface EmitterCounts {
  /** Events in batches that were accepted; in ones that were not; never sent, because too many waited. */
  readonly delivered: number
  readonly rejected: number
  readonly dropped: number
  readonly lastDeliveredAtMs: number | null
  readonly lastFailedAtMs: number | null
  readonly lastFailure: string | null
  /** When the first batch since the last accepted one was not accepted; null: the last one was. */
  readonly failingSinceMs: number | null
  /** First and last call whose event was not accepted and not replayed since; null: none. */
  readonly missedFrom: string | null
  readonly missedTo: string | null
}

export interface Replay {
  readonly emitterId: string
  /** Span of the calls' ids: the first millisecond is included, the last is not. */
  readonly fromMs: number
  readonly toMs: number
  /** Call id, or the beginning of one: up to it everything was accepted. */
  readonly through: string
  /** Events sent. */
  readonly sent: number
  readonly state: 'running' | 'done' | 'stopped'
  /** Why it was stopped. */
  readonly failure: string | null
  /** The process that sends. */
  readonly epoch: number
  readonly startedAtMs: number
  readonly updatedAtMs: number
}

/** How the event of one call fared with one emitter. */
export interface EventStory {
  readonly emitter: Emitter
  /** The newest delivery with it among those that are kept; null: none. */
  readonly delivery: Delivery | null
  /** Without a delivery: whether it still waits. */
  readonly isWaiting: boolean
}

/** The port to emitters, for the control plane. */
export interface EmitterRows {
  /** Inserts the emitter; from now on every process that serves attempts its events. */
  insert(emitter: Emitter): Promise<void>
  /** Replaces name, event name, customer id, secret and whether it is enabled. */
  update(emitter: Emitter): Promise<void>
  byId(applicationId: string, id: string): Promise<Emitter | null>
  list(applicationId: string, mode: Mode, page: Page): Promise<Rows<Emitter>>
  /** Every emitter of the mode, oldest first. */
  all(applicationId: string, mode: Mode): Promise<readonly Emitter[]>
  /** Forgets it, what it has sent, and what waits for it. */
  remove(id: string): Promise<void>
  /** Of every organization, for the ids of their master keys. A former secret that signs no more is not needed. */
  sealedSecrets(nowMs: number): Promise<readonly string[]>
  counts(id: string): Promise<EmitterCounts>
  replay(id: string): Promise<Replay | null>
  putReplay(replay: Replay): Promise<void>
  /** @param isDelivered only those; null: all */
  deliveries(id: string, isDelivered: boolean | null, page: Page): Promise<Rows<Delivery>>
  /** @param batchId suffix of the batch id */
  delivery(id: string, batchId: string): Promise<Delivery | null>
  /** What became of the event of a settled call, for each emitter that is told of it. */
  ofCall(applicationId: string, mode: Mode, call: SettledCall): Promise<readonly EventStory[]>
}

export interface SettledCall {
  readonly callId: string
  readonly paid: Pick<PaidFigures, 'onDemandMicros'> | null
  /** Both in the time of the mode. */
  readonly atMs: number
  readonly settledAtMs: number
  readonly tokenSource: UsageEvent['tokenSource']
}

/** Whether the emitter wants the call: one of `on_demand` is told of usage that is billed on demand alone. */
export function isWanted({ amount }: Pick<Emitter, 'amount'>, { paid }: Pick<SettledCall, 'paid'>): boolean {
  return amount === 'all' || (paid !== null && paid.onDemandMicros > 0n)
}

/**
 * Whether a call settled while the emitter was there. Its times are those of its mode, whose clock may be years ahead
 * of the one that an emitter is added at, and may have moved since; but a call has one clock from its beginning to its
 * end, and its id is made in real time.
 */
export function isToldOf(
  { mode, sinceMs }: Pick<Emitter, 'mode' | 'sinceMs'>,
  { atMs, callId, settledAtMs, tokenSource }: Omit<SettledCall, 'paid'>,
): boolean {
  if (mode === 'live') return settledAtMs >= sinceMs
  // Its two times may be of two clocks, and its first one is that of its reserve. It is found only by the mark of an
  // emitter that was there when its process died, which is before it settled.
  if (tokenSource === 'recovered') return true
  const beganMs = suffixMs(callId)
  return beganMs === null || beganMs + settledAtMs - atMs >= sinceMs
}

/** How far an emitter has come with the calls of one process; the migration explains it. */
export interface EmitterMark {
  readonly emitterId: string
  readonly epoch: number
  readonly through: string
  readonly pending: readonly string[]
}

/** What has happened at an emitter since it was last written. */
export interface EmitterNews {
  /** Null: the process has not come to know how far it is. */
  readonly mark: EmitterMark | null
  readonly emitterId: string
  readonly delivered: number
  readonly rejected: number
  readonly dropped: number
  readonly deliveries: readonly Delivery[]
  readonly missedFrom: string | null
  readonly missedTo: string | null
}

/** Some call ids of an application and mode, in order. */
export interface CallSpan {
  readonly applicationId: string
  readonly mode: Mode
  /** Not included. */
  readonly after: string
  /** Not included. */
  readonly before: string
  /** Epoch of the process that made them; null: any. */
  readonly epoch: number | null
  /** In the time of the mode: in test mode that has more calls than `isToldOf`. */
  readonly settledSinceMs: number
  readonly limit: number
}

/** The port to what deliveries read and write, outside of any operation. */
export interface EmitterProgress {
  /** Rises with every change of an emitter. */
  version(): Promise<number>
  enabled(): Promise<readonly EnabledEmitter[]>
  /** The emitter as it is now; null: removed. */
  byId(id: string): Promise<EnabledEmitter | null>
  /** Settled calls among these ids, in the order of ids. */
  events(applicationId: string, mode: Mode, callIds: readonly string[]): Promise<readonly UsageEvent[]>
  /** Ids of settled calls. */
  settledCalls(span: CallSpan): Promise<readonly string[]>
  /** Makes the marks of a process that it has not yet, and answers all of them. */
  marksOf(epoch: number, missing: readonly EmitterMark[]): Promise<readonly EmitterMark[]>
  /** Takes what processes that are gone have left of these emitters, once their calls have ended. */
  claim(epoch: number, emitterIds: readonly string[]): Promise<readonly EmitterMark[]>
  /** Also replays whose processes are gone. */
  claimReplays(epoch: number, emitterIds: readonly string[]): Promise<readonly Replay[]>
  dropMark(mark: Pick<EmitterMark, 'emitterId' | 'epoch'>): Promise<void>
  /** Writes all of it in one transaction. */
  save(news: readonly EmitterNews[]): Promise<void>
  /** Nothing, where the replay was replaced or its emitter removed. */
  saveReplay(replay: Replay): Promise<void>
}
