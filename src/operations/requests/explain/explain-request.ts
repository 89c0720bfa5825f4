import { ledgerEntryView } from '#operations/billing/shared/ledger-entry-view.ts'
import type * as z from 'zod'
import { formatMicros } from '#money/amount.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { EventStory } from '#domain/emitters/emitter-records-and-ports.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { requestView } from '#operations/requests/shared/request-view.ts'
import { endUserExplanation } from './end-user-explanation.ts'
import type { EndUserExplanation } from './explanation-schema.ts'
import { factsOf, type CustomerExplanation, type Facts } from './read-stored-facts.ts'
import { correctionView, reserveSection, settleSection } from './reserve-and-settle-sections.ts'
import { priceLines } from './price-lines.ts'
import { providerUnits } from './usage-in-provider-fields.ts'
import { quoteSection } from './quote-section.ts'
import { attemptSections, routeSection } from './route-section.ts'
import { refusalWords, summaryOf } from './summary-sentences.ts'

type Context = Pick<ApplicationContext, 'application' | 'mode' | 'organization' | 'store'>

/**
 * @param id ID of the request (`req_…`), of its hold or of its usage record
 * @returns null if there is no such request
 */
export async function explainToTeam(id: string, context: Context): Promise<CustomerExplanation | null> {
  const facts = await factsOf(id, context)
  return facts && explanation(facts)
}

/**
 * Explains a request to the end user who made it. An end user sees nothing about providers, their costs, or the margin.
 * @returns null if the end user made no such request
 */
export async function explainToEndUser(
  id: string,
  endUserId: string,
  context: Context,
): Promise<z.output<typeof EndUserExplanation> | null> {
  const facts = await factsOf(id, context)
  return facts?.story.call.endUserId === endUserId ? endUserExplanation(explanation(facts), facts) : null
}

function explanation(facts: Facts): CustomerExplanation {
  const { corrections, entries, labels, quote, story, trace } = facts
  const { call, hold, settlement } = story
  const used = settlement?.usage ?? hold?.checkpoint ?? null
  return {
    ...requestView(call, labels, corrections),
    usageRecordId: settlement && idOf('ur', call.callId),
    summary: summaryOf(facts, 'customer'),
    corrections: corrections.map((correction) => correctionView(correction, facts.sources)),
    timeline: timelineOf(facts),
    auth: authSection(facts),
    policy: policySection(facts),
    quote: quoteSection(facts),
    reserve: reserveSection(facts),
    route: routeSection(facts),
    attempts: attemptSections(facts),
    stream: streamSection(facts, used),
    refusal: refusalSection(facts),
    usage: used && {
      ...used,
      tokenSource: settlement?.tokenSource ?? 'counted so far',
      inWireTerms: providerUnits(used, trace.route?.upstreamWire ?? call.wire),
    },
    priceLines: used && quote ? priceLines(used, quote) : [],
    settle: settleSection(facts),
    ledger: entries.map(ledgerEntryView),
    emitters: facts.events.map(eventSection),
  }
}

function eventSection({ delivery, emitter, isWaiting }: EventStory): CustomerExplanation['emitters'][number] {
  const known = delivery?.isDelivered === true ? 'delivered' : 'not_delivered'
  return {
    emitterId: emitter.id,
    kind: emitter.kind,
    name: emitter.name,
    state: delivery === null ? (isWaiting ? 'waiting' : 'attempted') : known,
    deliveryId: delivery && idOf('usgb', delivery.id),
    cause: delivery && delivery.reason,
    sentAt: delivery && delivery.createdAtMs,
    attempts: delivery && delivery.attempts,
    status: delivery && delivery.httpStatus,
    reason: delivery && delivery.failure,
  }
}

function authSection({ key, story, trace }: Facts): CustomerExplanation['auth'] {
  const { endUserId, keyId, mode } = story.call
  return { ...trace.auth, keyId, keyPrefix: key?.prefix ?? null, keyName: key?.name ?? null, endUserId, mode }
}

function policySection({ quote, trace }: Facts): CustomerExplanation['policy'] {
  const { policy, refusal } = trace
  if (policy === null && quote === null) return null
  return {
    ...policy,
    ...(quote && {
      terminationPolicy: quote.policy,
      debitBasis: quote.basis,
      maxOverdraftMicros: quote.policy === 'grace' ? formatMicros(quote.maxOverdraftMicros) : null,
    }),
    limits: (policy?.limits ?? []).map(({ resetsAtMs = null, ...limit }) => {
      const { heldMicros, limitMicros, name, usedMicros } = limit
      const resetsAt = resetsAtMs === null ? null : new Date(resetsAtMs).toISOString()
      const available = BigInt(limitMicros ?? 0) - BigInt(usedMicros ?? 0) - BigInt(heldMicros ?? 0)
      // An end user may have one limit for each calendar window, all with the same name. The reset time shows which of
      // these limits rejected the request.
      const isCause =
        refusal?.['limitSource'] === name &&
        refusal?.['measure'] === undefined &&
        (name !== 'end_user_limit' || (refusal?.['resetsAt'] ?? null) === resetsAt)
      return {
        ...limit,
        availableMicros: formatMicros(available),
        resetsAt,
        verdict: isCause ? 'refused' : 'pass',
      }
    }),
  }
}

function streamSection({ trace: { stream } }: Facts, used: Usage | null): CustomerExplanation['stream'] {
  if (stream === null) return null
  const { firstTokenMs, lastTokenMs } = stream
  const ms = (lastTokenMs ?? 0) - (firstTokenMs ?? lastTokenMs ?? 0)
  const tokensPerSecond = ms > 0 && used !== null ? Math.round((used.output * 10_000) / ms) / 10 : null
  return { ...stream, tokensPerSecond }
}

function refusalSection({ story, trace: { refusal } }: Facts): CustomerExplanation['refusal'] {
  if (refusal === null) return null
  const { fix, fixOperation, code, message } = refusalWords(refusal, story.call.errorCode, 'customer')
  return { ...refusal, code, message, fix, fixOperation }
}

function timelineOf({ story, trace: { attempts, stream } }: Facts): CustomerExplanation['timeline'] {
  const { latencyMs } = story.call
  const timeline: CustomerExplanation['timeline'] = []
  let endMs = 0
  for (const { atMs = null, durationMs = null } of attempts ?? []) {
    if (atMs === null || durationMs === null) continue
    if (timeline.length === 0) timeline.push({ phase: 'decide', atMs: 0, durationMs: atMs })
    timeline.push({ phase: 'attempt', atMs, durationMs })
    endMs = atMs + durationMs
  }
  const { firstTokenMs = null, lastTokenMs = null } = stream ?? {}
  if (firstTokenMs !== null && lastTokenMs !== null)
    timeline.push({
      phase: 'stream',
      atMs: firstTokenMs,
      durationMs: Math.max(0, lastTokenMs - firstTokenMs),
    })
  if (latencyMs === null) return timeline
  if (timeline.length === 0) return [{ phase: 'decide', atMs: 0, durationMs: latencyMs }]
  timeline.push({ phase: 'settle', atMs: endMs, durationMs: Math.max(0, latencyMs - endMs) })
  return timeline
}
