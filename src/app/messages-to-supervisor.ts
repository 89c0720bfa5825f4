import cluster from 'node:cluster'
import type { Founded } from '#operations/organizations/shared/create-organization.ts'
import type { MetricJson } from '#telemetry/counters-and-distributions.ts'
import type { Siblings } from './sibling-workers-interface.ts'
import type { Tollgate } from './start-tollgate.ts'

export interface Ready {
  readonly kind: 'ready'
  readonly baseUrl: string
  readonly setup: Founded | null
}

/** A worker requests the metrics of all workers, and the supervisor those of one worker. */
interface MetricsWanted {
  readonly kind: 'metrics_wanted'
  readonly id: number
}

export interface MetricsTold {
  readonly kind: 'metrics'
  readonly id: number
  /** A worker sends its own metrics. The supervisor sends the metrics of all workers. */
  readonly processes: readonly (readonly MetricJson[])[]
}

type Message =
  | Ready
  | { readonly kind: 'stop' }
  | { readonly kind: 'applications_changed' }
  | MetricsWanted
  | MetricsTold

const kinds: ReadonlySet<unknown> = new Set<Message['kind']>([
  'ready',
  'stop',
  'applications_changed',
  'metrics_wanted',
  'metrics',
])

/** Null for messages that node:cluster itself sends. */
export function readMessage(sent: unknown): Message | null {
  if (typeof sent !== 'object' || sent === null || !('kind' in sent)) return null
  const { kind } = sent
  // Both processes run this program, so the kind implies the fields.
  return kinds.has(kind) ? (sent as Message) : null
}

export const isWorker = cluster.isWorker

export function siblingsOfWorker(): Siblings {
  return {
    tellApplicationsChanged: () => send({ kind: 'applications_changed' }),
    onApplicationsChanged(listener) {
      process.on('message', (sent) => {
        if (readMessage(sent)?.kind === 'applications_changed') listener()
      })
    },
    metricsOfAll: metricsAsker(),
    onMetricsWanted(read) {
      process.on('message', (sent) => {
        const message = readMessage(sent)
        if (message?.kind !== 'metrics_wanted') return
        const { id } = message
        // The supervisor skips a worker that does not report.
        void read().then(
          (metrics) => send({ kind: 'metrics', id, processes: [metrics] }),
          () => {},
        )
      })
    },
  }
}

/** If the requests of several scrapes overlap, each scrape gets its own response. */
function metricsAsker(): Siblings['metricsOfAll'] {
  const asked = new Map<number, (processes: MetricsTold['processes']) => void>()
  let asks = 0
  process.on('message', (sent) => {
    const message = readMessage(sent)
    if (message?.kind !== 'metrics') return
    asked.get(message.id)?.(message.processes)
    asked.delete(message.id)
  })
  return () =>
    new Promise((resolve, reject) => {
      const id = ++asks
      const timer = setTimeout(() => {
        asked.delete(id)
        reject(new Error('the supervisor does not return the metrics of the workers'))
      }, supervisorMsMax)
      asked.set(id, (processes) => {
        clearTimeout(timer)
        resolve(processes)
      })
      send({ kind: 'metrics_wanted', id })
    })
}

/** Longer than the supervisor waits for a busy worker (worker-metrics.ts). */
const supervisorMsMax = 5_000

export function tellReady({ baseUrl, setup }: Tollgate): void {
  send({ kind: 'ready', baseUrl, setup })
}

export function onStop(stop: () => void): void {
  process.on('message', (sent) => {
    if (readMessage(sent)?.kind === 'stop') stop()
  })
}

function send(message: Message): void {
  // Without a supervisor, this process ends by itself (node:cluster), so ignore errors.
  process.send?.(message, undefined, undefined, () => {})
}
