/**
 * `npm run seed -- --calls 10000000 --to postgres://...` (or `--data <folder>`): fills an empty store with realistic
 * calls, so that the speed of reads can be measured. Never run the command on a store that is in use.
 */
import { parseArgs } from 'node:util'
import { seedPostgres, seedSqlite, sumPostgres, sumSqlite } from './seed-store.ts'

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000000' },
    people: { type: 'string', default: '10000' },
    days: { type: 'string', default: '90' },
    to: { type: 'string' },
    data: { type: 'string' },
  },
})
const size = {
  calls: Number(values.calls),
  people: Number(values.people),
  days: Number(values.days),
  nowMs: Date.now(),
}
const startedMs = performance.now()
if (values.to !== undefined) {
  await seedPostgres(values.to, size)
  await sumPostgres(values.to, size.nowMs)
} else if (values.data !== undefined) {
  await seedSqlite(values.data, size)
  await sumSqlite(values.data, size.nowMs)
} else throw new Error('specify --to <postgres url> or --data <folder>')
console.log(
  `${size.calls} calls of ${size.people} people in ${Math.round((performance.now() - startedMs) / 1000)} s`,
)
