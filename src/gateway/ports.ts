import type { AddressRanges } from '#domain/network/address-ranges.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { Logger } from '#domain/log.ts'
import type { Directory } from '#domain/directory.ts'
import type { IdSource } from '#domain/id.ts'
import type { EndedCall, Ledger } from '#domain/ledger.ts'
import type { NoteRefusal } from '#domain/refusals.ts'
import type { Deadlines } from '#domain/deadlines.ts'
import type { ProbeAnswer } from '#domain/probes.ts'
import type { Price } from '#money/price.ts'
import type { Upstream } from '#domain/upstream.ts'
import type { BodyIntake, BodyLimits } from '#gateway/arrive/body-intake.ts'
import type { WaitingLimits } from '#gateway/decide/waiting-line.ts'

/** The ports of the hot path; every edge of it is one. */
export interface GatewayPorts {
  readonly ledger: Ledger
  readonly directory: Directory
  readonly upstream: Upstream
  readonly clock: Clock
  readonly newId: IdSource
  /** From 0 to below 1. */
  readonly random: () => number
  readonly tokens: TokenCounter
  readonly log: Logger
  readonly limits: GatewayLimits
  readonly bodies: BodyIntake
  /** The number of providers read on for clients that left (relay/client-hang-up.ts). */
  readonly drains: { count: number }
  /** The proxies in front of this server, whose X-Forwarded-For is believed; null: there are none. */
  readonly trustedProxies: AddressRanges | null
  /** Where an end user sees and mends their balance. */
  readonly portalUrl: (slug: string) => string
  /** True for an origin at which this server's own console is served. */
  readonly isConsole: (origin: string) => boolean
  /** Told of every request that was rejected with 401, 403 or 429. */
  readonly onRefused: NoteRefusal
  /** Told of every recorded call, once its answer is written. It must not throw, and its time is every call's. */
  readonly onCallEnded: (ended: EndedCall) => void
  /** Probes a model of an account and records what it cost, at that price if it is known. It never rejects. */
  readonly probeTarget: (account: ProviderAccount, model: string, price: Price | null) => Promise<ProbeAnswer>
}

/** Counts tokens of a text, off the event loop and within a short time. */
export interface TokenCounter {
  /** At least the tokens of o200k; null: not known in time. */
  count(text: string): Promise<number | null>
}

export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Milliseconds that only grow; for durations. */
  monotonicMs(): number
}

export interface GatewayLimits extends BodyLimits {
  readonly responseBytesMax: number
  readonly deadlines: Deadlines
  /** After a client left, how long and how much the provider is read on for its usage. */
  readonly drainMs: number
  readonly drainBytesMax: number
  /** The most such reads at once; beyond, the provider is cut off and the gateway's own count stands. */
  readonly drainsMax: number
  /** A client that takes no bytes for so long has left. */
  readonly stallMs: number
  /** How long a call waits for money that calls in flight hold; 0: not at all. */
  readonly heldWaitMs: number
  readonly heldWait: WaitingLimits
  /** Whether other processes make calls too, and how often what they use is read then. */
  readonly dailyUse: { readonly isShared: boolean; readonly refreshMs: number }
}

/**
 * Output tokens of one answer when neither the request nor the alias says and the model's own maximum is not less:
 * held for whole answers, and imposed only where the provider's wire demands a maximum.
 */
export const outputTokensDefault = 16_384

/**
 * Output tokens that a stream without a maximum holds at first. The hold grows with the stream, so that other calls
 * of the same end user are not refused room for an answer that is hardly ever that long.
 */
export const outputTokensFirst = 2_048

/** Limits that no setting changes. */
export const gatewayLimits: Omit<GatewayLimits, 'heldWaitMs' | 'dailyUse'> = {
  requestBytesMax: 32 * 1024 * 1024,
  bodyBytesMax: 256 * 1024 * 1024,
  bodyBytesPerSecondMin: 8 * 1024,
  bodyGraceMs: 10_000,
  bodyArrivesMs: 240_000,
  responseBytesMax: 64 * 1024 * 1024,
  deadlines: { connectMs: 10_000, firstByteMs: 120_000, idleMs: 120_000, totalMs: 3_600_000 },
  drainMs: 30_000,
  drainBytesMax: 64 * 1024,
  drainsMax: 256,
  stallMs: 60_000,
  heldWait: { waitersMax: 16, waitersInAllMax: 1_024, lookAgainMs: 200 },
}
