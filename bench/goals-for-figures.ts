import type { CallFigures } from './cost-of-non-streaming-calls.ts'
import type { EngineFigures } from './compare-engines.ts'
import type { GrowthFigures } from './costs-on-large-store.ts'
import type { LimitFigures } from './cost-of-limits.ts'
import type { MemoryFigures } from './memory-per-open-stream.ts'
import type { Overload } from './overload.ts'
import type { FirstByteFigures, StreamFigures } from './cost-of-streams.ts'
import type { RouterFigures } from './cost-of-routing.ts'
import type { ScaleFigures } from './scale-over-nodes.ts'
import type { ModelFigures } from './model-of-large-database.ts'
import type { StartFigures } from './effect-of-warm-up.ts'
import type { PostgresChange } from './postgres-of-two-checkouts.ts'
import { rounded } from './statistics.ts'
import type { TailFigures } from './live-tail-cost.ts'
import type { WireFigures } from './cost-by-wire-format.ts'

/** The measurements of a skipped step are absent. */
export interface Figures {
  calls?: readonly CallFigures[]
  saturation?: CallFigures
  routers?: RouterFigures
  limits?: LimitFigures
  streams?: StreamFigures
  burstStreams?: StreamFigures
  firstByte?: FirstByteFigures
  firstByteUnderStreams?: FirstByteFigures
  wires?: WireFigures
  memory?: { readonly floor: MemoryFigures; readonly subject: MemoryFigures }
  engines?: readonly EngineFigures[]
  postgres?: readonly PostgresChange[]
  scale?: readonly ScaleFigures[]
  scaleModel?: ModelFigures
  tail?: readonly TailFigures[]
  overload?: readonly Overload[]
  starts?: readonly StartFigures[]
  growth?: GrowthFigures
}

export interface Goal {
  readonly id: string
  readonly what: string
  readonly atMost: number
  readonly measured: number
  readonly isReached: boolean
}

export function goals({
  calls,
  engines,
  routers,
  streams,
  firstByte,
  firstByteUnderStreams,
  growth,
  limits,
  wires,
  memory,
  overload,
  scale,
  starts,
}: Figures): Goal[] {
  const at = (asked: number) => calls?.find(({ connections }) => connections === asked)
  const [at32, at128] = [at(32), at(128)]
  return [
    goal('a', 'CPU per call at 32 connections, relative to the floor', 2.0, at32?.cpuRatio.median),
    goal(
      'a',
      'CPU per call at 128 connections, relative to 32 connections',
      1,
      at32 && at128 && rounded(cpuOf(at128) / cpuOf(at32)),
    ),
    goal(
      'r',
      'CPU per call through a router of 5 targets, relative to a model name',
      1.1,
      routers?.cpuRatio.median,
    ),
    goal('l', 'CPU per call with five limits, relative to none', 1.1, limits?.requestsRatio.median),
    goal(
      'b',
      'CPU per chunk at 50 streams of 200 chunks, relative to the floor',
      1.2,
      streams?.cpuRatio.median,
    ),
    goal('c', 'ms to the first byte added at p50, one stream', 1.5, firstByte?.addedP50Ms),
    goal('c', 'ms to the first byte added at p50, 50 streams', 1.5, firstByteUnderStreams?.addedP50Ms),
    goal(
      's',
      'CPU per call in the first window after a start, relative to a later window',
      1.3,
      starts?.find(({ isWarmedUp }) => isWarmedUp)?.firstByWarm.median,
    ),
    goal('e', 'bytes of memory per open stream', 64 * 1024, memory?.subject.bytesPerStream),
    ...(wires ? wireGoals(wires) : []),
    ...(overload ?? []).flatMap(overloadGoals),
    ...(growth ? growthGoals(growth) : []),
    ...scaleGoals(scale ?? []),
    ...postgresGoals(engines?.find(({ engine, workers }) => engine === 'postgres' && workers === 1)),
  ].flatMap((one) => one ?? [])
}

function cpuOf({ subject }: CallFigures): number {
  return subject.cpuMicrosPerCall.median
}

/** With more nodes, a cluster serves more requests only if the busiest node does less work for each request. */
function scaleGoals(scale: readonly ScaleFigures[]): (Goal | null)[] {
  const atMost = new Map([
    [2, 0.6],
    [4, 0.35],
  ])
  return scale.flatMap(({ addedToPostgresMs, loads, nodes }) => {
    const slower = goal(
      'n',
      `ms that ${nodes} nodes add to the p50 of one PostgreSQL server, one connection`,
      1,
      addedToPostgresMs.median,
    )
    const most = atMost.get(nodes)
    if (most === undefined) return [slower]
    const ratios = loads.map(({ busiestToOneNode, connections }) =>
      goal(
        'n',
        `CPU per call of the busiest of ${nodes} nodes at ${connections} connections, relative to one node`,
        most,
        busiestToOneNode.median,
      ),
    )
    return [slower, ...ratios]
  })
}

/** A call costs hardly more than on a new store, and every list and report is fast. */
function growthGoals({ calls, reads, rows }: GrowthFigures): (Goal | null)[] {
  return [
    goal(
      'g',
      `CPU per call at 32 connections on ${rows} rows, relative to the floor`,
      2.3,
      calls.cpuRatio.median,
    ),
    ...reads.map(({ name, p95Ms }) => goal('g', `ms of ${name}, p95`, 200, p95Ms)),
  ]
}

/** For an overload of five times as many requests as the server can handle. */
function overloadGoals({
  capacityAtEndPerSecond,
  capacityPerSecond,
  engine,
  neighbors,
  patient,
  rates,
}: Overload): (Goal | null)[] {
  const at5 = rates.find(({ multiple }) => multiple === 5)
  if (at5 === undefined) return []
  const oneMs = neighbors.find(({ isNew, multiple }) => !isNew && multiple === 1)?.p99Ms ?? Number.NaN
  const at = (what: string, atMost: number, measured: number | null): Goal | null =>
    goal('o', `${what}, ${engine}`, atMost, measured ?? undefined)
  return [
    at('capacity by the goodput at 5 x', 1 / 0.9, rounded(capacityPerSecond / at5.goodputPerSecond)),
    at(
      'capacity by the capacity after all rates',
      1 / 0.9,
      capacityAtEndPerSecond === null ? Infinity : rounded(capacityPerSecond / capacityAtEndPerSecond),
    ),
    at('ms of admitted calls at 5 x, p99', 1000, at5.admittedP99Ms ?? Infinity),
    at('ms of refusals at 5 x, p99', 100, at5.refusedP99Ms),
    at('ms of refusals at 5 x, p99, clients that obey retry-after-ms', 100, patient.refusedP99Ms),
    at('ms of /health at 5 x, p99', 100, at5.healthP99Ms),
    at('streams cut at 5 x', 0, at5.streamsCut),
    at('bytes of memory added at 5 x', 150 * 2 ** 20, at5.residentGrowthBytes),
    at('ms until requests are as fast as before 5 x', 2000, at5.normalAfterMs ?? Infinity),
    ...neighbors
      .filter(({ multiple }) => multiple === 10)
      .flatMap(({ appsShowMaxMs, isNew, p99Ms, rejected }) => {
        const application = `${isNew ? 'a new' : 'an'} application beside another one at 10 x`
        const tenMs = p99Ms ?? Infinity
        return [
          isNew
            ? at(`ms of ${application}, p99`, 1000, tenMs)
            : at(`p99 of ${application}, by 1 x`, 2, rounded(tenMs / oneMs)),
          at(`requests of ${application} that were rejected or failed`, 0, rejected),
          at(`ms of apps.show with ${application}, longest`, 1000, appsShowMaxMs),
        ]
      }),
  ]
}

/** In a comparison with another checkout, no median may be more than 5 % worse. */
export function changes({
  calls = [],
  burstStreams,
  firstByte,
  memory,
  postgres = [],
  saturation,
  streams,
  wires,
}: Figures): Goal[] {
  const atMost = 1.05
  return [
    ...calls.map(({ connections, cpuRatio }) =>
      goal('x', `CPU per call at ${connections} connections`, atMost, cpuRatio.median),
    ),
    ...postgres.map(({ connections, cpuRatio }) =>
      goal('x', `CPU per call on PostgreSQL at ${connections} connections`, atMost, cpuRatio.median),
    ),
    goal('x', 'CPU per call at saturation', atMost, saturation?.cpuRatio.median),
    goal('x', 'CPU per chunk at 50 paced streams', atMost, streams?.cpuRatio.median),
    goal('x', 'CPU per chunk at 50 streams in one go', atMost, burstStreams?.cpuRatio.median),
    goal(
      'x',
      'time to the first byte, p50',
      atMost,
      firstByte && rounded(firstByte.subject.p50Ms.median / firstByte.floor.p50Ms.median),
    ),
    ...(wires?.calls ?? []).map(({ byFloor, client, provider }) =>
      goal('x', `CPU per call, ${client} to ${provider}`, atMost, byFloor.median),
    ),
    ...(wires?.streams ?? []).map(({ byFloor, client, provider }) =>
      goal('x', `CPU per chunk, ${client} to ${provider}`, atMost, byFloor.median),
    ),
    goal('x', 'time per call of 4 MB', atMost, wires?.largeBody.timeRatio.median),
    goal(
      'x',
      'memory of an open stream',
      atMost,
      memory && rounded(memory.subject.bytesPerStream / memory.floor.bytesPerStream),
    ),
  ].flatMap((one) => one ?? [])
}

/**
 * On any wire, an unconverted request may cost about as much as a chat request, and a converted request somewhat more.
 */
function wireGoals({ calls, streams, largeBody }: WireFigures): (Goal | null)[] {
  const of = (unit: string, figures: WireFigures['calls']) =>
    figures.map(({ client, provider, byChat }) =>
      goal(
        'w',
        `CPU a ${unit}, ${client} to ${provider}, by chat`,
        client === provider ? 1.15 : 1.6,
        byChat.median,
      ),
    )
  return [
    ...of('call', calls),
    ...of('chunk', streams),
    goal('w', 'time per call of 4 MB, relative to the floor', 1.5, largeBody.timeRatio.median),
  ]
}

function postgresGoals(figures: EngineFigures | undefined): (Goal | null)[] {
  const at = (connections: number, users: 'all' | 'one') =>
    figures?.calls.find((one) => one.connections === connections && one.users === users)
  const hot = at(128, 'one')
  return [
    goal('p', 'ms added at p50, PostgreSQL, 1 connection', 3, at(1, 'all')?.addedP50Ms),
    goal(
      'p',
      'CPU per call with that of the database, PostgreSQL, 32 connections, relative to the floor',
      5.5,
      at(32, 'all')?.cpuRatioToFloor ?? undefined,
    ),
    goal('p', 'ms per call of one hot user, PostgreSQL', 1, hot && rounded(1000 / hot.callsPerSecond.median)),
    goal(
      'p',
      'commits per call, PostgreSQL, 128 connections',
      0.2,
      at(128, 'all')?.commitsPerCall ?? undefined,
    ),
  ]
}

function goal(id: string, what: string, atMost: number, measured: number | undefined): Goal | null {
  if (measured === undefined) return null
  return { id, what, atMost, measured, isReached: measured <= atMost }
}
