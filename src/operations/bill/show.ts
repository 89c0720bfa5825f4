import assert from 'node:assert/strict'
import * as z from 'zod'
import type { BillInput, BillLine } from '#money/organization-bill.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { monthNamed, monthOfDay, type BillingMonth } from '#money/organization-tier-by-day.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { Count, Micros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { computeBill, countBill, countedCalls } from '#operations/bill/shared/billable-counts.ts'
import { firstMonth } from '#operations/bill/shared/issue-bills.ts'
import { today } from '#operations/bill/shared/organization-tier-view.ts'

const MonthName = z
  .string()
  .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, { error: 'must be a month, like 2026-11' })
  .meta({ examples: ['2026-11'] })

const pastMax = 24

const LineView = z
  .object({
    kind: z.enum(['base', 'upgrade', 'calls', 'seats', 'late_calls']).meta({
      description:
        'Kind of the charge.\n\n- `base`: the price of the first tier of the month.\n- `upgrade`: the price difference of a more expensive tier for the remaining days.\n- `calls`: requests beyond the included ones.\n- `seats`: members beyond the included ones.\n- `late_calls`: requests of an earlier month that settled after the bill of that month was issued. These requests cost the amount that they would have added to that bill.',
    }),
    period: MonthName.meta({ description: 'Month that the line is for.' }),
    tier: z.string().nullable().meta({ description: 'Tier that sets the price. Null for `late_calls`.' }),
    days: Count.meta({ description: 'Number of days of the month that the line covers.' }),
    quantity: Count.meta({
      description:
        'Billed units: 1 for `base` and `upgrade`, otherwise requests or members beyond the included ones.',
    }),
    included: Count.meta({
      description:
        'Number of requests on this line that the base price covers. 0 for lines that do not bill requests.',
    }),
    unitMicros: Micros.nullable().meta({
      description:
        'Unit price, in micros: the price of a whole month for `base`, `upgrade` and `seats`, and of 1,000 requests for `calls`. Null for `late_calls`.',
    }),
    amountMicros: Micros.meta({
      description: 'Amount of the line, in micros. The exact amount is rounded up to a whole micro.',
    }),
  })
  .meta({ id: 'BillLine', description: 'A line of a bill.' })

export default operation({
  id: 'bill.show',
  method: 'GET',
  path: '/v1/bill',
  scope: 'organization',
  summary: 'Show a monthly bill',
  description:
    'Returns the bill of a calendar month (UTC), and the past bills. A bill charges for settled live requests and for members.\n\n- The current month is `open`. The open bill includes an estimate for the whole month, based on the usage so far.\n- The bill of a month is `issued` one day after the month ends, and then never changes. Requests that settle later are billed on the next bill.',
  query: {
    period: MonthName.optional().meta({ description: 'Month to return. Defaults to the current month.' }),
  },
  output: z.object({
    period: MonthName.meta({ description: 'Month of the bill.' }),
    startsAt: Timestamp.meta({ description: 'Start of the month.' }),
    endsAt: Timestamp.meta({ description: 'Start of the following month (exclusive end of the period).' }),
    status: z.enum(['open', 'closing', 'issued']).meta({
      description:
        '`open`: the month has not ended. `closing`: the month has ended, but requests of the month may still settle. `issued`: the bill is final.',
    }),
    issuedAt: Timestamp.nullable().meta({
      description: 'When the bill was issued. Null if the bill is not issued yet.',
    }),
    tier: z.string().meta({ description: 'Last tier that the organization had in the month.' }),
    table: z.string().meta({ description: 'Version of the price table.' }),
    settledCalls: Count.meta({ description: 'Number of settled live requests of the month.' }),
    seats: Count.meta({ description: 'Number of members at the time when the bill was computed.' }),
    lines: z.array(LineView).meta({ description: 'Lines of the bill.' }),
    totalMicros: Micros.meta({ description: 'Sum of the lines, in micros.' }),
    projection: z
      .object({
        settledCalls: Count.meta({
          description:
            'Estimated number of requests in the whole month, if usage continues at the same rate.',
        }),
        totalMicros: Micros.meta({ description: 'Estimated total of the whole month, in micros.' }),
      })
      .nullable()
      .meta({ description: 'Estimate for the whole month. Null unless the month is `open`.' }),
    watermark: Count.meta({
      description: 'Number of live requests on this bill and on all earlier bills.',
    }),
    digest: z.string().meta({
      description:
        'SHA-256 of the bill. Computing the bill again from the same numbers of requests and members gives the same digest.',
    }),
    past: z
      .array(
        z.object({
          period: MonthName.meta({ description: 'Month of the bill.' }),
          totalMicros: Micros.meta({ description: 'Total of the bill, in micros.' }),
          issuedAt: Timestamp.meta({ description: 'When the bill was issued.' }),
        }),
      )
      .meta({ description: `Issued bills, newest first, at most ${pastMax}.` }),
  }),
  errors: ['not_found'],
  async run({ query }, { nowMs, organization, store }) {
    const running = monthOfDay(today(nowMs))
    const month = query.period === undefined ? running : monthNamed(query.period)
    if (month.name > running.name || month.name < firstMonth(organization).name) {
      return refused('not_found', { resource: 'bill', id: month.name }, 'period')
    }
    const isRunning = month.name === running.name
    const all = await store.bills.issued(organization.id)
    const issued = all.find((one) => one.month === month.name)
    const input = issued?.input ?? (await countBill(organization, month, store))
    const { bill, digest } = computeBill(input)
    assert(
      issued === undefined || issued.digest === digest,
      `the bill of ${month.name} for ${organization.id} differs from the issued bill`,
    )
    const before = all.filter((one) => one.month < month.name)
    return {
      period: month.name,
      startsAt: month.firstDay * dayMs,
      endsAt: (month.firstDay + month.days) * dayMs,
      status: statusOf(issued !== undefined, isRunning),
      issuedAt: issued?.issuedAtMs ?? null,
      tier: input.steps.at(-1)?.tier ?? '',
      table: input.table,
      settledCalls: callsOf(input),
      seats: input.seats,
      lines: bill.lines.map(lineView),
      totalMicros: bill.totalMicros,
      projection: isRunning ? projected(input, month, nowMs) : null,
      watermark: before.reduce((sum, one) => sum + countedCalls(one.input), countedCalls(input)),
      digest,
      past: all
        .slice(0, pastMax)
        .map((one) => ({ period: one.month, totalMicros: one.totalMicros, issuedAt: one.issuedAtMs })),
    }
  },
})

function statusOf(isIssued: boolean, isRunning: boolean): 'open' | 'closing' | 'issued' {
  if (isIssued) return 'issued'
  return isRunning ? 'open' : 'closing'
}

/** Estimates the rest of the month from the average so far, at the price of the last tier. */
function projected(
  input: BillInput,
  { days, firstDay }: BillingMonth,
  nowMs: number,
): { settledCalls: number; totalMicros: bigint } {
  const settled = callsOf(input)
  const elapsedMs = Math.max(1, nowMs - firstDay * dayMs)
  const more = Math.floor((settled * Math.max(0, days * dayMs - elapsedMs)) / elapsedMs)
  const last = input.steps.length - 1
  const steps = input.steps.map((step, i) => (i === last ? { ...step, calls: step.calls + more } : step))
  return { settledCalls: settled + more, totalMicros: computeBill({ ...input, steps }).bill.totalMicros }
}

function callsOf({ steps }: BillInput): number {
  return steps.reduce((sum, { calls }) => sum + calls, 0)
}

function lineView({ month, ...line }: BillLine): z.output<typeof LineView> {
  return { period: month, ...line }
}
