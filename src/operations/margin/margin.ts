import * as z from 'zod'
import { dayMs } from '#money/periods-and-windows.ts'
import type {
  AssumedCost,
  DayRange,
  MarginBy,
  MarginGroup,
  MarginSums,
} from '#domain/reports/reports-interface.ts'
import { earnedOnCalls } from '#domain/sums-of-request-figures.ts'
import { described, moneyView, signedMoneyFields } from '#operations/kernel/request-figure-fields.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { groupLabels } from '#operations/requests/shared/request-view.ts'
import {
  answerOf,
  Count,
  descriptions,
  ExternalId,
  listOf,
  MicrosSum,
  Moment,
  pageOf,
  pageQuery,
  SignedMicros,
} from '#operations/kernel/value-and-page-schemas.ts'
import { percentOf } from '#operations/margin/shared/percent-with-two-decimals.ts'

const daysDefault = 30

const amounts = {
  calls: described(Count, 'calls'),
  ...signedMoneyFields,
  subscriptionMicros: z.exactOptional(SignedMicros).meta({
    description:
      'Subscription fees earned in the range, in micros. The amount of each invoice line is spread over the days that the line covers. Omitted for each model name, provider account, key, run, tag and team.',
  }),
  invoicedMicros: z.exactOptional(MicrosSum).meta({
    description:
      'Sum of the invoices that were issued in the range and are not void, in micros. Shown for comparison and not part of revenue. Omitted for bundles, and for groups without `subscriptionMicros`.',
  }),
  revenueMicros: SignedMicros.meta({
    description:
      'Earned revenue, in micros: the sum of `subscriptionMicros`, `paidFromWalletMicros` and `onDemandMicros`. Usage that plan credit or gifted credit pays for is not revenue.',
  }),
  marginMicros: SignedMicros.meta({
    description: '`revenueMicros` minus `costMicros`, in micros. Negative for a loss.',
  }),
  marginPercent: z.string().nullable().meta({
    description:
      'Margin as a percentage of revenue, with two decimal places. Values halfway between two hundredths are rounded away from zero. Null if revenue is not positive.',
  }),
}

const assumed = {
  assumedCalls: Count.meta({
    description: 'Number of requests whose cost was computed at assumed rates, including failed requests.',
  }),
  assumedMicros: MicrosSum.meta({
    description:
      'Part of `costMicros` that was computed at assumed rates, in micros. Requests recorded by older versions of the gateway, which did not store this amount, count as 0.',
  }),
}

const MarginRow = z
  .object({
    endUserId: z
      .exactOptional(ExternalId)
      .meta({ description: 'External ID of the end user. Returned only with `by=endUser`.' }),
    requestedModel: z.exactOptional(z.string().nullable()).meta({
      description: 'The requested model name. Null for subscriptions. Returned only with `by=model`.',
    }),
    bundle: z.exactOptional(z.string().nullable()).meta({
      description:
        'Slug of the bundle at the time of the request. Null for requests whose bundle is not known, and for subscriptions. Returned only with `by=bundle`.',
    }),
    provider: z.exactOptional(z.string().nullable()).meta({
      description:
        'Label of the provider account, or its ID (`pa_…`) if the account was deleted. Null for requests whose account is not known, and for subscriptions. Returned only with `by=provider`.',
    }),
    day: z.exactOptional(z.iso.date()).meta({ description: 'Day (UTC). Returned only with `by=day`.' }),
    keyId: z.exactOptional(z.string().nullable()).meta({
      description: 'ID of the key, `key_…`. Null for subscriptions. Returned only with `by=key`.',
    }),
    run: z
      .exactOptional(
        z
          .object({
            outcome: z.string().meta({ description: 'Slug of the outcome.' }),
            runId: z.string().meta({ description: 'ID of the run.' }),
            endUserId: ExternalId.meta({
              description: 'External ID of the end user, or their ID (`eu_…`) if the end user was deleted.',
            }),
          })
          .meta({ id: 'MarginRun', description: 'A run of an outcome.' })
          .nullable(),
      )
      .meta({
        description:
          'The run of an outcome to which the requests belong. Null for requests without a run, and for subscriptions. Returned only with `by=run`.',
      }),
    tag: z.exactOptional(z.string().nullable()).meta({
      description:
        'Slug of the tag. Null for requests without a tag, and for subscriptions. Returned only with `by=tag`.',
    }),
    team: z.exactOptional(z.string().nullable()).meta({
      description:
        'Slug of the team, or the ID of its payer (`eu_…`) if the team was deleted. Null for requests of end users in no team, and for subscriptions. Returned only with `by=team`.',
    }),
    ...amounts,
    assumedCalls: z.exactOptional(assumed.assumedCalls).meta({
      description:
        'Number of requests whose cost was computed at assumed rates, including failed requests. Returned only with `by=model`, and omitted if 0.',
    }),
    assumedMicros: z.exactOptional(assumed.assumedMicros).meta({
      description:
        'Part of `costMicros` that was computed at assumed rates, in micros. Returned only with `by=model`, and omitted if 0.',
    }),
  })
  .meta({ id: 'MarginRow', description: 'Revenue, cost and margin of one group.' })

export default operation({
  id: 'margin',
  method: 'GET',
  path: '/v1/margin',
  scope: 'application',
  summary: 'Show margin',
  description:
    "Returns earned revenue, provider cost and margin by end user, model name, bundle, provider account, day, key, run, tag or team.\n\n- Revenue is the sum of subscription fees (accrued by day), paid wallet money and on-demand usage.\n- `billedMicros` is the list value: usage at the sell price of the bundle, regardless of who paid.\n- The rows of all pages add up exactly to the totals, unless they are grouped by tag. The last row, whose group is null, contains subscriptions and requests that belong to no group.\n- If grouped by provider, the cost of a failed attempt counts for the provider account of that attempt, so that the sum matches the provider's invoice.\n- If grouped by tag, a request counts in each of its tags. The last row contains requests without a tag, and subscriptions.\n- If grouped by team, a request counts in the team of its end user at the time of the request, regardless of who paid.\n- Days are UTC. A request counts on the day on which it ends. If `from` or `to` contains a time of day, the whole day is included.\n- Rows are in the order of their groups. If grouped by day, the newest day is first.\n- If grouped by end user or key, rows without requests and amounts are omitted. For each page, the server checks at most 2,200 end users or keys. A page can therefore have fewer rows than `limit`, or no rows, although more pages follow (`nextCursor` is not null).",
  query: {
    ...pageQuery,
    by: z
      .enum(['endUser', 'model', 'bundle', 'provider', 'day', 'key', 'run', 'tag', 'team'])
      .default('endUser')
      .meta({ description: 'Grouping of the rows. Defaults to `endUser`.' }),
    from: Moment.optional().meta({
      description: descriptions.rangeStart,
    }),
    to: Moment.optional().meta({
      description: descriptions.rangeEnd,
    }),
  },
  output: listOf(MarginRow).extend({
    from: z.iso.date().meta({ description: 'First day of the range.' }),
    to: z.iso.date().meta({ description: descriptions.dayAfterRange }),
    probeCostMicros: MicrosSum.meta({
      description:
        "Known cost of probes (providers.probe) of the organization's accounts in the range, in micros. Not part of the rows and totals. 0 in test mode, which has no probes.",
    }),
    totals: z
      .object({ ...amounts, ...assumed })
      .meta({ description: 'Totals of all groups, the same on every page.' }),
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
    const labels = await groupLabels(by, context)
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
    case 'tag':
      return { tag: group }
    case 'team':
      return { team: group && (labels.get(group) ?? group) }
    default:
      return by satisfies never
  }
}

type SubscriptionFields = Pick<z.output<z.ZodObject<typeof amounts>>, 'subscriptionMicros' | 'invoicedMicros'>

/** An invoice can contain fees of several bundles, so a single bundle has no invoiced amount. */
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
