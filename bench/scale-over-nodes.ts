/**
 * Measures a distributed database with 1, 2 and 4 nodes in one run. The CPU time per request is read from /proc,
 * separately for each node and for the coordinator. All clusters have the same number of shards, so the gateway sends
 * the same batches. All processes share one machine, so requests per second do not show what more machines would serve.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Citus, distribution, rowsOf, startCitus } from '../tests/support/citus.ts'
import type { PostgresServer } from '../tests/support/postgres.ts'
import { inRounds, measureWindow } from './measure.ts'
import type { Options } from './options.ts'
import type { Plan } from './run-durations.ts'
import { familyCpuMicros, treeCpuMicros } from './process-figures.ts'
import { spread, type Spread } from './statistics.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'
import { costsOf, type ModelFigures, simulate } from './scale-model.ts'
import { startTollgate, type Tollgate } from './gateway-under-test.ts'

export interface ScaleFigures {
  readonly nodes: number
  readonly shards: number
  readonly people: number
  readonly loads: readonly LoadFigures[]
}

interface LoadFigures {
  readonly connections: number
  readonly callsPerSecond: Spread
  /** Number of ledger transactions per request. Each transaction uses one node. */
  readonly batchesPerCall: Spread
  readonly gatewayMicrosPerCall: Spread
  readonly coordinatorMicrosPerCall: Spread
  /** The highest CPU time among the nodes and the coordinator. */
  readonly busiestMicrosPerCall: Spread
  readonly allNodesMicrosPerCall: Spread
  /** `busiestMicrosPerCall`, divided by the value for the cluster with one node in the same round. */
  readonly busiestToOneNode: Spread
}

const sizes = [1, 2, 4]
/** With one connection, almost every batch contains only one request. With more connections, batches are larger. */
const loads = [1, 32]

interface Setting {
  readonly options: Options
  readonly plan: Plan
  readonly folder: string
  readonly progress: (text: string) => void
}

interface Measured {
  readonly citus: Citus
  readonly gateway: Tollgate
}

interface Round {
  readonly calls: number
  readonly batches: number
  readonly gateway: number
  readonly coordinator: number
  readonly nodes: readonly number[]
}

export async function measureScale(direct: Target, setting: Setting): Promise<ScaleFigures[]> {
  const { plan, progress } = setting
  const running = new Set<PostgresServer>()
  // SIGQUIT ends a server immediately, so that an interrupted run leaves no process.
  process.on('exit', () => running.forEach((server) => process.kill(server.pid(), 'SIGQUIT')))
  const clusters: Measured[] = []
  for (const nodes of sizes) {
    progress(`scale: ${nodes} nodes, setting up ${plan.scalePeople} people`)
    const citus = await startCitus({ nodes, isDurable: true })
    for (const server of [citus.coordinator, ...citus.nodes]) running.add(server)
    const gateway = await start(direct, setting, citus)
    clusters.push({ citus, gateway })
    await load(gateway.target, { connections: 32, settleMs: 0, windowMs: plan.warmUpMs })
  }
  const figures = clusters.map(({ citus, gateway }): ScaleFigures & { loads: LoadFigures[] } => ({
    nodes: citus.nodes.length,
    shards: distribution.shards,
    people: gateway.target.keys.length,
    loads: [],
  }))
  for (const connections of loads) {
    const measured = await measureLoad(clusters, connections, setting)
    for (const [at, one] of measured.entries()) figures[at]?.loads.push(one)
  }
  for (const { citus, gateway } of clusters) {
    await checkBooks(gateway)
    await gateway.child.stop()
    for (const server of [citus.coordinator, ...citus.nodes]) running.delete(server)
    await citus.end()
  }
  return figures
}

async function measureLoad(
  clusters: readonly Measured[],
  connections: number,
  { plan, progress }: Setting,
): Promise<LoadFigures[]> {
  const rounds = new Map<Measured, Round[]>(clusters.map((cluster) => [cluster, []]))
  const timing = { connections, settleMs: plan.callWindowMs, windowMs: plan.callWindowMs }
  const windows = await inRounds(plan.engineRounds, clusters, async (cluster) => {
    progress(`scale: ${cluster.citus.nodes.length} nodes, ${connections} connections`)
    const before = await countersOf(cluster)
    const window = await load(cluster.gateway.target, timing)
    rounds.get(cluster)?.push(difference(await countersOf(cluster), before))
    return window
  })
  const ofOneNode = (rounds.get(clusters[0] ?? fail()) ?? []).map(busiestOf)
  return clusters.map((cluster) => {
    const own = rounds.get(cluster) ?? []
    const perCall = (count: (round: Round) => number): Spread =>
      spread(own.map((round) => count(round) / round.calls))
    return {
      connections,
      callsPerSecond: spread((windows.get(cluster) ?? []).map(({ callsPerSecond }) => callsPerSecond)),
      batchesPerCall: perCall(({ batches }) => batches),
      gatewayMicrosPerCall: perCall(({ gateway }) => gateway),
      coordinatorMicrosPerCall: perCall(({ coordinator }) => coordinator),
      busiestMicrosPerCall: spread(own.map(busiestOf)),
      allNodesMicrosPerCall: perCall(({ nodes }) => nodes.reduce((sum, micros) => sum + micros, 0)),
      busiestToOneNode: spread(own.map((round, at) => busiestOf(round) / (ofOneNode[at] ?? Number.NaN))),
    }
  })
}

/** The model of many nodes, which uses the measured costs of the cluster with one node. */
export function scaleModel([one]: readonly ScaleFigures[]): ModelFigures {
  const measured = one?.loads.map(({ allNodesMicrosPerCall, batchesPerCall }) => ({
    nodeMicros: allNodesMicrosPerCall.median,
    batches: batchesPerCall.median,
  }))
  return simulate(costsOf(measured ?? []))
}

function load(
  target: Target,
  timing: { readonly connections: number; readonly settleMs: number; readonly windowMs: number },
) {
  return measureWindow({ target, scenario: jsonCall, staggerMs: 0, ...timing })
}

function fail(): never {
  throw new Error('there is a cluster with one node')
}

/** Microseconds of CPU for a request, at the node or the coordinator with the highest CPU time. */
function busiestOf({ calls, coordinator, nodes }: Round): number {
  return Math.max(coordinator, ...nodes) / calls
}

async function countersOf({ citus, gateway: { target } }: Measured): Promise<Round> {
  if (target.pid === null) throw new Error('a gateway is a process')
  const [lanes] = await rowsOf(citus.ownerUrl, 'SELECT sum(batch)::float8 AS batches FROM lanes')
  return {
    calls: target.answered.calls,
    batches: Number(lanes?.batches),
    gateway: treeCpuMicros(target.pid),
    coordinator: familyCpuMicros(citus.coordinator.pid()),
    nodes: citus.nodes.map((node) => familyCpuMicros(node.pid())),
  }
}

function difference(after: Round, before: Round): Round {
  return {
    calls: after.calls - before.calls,
    batches: after.batches - before.batches,
    gateway: after.gateway - before.gateway,
    coordinator: after.coordinator - before.coordinator,
    nodes: after.nodes.map((micros, at) => micros - (before.nodes[at] ?? 0)),
  }
}

async function checkBooks(tollgate: Tollgate): Promise<void> {
  const { calls } = await tollgate.usage()
  const { answered } = tollgate.target
  if (calls !== answered.calls)
    throw new Error(`${answered.calls} calls were answered, ${calls} are on the books`)
}

function start(direct: Target, { folder, options, plan }: Setting, citus: Citus): Promise<Tollgate> {
  const own = join(folder, `scale-${citus.nodes.length}`)
  mkdirSync(own)
  return startTollgate({
    folder: own,
    providerUrl: direct.url,
    people: plan.scalePeople,
    scenarios: [jsonCall],
    writer: options.writer,
    databaseUrl: citus.url,
  })
}
