import type * as z from 'zod'
import { sharedRateSources, type Quote } from '#money/decision-types.ts'
import { usageCounts } from '#money/usage-counts.ts'
import type { CallStory } from '#domain/calls/call-record.ts'
import type { EndUserExplanation } from './explanation-schema.ts'
import type { CustomerExplanation, Facts } from './read-stored-facts.ts'
import { hasSellPrice, priceLines } from './price-lines.ts'
import { refusalWords, summaryOf } from './summary-sentences.ts'

export function endUserExplanation(
  whole: CustomerExplanation,
  facts: Facts,
): z.output<typeof EndUserExplanation> {
  const { quote, story, trace } = facts
  const charging = quote?.basis === 'sell_price' && hasSellPrice(quote) ? 'sell' : 'cost'
  return {
    id: whole.id,
    status: whole.status,
    endUserId: whole.endUserId,
    keyId: whole.keyId,
    requestedModel: whole.requestedModel,
    wire: whole.wire,
    streamed: whole.streamed,
    httpStatus: whole.httpStatus,
    errorCode: whole.errorCode,
    chargeMicros: whole.chargeMicros,
    refundedMicros: whole.refundedMicros,
    inputTokens: whole.inputTokens,
    cachedInputTokens: whole.cachedInputTokens,
    outputTokens: whole.outputTokens,
    latencyMs: whole.latencyMs,
    firstByteMs: whole.firstByteMs,
    createdAt: whole.createdAt,
    ledger: whole.ledger,
    summary: summaryOf(facts, 'end_user'),
    corrections: whole.corrections.map(
      ({ chargeMicros, createdAt, id, kind, legs, ledgerEntryIds, reason }) => ({
        id,
        kind,
        chargeMicros,
        legs,
        ledgerEntryIds,
        reason,
        createdAt,
      }),
    ),
    policy: picked(whole.policy, shownToEndUsers.policy),
    reserve: picked(whole.reserve, shownToEndUsers.reserve),
    stream: picked(whole.stream, shownToEndUsers.stream),
    refusal: ownRefusal(
      picked(
        whole.refusal && {
          ...whole.refusal,
          message: refusalWords(trace.refusal, story.call.errorCode, 'end_user').message,
        },
        shownToEndUsers.refusal,
      ),
    ),
    usage: picked(whole.usage, [
      ...usageCounts,
      'tokenSource',
      'serviceTier',
      'isMediaWithin',
      'cacheOverlap',
      'isAmbiguous',
    ]),
    priceLines: chargedLines(whole, story, quote).flatMap(({ price, ...lines }) => {
      const name = price === 'credits' ? 'credits' : price === charging ? 'charge' : null
      return name === null ? [] : [{ ...lines, price: name } as const]
    }),
    settle: picked(whole.settle, shownToEndUsers.settle),
  }
}

/** Only the application's own team may see sums over all end users. */
function ownRefusal<R extends { readonly limitSource?: string | null }>(refusal: R | null) {
  if (refusal === null || !sharedSources.has(refusal.limitSource ?? '')) return refusal
  return { ...refusal, limit: null, used: null, held: null, available: null }
}

const sharedSources: ReadonlySet<string> = new Set([...sharedRateSources, 'calls_per_day', 'spend_per_day'])

/** Omits output tokens that the provider charges but the end user does not pay for. */
function chargedLines(
  { priceLines: all }: CustomerExplanation,
  { settlement }: CallStory,
  quote: Quote | null,
): CustomerExplanation['priceLines'] {
  if (settlement?.usage.outputBeyond === undefined || quote === null) return all
  const { outputBeyond: _, ...charged } = settlement.usage
  return priceLines(charged, quote)
}

/** Fields are listed one by one, so that a new field of a phase is not shown to end users automatically. */
const shownToEndUsers = {
  policy: ['limits'],
  reserve: [
    'holdId',
    'worstMicros',
    'worstCredits',
    'firstWorstMicros',
    'extendedMicros',
    'outputTokensPerChoice',
    'isClamped',
    'waitedMs',
    'legs',
  ],
  stream: [
    'end',
    'firstByteMs',
    'firstTokenMs',
    'lastTokenMs',
    'longestGapMs',
    'tokensPerSecond',
    'bytes',
    'clientLeftAtMs',
  ],
  refusal: [
    'code',
    'message',
    'limitSource',
    'limit',
    'used',
    'held',
    'requested',
    'available',
    'resetsAt',
    'measure',
    'window',
    'models',
    'tag',
    'team',
    'waitSeconds',
    'portalUrl',
    'topUpUrl',
    'payUrl',
    'poolName',
    'poolUnit',
    'poolGranted',
    'poolLeft',
    'poolRequested',
    'poolRenewsAt',
    'onDemand',
    'invoiceId',
    'invoiceAmountMicros',
    'invoiceDueAt',
    'remedy',
    'run',
    'at',
    'retryAfterSeconds',
    'waitedMs',
  ],
  settle: [
    'chargeMicros',
    'releasedMicros',
    'isEstimated',
    'isRecovered',
    'legs',
    'ledgerEntryIds',
    'outcome',
    'outcomeRun',
    'settledAt',
  ],
} as const

type Values = Record<string, unknown>

function picked(section: Values | null, names: readonly string[]): Values | null {
  return (
    section &&
    Object.fromEntries(names.filter((name) => name in section).map((name) => [name, section[name]]))
  )
}
