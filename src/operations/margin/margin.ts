import * as z from 'zod'
import { dayMs } from '#money/period.ts'
import type { AssumedCost, DayRange, MarginBy, MarginGroup, MarginSums } from '#domain/reports.ts'
import { modeTime } from '#operations/mode-time.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { accountLabels } from '#operations/requests/request-view.ts'
import {
  answerOf,
  Count,
  ExternalId,
  listOf,
  MicrosSum,
  Moment,
  pageOf,
  pageQuery,
  SignedMicros,
} from '#operations/schemas.ts'
import { percentOf } from './percent.ts'

/** Days of a margin where its range has no start. */
const daysDefault = 30

const amounts = {
  calls: Count.meta({ description: 'Charged calls.' }),
  billedMicros: MicrosSum.meta({ description: 'What the bundles sell them for, in micros.' }),
  chargeMicros: MicrosSum.meta({ description: "What left the people's sources for them, in micros." }),
  costMicros: MicrosSum.meta({ description: 'What the provider accounts are charged for them, in micros.' }),
  overHoldMicros: MicrosSum.meta({
    description: 'What was used beyond what was held, in micros: never billed, and part of the cost.',
  }),
  subscriptionMicros: z.exactOptional(MicrosSum).meta({
    description:
      'Invoices of subscriptions that were issued then and are not void, in micros; absent: a name, a bundle or an account has none of its own.',
  }),
  marginMicros: SignedMicros.meta({
    description:
      '`billedMicros`, with `subscriptionMicros` where it is there, less `costMicros`; negative: a loss.',
  }),
  marginPercent: z.string().nullable().meta({
    description:
      'The margin as a part of what was billed and subscribed: a decimal with two places, halves rounded away from zero; null: nothing was billed.',
  }),
}

const assumed = {
  assumedCalls: Count.meta({
    description: 'Calls with a cost at assumed rates, failed calls included.',
  }),
  assumedMicros: MicrosSum.meta({
    description:
      'The part of `costMicros` computed at assumed rates, in micros. 0 for calls of versions that did not record it.',
  }),
}

const MarginRow = z
  .object({
    endUserId: z.exactOptional(ExternalId).meta({ description: 'External id of the person; by end user.' }),
    requestedModel: z.exactOptional(z.string().nullable()).meta({
      description: 'The requested model name; null: subscriptions, which no name has; by model.',
    }),
    bundle: z.exactOptional(z.string().nullable()).meta({
      description:
        'Slug of the bundle at the time of the call; null: calls of which it is not known, and subscriptions, which are invoiced by plan; by bundle.',
    }),
    provider: z.exactOptional(z.string().nullable()).meta({
      description:
        'Label of the provider account; its id, `pa_…`, when it is gone; null: calls of which it is not known, and subscriptions, which no account has; by provider.',
    }),
    day: z.exactOptional(z.iso.date()).meta({ description: 'The day, UTC; by day.' }),
    ...amounts,
    assumedCalls: z.exactOptional(assumed.assumedCalls).meta({
      description:
        'Calls with a cost at assumed rates, failed calls included; by model. Absent if there are none.',
    }),
    assumedMicros: z.exactOptional(assumed.assumedMicros).meta({
      description:
        'The part of `costMicros` computed at assumed rates, in micros; by model. Absent if there is none.',
    }),
  })
  .meta({ id: 'MarginRow', description: 'What one group earned and cost.' })

export default operation({
  id: 'margin',
  method: 'GET',
  path: '/v1/margin',
  scope: 'application',
  summary: 'Show margin by end user',
  description:
    'What charged calls of the mode were billed, what they cost at the providers, and what is left, by end user, model name, bundle, provider account or day. Sums are exact, and the same in all by to the micro: the rows of all pages add up to the totals, since people and days with an invoice and no call have a row, and the last row by model, bundle or provider has what no group accounts for, subscriptions among it. Days are UTC, by the end of a call; a time within a day takes the whole day. Rows are in the order of their group, days newest first. Sums by end user, model and day are read from sums per day, by bundle and provider from sums per hour and the calls since the last full hour; `null` takes what ended later than its hour was summed up, or with a crash, too. By end user a page passes over 2,000 people with neither a call nor an invoice at most: it may have fewer rows than `limit`, or none, while `nextCursor` goes on.',
  query: {
    ...pageQuery,
    by: z
      .enum(['endUser', 'model', 'bundle', 'provider', 'day'])
      .default('endUser')
      .meta({ description: 'What the rows are.' }),
    from: Moment.optional().meta({
      description: 'The first day, or a time in it; left out: 30 days before the end.',
    }),
    to: Moment.optional().meta({ description: 'The end, not included; left out: today with it.' }),
  },
  output: listOf(MarginRow).extend({
    from: z.iso.date().meta({ description: 'The first day that is counted.' }),
    to: z.iso.date().meta({ description: 'The day after the last one that is counted.' }),
    probeCostMicros: MicrosSum.meta({
      description:
        "What probes of the organization's accounts cost in these days (providers.probe), as far as is known, in micros: no part of rows and totals. 0 in test mode, which has none.",
    }),
    totals: z.object({ ...amounts, ...assumed }).meta({ description: 'All groups together, on every page.' }),
  }),
  async run({ query }, context) {
    const { application, mode, store } = context
    const toDay = Math.ceil((query.to ?? modeTime(context) + 1) / dayMs)
    const fromDay = query.from === undefined ? toDay - daysDefault : Math.floor(query.from / dayMs)
    if (toDay <= fromDay) return refused('invalid_request', { reason: 'to must be later than from.' }, 'to')
    const days: DayRange = { fromDay, toDay }
    const { by } = query
    const { groups, next } = await store.reports.margin(application.id, mode, by, days, pageOf(query))
    const totals = await store.reports.marginTotals(application.id, mode, days)
    const guessed = await store.reports.assumedCosts(application.id, mode, days)
    const byName = new Map<string | null, AssumedSums>(guessed.map((of) => [of.alias, assumedOf([of])]))
    const labels = by === 'provider' ? await accountLabels(context) : new Map<string, string>()
    const rowOf = (of: MarginGroup): z.output<typeof MarginRow> => ({
      ...groupField(by, of.group, labels),
      ...amountsOf(of, by === 'endUser' || by === 'day' || of.group === null),
      ...(by === 'model' && byName.get(of.group)),
    })
    return {
      ...(await answerOf({ rows: groups, next }, rowOf)),
      from: dateOf(fromDay),
      to: dateOf(toDay),
      probeCostMicros:
        mode === 'test'
          ? 0n
          : await store.probes.costMicros(context.organization.id, fromDay * dayMs, toDay * dayMs),
      totals: { ...amountsOf(totals, true), ...assumedOf(guessed) },
    }
  },
})

type AssumedSums = z.output<z.ZodObject<typeof assumed>>

function assumedOf(of: readonly AssumedCost[]): AssumedSums {
  return {
    assumedCalls: of.reduce((sum, { calls }) => sum + calls, 0),
    assumedMicros: of.reduce((sum, { assumedMicros }) => sum + assumedMicros, 0n),
  }
}

function groupField(
  by: MarginBy,
  group: string | null,
  labels: ReadonlyMap<string, string>,
): Partial<z.output<typeof MarginRow>> {
  switch (by) {
    case 'endUser':
      return { endUserId: group ?? '' }
    case 'model':
      return { requestedModel: group }
    case 'bundle':
      return { bundle: group }
    case 'provider':
      return { provider: group && (labels.get(group) ?? group) }
    case 'day':
      return { day: dateOf(Number(group)) }
    default:
      return by satisfies never
  }
}

function amountsOf(
  { billedMicros, calls, chargeMicros, costMicros, overHoldMicros, subscriptionMicros }: MarginSums,
  hasSubscriptions: boolean,
): z.output<z.ZodObject<typeof amounts>> {
  const revenue = billedMicros + subscriptionMicros
  const marginMicros = revenue - costMicros
  return {
    calls,
    billedMicros,
    chargeMicros,
    costMicros,
    overHoldMicros,
    ...(hasSubscriptions && { subscriptionMicros }),
    marginMicros,
    marginPercent: percentOf(marginMicros, revenue),
  }
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
