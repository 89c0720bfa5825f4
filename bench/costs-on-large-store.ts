/**
 * Measures a store with many rows: `npm run seed` fills the store with calls of 10,000 end users. Then all end users of
 * the store send calls in random order. The gateway's CPU time is compared with that of the minimal proxy (the floor),
 * as in the step `calls`.
 */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { randomFrom } from '../tests/support/seeded-random.ts'
import { seedSqlite, sumSqlite } from '../tools/seed/seed-store.ts'
import { externalId, seededApplicationSlug, seededOrganization } from '../tools/seed/sql-that-fills-store.ts'
import { measureCalls, type CallFigures, type Compared } from './cost-of-non-streaming-calls.ts'
import { measureWindow } from './measure-in-rounds.ts'
import type { Options } from './command-line-options.ts'
import type { Plan } from './full-and-quick-plans.ts'
import { measureReads, type ReadFigures } from './times-of-lists-and-reports.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'
import { startOnFilledStore } from './gateway-under-test.ts'

export interface GrowthFigures {
  readonly rows: number
  readonly people: number
  readonly calls: CallFigures
  readonly reads: readonly ReadFigures[]
}

const days = 90
const seed = 25

export async function measureGrowth(
  compared: Omit<Compared, 'subject'>,
  {
    folder,
    options,
    plan,
    progress,
  }: {
    readonly folder: string
    readonly options: Options
    readonly plan: Plan
    readonly progress: (text: string) => void
  },
): Promise<GrowthFigures> {
  const { growthPeople: people } = plan
  const own = join(folder, 'growth')
  mkdirSync(own)
  const data = join(own, 'data')
  if (options.filledStore === null) {
    const size = { calls: options.growthRows ?? plan.growthRows, people, days, nowMs: Date.now() }
    progress(`growth: filling a store with ${size.calls} calls of ${people} people`)
    await seedSqlite(data, size)
    await sumSqlite(data, size.nowMs)
  } else {
    symlinkSync(resolve(options.filledStore), data)
  }
  progress(`growth: creating ${people} keys`)
  const gateway = await startOnFilledStore(
    { folder: own, providerUrl: compared.direct.url, people, scenarios: [jsonCall], writer: options.writer },
    { organizationId: seededOrganization, application: seededApplicationSlug, externalId },
  )
  const random = randomFrom(seed)
  const shuffled = gateway.target.keys
    .map((key) => ({ key, at: random.next() }))
    .toSorted((one, other) => one.at - other.at)
  const subject: Target = { ...gateway.target, keys: shuffled.map(({ key }) => key) }
  const { calls: rows } = await gateway.usage()
  progress(`growth: calls on ${rows} rows, 32 connections`)
  const timing = { settleMs: plan.settleMs, windowMs: plan.callWindowMs }
  const warmUp = { settleMs: 0, windowMs: plan.warmUpMs }
  await measureWindow({ target: subject, scenario: jsonCall, connections: 32, staggerMs: 0, ...warmUp })
  const calls = await measureCalls(
    { ...compared, subject },
    { connections: 32, rounds: plan.rounds, ...timing },
  )
  const { calls: after } = await gateway.usage()
  if (after !== rows + subject.answered.calls)
    throw new Error(`${subject.answered.calls} calls were answered, ${after - rows} are on the books`)
  progress('growth: lists and reports')
  const nextPerson = (): number => random.whole(0, people - 1)
  const reads = await measureReads((path) => gateway.get(path), {
    nextPerson,
    pid: gateway.child.pid,
    rounds: plan.readRounds,
  })
  await gateway.child.stop()
  return { rows, people, calls, reads }
}
