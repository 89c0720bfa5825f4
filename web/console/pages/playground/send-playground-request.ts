import { wireRequest, type Asked } from '#sdk/client-snippets.ts'
import { eventsOf } from '#sdk/stream.ts'
import { faultIn, textIn, type WireFault } from './text-and-errors-in-responses.ts'

export interface Progress {
  readonly kind: 'sending' | 'answering' | 'done' | 'stopped' | 'failed'
  /** Null until the response starts. */
  readonly requestId: string | null
  readonly status: number | null
  readonly text: string
  readonly fault: WireFault | null
  readonly error: unknown
  readonly firstTokenMs: number | null
  readonly totalMs: number | null
}

export const notBegun: Progress = {
  kind: 'sending',
  requestId: null,
  status: null,
  text: '',
  fault: null,
  error: null,
  firstTokenMs: null,
  totalMs: null,
}

export async function runCall({
  asked,
  gateway,
  key,
  onProgress,
  signal,
}: {
  readonly asked: Asked
  readonly gateway: string
  readonly key: string
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}): Promise<Progress> {
  let now = notBegun
  const begunMs = performance.now()
  const tell = (change: Partial<Progress>): void => onProgress((now = { ...now, ...change }))
  const passed = (): number => Math.round(performance.now() - begunMs)
  const take = (document: unknown): void => {
    const fault = faultIn(document)
    const text = textIn(asked.wire, document)
    if (fault === null && text === '') return
    tell({
      ...(fault && { fault }),
      text: now.text + text,
      firstTokenMs: now.firstTokenMs ?? (text === '' ? null : passed()),
    })
  }
  try {
    const { body, headers, path } = wireRequest(asked, key)
    const response = await fetch(gateway.replace(/\/+$/, '') + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
      // The gateway ignores cookies.
      credentials: 'omit',
    })
    const requestId = response.headers.get('x-request-id') ?? response.headers.get('request-id')
    tell({ kind: 'answering', requestId, status: response.status })
    const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (isEvents && response.body) {
      for await (const { text } of eventsOf(textOf(response.body))) {
        const document = parsed(text)
        if (document !== undefined) take(document)
      }
    } else {
      const text = await response.text()
      const document = parsed(text)
      if (document === undefined) tell({ text })
      else take(document)
    }
    const isFine = response.ok && now.fault === null
    tell({ kind: isFine ? 'done' : 'failed', totalMs: passed() })
  } catch (error) {
    tell(
      signal.aborted ? { kind: 'stopped', totalMs: passed() } : { kind: 'failed', error, totalMs: passed() },
    )
  }
  return now
}

async function* textOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      yield decoder.decode(value, { stream: true })
    }
    yield decoder.decode()
  } finally {
    reader.releaseLock()
  }
}

/** Undefined if the text is not JSON, such as `[DONE]`. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
