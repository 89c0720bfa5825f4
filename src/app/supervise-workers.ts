/**
 * `serve --workers N`: one process that serves nothing and supervises N that do. The workers are the same
 * command, and share every port and the database, nothing else: when one dies, the others go on, and any of
 * their sweepers ends its calls.
 *
 *   start      the first worker alone, which migrates and founds; a start that fails is the server's end
 *   death      another one after a pause that doubles with each death and is reset once one lives long
 *   SIGTERM    all are told to stop, which they do once their calls have ended; again: they are killed
 *   SIGHUP     each is replaced by a new one, which is ready before the old one is told to stop
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Founded } from '#operations/organizations/found.ts'
import type { Logger } from '#domain/log.ts'
import type { Config } from './config.ts'
import { steadyPort } from './listeners.ts'
import { readMessage, type Ready } from './worker-link.ts'
import { WorkerMetrics } from './worker-metrics.ts'

const pauseMsMin = 100
const pauseMsMax = 30_000
/** A worker that lived this long started well. */
const healthyMs = 60_000

export interface Supervised {
  readonly baseUrl: string
  readonly setup: Founded | null
  /** Resolves when all workers have ended. */
  stop(): Promise<void>
  /** Kills them at once. */
  kill(): void
  /** Replaces all of them, one after the other; a second one meanwhile changes nothing. */
  replace(): Promise<void>
}

export interface SuperviseOptions {
  readonly config: Config
  readonly workers: number
  readonly data: string | undefined
  readonly log: Logger
}

/** @throws when the first worker does not start; it has logged the reason */
export async function supervise({ config, data, log, workers }: SuperviseOptions): Promise<Supervised> {
  if (config.databaseUrl === null) {
    throw new Error(
      'The embedded store is written by one process, so there cannot be several: set DATABASE_URL to a PostgreSQL database, or leave out --workers',
    )
  }
  // Each worker accepts for itself. If this process handed connections out, one on its way to a dead worker
  // would hang, neither answered nor closed.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // Workers that come later must find the port of the first, which `0` does not say.
  const port = config.listenPort === 0 ? await steadyPort(config.listenHost) : config.listenPort
  cluster.setupPrimary({
    args: ['serve', '--port', String(port), ...(data === undefined ? [] : ['--data', data])],
  })
  const slots = Array.from({ length: workers }, () => new Slot())
  const leaving = new Set<Promise<unknown>>()
  const metrics = new WorkerMetrics(livingWorkers)
  let isStopping = false
  let replacing: Promise<void> | null = null

  const fork = async (slot: Slot): Promise<Ready> => {
    const worker = cluster.fork()
    const startedMs = performance.now()
    slot.worker = worker
    worker.on('message', (message: unknown) => {
      const read = readMessage(message)
      if (read?.kind === 'applications_changed') tellOthers(worker)
      else if (read?.kind === 'metrics_wanted') void metrics.wanted(worker, read.id)
      else if (read?.kind === 'metrics') metrics.told(worker, read)
    })
    worker.on('exit', (code: number | null, signal: string | null) => {
      metrics.ended(worker)
      if (slot.worker !== worker || isStopping) return
      if (performance.now() - startedMs > healthyMs) slot.deaths = 0
      const pauseMs = forkLater(slot)
      log.error(
        { pid: worker.process.pid, code, signal, pauseMs },
        'a worker has died; another one is started',
      )
    })
    return Promise.race([
      readyOf(worker),
      once(worker, 'exit').then(() => Promise.reject(new Error('a worker ended before it was ready'))),
    ])
  }

  const forkLater = (slot: Slot): number => {
    const pauseMs = Math.min(pauseMsMax, pauseMsMin * 2 ** slot.deaths++)
    slot.pause = setTimeout(() => {
      // An end before it is ready is handled like any other.
      fork(slot).catch(() => {})
    }, pauseMs)
    return pauseMs
  }

  const [firstSlot, ...others] = slots
  if (firstSlot === undefined) throw new Error('a server has at least one worker')
  let first: Ready
  try {
    first = await fork(firstSlot)
  } catch (cause) {
    // The next worker would die of the same cause.
    isStopping = true
    clearTimeout(firstSlot.pause)
    throw cause
  }
  await Promise.all(others.map((slot) => fork(slot)))

  const stopWorker = (worker: Worker): void => {
    const ended = once(worker, 'exit').finally(() => leaving.delete(ended))
    leaving.add(ended)
    worker.send({ kind: 'stop' }, () => {})
  }
  const replaceAll = async (): Promise<void> => {
    for (const slot of slots) {
      if (isStopping) return
      const old = slot.worker
      clearTimeout(slot.pause)
      try {
        await fork(slot)
      } catch (cause) {
        // The old worker goes on when the new one does not start.
        clearTimeout(slot.pause)
        slot.worker = old
        if (old === null || old.isDead()) forkLater(slot)
        throw cause
      }
      if (old !== null && !old.isDead()) stopWorker(old)
    }
  }

  return {
    baseUrl: first.baseUrl,
    setup: first.setup,
    async stop() {
      isStopping = true
      for (const { pause } of slots) clearTimeout(pause)
      for (const worker of Object.values(cluster.workers ?? {})) {
        if (worker !== undefined && !worker.isDead()) stopWorker(worker)
      }
      await Promise.all(leaving)
    },
    kill() {
      isStopping = true
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
    },
    replace() {
      replacing ??= replaceAll().finally(() => {
        replacing = null
      })
      return replacing
    },
  }
}

/** The place of one worker and its successors. */
class Slot {
  worker: Worker | null = null
  pause: NodeJS.Timeout | undefined = undefined
  deaths = 0
}

function readyOf(worker: Worker): Promise<Ready> {
  return new Promise((resolve) => {
    worker.on('message', (sent: unknown) => {
      const message = readMessage(sent)
      if (message?.kind === 'ready') resolve(message)
    })
  })
}

function livingWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
}

function tellOthers(teller: Worker): void {
  for (const worker of livingWorkers()) {
    if (worker !== teller && worker.isConnected()) {
      worker.send({ kind: 'applications_changed' }, () => {})
    }
  }
}
