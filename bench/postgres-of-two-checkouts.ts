/**
 * Compares the gateway of this checkout with the gateway of another checkout on PostgreSQL. Each gateway has its own
 * database server, so the CPU time of a request includes the CPU time of its database.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { checkBooks, startTollgate } from './gateway-under-test.ts'
import { inRounds, measureWindow } from './measure-in-rounds.ts'
import type { Options } from './command-line-options.ts'
import { familyCpuMicros } from './process-cpu-and-memory.ts'
import type { Plan } from './full-and-quick-plans.ts'
import { spread, type Spread } from './statistics.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'
import { withDatabase } from './temporary-postgres.ts'

export interface PostgresChange {
  readonly connections: number
  /** With this checkout, including the database. */
  readonly cpuMicrosPerCall: Spread
  /** `cpuMicrosPerCall`, divided by the CPU time of a request with the other checkout in the same round. */
  readonly cpuRatio: Spread
  /** The median latency of this checkout, divided by that of the other checkout in the same round. */
  readonly p50Ratio: Spread
}

interface Setting {
  readonly options: Options
  readonly plan: Plan
  readonly folder: string
  readonly progress: (text: string) => void
}

interface Measured {
  readonly target: Target
  readonly databasePid: number
}

interface Round {
  readonly microsPerCall: number
  readonly p50Ms: number
}

export async function comparePostgres(
  direct: Target,
  other: string,
  setting: Setting,
): Promise<PostgresChange[]> {
  let changes: PostgresChange[] = []
  await withGateway(direct, 'postgres-reference', { ...setting, root: other }, (reference) =>
    withGateway(direct, 'postgres', setting, async (subject) => {
      for (const connections of [1, 32, 128])
        changes = [...changes, await compareLoad({ reference, subject }, connections, setting)]
    }),
  )
  return changes
}

async function withGateway(
  direct: Target,
  name: string,
  { folder, options, plan, progress, root }: Setting & { readonly root?: string },
  work: (measured: Measured) => Promise<void>,
): Promise<void> {
  await withDatabase(async ({ server, url }) => {
    progress(`${name}: setting up ${plan.people} people`)
    const own = join(folder, name)
    mkdirSync(own)
    const gateway = await startTollgate({
      folder: own,
      providerUrl: direct.url,
      people: plan.people,
      scenarios: [jsonCall],
      writer: options.writer,
      databaseUrl: url,
      ...(root === undefined ? {} : { root }),
    })
    const { target } = gateway
    await measureWindow({ ...load(target, 32), settleMs: 0, windowMs: plan.warmUpMs })
    await work({ target, databasePid: server.pid() })
    await checkBooks(gateway)
    await gateway.child.stop()
  })
}

async function compareLoad(
  { reference, subject }: { readonly reference: Measured; readonly subject: Measured },
  connections: number,
  { plan, progress }: Setting,
): Promise<PostgresChange> {
  progress(`calls on PostgreSQL, ${connections} connections`)
  const { callWindowMs: windowMs, settleMs } = plan
  const rounds = await inRounds(plan.rounds, [reference, subject], async (each): Promise<Round> => {
    const before = countersOf(each)
    const { p50Ms } = await measureWindow({ ...load(each.target, connections), settleMs, windowMs })
    const after = countersOf(each)
    return { microsPerCall: (after.micros - before.micros) / (after.calls - before.calls), p50Ms }
  })
  const own = rounds.get(subject) ?? []
  const others = rounds.get(reference) ?? []
  const ratio = (of: (round: Round) => number): Spread =>
    spread(own.map((round, at) => of(round) / of(others[at] ?? { microsPerCall: NaN, p50Ms: NaN })))
  return {
    connections,
    cpuMicrosPerCall: spread(own.map(({ microsPerCall }) => microsPerCall)),
    cpuRatio: ratio(({ microsPerCall }) => microsPerCall),
    p50Ratio: ratio(({ p50Ms }) => p50Ms),
  }
}

const load = (target: Target, connections: number) =>
  ({ target, scenario: jsonCall, connections, staggerMs: 0 }) as const

/** Reads both counters together, so that they cover the same time. */
function countersOf({ databasePid, target }: Measured) {
  if (target.pid === null) throw new Error('a gateway is a process')
  return {
    calls: target.answered.calls,
    micros: familyCpuMicros(target.pid) + familyCpuMicros(databasePid),
  }
}
