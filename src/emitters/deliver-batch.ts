import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { type Delivery, deliveryBodyMax } from '#domain/emitters/emitter-records-and-ports.ts'
import type { EmitterSecrets } from './decrypt-emitter-secrets.ts'
import { type Batch, payloadShapes } from './payload-format-by-emitter-kind.ts'

export interface Poster {
  send(post: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly timeoutMs: number
    readonly signal: AbortSignal
  }): Promise<PosterAnswer>
  close(): void
}

export type PosterAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

const timeoutMs = 10_000
/** Before the second and the third attempt. The third attempt is the last. */
const pausesMs = [200, 400] as const
/** After these HTTP statuses, a retry may succeed. Any other status is final. */
export const retriedStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

export interface DeliverPorts {
  readonly poster: Poster
  readonly nowMs: () => number
  readonly signal: AbortSignal
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Delivers a batch in up to three attempts. Every attempt has the same body and a new signature. A rejected URL, such
 * as a destination inside a private network, is a configuration error and is not retried.
 * @returns null if the signal aborted the delivery; the outcome is then unknown
 */
export async function deliver(
  batch: Batch,
  { current: secret, former }: EmitterSecrets,
  { nowMs, pause = waitFor, poster, signal }: DeliverPorts,
): Promise<Omit<Delivery, 'reason'> | null> {
  const shape = payloadShapes[batch.emitter.kind]
  const body = JSON.stringify(shape.body(batch))
  const createdAtMs = nowMs()
  const startedMs = performance.now()
  const attempt = async (): Promise<PosterAnswer> => {
    let own = secret
    if (shape.session !== undefined) {
      const { headers, secretIn, url } = shape.session
      const opened = await poster.send({
        url,
        headers: headersOf(headers(secret)),
        body: '{}',
        timeoutMs,
        signal,
      })
      if (opened.kind !== 'answered' || !isAccepted(opened.status)) return opened
      const found = secretIn(jsonOf(opened.text))
      if (found === null) return { kind: 'failed', reason: 'the vendor opened no session' }
      own = found
    }
    const headers = shape.headers({ batchId: batch.id, body, secret: own, former, nowMs: nowMs() })
    return poster.send({
      url: batch.emitter.destination,
      headers: { ...headersOf(headers), 'content-type': shape.contentType },
      body,
      timeoutMs,
      signal,
    })
  }
  let attempts = 0
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each attempt follows the failure of the previous one
    const answer = await attempt()
    if (signal.aborted) return null
    attempts += 1
    const pauseMs = pausesMs[attempts - 1]
    if (pauseMs === undefined || !mayBeOther(answer)) {
      return {
        id: batch.id,
        createdAtMs,
        callIds: batch.events.map(({ callId }) => callId),
        attempts,
        ...outcomeOf(answer),
        ...bodiesOf(answer, body, secret),
        latencyMs: Math.round(performance.now() - startedMs),
      }
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    await pause(pauseMs, signal)
    if (signal.aborted) return null
  }
}

function mayBeOther(answer: PosterAnswer): boolean {
  return answer.kind === 'failed' || (answer.kind === 'answered' && retriedStatuses.has(answer.status))
}

function outcomeOf(answer: PosterAnswer): Pick<Delivery, 'isDelivered' | 'httpStatus' | 'failure'> {
  if (answer.kind !== 'answered') return { isDelivered: false, httpStatus: null, failure: answer.reason }
  const isDelivered = isAccepted(answer.status)
  const failure = isDelivered ? null : `it returned ${answer.status}${hintOf(answer.status)}`
  return { isDelivered, httpStatus: answer.status, failure }
}

function bodiesOf(
  answer: PosterAnswer,
  body: string,
  secret: string,
): Pick<Delivery, 'requestBody' | 'responseBody'> {
  if (answer.kind === 'answered' && isAccepted(answer.status))
    return { requestBody: null, responseBody: null }
  // A destination may repeat the secret in its response.
  const text = answer.kind === 'answered' ? answer.text.replaceAll(secret, '…') : null
  return {
    requestBody: body.slice(0, deliveryBodyMax.request),
    responseBody: text?.slice(0, deliveryBodyMax.response).toWellFormed().replaceAll('\u0000', '') ?? null,
  }
}

function hintOf(status: number): string {
  if (status >= 300 && status < 400) return ', and redirects are not followed'
  return status === 401 || status === 403 ? ', so the credential was rejected' : ''
}

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300
}

function headersOf(own: Readonly<Record<string, string>>): Record<string, string> {
  return { 'user-agent': 'tollgate', 'content-type': 'application/json', ...own }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, null, { signal }).catch(() => {})
}
