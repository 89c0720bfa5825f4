/** Sends a request once and receives its response within the time limit. */
import { apiError } from './api-error.ts'
import {
  AnswerError,
  ApiError,
  CancelledError,
  ConnectionError,
  TimeoutError,
  type TollgateError,
} from './errors.ts'
import type { Prepared } from './request.ts'

export interface Limits {
  /** The caller's abort signal. */
  readonly signal: AbortSignal | undefined
  /** Maximum duration of this attempt. */
  readonly timeoutMs: number
}

/** A successful response. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly requestId: string | null
  /** The complete body. Empty if the response is streamed. */
  readonly bytes: ArrayBuffer
  /** The body of a streamed response. Null if `bytes` has the complete body. */
  readonly stream: ReadableStream<Uint8Array> | null
  /** Call this function at the end of the stream. Until then, the caller's signal can cancel the stream. */
  readonly release: () => void
}

/**
 * @param isStreamed whether the body is returned as it arrives, and the time limit covers only the headers
 * @throws ConnectionError, CancelledError, ApiError
 */
export async function attempt(
  { body, headers, id, method, url }: Prepared,
  { signal, timeoutMs }: Limits,
  send: typeof fetch,
  isStreamed: boolean,
): Promise<Answer> {
  const own = new AbortController()
  const giveUp = (): void => own.abort(signal?.reason)
  const release = (): void => signal?.removeEventListener('abort', giveUp)
  if (signal?.aborted) giveUp()
  signal?.addEventListener('abort', giveUp, { once: true })
  let isLate = false
  // If the duration is longer than the maximum of a timer, the attempt has no time limit.
  const timer =
    timeoutMs <= 0x7fffffff
      ? setTimeout(() => {
          isLate = true
          own.abort()
        }, timeoutMs)
      : undefined
  let isPassedOn = false
  try {
    // Do not follow redirects, because they would send the token and the body to another address.
    const response = await send(url, { method, headers, body, redirect: 'manual', signal: own.signal })
    const facts = {
      status: response.status,
      headers: response.headers,
      requestId: response.headers.get('x-request-id'),
      release,
    }
    if (isStreamed && response.ok && response.body) {
      isPassedOn = true
      // `pipeThrough` locks the body. When Node collects a response as garbage, Node cancels the response's unlocked
      // body, and the stream would end without an error.
      return { ...facts, bytes: new ArrayBuffer(0), stream: response.body.pipeThrough(new TransformStream()) }
    }
    const bytes = await response.arrayBuffer()
    if (response.ok) return { ...facts, bytes, stream: null }
    throw apiError({ ...facts, body: new TextDecoder().decode(bytes) })
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw failure(id, { cause, isLate, signal, timeoutMs })
  } finally {
    clearTimeout(timer)
    if (!isPassedOn) release()
  }
}

interface Ended extends Limits {
  readonly cause: unknown
  readonly isLate: boolean
}

function failure(id: string, { cause, isLate, signal, timeoutMs }: Ended): TollgateError {
  if (signal?.aborted) return cancelled(id, signal)
  if (isLate)
    return new TimeoutError(`${id}: the response was not complete within ${timeoutMs} ms.`, { cause })
  return new ConnectionError(`${id}: the connection failed before the response was complete.`, { cause })
}

export function cancelled(id: string, signal: AbortSignal): CancelledError {
  return new CancelledError(`${id} was canceled.`, { cause: signal.reason })
}

/** Returns the parsed JSON of the response. Null if the response has no body. */
export function jsonOf(id: string, answer: Answer): unknown {
  const { bytes, headers, requestId, status } = answer
  if (bytes.byteLength === 0) return null
  const body = new TextDecoder().decode(bytes)
  const type = headers.get('content-type') ?? ''
  const facts = { status, headers, requestId, body }
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    const hint = 'Check that baseUrl is the address of the control plane.'
    throw new AnswerError(`${id}: the response is ${type || 'of no type'} and not JSON. ${hint}`, facts)
  }
  try {
    const json: unknown = JSON.parse(body)
    return json
  } catch (cause) {
    throw new AnswerError(`${id}: the response is incomplete or not JSON.`, facts, { cause })
  }
}
