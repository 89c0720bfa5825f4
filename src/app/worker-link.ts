/** Messages between a worker and its supervisor (supervise-workers.ts). */
import cluster from 'node:cluster'
import type { Founded } from '#operations/organizations/found.ts'
import type { Siblings, Tollgate } from './tollgate.ts'

export interface Ready {
  readonly kind: 'ready'
  readonly baseUrl: string
  readonly setup: Founded | null
}

type Message = Ready | { readonly kind: 'stop' } | { readonly kind: 'applications_changed' }

/** Null: not ours; node:cluster has messages of its own. */
export function readMessage(sent: unknown): Message | null {
  if (typeof sent !== 'object' || sent === null || !('kind' in sent)) return null
  const { kind } = sent
  // Both ends are this program, in one version: the kind implies the fields.
  return kind === 'ready' || kind === 'stop' || kind === 'applications_changed' ? (sent as Message) : null
}

export const isWorker = cluster.isWorker

/** The other workers, as the server in this one sees them. */
export function siblingsOfWorker(): Siblings {
  return {
    tellApplicationsChanged: () => send({ kind: 'applications_changed' }),
    onApplicationsChanged(listener) {
      process.on('message', (sent) => {
        if (readMessage(sent)?.kind === 'applications_changed') listener()
      })
    },
  }
}

export function tellReady({ baseUrl, setup }: Tollgate): void {
  send({ kind: 'ready', baseUrl, setup })
}

export function onStop(stop: () => void): void {
  process.on('message', (sent) => {
    if (readMessage(sent)?.kind === 'stop') stop()
  })
}

function send(message: Message): void {
  // Errors are ignored: without a supervisor this process ends by itself (node:cluster).
  process.send?.(message, undefined, undefined, () => {})
}
