import * as z from 'zod'
import { dayMs } from '#money/period.ts'
import type { AssumedCost, DayRange, MarginBy, MarginGroup, MarginSums } from '#domain/reports.ts'
import { earnedOnCalls } from '#domain/figures.ts'
import { moneyView, signedMoneyFields } from '#operations/figure-fields.ts'
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

/** Length of a margin's range if it has no start. */
const daysDefault = 30

const amounts = {
  calls: Count.meta({ description: 'Charged calls.' }),
  ...signedMoneyFields,
  subscriptionMicros: z.exactOptional(SignedMicros).meta({
    description:
      'Subscription fees earned in the range, in micros: each invoice line is spread over the days it pays for. Omitted for groups that have no subscriptions of their own.',
  }),
  invoicedMicros: z.exactOptional(MicrosSum).meta({
    description:
      'Invoices issued in the range that are not void, in micros. Shown for comparison and not part of revenue. Omitted where `subscriptionMicros` is, and for bundles.',
  }),
  revenueMicros: SignedMicros.meta({
    description:
      'Earned revenue, in micros: `subscriptionMicros`, `paidFromWalletMicros` and `onDemandMicros`. Usage paid by a plan or by given credit earns nothing.',
  }),
  marginMicros: SignedMicros.meta({
    description: '`revenueMicros` less `costMicros`. Negative for a loss.',
  }),
  marginPercent: z.string().nullable().meta({
    description:
      'The margin as a percentage of revenue, with two decimal places, halves rounded away from zero. Null if revenue is not positive.',
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
        'Slug of the bundle at the time of the call; by bundle. Null for calls whose bundle is not known, and for subscriptions.',
    }),
    provider: z.exactOptional(z.string().nullable()).meta({
      description:
        'Label of the provider account, or its ID, `pa_…`, if the account was deleted; by provider. Null for calls whose account is not known, and for subscriptions.',
    }),
    day: z.exactOptional(z.iso.date()).meta({ description: 'The day, UTC; by day.' }),
    keyId: z.exactOptional(z.string().nullable()).meta({
      description: 'ID of the key, `key_…`; by key. Null for subscriptions.',
    }),
    run: z
      .exactOptional(
        z
          .object({
            outcome: z.string().meta({ description: 'Slug of the outcome.' }),
            runId: z.string().meta({ description: 'ID of the run.' }),
            endUserId: ExternalId.meta({
              description: 'External ID of the end user, or the ID `eu_…` if the end user was deleted.',
            }),
          })
          .meta({ id: 'MarginRun', description: 'A run of an outcome.' })
          .nullable(),
      )
      .meta({ description: 'The run; by run. Null for calls without a run, and for subscriptions.' }),
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
    "Returns earned revenue, provider cost and margin by end user, model name, bundle, provider account, day, key or run. Revenue is subscription fees accrued by day, wallet money that was paid for, and on-demand usage. `billedMicros` is the list value of usage, whoever paid for it. Sums are exact: the rows of all pages add up to the totals. Groups without subscriptions of their own leave them to a last row, null, with the calls that no group accounts for. By provider, the cost of a failed attempt counts with the account that made it, so the column can be compared with the provider's invoice. Days are UTC, by the end of a call. A time within a day takes the whole day. Rows are in the order of their group, days newest first. By end user and by key, a page passes over at most 2,000 without usage: it may have fewer rows than `limit`, or none, while `nextCursor` continues.",
  query: {
    ...pageQuery,
    by: z
      .enum(['endUser', 'model', 'bundle', 'provider', 'day', 'key', 'run'])
      .default('endUser')
      .meta({ description: 'The grouping of the rows.' }),
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
      ...groupField(by, of, labels),
      ...amountsOf(of, subscriptionFieldsOf(by, of)),
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
      totals: {
        ...amountsOf(totals, subscriptionFieldsOf(by, { ...totals, group: null })),
        ...assumedOf(guessed),
      },
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
  { group, run }: MarginGroup,
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
    case 'key':
      return { keyId: group }
    case 'run':
      return {
        run:
          run === undefined
            ? null
            : { outcome: run.outcomeSlug, runId: run.runId, endUserId: run.externalId },
      }
    default:
      return by satisfies never
  }
}

type SubscriptionFields = Pick<z.output<z.ZodObject<typeof amounts>>, 'subscriptionMicros' | 'invoicedMicros'>

/** Fees belong to bundles, and an invoice can be for several bundles. */
function subscriptionFieldsOf(by: MarginBy, of: MarginGroup): SubscriptionFields {
  const { group, invoicedMicros, subscriptionMicros } = of
  if (by === 'endUser' || by === 'day' || group === null) return { subscriptionMicros, invoicedMicros }
  return by === 'bundle' ? { subscriptionMicros } : {}
}

function amountsOf(of: MarginSums, fees: SubscriptionFields): z.output<z.ZodObject<typeof amounts>> {
  const { calls, costMicros, subscriptionMicros } = of
  const revenueMicros = subscriptionMicros + earnedOnCalls(of)
  const marginMicros = revenueMicros - costMicros
  return {
    calls,
    ...moneyView(of),
    ...fees,
    revenueMicros,
    marginMicros,
    marginPercent: revenueMicros > 0n ? percentOf(marginMicros, revenueMicros) : null,
  }
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
