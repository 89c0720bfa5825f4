/**
 * Measures a distributed database with 1, 2 and 4 nodes in one run. The CPU time per request is read from /proc,
 * separately for each node and for the coordinator. All clusters have the same number of shards, so the gateway sends
 * the same batches to each cluster. All processes share one machine, so requests per second do not show what more
 * machines would serve.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Citus, distribution, rowsOf, startCitus } from '../tests/support/start-citus-cluster.ts'
import type { PostgresServer } from '../tests/support/start-postgres.ts'
import { Load } from './closed-loop-load-driver.ts'
import { inRounds, measureWindow } from './measure-in-rounds.ts'
import type { Options } from './command-line-options.ts'
import type { Plan } from './full-and-quick-plans.ts'
import { familyCpuMicros } from './process-cpu-and-memory.ts'
import { spread, type Spread } from './statistics.ts'
import { withDatabase } from './temporary-postgres.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'
import { costsOf, type ModelFigures, simulate } from './model-of-large-database.ts'
import { checkBooks, startTollgate, type Tollgate } from './gateway-under-test.ts'

export interface ScaleFigures {
  readonly nodes: number
  readonly shards: number
  readonly people: number
  readonly loads: readonly LoadFigures[]
  /** The median latency with one connection. */
  readonly p50Ms: Spread
  /** `p50Ms` minus the median latency with one PostgreSQL server in the same round. */
  readonly addedToPostgresMs: Spread
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
  /** The share of the busiest node depends on the random IDs of the end users. */
  readonly busiestShareOfBatches: Spread
  /** `busiestMicrosPerCall`, divided by the value for the cluster with one node in the same round. */
  readonly busiestToOneNode: Spread
}

const sizes = [1, 2, 4]
/** With one connection, almost every batch contains only one request. With 32 connections, batches are larger. */
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

interface Counters {
  readonly calls: number
  readonly seconds: number
  readonly gateway: number
  readonly coordinator: number
  readonly nodes: readonly number[]
}

interface Round extends Counters {
  readonly batches: readonly number[]
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
    const gateway = await start(direct, setting, { name: `scale-${nodes}`, url: citus.url })
    clusters.push({ citus, gateway })
    await load(gateway.target, { connections: 32, windowMs: plan.warmUpMs })
  }
  const latencies = await measureLatency(direct, clusters, setting)
  const figures = clusters.map(({ citus, gateway }, at): ScaleFigures & { loads: LoadFigures[] } => ({
    nodes: citus.nodes.length,
    shards: distribution.shards,
    people: gateway.target.keys.length,
    loads: [],
    ...(latencies[at] ?? fail()),
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
  const rounds = await inRounds(plan.engineRounds, clusters, async (cluster): Promise<Round> => {
    progress(`scale: ${cluster.citus.nodes.length} nodes, ${connections} connections`)
    const earlier = await batchesOf(cluster.citus)
    const before = countersOf(cluster)
    await load(cluster.gateway.target, { connections, windowMs: 2 * plan.callWindowMs })
    const counters = difference(countersOf(cluster), before)
    return { ...counters, batches: less(await batchesOf(cluster.citus), earlier) }
  })
  const ofOneNode = (rounds.get(clusters[0] ?? fail()) ?? []).map(busiestOf)
  return clusters.map((cluster) => {
    const own = rounds.get(cluster) ?? []
    const perCall = (count: (round: Round) => number): Spread =>
      spread(own.map((round) => count(round) / round.calls))
    return {
      connections,
      callsPerSecond: spread(own.map(({ calls, seconds }) => calls / seconds)),
      batchesPerCall: perCall(({ batches }) => sum(batches)),
      gatewayMicrosPerCall: perCall(({ gateway }) => gateway),
      coordinatorMicrosPerCall: perCall(({ coordinator }) => coordinator),
      busiestMicrosPerCall: spread(own.map(busiestOf)),
      allNodesMicrosPerCall: perCall(({ nodes }) => sum(nodes)),
      busiestShareOfBatches: spread(own.map(({ batches }) => Math.max(...batches) / sum(batches))),
      busiestToOneNode: spread(own.map((round, at) => busiestOf(round) / (ofOneNode[at] ?? Number.NaN))),
    }
  })
}

async function measureLatency(
  direct: Target,
  clusters: readonly Measured[],
  setting: Setting,
): Promise<Pick<ScaleFigures, 'addedToPostgresMs' | 'p50Ms'>[]> {
  const { plan, progress } = setting
  let latencies: Pick<ScaleFigures, 'addedToPostgresMs' | 'p50Ms'>[] = []
  await withDatabase(async ({ url }) => {
    progress(`scale: one PostgreSQL server, setting up ${plan.scalePeople} people`)
    const plain = await start(direct, setting, { name: 'scale-plain', url })
    await load(plain.target, { connections: 32, windowMs: plan.warmUpMs })
    progress('scale: latency with one connection')
    const gateways = [plain, ...clusters.map(({ gateway }) => gateway)]
    const rounds = await inRounds(plan.rounds, gateways, async ({ target }) => {
      const timing = { settleMs: plan.settleMs, windowMs: 2 * plan.callWindowMs }
      return (await measureWindow({ target, scenario: jsonCall, connections: 1, staggerMs: 0, ...timing }))
        .p50Ms
    })
    const ofPlain = rounds.get(plain) ?? []
    latencies = clusters.map(({ gateway }) => {
      const own = rounds.get(gateway) ?? []
      return {
        p50Ms: spread(own),
        addedToPostgresMs: spread(own.map((ms, at) => ms - (ofPlain[at] ?? Number.NaN))),
      }
    })
    await checkBooks(plain)
    await plain.child.stop()
  })
  return latencies
}

export function scaleModel([one]: readonly ScaleFigures[]): ModelFigures {
  const measured = one?.loads.map(({ allNodesMicrosPerCall, batchesPerCall }) => ({
    nodeMicros: allNodesMicrosPerCall.median,
    batches: batchesPerCall.median,
  }))
  return simulate(costsOf(measured ?? []))
}

/**
 * Sends requests for at least the given time, and until all end users have sent the same number of requests. With one
 * connection, the time suffices only for the first end users, and a few end users are rarely divided evenly among the
 * nodes.
 */
async function load(
  target: Target,
  { connections, windowMs }: { readonly connections: number; readonly windowMs: number },
): Promise<void> {
  const sending = await Load.open({ target, scenario: jsonCall, staggerMs: 0, connections })
  await wait(windowMs)
  await sending.closeAfterPass()
}

function fail(): never {
  throw new Error('there is a cluster with one node')
}

/** CPU time in microseconds for a request, at the node or the coordinator with the highest CPU time. */
function busiestOf({ calls, coordinator, nodes }: Round): number {
  return Math.max(coordinator, ...nodes) / calls
}

function countersOf({ citus, gateway: { target } }: Measured): Counters {
  if (target.pid === null) throw new Error('a gateway is a process')
  return {
    calls: target.answered.calls,
    seconds: performance.now() / 1000,
    gateway: familyCpuMicros(target.pid),
    coordinator: familyCpuMicros(citus.coordinator.pid()),
    nodes: citus.nodes.map((node) => familyCpuMicros(node.pid())),
  }
}

function difference(after: Counters, before: Counters): Counters {
  return {
    calls: after.calls - before.calls,
    seconds: after.seconds - before.seconds,
    gateway: after.gateway - before.gateway,
    coordinator: after.coordinator - before.coordinator,
    nodes: less(after.nodes, before.nodes),
  }
}

async function batchesOf(citus: Citus): Promise<number[]> {
  const lanes = await rowsOf(
    citus.ownerUrl,
    'SELECT shard_key, sum(batch)::float8 AS batches FROM lanes GROUP BY shard_key',
  )
  const batches = citus.nodes.map(() => 0)
  for (const { batches: committed, shard_key: shardKey } of lanes) {
    // The key of a group of end users is on the node of these end users.
    // oxlint-disable-next-line no-await-in-loop -- four shards
    const node = await citus.nodeOf(String(shardKey))
    batches[node] = (batches[node] ?? 0) + Number(committed)
  }
  return batches
}

function less(counts: readonly number[], earlier: readonly number[]): number[] {
  return counts.map((count, at) => count - (earlier[at] ?? 0))
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

function start(
  direct: Target,
  { folder, options, plan }: Setting,
  { name, url }: { readonly name: string; readonly url: string },
): Promise<Tollgate> {
  const own = join(folder, name)
  mkdirSync(own)
  return startTollgate({
    folder: own,
    providerUrl: direct.url,
    people: plan.scalePeople,
    scenarios: [jsonCall],
    writer: options.writer,
    databaseUrl: url,
  })
}
