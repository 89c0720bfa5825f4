import * as z from 'zod'
import { formatMicros } from '#money/amount.ts'
import type { Leg, Quote } from '#money/hold.ts'
import { priceToJson } from '#money/price.ts'
import { sectionsOfTrace } from '#domain/trace-format.ts'
import { idOf, suffixOf } from '#domain/id.ts'
import type { CallStory } from '#domain/records.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { text } from '#operations/schemas.ts'
import { LedgerEntryView, ledgerEntryView } from '#operations/users/ledger.ts'
import { PriceLines, priceLines } from './price-lines.ts'
import { accountLabels, RequestView, requestView } from './request-view.ts'

const Section = z.record(z.string(), z.unknown())
type SectionJson = z.output<typeof Section>

export default operation({
  id: 'requests.explain',
  method: 'GET',
  path: '/v1/requests/{id}',
  scope: 'application',
  summary: 'Explain what a request cost',
  description:
    'Every step of one call of the mode and the numbers that it was decided on: refused calls and those in flight too. A step that was not reached is null. Never content, never a secret.',
  parameters: {
    id: text(64).meta({ description: 'Id of the call, `req_…`, its hold or its usage record.' }),
  },
  output: RequestView.extend({
    summary: z.string().meta({ description: 'What happened, in a sentence.' }),
    auth: Section.nullable().meta({ description: 'The caller.' }),
    policy: Section.nullable().meta({ description: 'The bundle and its rules.' }),
    quote: Section.nullable().meta({ description: 'The prices, and the most that the call could use.' }),
    reserve: Section.nullable().meta({ description: 'The hold and its sources.' }),
    route: Section.nullable().meta({ description: 'The chosen account and model.' }),
    attempts: z.array(Section).meta({ description: 'Attempts at the provider and their results.' }),
    stream: Section.nullable().meta({ description: 'The course of the answer.' }),
    refusal: Section.nullable().meta({ description: 'Why it was refused or failed.' }),
    usage: Section.nullable().meta({
      description:
        'What was used, and who counted it. `isMediaWithin`: audio and images are counted within the other input as well, and are charged as if split the dearest way. `statedCostNanos`: what the provider says that it cost, in thousandths of a micro, to be compared with `settle.costMicros`.',
    }),
    priceLines: z.array(PriceLines).meta({ description: 'Units times rates, by each price that applies.' }),
    settle: Section.nullable().meta({ description: 'The charge, and the money given back.' }),
    ledger: z.array(LedgerEntryView).meta({ description: 'Its ledger entries, oldest first.' }),
    emitters: z.array(Section).meta({ description: 'Where its usage was delivered.' }),
  }),
  errors: ['not_found'],
  async run({ path }, context) {
    const { application, mode: asked, store } = context
    const callId = suffixOf('req', path.id) ?? suffixOf('hold', path.id) ?? suffixOf('ur', path.id)
    const story = callId === null ? null : await store.requests.story(application.id, asked, callId)
    if (!story || callId === null) return refused('not_found', { resource: 'request', id: path.id }, 'id')
    const trace = story.trace === null ? {} : sectionsOfTrace(story.trace)
    const entries = await store.balances.ledgerOfCall(application.id, callId)
    const { hold, settlement } = story
    const quote = settlement?.quote ?? hold?.quote ?? null
    const usage = settlement?.usage ?? hold?.checkpoint ?? null
    const { endUserId, keyId, mode } = story.call
    const names =
      endUserId === null ? new Map<string, string>() : await store.balances.sourceNames(endUserId, mode)
    return {
      ...requestView(story.call, await accountLabels(context)),
      summary: sentence(story),
      auth: section({ keyId, endUserId, mode }, trace['auth']),
      policy: quote && section({ terminationPolicy: quote.policy, debitBasis: quote.basis }, trace['policy']),
      quote: quote
        ? section(quoteSection(quote, hold?.bound ?? null), trace['quote'])
        : sectionOf(trace['quote']),
      reserve: withNames(reserveSection(story, trace['reserve']), names),
      route:
        hold || settlement
          ? section({ ...(settlement ?? hold)?.target }, trace['route'])
          : sectionOf(trace['route']),
      attempts: Array.isArray(trace['attempts']) ? trace['attempts'].filter(isSection) : [],
      stream: sectionOf(trace['stream']),
      refusal: sectionOf(trace['refusal']),
      usage: usage && { ...usage, tokenSource: settlement?.tokenSource ?? 'counted so far' },
      priceLines: usage && quote ? priceLines(usage, quote) : [],
      settle: withNames(settleSection(story), names),
      ledger: entries.map(ledgerEntryView),
      // Usage is not delivered anywhere yet.
      emitters: [],
    }
  },
})

function quoteSection(quote: Quote, bound: object | null): SectionJson {
  return {
    quoteId: quote.id,
    cost: priceToJson(quote.cost),
    sell: priceToJson(quote.sell),
    credits: quote.credits && priceToJson(quote.credits),
    ...(bound && { bound }),
  }
}

function reserveSection({ call, hold, settlement }: CallStory, traced: unknown): SectionJson | null {
  if (!hold && !settlement) return sectionOf(traced)
  const known: SectionJson = { holdId: idOf('hold', call.callId) }
  if (settlement) known['worstMicros'] = formatMicros(settlement.worstMicros)
  if (hold) {
    known['worstMicros'] = formatMicros(hold.worstMicros)
    known['worstCredits'] = formatMicros(hold.worstCredits)
    known['legs'] = legsJson(hold.legs)
    known['reservedAt'] = new Date(hold.reservedAtMs).toISOString()
    known['inputTokensEstimated'] = hold.inputEstimate
  }
  return section(known, traced)
}

function settleSection({ settlement }: CallStory): SectionJson | null {
  if (!settlement) return null
  const { chargeMicros, worstMicros } = settlement
  return {
    costMicros: formatMicros(settlement.costMicros),
    billedMicros: formatMicros(settlement.billedMicros),
    chargeMicros: formatMicros(chargeMicros),
    overHoldMicros: formatMicros(settlement.overHoldMicros),
    releasedMicros: formatMicros(worstMicros > chargeMicros ? worstMicros - chargeMicros : 0n),
    legs: legsJson(settlement.legs),
    outcome: settlement.outcomeSlug,
    outcomeRun: settlement.runId,
    settledAt: new Date(settlement.settledAtMs).toISOString(),
  }
}

function legsJson(legs: readonly Leg[]): SectionJson[] {
  return legs.map(({ amount, kind, micros, sourceId, unit }) => ({
    sourceId,
    kind,
    unit,
    amount: formatMicros(amount),
    micros: formatMicros(micros),
  }))
}

/** Replaces source ids by their names on the ledger. */
function withNames(known: SectionJson | null, names: ReadonlyMap<string, string>): SectionJson | null {
  const legs = known?.['legs']
  if (known === null || !Array.isArray(legs)) return known
  const named = legs.filter(isSection).map((leg) => ({
    ...leg,
    sourceId: names.get(String(leg['sourceId'])) ?? leg['sourceId'],
  }))
  return { ...known, legs: named }
}

function sentence({ call, hold, settlement }: CallStory): string {
  if (settlement) {
    const counted =
      settlement.tokenSource === 'provider_reported'
        ? 'the provider counted'
        : `the usage is ${settlement.tokenSource}`
    const over =
      settlement.overHoldMicros > 0n
        ? `; ${settlement.overHoldMicros} micros more were used than was held for, and are neither charged nor billed`
        : ''
    return `Charged ${settlement.chargeMicros} of ${settlement.worstMicros} micros held; ${counted}${over}.`
  }
  if (hold) return `In flight: ${hold.worstMicros} micros are held.`
  if (call.status === 'released')
    return `Nothing was charged: ${call.errorCode ?? 'the provider did no work'}.`
  return `Refused before any provider was called: ${call.errorCode ?? 'unknown'}.`
}

/** Stored values together with the gateway's notes. */
function section(known: SectionJson, traced: unknown): SectionJson {
  return { ...sectionOf(traced), ...known }
}

function sectionOf(traced: unknown): SectionJson | null {
  return isSection(traced) ? traced : null
}

function isSection(value: unknown): value is SectionJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
