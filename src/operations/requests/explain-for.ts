import type * as z from 'zod'
import { formatMicros } from '#money/amount.ts'
import { hasUnpricedUse } from '#money/cost.ts'
import type { Leg, Quote } from '#money/hold.ts'
import type { Usage } from '#money/usage.ts'
import type { EventStory } from '#domain/emitters.ts'
import { earnedOnCalls } from '#domain/figures.ts'
import { idOf, suffixOf } from '#domain/id.ts'
import type { CallCorrection, CallSettlement, CallStory, Key, LedgerEntry } from '#domain/records.ts'
import { sectionsOfTrace } from '#domain/trace-format.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { ledgerEntryView } from '#operations/users/ledger.ts'
import { endUserExplanation } from './end-user-explanation.ts'
import type { DisputeReason } from './explained-phases.ts'
import type { EndUserExplanation, Explanation } from './explanation-schema.ts'
import { priceLines } from './price-lines.ts'
import { providerUnits } from './provider-units.ts'
import { candidateWorst, quoteSection } from './quote-section.ts'
import { accountLabels, requestView } from './request-view.ts'
import { correctedWords, refusalWords, summaryOf } from './summary.ts'
import { bigintOf, sectionOf, sectionsIn, textOf, type Section } from './trace-section.ts'

type Context = Pick<ApplicationContext, 'application' | 'mode' | 'organization' | 'store'>

export type CustomerExplanation = z.output<typeof Explanation>
export type PersonExplanation = z.output<typeof EndUserExplanation>

/** Everything stored about a request, and the names that its IDs resolve to. */
interface Facts {
  readonly story: CallStory
  readonly trace: Readonly<Record<string, unknown>>
  readonly entries: readonly LedgerEntry[]
  readonly corrections: readonly CallCorrection[]
  readonly key: Key | null
  /** Source ID -> its name on the ledger. */
  readonly sources: ReadonlyMap<string, string>
  /** Account ID -> its label. */
  readonly labels: ReadonlyMap<string, string>
  /** The deliveries of its event. */
  readonly events: readonly EventStory[]
}

/**
 * Explains one request of the context's application and mode. The reader is the customer's team, or the end user who
 * made the request. An end user sees nothing about providers, their costs, or the margin.
 * @param id of the request (`req_…`), its hold or its usage record
 * @param endUserId the end user who must have made the request; null for any end user
 * @returns null if there is no such request
 */
export async function explainFor(
  view: 'customer',
  id: string,
  context: Context,
): Promise<CustomerExplanation | null>
export async function explainFor(
  view: 'end_user',
  id: string,
  context: Context,
  endUserId: string,
): Promise<PersonExplanation | null>
export async function explainFor(
  view: 'customer' | 'end_user',
  id: string,
  context: Context,
  endUserId: string | null = null,
): Promise<CustomerExplanation | PersonExplanation | null> {
  const facts = await factsOf(id, context)
  if (facts === null) return null
  if (view === 'customer') return explanation(facts)
  const isTheirs = facts.story.call.endUserId === endUserId
  return isTheirs
    ? endUserExplanation(
        explanation(facts),
        facts.story,
        sectionOf(facts.trace['refusal']),
        facts.corrections,
      )
    : null
}

async function factsOf(id: string, context: Context): Promise<Facts | null> {
  const { application, mode, store } = context
  const callId = suffixOf('req', id) ?? suffixOf('hold', id) ?? suffixOf('ur', id)
  const story = callId === null ? null : await store.requests.story(application.id, mode, callId)
  if (!story || callId === null) return null
  const { endUserId, keyId } = story.call
  return {
    story,
    trace: story.trace === null ? {} : sectionsOfTrace(story.trace),
    entries: await store.balances.ledgerOfCall(application.id, callId),
    corrections: await store.corrections.ofCalls(application.id, [callId]),
    key: keyId === null ? null : await store.keys.byId(application.id, keyId),
    sources:
      endUserId === null ? new Map<string, string>() : await store.balances.sourceNames(endUserId, mode),
    labels: await accountLabels(context),
    events:
      story.settlement === null
        ? []
        : await store.emitters.ofCall(application.id, mode, {
            callId,
            paid: story.settlement.paid,
            atMs: story.call.atMs,
            settledAtMs: story.settlement.settledAtMs,
            tokenSource: story.settlement.tokenSource,
          }),
  }
}

function explanation(facts: Facts): CustomerExplanation {
  const { entries, labels, story, trace } = facts
  const { call, hold, settlement } = story
  const quote = settlement?.quote ?? hold?.quote ?? null
  const used = settlement?.usage ?? hold?.checkpoint ?? null
  const reserve = reserveSection(facts)
  const attempts = attemptSections(facts)
  const stream = streamSection(sectionOf(trace['stream']), used)
  const traced = sectionOf(trace['refusal'])
  const refusal = traced && { ...traced, ...refusalWords(traced, call.errorCode) }
  return {
    ...requestView(call, labels, facts.corrections),
    usageRecordId: settlement && idOf('ur', call.callId),
    summary:
      summaryOf({ story, reserve, attempts, stream, refusal: traced }) + correctedWords(facts.corrections),
    corrections: facts.corrections.map((correction) => correctionView(correction, facts.sources)),
    timeline: timelineOf(story, attempts, stream),
    auth: authSection(facts),
    policy: policySection(facts, quote, traced),
    quote: quoteSection({ quote, bound: story.hold?.bound ?? null }, trace, labels),
    reserve,
    route: routeSection(facts),
    attempts,
    stream,
    refusal,
    usage: used && usageSection(used, settlement?.tokenSource ?? 'counted so far', wireOf(facts)),
    priceLines: used && quote ? priceLines(used, quote) : [],
    settle: settleSection(facts),
    ledger: entries.map(ledgerEntryView),
    emitters: facts.events.map(eventSection),
  }
}

/** @param sources source ID -> its name on the ledger */
export function correctionView(
  correction: CallCorrection,
  sources: ReadonlyMap<string, string>,
): CustomerExplanation['corrections'][number] {
  return {
    id: correction.id,
    kind: correction.kind,
    chargeMicros: correction.chargeMicros,
    billedMicros: correction.billedMicros,
    costMicros: correction.costMicros,
    legs: legsJson(correction.legs).map((leg) => ({
      ...leg,
      sourceId: sources.get(textOf(leg['sourceId'])) ?? textOf(leg['sourceId']),
    })),
    ledgerEntryIds: [...correction.entryIds],
    reason: correction.reason,
    actor: correction.actor,
    createdAt: correction.createdAtMs,
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

function authSection({ key, story: { call }, trace }: Facts): Section {
  const { endUserId, keyId, mode } = call
  const named = { keyPrefix: key?.prefix ?? null, keyName: key?.name ?? null }
  return { ...sectionOf(trace['auth']), keyId, ...named, endUserId, mode }
}

function policySection({ trace }: Facts, quote: Quote | null, refusal: Section | null): Section | null {
  const traced = sectionOf(trace['policy'])
  if (traced === null && quote === null) return null
  return {
    ...traced,
    ...(quote && {
      terminationPolicy: quote.policy,
      debitBasis: quote.basis,
      maxOverdraftMicros: quote.policy === 'grace' ? formatMicros(quote.maxOverdraftMicros) : null,
    }),
    limits: sectionsIn(traced?.['limits']).map((limit) => {
      const { heldMicros, limitMicros, name, resetsAtMs, usedMicros, ...rest } = limit
      const resetsAt = typeof resetsAtMs === 'number' ? new Date(resetsAtMs).toISOString() : null
      // An end user may have a limit for each window. The reset time distinguishes them.
      const isCause =
        refusal?.['limitSource'] === name &&
        (name !== 'end_user_limit' || (refusal?.['resetsAt'] ?? null) === resetsAt)
      return {
        name,
        ...rest,
        limitMicros,
        usedMicros,
        heldMicros,
        availableMicros: String(bigintOf(limitMicros) - bigintOf(usedMicros) - bigintOf(heldMicros)),
        resetsAt,
        verdict: isCause ? 'refused' : 'pass',
      }
    }),
  }
}

function reserveSection({ sources, story: { call, hold, settlement }, trace }: Facts): Section | null {
  const traced = sectionOf(trace['reserve'])
  if (!hold && !settlement) return withNames(withBalance(traced), sources)
  const known: Section = { ...withBalance(traced), holdId: idOf('hold', call.callId) }
  if (settlement) known['worstMicros'] = formatMicros(settlement.worstMicros)
  if (settlement && typeof traced?.['firstWorstMicros'] === 'string')
    known['extendedMicros'] = String(settlement.worstMicros - BigInt(traced['firstWorstMicros']))
  if (hold) {
    known['worstMicros'] = formatMicros(hold.worstMicros)
    known['worstCredits'] = formatMicros(hold.worstCredits)
    known['legs'] = legsJson(hold.legs)
    known['reservedAt'] = new Date(hold.reservedAtMs).toISOString()
    known['inputTokensEstimated'] = hold.inputEstimate
  }
  return withNames(known, sources)
}

/** The trace has the wallet's total hold including this request. The total before it is that less the wallet's leg. */
function withBalance(reserve: Section | null): Section | null {
  if (reserve === null || typeof reserve['walletHeldMicros'] !== 'string') return reserve
  let own = 0n
  for (const { kind, micros } of sectionsIn(reserve['legs'])) if (kind === 'wallet') own += bigintOf(micros)
  return { ...reserve, walletHeldBeforeMicros: String(BigInt(reserve['walletHeldMicros']) - own) }
}

function routeSection({ labels, story: { call, hold, settlement }, trace }: Facts): Section | null {
  const target = (hold ?? settlement)?.target ?? call.target
  const traced = sectionOf(trace['route'])
  if (target === null && traced === null) return null
  const chosen: Section = { ...target, ...traced }
  const labelled = ({ accountId, ...rest }: Section): Section => ({
    ...rest,
    accountId,
    account: labels.get(textOf(accountId)) ?? null,
  })
  const { accountId, model, provider } = chosen
  const { targets, candidates: older, ...rest } = chosen
  const ordered = sectionsIn(targets).map(({ skip, worst, ...planned }) => {
    const { code = null, reason = null } = sectionOf(skip) ?? {}
    return { ...planned, ...candidateWorst(sectionOf(worst)), skipped: reason, skipCode: code }
  })
  const known = ordered.length > 0 ? ordered : sectionsIn(older)
  return {
    ...labelled(rest),
    router: rest['router'] ?? null,
    policy: rest['policy'] ?? null,
    candidates: (known.length > 0 ? known : [{ provider, accountId, model }]).map((candidate: Section) => ({
      ...labelled(candidate),
      path: candidate['path'] ?? null,
      price: candidate['price'] ?? null,
      worstCase: candidate['worstCase'] ?? null,
      skipped: candidate['skipped'] ?? null,
      skipCode: candidate['skipCode'] ?? null,
    })),
  }
}

/** Returns the attempts with their costs. The charged attempt costs the total less the costs of the other attempts. */
function attemptSections({ labels, story: { call, settlement }, trace }: Facts): Section[] {
  const target = settlement?.target ?? call.target
  const traced = sectionsIn(trace['attempts'])
  const othersMicros = failedMicrosOf(traced)
  return traced.map((attempt, i) => {
    const accountId = attempt['account'] ?? target?.accountId ?? null
    const model = attempt['model'] ?? target?.model ?? null
    const label = labels.get(textOf(accountId)) ?? textOf(accountId)
    const isAnswer = settlement !== null && i === traced.length - 1
    return {
      n: i + 1,
      provider: target?.provider ?? null,
      account: accountId,
      target: model === null ? null : `${label}/${textOf(model)}`,
      ...attempt,
      code: attempt['code'] ?? null,
      costMicros: isAnswer ? String(settlement.costMicros - othersMicros) : (attempt['costMicros'] ?? null),
    }
  })
}

/** Returns the total cost of the failed attempts. */
function failedMicrosOf(attempts: readonly Section[]): bigint {
  return attempts.slice(0, -1).reduce((sum, { costMicros }) => sum + bigintOf(costMicros), 0n)
}

function streamSection(stream: Section | null, used: Usage | null): Section | null {
  if (stream === null) return null
  const { firstTokenMs, lastTokenMs } = stream
  const ms =
    typeof firstTokenMs === 'number' && typeof lastTokenMs === 'number' ? lastTokenMs - firstTokenMs : 0
  const perSecond = ms > 0 && used !== null ? Math.round((used.output * 10_000) / ms) / 10 : null
  return { ...stream, tokensPerSecond: perSecond }
}

function timelineOf(
  { call: { latencyMs } }: CallStory,
  attempts: readonly Section[],
  stream: Section | null,
): CustomerExplanation['timeline'] {
  const timeline: CustomerExplanation['timeline'] = []
  let endMs = 0
  for (const { atMs, durationMs } of attempts) {
    if (typeof atMs !== 'number' || typeof durationMs !== 'number') continue
    if (timeline.length === 0) timeline.push({ phase: 'decide', atMs: 0, durationMs: atMs })
    timeline.push({ phase: 'attempt', atMs, durationMs })
    endMs = atMs + durationMs
  }
  const { firstTokenMs, lastTokenMs } = stream ?? {}
  if (typeof firstTokenMs === 'number' && typeof lastTokenMs === 'number')
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

function usageSection(used: Usage, tokenSource: string, wire: string | null): Section {
  return { ...used, tokenSource, inWireTerms: providerUnits(used, wire) }
}

/**
 * Returns why the cost is disputed. The record has only the verdict, so the reasons follow from the usage and the trace.
 * Stated costs are the reason if nothing else is, because their verdict depends on earlier requests.
 */
function disputeReasons(
  { isDisputed, quote, usage }: CallSettlement,
  trace: Facts['trace'],
): z.infer<typeof DisputeReason>[] {
  if (isDisputed !== true) return []
  const reasons: z.infer<typeof DisputeReason>[] = []
  if (sectionOf(trace['route'])?.['answeredBy'] !== undefined) reasons.push('another_model')
  if (hasUnpricedUse(usage, quote.cost)) reasons.push('unpriced_web_search')
  return reasons.length > 0 ? reasons : ['stated_cost']
}

/** Returns the wire of the provider's response. */
function wireOf({ story: { call }, trace }: Facts): string | null {
  const upstreamWire = sectionOf(trace['route'])?.['upstreamWire']
  return typeof upstreamWire === 'string' ? upstreamWire : call.wire
}

/** A settle that took longer waited for the store. */
const lateMs = 60_000

function settleSection({ entries, sources, story: { call, settlement }, trace }: Facts): Section | null {
  if (!settlement) return null
  const { assumedMicros, billedMicros, chargeMicros, costMicros } = settlement
  const { overHoldMicros, paid, settledAtMs, tokenSource, worstMicros } = settlement
  const known = {
    costMicros: formatMicros(costMicros),
    assumedMicros: formatMicros(assumedMicros),
    failedAttemptsMicros: formatMicros(failedMicrosOf(sectionsIn(trace['attempts']))),
    billedMicros: formatMicros(billedMicros),
    chargeMicros: formatMicros(chargeMicros),
    ...(paid !== null && {
      revenueMicros: formatMicros(earnedOnCalls(paid)),
      marginMicros: formatMicros(earnedOnCalls(paid) - costMicros),
    }),
    overHoldMicros: formatMicros(overHoldMicros),
    releasedMicros: formatMicros(worstMicros > chargeMicros ? worstMicros - chargeMicros : 0n),
    aboveHoldMicros: formatMicros(chargeMicros > worstMicros ? chargeMicros - worstMicros : 0n),
    usageRecordId: idOf('ur', call.callId),
    isEstimated: tokenSource === 'estimated',
    isRecovered: tokenSource === 'recovered',
    isOverHold: overHoldMicros > 0n,
    isDisputed: settlement.isDisputed,
    disputedBecause: disputeReasons(settlement, trace),
    isLate: settledAtMs - call.atMs - (call.latencyMs ?? 0) > lateMs,
    legs: legsJson(settlement.legs),
    ledgerEntryIds: entries.map(({ id }) => id),
    outcome: settlement.outcomeSlug,
    outcomeRun: settlement.runId,
    settledAt: new Date(settledAtMs).toISOString(),
  }
  return withNames(known, sources)
}

function legsJson(legs: readonly Leg[]): Section[] {
  return legs.map(({ amount, kind, micros, sourceId, unit }) => ({
    sourceId,
    kind,
    unit,
    amount: formatMicros(amount),
    micros: formatMicros(micros),
  }))
}

/** Replaces source IDs by their names on the ledger. */
function withNames(known: Section | null, names: ReadonlyMap<string, string>): Section | null {
  if (known === null || !Array.isArray(known['legs'])) return known
  const legs = sectionsIn(known['legs']).map((leg) => ({
    ...leg,
    sourceId: names.get(textOf(leg['sourceId'])) ?? leg['sourceId'],
  }))
  return { ...known, legs }
}
