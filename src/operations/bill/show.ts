import assert from 'node:assert/strict'
import * as z from 'zod'
import type { BillInput, BillLine } from '#money/bill.ts'
import { dayMs } from '#money/period.ts'
import { monthNamed, monthOfDay, type BillingMonth } from '#money/tier-timeline.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { Count, Micros, Timestamp } from '#operations/schemas.ts'
import { computeBill, countBill, countedCalls } from './counted-bill.ts'
import { firstMonth } from './issue-bills.ts'
import { today } from './tier-view.ts'

const MonthName = z
  .string()
  .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, { error: 'must be a month, like 2026-11' })
  .meta({ examples: ['2026-11'] })

/** Maximum number of past bills that are listed. */
const pastMax = 24

const LineView = z
  .object({
    kind: z.enum(['base', 'upgrade', 'calls', 'seats', 'late_calls']).meta({
      description:
        '`base`: the month’s first tier; `upgrade`: the difference to a dearer tier for the days left; `calls`: those that are not included; `seats`: members that are not included; `late_calls`: calls of an earlier month that settled after its bill, at what they would have added to it.',
    }),
    period: MonthName.meta({ description: 'The month that the line is for.' }),
    tier: z.string().nullable().meta({ description: 'The tier that prices it; null of late calls.' }),
    days: Count.meta({ description: 'The days of the month that it is for.' }),
    quantity: Count.meta({
      description: 'Priced units: 1 of a base, else calls or members beyond the included ones.',
    }),
    included: Count.meta({ description: 'Calls of these days that were included; 0 of other lines.' }),
    unitMicros: Micros.nullable().meta({
      description:
        'Micros of a whole month for a base or a member, or for a thousand calls; null of late calls.',
    }),
    amountMicros: Micros.meta({ description: 'Micros of the line, rounded up once.' }),
  })
  .meta({ id: 'BillLine', description: 'One line of a bill.' })

export default operation({
  id: 'bill.show',
  method: 'GET',
  path: '/v1/bill',
  scope: 'organization',
  summary: 'Show what the organization pays',
  description:
    'The bill of a calendar month (UTC) for settled live calls and members, and the bills before. The running month is `open`, with what it comes to at this pace. A day after its end a month is `issued` and never changes: it is computed from what was counted then, and calls that settle later are a line of the next bill.',
  query: {
    period: MonthName.optional().meta({ description: 'The month; the running one when left out.' }),
  },
  output: z.object({
    period: MonthName.meta({ description: 'The month.' }),
    startsAt: Timestamp.meta({ description: 'Its first instant.' }),
    endsAt: Timestamp.meta({ description: 'The first instant of the next month.' }),
    status: z.enum(['open', 'closing', 'issued']).meta({
      description:
        '`open`: the month runs; `closing`: it is over, and calls may still settle; `issued`: it is fixed.',
    }),
    issuedAt: Timestamp.nullable().meta({ description: 'When it was issued; null: it is not.' }),
    tier: z.string().meta({ description: 'The last tier of the month.' }),
    table: z.string().meta({ description: 'Version of the prices.' }),
    settledCalls: Count.meta({ description: 'Live calls of the month that were counted.' }),
    seats: Count.meta({ description: 'Members when it was counted.' }),
    lines: z.array(LineView).meta({ description: 'What it is made of.' }),
    totalMicros: Micros.meta({ description: 'Sum of the lines, in micros.' }),
    projection: z
      .object({
        settledCalls: Count.meta({ description: 'Calls at the end of the month, at the pace so far.' }),
        totalMicros: Micros.meta({ description: 'What the bill comes to then, in micros.' }),
      })
      .nullable()
      .meta({ description: 'An estimate of the whole month, while it is open; else null.' }),
    watermark: Count.meta({
      description: 'All live calls that this bill and those before it have counted.',
    }),
    digest: z.string().meta({
      description: 'SHA-256 of the bill: computed again from what was counted, it is the same.',
    }),
    past: z
      .array(
        z.object({
          period: MonthName.meta({ description: 'The month.' }),
          totalMicros: Micros.meta({ description: 'Its total, in micros.' }),
          issuedAt: Timestamp.meta({ description: 'When it was issued.' }),
        }),
      )
      .meta({ description: `Issued bills, the newest first, at most ${pastMax}.` }),
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
      `the bill ${month.name} of ${organization.id} no longer comes out as it was issued`,
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

/** Projects the rest of the month at the pace so far, at the price of the last tier. */
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
