import type { AddressRanges } from '#domain/network/address-ranges.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { HolderReads } from '#domain/balance-and-usage-for-key-owner.ts'
import type { Logger } from '#domain/log-interface.ts'
import type { BackgroundHolds } from '#domain/background/background-holds-interface.ts'
import type { Directory } from '#domain/gateway-directory-interface.ts'
import type { IdSource } from '#domain/ids-sorted-by-time.ts'
import type { EndedCall, Ledger } from '#domain/ledger-interface.ts'
import type { NoteRefusal } from '#domain/rejected-request-facts.ts'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'
import type { ProbeAnswer } from '#domain/health/provider-probes.ts'
import type { SliceStore } from '#domain/limits/shared-limit-slices-interface.ts'
import type { OwnedBatches } from '#domain/accounts/batches-at-providers.ts'
import type { CacheTags } from '#domain/secrets/ids-of-cached-contents.ts'
import type { ContainerTags } from '#domain/secrets/ids-of-containers.ts'
import type { ConversationTags } from '#domain/secrets/ids-of-conversations.ts'
import type { BatchTags } from '#domain/secrets/ids-of-batches.ts'
import type { FileTags } from '#domain/secrets/ids-of-files.ts'
import type { ConversationLengths } from '#domain/accounts/stored-conversation-lengths.ts'
import type { FileLimits, OwnedFiles } from '#domain/accounts/files-stored-at-providers.ts'
import type { StateTags } from '#domain/secrets/ids-of-stored-responses.ts'
import { hourMs } from '#money/periods-and-windows.ts'
import type { Price } from '#money/price.ts'
import type { Upstream } from '#domain/provider-upstream-interface.ts'
import type { BodyIntake, BodyLimits } from '#gateway/overload/limit-memory-of-bodies.ts'
import type { AdmissionLimits, AdmissionPorts } from '#gateway/overload/admit-or-queue-requests.ts'
import type { WaitingLimits } from './calls-waiting-for-money.ts'
import type { WrongKeyLimits } from '#gateway/overload/limit-wrong-keys.ts'
import type { DrainLimits, ReadsAfterDisconnect } from './limit-reads-after-disconnect.ts'

export interface GatewayPorts {
  readonly ledger: Ledger
  readonly directory: Directory
  readonly background: BackgroundHolds
  /** This process's slices of shared limits (enforce-shared-limits.ts). */
  readonly slices: SliceStore
  readonly upstream: Upstream
  readonly clock: Clock
  readonly newId: IdSource
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
  readonly tokens: TokenCounter
  readonly log: Logger
  /** The number of warnings about calls is limited for each organization. */
  readonly warnOfCall: (organizationId: string, fields: object, message: string) => void
  readonly limits: GatewayLimits
  readonly bodies: BodyIntake
  /**
   * Creates and decrypts the IDs that clients receive for stored responses. The other tags do the same for their
   * objects.
   */
  readonly stateTags: StateTags
  readonly cacheTags: CacheTags
  readonly containerTags: ContainerTags
  readonly conversationTags: ConversationTags
  readonly conversations: ConversationLengths
  readonly fileTags: FileTags
  readonly files: OwnedFiles
  readonly batchTags: BatchTags
  readonly batches: OwnedBatches
  readonly gatewayUrl: (slug: string) => string
  readonly admission: AdmissionPorts
  readonly holder: HolderReads
  readonly drains: ReadsAfterDisconnect
  /** Proxies whose X-Forwarded-For is trusted. Null if there is no proxy. */
  readonly trustedProxies: AddressRanges | null
  readonly portalUrl: (slug: string) => string
  readonly isConsole: (origin: string) => boolean
  /** Called for every rejection with 401, 403 or 429. */
  readonly onRefused: NoteRefusal
  /**
   * Called for every recorded call after its response is written. The call waits for this function, so it must be fast
   * and must not throw.
   */
  readonly onCallEnded: (ended: EndedCall) => void
  /** Probes a model of an account, and records the probe and its cost. `price` is null if unknown. Never rejects. */
  readonly probeTarget: (account: ProviderAccount, model: string, price: Price | null) => Promise<ProbeAnswer>
}

export interface TokenCounter {
  /**
   * Counts in another thread. Returns the number of o200k tokens, or slightly more. Null if the count is not available
   * in time.
   * @param organizationId the organization whose share of the counting capacity is used
   */
  count(text: string, organizationId: string): Promise<number | null>
}

export interface Clock {
  /** Real time, in milliseconds since 1970. */
  nowMs(): number
  /** Monotonic time in milliseconds, for durations. */
  monotonicMs(): number
}

export interface GatewayLimits extends BodyLimits, DrainLimits {
  readonly responseBytesMax: number
  /** Limits on the files of one end user, unless the application sets limits. */
  readonly files: FileLimits
  /** How often the gateway deletes files of deleted end users at providers. */
  readonly filesEveryMs: number
  readonly deadlines: Deadlines
  /** How long a provider may keep a stream open after the last output of a finished response. */
  readonly finishedMs: number
  /** A client that reads nothing for this long counts as disconnected. */
  readonly stallMs: number
  /** How long a call waits for money that other calls hold. 0 means not at all. */
  readonly heldWaitMs: number
  readonly heldWait: WaitingLimits
  readonly admission: AdmissionLimits
  readonly wrongKeys: WrongKeyLimits
  readonly background: BackgroundLimits
  readonly batches: BatchLimits
  readonly dailyUse: { readonly isShared: boolean; readonly refreshMs: number }
}

/** Limits on asking providers whether background responses have ended, in milliseconds. */
export interface BackgroundLimits {
  /** The shortest time between two requests about a response. The next field is the longest. */
  readonly firstMs: number
  readonly maxMs: number
  /** Maximum time from the start of a call until its hold is settled. */
  readonly deadlineMs: number
  /** How long a provider must keep reporting that it does not have the response before the hold ends. */
  readonly lostMs: number
}

export interface BatchLimits {
  readonly requestsMax: number
  /** Per end user and mode. */
  readonly openRequestsMax: number
  /** Maximum time from the creation of a batch until its holds end. */
  readonly deadlineMs: number
}

/**
 * Maximum output tokens per choice if neither the request nor the alias sets a maximum, unless the model's own maximum
 * is lower. The hold of a non-streaming response covers all these tokens. The provider gets this maximum only if its
 * wire requires one.
 */
export const outputTokensDefault = 8_192

/**
 * Output tokens that the first hold of a stream covers if the request sets no maximum. The hold grows with the stream.
 * Few responses reach their maximum, and a small first hold leaves more balance for the end user's other calls.
 */
export const outputTokensFirst = 2_048

/**
 * Maximum output tokens of a background response if no limit of the model is known. The hold covers all these tokens,
 * and the provider gets this maximum. The value is high, because background responses are often long.
 */
export const outputTokensBackground = 32_768

export const gatewayLimits: Omit<GatewayLimits, 'admission' | 'heldWaitMs' | 'dailyUse'> & {
  readonly admission: Omit<AdmissionLimits, 'waitMsEnd'>
} = {
  requestBytesMax: 32 * 1024 * 1024,
  bodyBytesMax: 256 * 1024 * 1024,
  bodyBytesPerSecondMin: 8 * 1024,
  bodyGraceMs: 10_000,
  bodyArrivesMs: 240_000,
  responseBytesMax: 64 * 1024 * 1024,
  files: { filesMax: 100, fileBytesMax: 512 * 1024 * 1024 },
  filesEveryMs: 60_000,
  deadlines: { connectMs: 10_000, firstByteMs: 120_000, idleMs: 120_000, totalMs: hourMs },
  drainMs: 30_000,
  drainBytesMax: 64 * 1024,
  drainsMax: 256,
  drainsOfOrganizationMax: 128,
  finishedMs: 10_000,
  stallMs: 60_000,
  background: { firstMs: 1_000, maxMs: 30_000, deadlineMs: 6 * hourMs, lostMs: 60_000 },
  // Later than the 24 hours after which Anthropic ends a batch.
  batches: { requestsMax: 2_000, openRequestsMax: 10_000, deadlineMs: 48 * hourMs },
  heldWait: { waitersMax: 16, waitersInAllMax: 1_024, lookAgainMs: 200 },
  wrongKeys: {
    network: { perSecond: 5, burst: 60 },
    all: { perSecond: 100, burst: 1_000 },
    pauseMs: 50,
  },
  admission: {
    inFlightMin: 64,
    inFlightMax: 65_536,
    waitingMin: 64,
    waitingMax: 4_096,
    loopDelayMsMax: 75,
    memoryShareMax: 0.9,
    // 32 starts take about 20 ms, so that `/health` responds within two turns of the event loop.
    startsPerTurn: 32,
    // 128 rejections take about 5 ms. At five times the capacity, about so many requests are rejected for 32 starts.
    rejectionsPerTurn: 128,
  },
}
