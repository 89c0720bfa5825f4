/**
 * `npm run routing-day -- --calls 1000000 --seed 13`: simulates a day of twenty targets that fail, slow down, are
 * limited and recover. The simulation compares each routing policy, and two simple strategies without routing policies.
 * The command prints the table of docs/reference/routing.md.
 */
import { parseArgs } from 'node:util'
import { policies } from '#routing/route-tree-types.ts'
import { dayTable } from './print-day-table.ts'
import { chanceOf } from './seeded-random.ts'
import { simulateDay } from './simulate-day.ts'

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '13' } },
})
const strategies = ['one_target', 'retry_loop', ...policies] as const
const chance = chanceOf(Number(values.seed))
console.log(dayTable(strategies.map((strategy) => simulateDay(strategy, Number(values.calls), chance))))
