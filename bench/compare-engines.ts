/**
 * Measures the embedded store, and PostgreSQL with one worker and with two, in one run. The figures are calls per
 * second, the latency added to the provider's, and the CPU of all processes, including the database, compared with the floor. Some loads spread
 * the calls over all end users. In others, one end user makes all calls. The database is the one that the tests start,
 * with full durability.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { hasPostgres, type PostgresServer } from '../tests/support/start-postgres.ts'
import { withDatabase } from './temporary-postgres.ts'
import { inRounds, measureWindow, type Window } from './measure-in-rounds.ts'
import type { Options } from './command-line-options.ts'
import type { Compared } from './cost-of-non-streaming-calls.ts'
import type { Plan } from './full-and-quick-plans.ts'
import { familyCpuMicros } from './process-cpu-and-memory.ts'
import { rounded, spread, type Spread } from './statistics.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'
import { checkBooks, startTollgate, type Tollgate } from './gateway-under-test.ts'

export interface EngineFigures {
  readonly engine: 'embedded' | 'postgres'
  readonly workers: number
  readonly people: number
  readonly calls: readonly EngineCalls[]
}

interface EngineCalls {
  readonly connections: number
  /** Whether the calls are spread over all end users, or charged to one balance. */
  readonly users: 'all' | 'one'
  readonly callsPerSecond: Spread
  readonly p50Ms: Spread
  readonly p99Ms: Spread
  /** Latency in addition to the provider's own, with the same number of connections. */
  readonly addedP50Ms: number
  readonly addedP99Ms: number
  /** CPU time of all processes of the gateway. */
  readonly cpuMicrosPerCall: number
  /** CPU time of all processes of the database. Null for the embedded store. */
  readonly databaseCpuMicrosPerCall: number | null
  /** CPU time of the floor in the same rounds. Null if one end user makes all calls, which the floor cannot tell. */
  readonly floorCpuMicrosPerCall: Spread | null
  /** CPU time of gateway and database, divided by the median of the floor. */
  readonly cpuRatioToFloor: number | null
  /**
   * The number that the database reports, including the commits of reads and lease updates. Null if the gateway uses no
   * database.
   */
  readonly commitsPerCall: number | null
}

interface Setting {
  readonly options: Options
  readonly plan: Plan
  readonly folder: string
  readonly progress: (text: string) => void
}

export async function compareEngines(
  { direct, floor }: Pick<Compared, 'direct' | 'floor'>,
  setting: Setting,
): Promise<EngineFigures[]> {
  const { options, plan, progress } = setting
  const figures: EngineFigures[] = []
  if (options.engine !== 'postgres') {
    progress(`engines: embedded, setting up ${plan.enginePeople} people`)
    const gateway = await start(direct, setting, 'embedded')
    figures.push(
      await measureOne({ direct, floor }, gateway, {
        ...setting,
        engine: 'embedded',
        workers: 1,
        server: null,
      }),
    )
    await checkBooks(gateway)
    await gateway.child.stop()
  }
  if (options.engine === 'embedded') return figures
  if (!hasPostgres) {
    if (options.engine === 'postgres') throw new Error('there is no PostgreSQL on this machine')
    return figures
  }
  await withDatabase(async ({ server, url }) => {
    progress(`engines: PostgreSQL, setting up ${plan.enginePeople} people`)
    let gateway = await start(direct, setting, 'postgres', url)
    let answered = 0
    for (const workers of [1, 2]) {
      gateway = await gateway.restart({ workers })
      figures.push(
        await measureOne({ direct, floor }, gateway, { ...setting, engine: 'postgres', workers, server }),
      )
      answered += gateway.target.answered.calls
    }
    await checkBooks(gateway, answered)
    await gateway.child.stop()
  })
  return figures
}

function start(
  direct: Target,
  { folder, options, plan }: Setting,
  name: string,
  databaseUrl?: string,
): Promise<Tollgate> {
  const own = join(folder, name)
  mkdirSync(own)
  return startTollgate({
    folder: own,
    providerUrl: direct.url,
    people: plan.enginePeople,
    scenarios: [jsonCall],
    writer: options.writer,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  })
}

const loads = [
  { connections: 1, users: 'all' },
  { connections: 32, users: 'all' },
  { connections: 128, users: 'all' },
  { connections: 32, users: 'one' },
  { connections: 128, users: 'one' },
] as const

async function measureOne(
  { direct, floor }: Pick<Compared, 'direct' | 'floor'>,
  { target }: Tollgate,
  {
    engine,
    plan,
    progress,
    server,
    workers,
  }: Setting & Pick<EngineFigures, 'engine' | 'workers'> & { server: PostgresServer | null },
): Promise<EngineFigures> {
  const { pid } = target
  if (pid === null) throw new Error('a gateway is a process')
  const timing = { settleMs: plan.settleMs, windowMs: plan.callWindowMs }
  const hot: Target = { ...target, keys: target.keys.slice(0, 1) }
  await measureWindow({
    target,
    scenario: jsonCall,
    connections: 32,
    staggerMs: 0,
    settleMs: 0,
    windowMs: plan.warmUpMs,
  })
  const calls: EngineCalls[] = []
  for (const { connections, users } of loads) {
    progress(`engines: ${engine}, ${workers} workers, ${connections} connections, ${users}`)
    const used = users === 'one' ? hot : target
    let gatewayMicros = 0
    // Read the counters of calls and of commits together, so that both cover the same time.
    const answeredBefore = used.answered.calls
    const commitsBefore = server === null ? 0 : await commits(server)
    // The database also works after a window, for example in a vacuum, and only for the requests of these windows.
    const databaseBefore = server === null ? 0 : familyCpuMicros(server.pid())
    const targets = users === 'all' ? [direct, floor, used] : [direct, used]
    const windows = await inRounds(plan.engineRounds, targets, async (each) => {
      const gatewayBefore = familyCpuMicros(pid)
      const window = await measureWindow({
        target: each,
        scenario: jsonCall,
        connections,
        staggerMs: 0,
        ...timing,
      })
      if (each === used) gatewayMicros += familyCpuMicros(pid) - gatewayBefore
      return window
    })
    const answered = used.answered.calls - answeredBefore
    const databaseMicros = server === null ? 0 : familyCpuMicros(server.pid()) - databaseBefore
    const seen = windows.get(used) ?? []
    const straight = windows.get(direct) ?? []
    const median = (of: readonly Window[], figure: 'p50Ms' | 'p99Ms') =>
      spread(of.map((window) => window[figure])).median
    const cpuMicrosPerCall = gatewayMicros / answered
    const floorWindows = windows.get(floor)
    const floorCpu =
      floorWindows === undefined
        ? null
        : spread(floorWindows.map((window) => window.cpuMicros / window.calls))
    const found: EngineCalls = {
      connections,
      users,
      callsPerSecond: spread(seen.map((window) => window.callsPerSecond)),
      p50Ms: spread(seen.map((window) => window.p50Ms)),
      p99Ms: spread(seen.map((window) => window.p99Ms)),
      addedP50Ms: rounded(median(seen, 'p50Ms') - median(straight, 'p50Ms')),
      addedP99Ms: rounded(median(seen, 'p99Ms') - median(straight, 'p99Ms')),
      cpuMicrosPerCall: rounded(cpuMicrosPerCall),
      databaseCpuMicrosPerCall: server === null ? null : rounded(databaseMicros / answered),
      floorCpuMicrosPerCall: floorCpu,
      cpuRatioToFloor:
        floorCpu === null ? null : rounded((cpuMicrosPerCall + databaseMicros / answered) / floorCpu.median),
      commitsPerCall: server === null ? null : rounded(((await commits(server)) - commitsBefore) / answered),
    }
    calls.push(found)
    // Print the figures now, so that a failure of a later load does not lose them.
    progress(`engines: ${engine}, ${JSON.stringify(found)}`)
  }
  return { engine, workers, people: target.keys.length, calls }
}

/** Database backends report their counts at most once a second (postgresql.org/docs/current/monitoring-stats.html). */
const statisticsMs = 1_500

async function commits(server: PostgresServer): Promise<number> {
  await wait(statisticsMs)
  const client = new Client({ connectionString: server.url('bench') })
  await client.connect()
  const { rows } = await client.query<{ n: string }>(
    `SELECT xact_commit AS n FROM pg_stat_database WHERE datname = 'bench'`,
  )
  await client.end()
  return Number(rows[0]?.n)
}
