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

/** The ports of the hot path: every external dependency that serving a request needs. */
export interface GatewayPorts {
  readonly ledger: Ledger
  readonly directory: Directory
  /** The stored calls whose responses are generated in the background. */
  readonly background: BackgroundHolds
  /** This process's slices of the limits that end users share. */
  readonly slices: SliceStore
  readonly upstream: Upstream
  readonly clock: Clock
  readonly newId: IdSource
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
  readonly tokens: TokenCounter
  readonly log: Logger
  /** Logs a warning about a call. The number of such warnings is limited for each organization. */
  readonly warnOfCall: (organizationId: string, fields: object, message: string) => void
  readonly limits: GatewayLimits
  readonly bodies: BodyIntake
  /** Creates and decrypts the IDs that clients receive for stored responses. */
  readonly stateTags: StateTags
  /** Creates and decrypts the IDs that clients receive for cached content. */
  readonly cacheTags: CacheTags
  /** Creates and decrypts the IDs that clients receive for containers. */
  readonly containerTags: ContainerTags
  /** Creates and decrypts the IDs that clients receive for conversations. */
  readonly conversationTags: ConversationTags
  /** The lengths of the conversations that providers store. */
  readonly conversations: ConversationLengths
  /** Creates and decrypts the IDs that clients receive for files. The next field lists these files. */
  readonly fileTags: FileTags
  readonly files: OwnedFiles
  /** Creates and decrypts the IDs that clients receive for batches. The next field lists these batches. */
  readonly batchTags: BatchTags
  readonly batches: OwnedBatches
  /** Returns the address of an application's gateway. */
  readonly gatewayUrl: (slug: string) => string
  /** Limits the number of requests in flight, based on measurements of the process. */
  readonly admission: AdmissionPorts
  /** Reads the balance and the usage of the end user who holds a key. */
  readonly holder: HolderReads
  /** The provider responses that are still read after their clients have disconnected. */
  readonly drains: ReadsAfterDisconnect
  /** The proxies in front of this server whose X-Forwarded-For is trusted. Null if there are no such proxies. */
  readonly trustedProxies: AddressRanges | null
  /** Returns the URL where an end user sees and tops up their balance. */
  readonly portalUrl: (slug: string) => string
  /** Returns true for an origin where this server's own console is served. */
  readonly isConsole: (origin: string) => boolean
  /** Called for every request that was rejected with 401, 403 or 429. */
  readonly onRefused: NoteRefusal
  /**
   * Called for every recorded call after its response is written. The function must not throw, and must be fast because
   * every call waits for it.
   */
  readonly onCallEnded: (ended: EndedCall) => void
  /**
   * Probes a model of an account, and records the probe and its cost. The cost is computed with `price`, which is null
   * if the price is not known. Never rejects.
   */
  readonly probeTarget: (account: ProviderAccount, model: string, price: Price | null) => Promise<ProbeAnswer>
}

/** Counts the tokens of a text in another thread, within a short time. */
export interface TokenCounter {
  /**
   * Returns the number of o200k tokens, or slightly more. Null if the count is not available in time.
   * @param organizationId the organization whose share of the counting capacity is used
   */
  count(text: string, organizationId: string): Promise<number | null>
}

export interface Clock {
  /** Returns the real time, in milliseconds since 1970. */
  nowMs(): number
  /** Returns a monotonic time in milliseconds, for durations. */
  monotonicMs(): number
}

export interface GatewayLimits extends BodyLimits, DrainLimits {
  readonly responseBytesMax: number
  /** Limits on the files of one end user, if the application sets no limits. */
  readonly files: FileLimits
  /** How often the gateway deletes files of deleted end users at providers, in milliseconds. */
  readonly filesEveryMs: number
  readonly deadlines: Deadlines
  /** A client that reads nothing for this long counts as disconnected. */
  readonly stallMs: number
  /** How long a call waits for money that calls in flight hold. 0 disables waiting. */
  readonly heldWaitMs: number
  readonly heldWait: WaitingLimits
  readonly admission: AdmissionLimits
  readonly wrongKeys: WrongKeyLimits
  readonly background: BackgroundLimits
  readonly batches: BatchLimits
  /** Whether other processes also serve calls, and how often their usage is read. */
  readonly dailyUse: { readonly isShared: boolean; readonly refreshMs: number }
}

/**
 * How often and how long a process asks providers whether responses in the background have ended. All times are in
 * milliseconds.
 */
export interface BackgroundLimits {
  /** The shortest time between two requests to the provider about a response. The next field is the longest time. */
  readonly firstMs: number
  readonly maxMs: number
  /** Maximum time from the start of a call until its hold is settled. */
  readonly deadlineMs: number
  /** How long a provider must keep reporting that it does not have the response before the hold ends. */
  readonly lostMs: number
}

export interface BatchLimits {
  /** Maximum number of requests in one batch. */
  readonly requestsMax: number
  /** Maximum number of requests that one end user can have in unfinished batches, in each mode. */
  readonly openRequestsMax: number
  /** Maximum time until the holds of a batch end, in milliseconds since the batch was created. */
  readonly deadlineMs: number
}

/**
 * Maximum output tokens per choice, unless the request or the alias sets a maximum or the model's own maximum is lower.
 * For a non-streaming response, the hold covers this many tokens. The gateway sends this maximum to the provider only
 * if the provider's wire requires a maximum.
 */
export const outputTokensDefault = 8_192

/**
 * Output tokens that the first hold of a stream covers if the request sets no maximum. The hold grows with the stream.
 * Few responses reach their maximum. A small first hold leaves more balance for other calls of the same end user.
 */
export const outputTokensFirst = 2_048

/**
 * Maximum output tokens of a response in the background if no limit of the model is known. The hold covers all these
 * tokens, and the provider gets this number as the maximum. The value is high because such responses are often long.
 */
export const outputTokensBackground = 32_768

/** Limits that are not configurable. */
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
  stallMs: 60_000,
  background: { firstMs: 1_000, maxMs: 30_000, deadlineMs: 6 * hourMs, lostMs: 60_000 },
  // The deadline is later than the 24 hours after which Anthropic ends a batch.
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
  },
}
