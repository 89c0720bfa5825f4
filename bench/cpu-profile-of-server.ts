import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isObject, type Child } from './start-child-process.ts'
import { measureWindow } from './measure-in-rounds.ts'
import type { Options } from './command-line-options.ts'
import { startFloor, startProvider } from './provider-and-proxy-processes.ts'
import { rounded } from './statistics.ts'
import { pacedStream } from './cost-of-streams.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'
import { startTollgate } from './gateway-under-test.ts'

/**
 * Profiles the CPU use of the gateway (or of the minimal proxy) with V8's sampling profiler during one window of load.
 * The output lists the functions and folders with the most self time per thread. The profiler takes samples by elapsed
 * time. On a busy machine, the reported times are therefore too long, but their ratios are correct.
 */
export async function profile({
  scenario,
  options,
  folder,
}: {
  scenario: 'call' | 'stream'
  options: Options
  folder: string
}): Promise<object> {
  const profiles = join(folder, 'profiles')
  mkdirSync(profiles)
  const provider = await startProvider(folder)
  const { target, child } = await startProfiled(options, provider.target.url, folder, profiles)
  const load =
    scenario === 'call'
      ? { scenario: jsonCall, connections: 32, staggerMs: 0 }
      : { scenario: pacedStream, connections: 50, staggerMs: 20 }
  const settleMs = options.isQuick ? 300 : 4000
  const windowMs = options.isQuick ? 700 : 6000
  await measureWindow({ target, ...load, settleMs: 0, windowMs: settleMs })
  const window = await measureWindow({ target, ...load, settleMs: 500, windowMs })
  // The profile is written only if the process ends without a signal or an error.
  await child.stop(60_000)
  await provider.child.stop()

  const units = scenario === 'call' ? window.calls : window.events
  const per = { count: units, startMicros: window.startMicros, endMicros: window.endMicros }
  return {
    subject: target.name,
    scenario,
    unit: scenario === 'call' ? 'call' : 'chunk',
    units,
    cpuMicrosPerUnit: rounded(window.cpuMicros / units),
    cpuMicrosPerUnitByThread: Object.fromEntries(
      [...window.cpuMicrosByThread].map(([name, micros]) => [name, rounded(micros / units)]),
    ),
    threads: readdirSync(profiles)
      .toSorted()
      .map((name) => summarize(name, parseProfile(readFileSync(join(profiles, name), 'utf8')), per)),
  }
}

async function startProfiled(
  options: Options,
  providerUrl: string,
  folder: string,
  profiles: string,
): Promise<{ target: Target; child: Child }> {
  const flags = ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
  if (options.isFloorOnly) return startFloor('floor', providerUrl, folder, flags)
  return startTollgate({
    folder,
    providerUrl,
    people: options.isQuick ? 50 : 1000,
    scenarios: [jsonCall, pacedStream],
    writer: options.writer,
    nodeOptions: flags.join(' '),
  })
}

/** Times are in microseconds of the monotonic clock. */
interface CpuProfile {
  readonly startTime: number
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly functionName: string
  readonly url: string
  readonly line: number
}

function parseProfile(text: string): CpuProfile {
  const value: unknown = JSON.parse(text)
  if (!isObject(value) || !Array.isArray(value['nodes'])) throw new Error('not a CPU profile')
  return {
    startTime: Number(value['startTime']),
    nodes: value['nodes'].filter(isObject).map((node) => {
      const frame = isObject(node['callFrame']) ? node['callFrame'] : {}
      return {
        id: Number(node['id']),
        functionName: String(frame['functionName']) || '(anonymous)',
        url: String(frame['url']),
        line: Number(frame['lineNumber']) + 1,
      }
    }),
    samples: numbers(value['samples']),
    timeDeltas: numbers(value['timeDeltas']),
  }
}

function numbers(value: unknown): number[] {
  if (!Array.isArray(value)) throw new Error('not a CPU profile')
  return value.map(Number)
}

/** Only for the samples in the window, without idle time. */
function summarize(
  name: string,
  { startTime, nodes, samples, timeDeltas }: CpuProfile,
  { count, startMicros, endMicros }: { count: number; startMicros: number; endMicros: number },
): object {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const functions = new Map<string, number>()
  const places = new Map<string, number>()
  let busyMicros = 0
  let at = startTime
  for (const [i, id] of samples.entries()) {
    at += timeDeltas[i] ?? 0
    const lengthMicros = timeDeltas[i + 1] ?? 0
    const node = byId.get(id)
    if (!node || at < startMicros || at > endMicros || node.functionName === '(idle)') continue
    busyMicros += lengthMicros
    const place = placeOf(node.url)
    const line = node.url === '' ? '' : ` ${place.file}:${node.line}`
    add(functions, `${node.functionName}${line}`, lengthMicros)
    add(places, node.url === '' ? node.functionName : place.folder, lengthMicros)
  }
  const top = (sums: Map<string, number>, length: number) =>
    [...sums]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, length)
      .map(([what, micros]) => ({
        what,
        percent: rounded((micros / busyMicros) * 100),
        microsPerUnit: rounded(micros / count),
      }))
  return {
    thread: name.replace('.cpuprofile', '').split('.').slice(-2).join('.'),
    busyMicrosPerUnit: rounded(busyMicros / count),
    byPlace: top(places, 20),
    byFunction: top(functions, 40),
  }
}

function add(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}

const root = join(import.meta.dirname, '..')

/** Such as `src/money`, `undici` or `node:internal`. */
function placeOf(url: string): { file: string; folder: string } {
  if (!url.startsWith('file:'))
    return { file: url, folder: url.split('/').slice(0, 2).join('/') || '(native)' }
  const file = relative(root, fileURLToPath(url))
  const parts = file.split('/')
  const dependency = parts.lastIndexOf('node_modules')
  const folder = dependency < 0 ? parts.slice(0, -1).join('/') || '.' : (parts[dependency + 1] ?? file)
  return { file: file.replace(/^node_modules\//, ''), folder }
}
