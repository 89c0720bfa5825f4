import type { UsageEvent } from '#domain/emitters/emitter-records-and-ports.ts'

/** An event for tests of receivers. No stored record has its IDs. */
export function sampleEvent(callId: string, nowMs: number): UsageEvent {
  return {
    callId,
    endUserId: null,
    externalId: null,
    keyId: null,
    tags: [],
    payerId: null,
    target: { provider: 'simulator', model: 'sample' },
    streamed: false,
    inputTokens: 12,
    usage: { output: 34, cacheRead: 0, reasoning: 0 },
    tokenSource: 'provider_reported',
    costMicros: 56n,
    billedMicros: 78n,
    paid: {
      paidPlanMicros: 0n,
      paidGiftMicros: 0n,
      paidWalletMicros: 0n,
      onDemandMicros: 56n,
      overdraftMicros: 0n,
    },
    atMs: nowMs,
    settledAtMs: nowMs,
  }
}
