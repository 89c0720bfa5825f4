import * as z from 'zod'
import { dayMs } from '#money/period.ts'
import type { UsageOfDay } from '#domain/portal.ts'
import { modeTime } from '#operations/mode-time.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { Moment } from '#operations/schemas.ts'
import { chargedCounts, ChargedUsage, ChargedUsageOfModel, requestedModel } from './charged-usage.ts'

const date = z.iso.date().meta({ description: 'The day (UTC).', examples: ['2026-11-20'] })

const daysDefault = 30
const daysMax = 366

export default operation({
  id: 'portal.usage',
  method: 'GET',
  path: '/v1/portal/usage',
  scope: 'end_user',
  summary: 'Show the usage of the signed-in end user',
  description:
    'Returns usage in the mode of the session, by model name, and by day and model name. Days are UTC, 366 at most. Defaults to the last 30 days, including today. The amount is what the end user was charged; costs and margins are not included.',
  query: {
    from: Moment.optional().meta({ description: 'The first day, or a time in it.' }),
    to: Moment.optional().meta({ description: 'The end, not included; left out: today is the last day.' }),
  },
  output: z.object({
    from: date.meta({ description: 'The first day.' }),
    to: date.meta({ description: 'The day after the last.' }),
    rows: z.array(ChargedUsageOfModel).meta({ description: 'By name, in name order.' }),
    days: z
      .array(z.object({ date, requestedModel, ...chargedCounts }))
      .meta({ description: 'By day and name, the newest day first; days without use are left out.' }),
    totals: ChargedUsage.meta({ description: 'All rows together.' }),
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

function sumOf(used: readonly UsageOfDay[]) {
  const sum = { calls: 0, inputTokens: 0, outputTokens: 0, billedMicros: 0n }
  for (const { calls, chargeMicros, inputTokens, outputTokens } of used) {
    sum.calls += calls
    sum.inputTokens += inputTokens
    sum.outputTokens += outputTokens
    sum.billedMicros += chargeMicros
  }
  return sum
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
