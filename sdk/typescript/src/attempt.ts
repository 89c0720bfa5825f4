/** One try: a request, and its answer within the time that it may take. */
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
  /** Of the caller. */
  readonly signal: AbortSignal | undefined
  /** The most that this try may take. */
  readonly timeoutMs: number
}

/** A success. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly requestId: string | null
  /** Whole; empty for an answer that is streamed. */
  readonly bytes: ArrayBuffer
  /** As it comes; null: `bytes` has it whole. */
  readonly stream: ReadableStream<Uint8Array> | null
  /** The caller's signal cancels the stream until then. */
  readonly release: () => void
}

/**
 * @param isStreamed true: the time ends with the head of the answer, and its body is passed on as it comes
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
  // Longer than any timer can be is without a limit.
  const timer =
    timeoutMs <= 0x7fffffff
      ? setTimeout(() => {
          isLate = true
          own.abort()
        }, timeoutMs)
      : undefined
  let isPassedOn = false
  try {
    // A redirect is not followed: it would take the token and the body to another address.
    const response = await send(url, { method, headers, body, redirect: 'manual', signal: own.signal })
    const facts = {
      status: response.status,
      headers: response.headers,
      requestId: response.headers.get('x-request-id'),
      release,
    }
    if (isStreamed && response.ok && response.body) {
      isPassedOn = true
      return { ...facts, bytes: new ArrayBuffer(0), stream: response.body }
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
  if (isLate) return new TimeoutError(`${id}: there was no whole answer within ${timeoutMs} ms.`, { cause })
  return new ConnectionError(`${id}: the connection failed before there was a whole answer.`, { cause })
}

export function cancelled(id: string, signal: AbortSignal): CancelledError {
  return new CancelledError(`${id} was cancelled.`, { cause: signal.reason })
}

/** The answer's JSON; null: it has no body. */
export function jsonOf(id: string, answer: Answer): unknown {
  const { bytes, headers, requestId, status } = answer
  if (bytes.byteLength === 0) return null
  const body = new TextDecoder().decode(bytes)
  const type = headers.get('content-type') ?? ''
  const facts = { status, headers, requestId, body }
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    const hint = 'is this the address of the control plane?'
    throw new AnswerError(`${id}: the answer is ${type || 'of no type'} and no JSON; ${hint}`, facts)
  }
  try {
    const json: unknown = JSON.parse(body)
    return json
  } catch (cause) {
    throw new AnswerError(`${id}: the answer is cut off, or no JSON.`, facts, { cause })
  }
}
