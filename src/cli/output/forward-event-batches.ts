/** The command line, and not the server, posts these batches to a receiver. */
import { isIPv4 } from 'node:net'
import { exit, usageError, type Screen, type Terminal } from '#cli/terminal-interface.ts'
import { paint } from './terminal-colors.ts'
import { timeText } from './aligned-table.ts'
import { harmless, padEnd, padStart } from './text-width.ts'

export interface ForwardedBatch {
  readonly batchId: string
  readonly events: number
  readonly usageRecordIds: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signingSecret: string
}

export interface Forwarded {
  readonly sentAt: string
  readonly batchId: string
  readonly events: number
  readonly delivered: boolean
  /** Null if the receiver sent no response. */
  readonly status: number | null
  /** Null if the receiver accepted the batch. */
  readonly reason: string | null
  readonly latencyMs: number
}

const timeoutMs = 10_000

/** @throws CommandError unless the text is an http or https URL */
export function forwardAddress(text: string | undefined): string {
  if (text === undefined) throw usageError('Missing: --forward-to, the address of your receiver.')
  // Accept short forms: `3000/hook` and `localhost:3000/hook`.
  const [host = ''] = text.split(/[/:]/)
  const whole = /^\d+(\/|$)/.test(text)
    ? `http://localhost:${text}`
    : host === 'localhost' || isIPv4(host)
      ? `http://${text}`
      : text
  const url = URL.canParse(whole) ? new URL(whole) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      `--forward-to must be an http or https address, like http://localhost:3000/hook, but is ${text}.`,
    )
  }
  return url.href
}

export async function forward(
  batch: ForwardedBatch,
  address: string,
  { clock, fetch, signal }: Pick<Terminal, 'clock' | 'fetch' | 'signal'>,
): Promise<Forwarded> {
  const startedMs = clock.now()
  const ended = (status: number | null, reason: string | null): Forwarded => ({
    sentAt: new Date(startedMs).toISOString(),
    batchId: batch.batchId,
    events: batch.events,
    delivered: reason === null,
    status,
    reason,
    latencyMs: Math.round(clock.now() - startedMs),
  })
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { ...batch.headers },
      body: batch.body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    await response.body?.cancel()
    return ended(response.status, response.ok ? null : `the receiver returned ${response.status}`)
  } catch (error) {
    if (signal.aborted) throw error
    return ended(null, reasonOf(error))
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `no response within ${timeoutMs / 1_000} s`
  const { cause }: { readonly cause?: unknown } = error instanceof Error ? error : {}
  return cause instanceof Error ? cause.message : error instanceof Error ? error.message : String(error)
}

export function forwardLine(
  { batchId, delivered, events, latencyMs, reason, sentAt, status }: Forwarded,
  screen: Screen,
): string {
  const cells = [
    timeText(sentAt).slice(11),
    paint(screen, delivered ? 'green' : 'red', padEnd(status === null ? '---' : String(status), 3)),
    padStart(`${latencyMs} ms`, 9),
    padStart(`${events} ${events === 1 ? 'event' : 'events'}`, 10),
    batchId,
    ...(reason === null ? [] : [harmless(reason)]),
  ]
  return `${cells.join('  ')}\n`
}

export function exitCodeOf({ delivered }: Pick<Forwarded, 'delivered'>): number {
  return delivered ? exit.ok : exit.failed
}
