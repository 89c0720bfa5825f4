/**
 * Counts the work of a server process in all its threads. `node --import` loads this module before the server. Counts
 * SQL statements, changed rows, commits, round trips to PostgreSQL, promises and timers. Each connection to the socket
 * at `COUNTS_SOCKET` receives the sums since the start as one line of JSON.
 *
 * `COUNTS_OF=objects` counts promises and timers. The hooks of promises and timers allocate memory, so another run
 * counts bytes.
 */
import { createHook } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { StatementSync } from 'node:sqlite'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads'
import { countPostgres } from './count-postgres-statements.ts'

export interface Counts {
  readonly statements: number
  readonly rows: number
  readonly commits: number
  readonly roundTrips: number
  readonly promises: number
  readonly timers: number
  /** In the heaps of all threads. */
  readonly allocatedBytes: number
  /** System calls that read or write, and bytes written to sockets and files. */
  readonly systemCalls: number
  readonly writtenBytes: number
}

type OfThread = Omit<Counts, 'systemCalls' | 'writtenBytes'>

const own = { statements: 0, rows: 0, commits: 0, promises: 0, timers: 0 }

function countStatement(text: string): void {
  own.statements += 1
  if (/^\s*COMMIT/i.test(text)) own.commits += 1
}

for (const method of ['all', 'get', 'iterate', 'run'] as const) {
  const original = StatementSync.prototype[method] as (...parameters: unknown[]) => unknown
  const counted = function (this: StatementSync, ...parameters: unknown[]): unknown {
    countStatement(this.sourceSQL)
    const answer = Reflect.apply(original, this, parameters)
    if (method === 'run') own.rows += Number((answer as { readonly changes: number | bigint }).changes)
    return answer
  }
  Object.defineProperty(StatementSync.prototype, method, { value: counted })
}

const ofPostgres = countPostgres()

if (process.env['COUNTS_OF'] === 'objects') {
  createHook({
    init(_id, type) {
      if (type === 'PROMISE') own.promises += 1
      else if (type === 'Timeout' || type === 'Immediate') own.timers += 1
    },
  }).enable()
}

function countsNow(): OfThread {
  const { commits, roundTrips, rows, statements } = ofPostgres
  return {
    ...own,
    statements: own.statements + statements,
    rows: own.rows + rows,
    commits: own.commits + commits,
    roundTrips,
    allocatedBytes: getHeapStatistics().total_allocated_bytes,
  }
}

// Optimized code allocates less memory, and the time when the engine optimizes code depends on the machine.
for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug']) setFlagsFromString(flag)

/** Messages between the threads of a process. */
class Threads {
  readonly #channel = new BroadcastChannel('counts')

  constructor(onMessage: (message: Message) => void) {
    this.#channel.unref()
    this.#channel.addEventListener('message', ({ data }: { readonly data: Message }) => onMessage(data))
  }

  send(message: Message): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    this.#channel.postMessage(message)
  }
}

type Message =
  | { readonly kind: 'started' | 'counted'; readonly thread: number; readonly counts: OfThread }
  | { readonly kind: 'asked' }

if (isMainThread) serveCounts()
else {
  const answer = (kind: 'started' | 'counted'): void =>
    threads.send({ kind, thread: threadId, counts: countsNow() })
  const threads = new Threads(({ kind }) => {
    if (kind === 'asked') answer('counted')
  })
  answer('started')
}

function serveCounts(): void {
  const others = new Set<number>()
  let answers = new Map<number, OfThread>()
  let onAnswer = (): void => {}
  const threads = new Threads((message) => {
    if (message.kind === 'asked') return
    if (message.kind === 'started') others.add(message.thread)
    else answers.set(message.thread, message.counts)
    onAnswer()
  })
  const all = async (): Promise<readonly OfThread[]> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    answers = new Map([[threadId, countsNow()]])
    onAnswer = () => {
      if ([...others].every((thread) => answers.has(thread))) resolve()
    }
    threads.send({ kind: 'asked' })
    onAnswer()
    await promise
    return [...answers.values()]
  }
  const server = createServer((socket) => {
    void all().then((ofThreads) => socket.end(JSON.stringify(sumOf(ofThreads))))
  })
  server.listen(process.env['COUNTS_SOCKET']).unref()
}

function sumOf(ofThreads: readonly OfThread[]): Counts {
  const io = readFileSync('/proc/self/io', 'utf8')
  const field = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(io)?.[1])
  const sum = (name: keyof OfThread): number => ofThreads.reduce((total, counts) => total + counts[name], 0)
  return {
    statements: sum('statements'),
    rows: sum('rows'),
    commits: sum('commits'),
    roundTrips: sum('roundTrips'),
    promises: sum('promises'),
    timers: sum('timers'),
    allocatedBytes: sum('allocatedBytes'),
    systemCalls: field('syscr') + field('syscw'),
    writtenBytes: field('wchar'),
  }
}
