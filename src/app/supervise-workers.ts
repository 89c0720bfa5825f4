/**
 * `serve --workers N`: one process that supervises N workers and serves no requests itself. Workers run the same
 * command and share all ports and the database, but nothing else. If a worker dies, the sweeper of another worker ends
 * the requests of the dead worker.
 *
 * - start: the first worker starts alone, migrates the store and creates the first organization. If it fails, the
 *   server ends.
 * - death: a new worker starts after a pause. The pause doubles with each death, and is reset when a worker has run for
 *   long enough.
 * - SIGTERM: all workers stop when their requests have ended. A second SIGTERM kills the workers.
 * - SIGHUP: each worker is replaced by a new worker. The old worker is asked to stop when the new worker is ready.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Founded } from '#operations/organizations/shared/create-organization.ts'
import type { Logger } from '#domain/log-interface.ts'
import type { Config } from './server-configuration.ts'
import { steadyPort } from './listening-ports.ts'
import { readMessage, type Ready } from './messages-to-supervisor.ts'
import { WorkerMetrics } from './worker-metrics.ts'

const pauseMsMin = 100
const pauseMsMax = 30_000
/** After this time, a worker counts as successfully started. */
const healthyMs = 60_000

export interface Supervised {
  readonly baseUrl: string
  /** Whether all workers started. False if `stop` was called earlier. Rejects if a worker does not start. */
  readonly allReady: Promise<boolean>
  readonly setup: Founded | null
  stop(): Promise<void>
  kill(): void
  /** Replaces all workers, one after the other. A second call in the meantime changes nothing. */
  replace(): Promise<void>
}

export interface SuperviseOptions {
  readonly config: Config
  readonly workers: number
  readonly data: string | undefined
  readonly log: Logger
}

/**
 * Resolves when the first worker serves requests, so that a signal can stop it while the others start.
 * @throws if the first worker does not start; the worker has already logged the reason
 */
export async function supervise({ config, data, log, workers }: SuperviseOptions): Promise<Supervised> {
  if (config.databaseUrl === null) {
    throw new Error(
      'The embedded store allows one writer process. Set DATABASE_URL to a PostgreSQL database, or omit --workers',
    )
  }
  // Let each worker accept its own connections. If this process distributed them, a connection for a dead worker would
  // neither be served nor closed.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // All workers must listen on the same port, so choose a free port here.
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
      else if (read?.kind === 'ready') metrics.ready(worker)
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
        'worker exited unexpectedly; starting another worker',
      )
    })
    return Promise.race([
      readyOf(worker),
      once(worker, 'exit').then(() => Promise.reject(new Error('a worker exited before it was ready'))),
    ])
  }

  const forkLater = (slot: Slot): number => {
    const pauseMs = Math.min(pauseMsMax, pauseMsMin * 2 ** slot.deaths++)
    slot.pause = setTimeout(() => {
      // A worker that ends before it is ready is handled like any other worker that ends.
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
    // Further workers would probably fail for the same reason.
    isStopping = true
    clearTimeout(firstSlot.pause)
    throw cause
  }
  const allReady = Promise.all(others.map((slot) => fork(slot))).then(
    () => !isStopping,
    (cause: unknown) => {
      if (!isStopping) throw cause
      return false
    },
  )

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
        // The new worker did not start, so keep the old worker. If the old worker has died, try again later, unless
        // the server is stopping and has therefore stopped both workers.
        clearTimeout(slot.pause)
        slot.worker = old
        if (isStopping) return
        if (old === null || old.isDead()) forkLater(slot)
        throw cause
      }
      if (old !== null && !old.isDead()) stopWorker(old)
    }
  }

  return {
    baseUrl: first.baseUrl,
    setup: first.setup,
    allReady,
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

/** Holds one running worker, and later the workers that replace it. */
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
