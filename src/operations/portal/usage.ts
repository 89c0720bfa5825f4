import * as z from 'zod'
import { sumsOf } from '#domain/add-records-by-field.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import type { UsageOfDay } from '#domain/portal-settings-and-sessions.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { descriptions, Moment } from '#operations/kernel/value-and-page-schemas.ts'
import {
  chargedCounts,
  ChargedUsage,
  ChargedUsageOfModel,
  requestedModel,
} from '#operations/portal/shared/charged-usage-views.ts'

const date = z.iso.date().meta({ description: 'Day (UTC).', examples: ['2026-11-20'] })

const daysDefault = 30
const daysMax = 366

export default operation({
  id: 'portal.usage',
  method: 'GET',
  path: '/v1/portal/usage',
  scope: 'end_user',
  summary: "Show the end user's usage",
  description:
    "Returns the end user's usage in the mode of the session: by model name in `rows`, and by day and model name in `days`. A range has at most 366 days (UTC). Defaults to the last 30 days, including today. Amounts are the charges of the end user. Costs and margins are not included.",
  query: {
    from: Moment.optional().meta({
      description: descriptions.rangeStart,
    }),
    to: Moment.optional().meta({
      description: descriptions.rangeEnd,
    }),
  },
  output: z.object({
    from: date.meta({ description: 'First day of the range.' }),
    to: date.meta({ description: descriptions.dayAfterRange }),
    rows: z.array(ChargedUsageOfModel).meta({ description: 'Usage by model name, sorted by name.' }),
    days: z.array(z.object({ date, requestedModel, ...chargedCounts })).meta({
      description: 'Usage by day and model name, newest day first. Days without usage are omitted.',
    }),
    totals: ChargedUsage.meta({ description: 'Totals of all rows.' }),
  }),
  async run({ query }, context) {
    const { endUser, mode, store } = context
    const toDay = Math.ceil((query.to ?? modeTime(context) + 1) / dayMs)
    const fromDay = query.from === undefined ? toDay - daysDefault : Math.floor(query.from / dayMs)
    if (toDay <= fromDay || toDay - fromDay > daysMax) {
      const reason = `to must be later than from, by at most ${daysMax} days.`
      return refused('invalid_request', { reason }, 'to')
    }
    const days = await store.portals.usageByDay(endUser.id, mode, { fromDay, toDay })
    const byName = Map.groupBy(days, ({ alias }) => alias)
    const rows = [...byName].toSorted(([one], [other]) => (one < other ? -1 : 1))
    return {
      from: dateOf(fromDay),
      to: dateOf(toDay),
      rows: rows.map(([alias, ofName]) => ({ requestedModel: alias, ...sumOf(ofName) })),
      days: days.map((used) => ({ date: dateOf(used.day), requestedModel: used.alias, ...sumOf([used]) })),
      totals: sumOf(days),
    }
  },
})

const chargedSums = sumsOf({ calls: 0, inputTokens: 0, outputTokens: 0, billedMicros: 0n })

function sumOf(used: readonly UsageOfDay[]) {
  const sum = chargedSums.zero()
  // End users see only the charged amount.
  for (const day of used) chargedSums.add(sum, { ...day, billedMicros: day.chargeMicros })
  return sum
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
