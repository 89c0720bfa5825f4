import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureCalls, type CallFigures, type Compared } from './cost-of-non-streaming-calls.ts'
import { isObject, textAt } from './start-child-process.ts'
import { compareEngines } from './compare-engines.ts'
import { comparePostgres } from './postgres-of-two-checkouts.ts'
import { changes, goals, type Figures } from './goals-for-figures.ts'
import { measureGrowth } from './costs-on-large-store.ts'
import { describeCommit, describeMachine, describeVersions } from './describe-machine.ts'
import { measureWindow } from './measure-in-rounds.ts'
import { measureLimits } from './cost-of-limits.ts'
import { measureMemory } from './memory-per-open-stream.ts'
import type { Options } from './command-line-options.ts'
import { measureOverloads } from './overload.ts'
import { watchOtherWork } from './load-of-other-processes.ts'
import { fullPlan, quickPlan, type Plan } from './full-and-quick-plans.ts'
import { familyCpuMicros } from './process-cpu-and-memory.ts'
import { measureRouter } from './cost-of-routing.ts'
import { providerCounts, startNetFloor, startProvider } from './provider-and-proxy-processes.ts'
import { measureScale, scaleModel } from './scale-over-nodes.ts'
import { measureStarts } from './effect-of-warm-up.ts'
import { burstStream, measureStreams, pacedStream, shortStream } from './cost-of-streams.ts'
import { startReference, startSubject, type Subject } from './start-measured-server.ts'
import { measureTail, type TailSource } from './live-tail-cost.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'
import { measureWires } from './cost-by-wire-format.ts'

const root = join(import.meta.dirname, '..')

export async function run(options: Options, folder: string): Promise<object> {
  const plan = options.isQuick ? quickPlan : fullPlan
  const startedAt = new Date()
  const described = describeMachine(folder)
  const otherWork = watchOtherWork(() => familyCpuMicros(process.pid))
  const provider = await startProvider(folder)
  const netFloor = options.against === null ? await startNetFloor(provider.target.url, folder) : null
  if (!options.isFloorOnly) progress(`setting up ${plan.people} people`)
  const start = { options, people: plan.people, providerUrl: provider.target.url, folder }
  const reference = await startReference(start)
  const subject = await startSubject(start)

  const compared: Compared = {
    direct: provider.target,
    floor: reference.target,
    netFloor: netFloor === null ? null : netFloor.target,
    subject: subject.target,
  }
  const figures = await measureSteps(options, plan, compared)
  const tail =
    options.steps.has('tail') && subject.tail !== null
      ? await measureTails(plan, subject, subject.tail)
      : undefined
  const counted = await countCalls(compared, subject)
  const growth =
    options.steps.has('growth') && !options.isFloorOnly && options.against === null
      ? await measureGrowth(compared, { options, plan, folder, progress })
      : undefined
  const limits =
    options.steps.has('limits') && !options.isFloorOnly && options.against === null
      ? await measureLimits(provider.target, { options, plan, folder, progress })
      : undefined
  await netFloor?.child.stop()
  const starts =
    options.steps.has('starts') && subject.target.isGateway
      ? await measureFirstCalls(plan, subject)
      : undefined
  const memory = options.steps.has('memory') ? await measureMemories(plan, reference, subject) : undefined
  await subject.stop()
  const engines =
    options.steps.has('engines') && !options.isFloorOnly && options.against === null
      ? await measureEngines(plan, provider.target, reference, { options, folder })
      : undefined
  await reference.stop()
  const postgres =
    options.steps.has('engines') && options.against !== null && options.engine !== 'embedded'
      ? await comparePostgres(provider.target, options.against, { options, plan, folder, progress })
      : undefined
  const scale =
    options.steps.has('scale') && !options.isFloorOnly && options.against === null
      ? await measureScale(provider.target, { options, plan, folder, progress })
      : undefined
  const overload =
    options.steps.has('overload') && !options.isFloorOnly && options.against === null
      ? await measureOverloads(provider.target, { options, plan, folder, progress })
      : undefined
  await provider.child.stop()

  const all: Figures = {
    ...figures,
    ...(tail ? { tail } : {}),
    ...(overload ? { overload } : {}),
    ...(starts ? { starts } : {}),
    ...(memory ? { memory } : {}),
    ...(engines ? { engines } : {}),
    ...(postgres ? { postgres } : {}),
    ...(scale ? { scale, scaleModel: scaleModel(scale) } : {}),
    ...(growth ? { growth } : {}),
    ...(limits ? { limits } : {}),
  }
  return {
    subject: compared.subject.name,
    comparedWith: options.against === null ? 'floor' : describeCommit(options.against),
    mode: options.isQuick ? 'quick' : 'full',
    steps: [...options.steps],
    writer: options.writer ?? 'default',
    startedAt: startedAt.toISOString(),
    tookSeconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
    commit: describeCommit(root),
    machine: { ...described, otherWork: otherWork() },
    versions: describeVersions(undiciVersion()),
    method: { ...plan, isInterleaved: true, cpuFrom: '/proc/<pid>/stat, all threads' },
    goals: options.against === null ? goals(all) : changes(all),
    ...all,
    counted,
  }
}

async function measureSteps({ steps }: Options, plan: Plan, compared: Compared): Promise<Figures> {
  const { rounds, settleMs } = plan
  const callTiming = { rounds, settleMs, windowMs: plan.callWindowMs }
  const { subject } = compared
  for (const target of targetsOf(compared)) await warmUp(target, plan)
  const figures: Figures = {}
  if (steps.has('calls')) {
    const calls: CallFigures[] = []
    for (const connections of [1, 32, 128]) {
      progress(`calls, ${connections} connections`)
      calls.push(await measureCalls(compared, { connections, ...callTiming }))
    }
    figures.calls = calls
  }
  if (steps.has('saturation')) {
    const connections = plan.saturationConnections
    progress(`calls, ${connections} connections`)
    figures.saturation = await measureCalls(compared, { connections, ...callTiming })
  }
  if (steps.has('routers') && subject.isGateway) {
    progress('calls of an alias and of a router of five targets')
    figures.routers = await measureRouter(subject, { connections: 32, ...callTiming })
  }
  if (steps.has('streams')) {
    progress('50 streams of 200 chunks, 5 ms apart')
    const streamTiming = { rounds, settleMs, windowMs: plan.streamWindowMs }
    const paced = { scenario: pacedStream, delayMs: 5, streams: 50 }
    const { streams, firstByte } = await measureStreams(compared, { ...paced, ...streamTiming })
    progress('50 streams of 200 chunks in one go')
    const burst = { scenario: burstStream, delayMs: 0, streams: 50 }
    figures.streams = streams
    figures.firstByteUnderStreams = firstByte
    figures.burstStreams = (await measureStreams(compared, { ...burst, ...callTiming })).streams
  }
  if (steps.has('first-byte')) {
    progress('time to the first byte, one stream')
    const short = { scenario: shortStream, delayMs: 0, streams: 1 }
    figures.firstByte = (await measureStreams(compared, { ...short, ...callTiming })).firstByte
  }
  if (steps.has('wires')) {
    progress('every wire, passed through and converted')
    figures.wires = await measureWires(compared, {
      rounds: plan.wireRounds,
      callTiming: { settleMs, windowMs: plan.callWindowMs },
      streamTiming: { settleMs, windowMs: plan.streamWindowMs },
    })
  }
  return figures
}

function targetsOf({ direct, floor, netFloor, subject }: Compared): Target[] {
  return [direct, floor, ...(netFloor === null ? [] : [netFloor]), subject]
}

/** The run does not measure cold starts. */
async function warmUp(target: Target, { warmUpMs }: Plan): Promise<void> {
  progress(`warming up: ${target.name}`)
  const timing = { settleMs: 0, windowMs: warmUpMs }
  await measureWindow({ target, scenario: jsonCall, connections: 32, staggerMs: 0, ...timing })
  await measureWindow({ target, scenario: burstStream, connections: 8, staggerMs: 0, ...timing })
}

/** The measurements of a gateway that loses or duplicates calls cannot be used. */
async function countCalls(compared: Compared, { usage }: Subject): Promise<object> {
  const { direct, subject } = compared
  const sent = targetsOf(compared).reduce((sum, { answered }) => sum + answered.calls, 0)
  const served = (await providerCounts(direct.url)).calls
  if (served !== sent) throw new Error(`${sent} calls were answered, the provider served ${served}`)
  const booked = usage ? await usage() : null
  if (booked && booked.calls !== subject.answered.calls) {
    throw new Error(`${subject.answered.calls} calls were answered, ${booked.calls} are on the books`)
  }
  return { answered: subject.answered.calls, ...(booked ? { booked } : {}) }
}

function measureTails(plan: Plan, { target }: Subject, tail: TailSource) {
  progress('calls beside 0, 1 and 100 readers of requests.tail')
  const { callWindowMs: windowMs, rounds, settleMs } = plan
  return measureTail(target, tail, { rounds, settleMs, windowMs })
}

function measureFirstCalls(plan: Plan, subject: Subject) {
  progress('first calls after a start')
  return measureStarts(subject, plan.starts)
}

async function measureEngines(
  plan: Plan,
  direct: Target,
  reference: Subject,
  { options, folder }: { options: Options; folder: string },
) {
  // The step `memory` may have restarted the floor.
  const { target: floor } = await reference.restart()
  await warmUp(floor, plan)
  return compareEngines({ direct, floor }, { options, plan, folder, progress })
}

async function measureMemories(plan: Plan, reference: Subject, subject: Subject) {
  progress(`memory, ${plan.memory.streams} open streams`)
  const ofFloor = await measureMemory((await reference.restart()).target, plan.memory)
  const ofSubject = await measureMemory((await subject.restart()).target, plan.memory)
  return { floor: ofFloor, subject: ofSubject }
}

function undiciVersion(): string {
  const path = join(root, 'node_modules', 'undici', 'package.json')
  const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'))
  return isObject(manifest) ? textAt(manifest, 'version') : 'unknown'
}

function progress(text: string): void {
  console.error(`bench: ${text}`)
}
