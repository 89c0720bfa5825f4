import type { Operation } from '#cli/operations/operation-table.ts'
import { AnswerError, ApiError } from '#sdk/errors.ts'
import { call, type OperationId } from '../../operations/use-operation.ts'
import { scopeOptions, type Scope } from '../../application-and-mode.ts'

export interface Ran {
  readonly id: string
  readonly input: Readonly<Record<string, unknown>>
  readonly scope: Scope
  /** Null if the server did not respond to the operation. */
  readonly status: number | null
  readonly requestId: string | null
  readonly ms: number
  readonly text: string
  readonly isCut: boolean
}

export const linesMax = 100

/** @param onText called with the text received so far of a stream */
export async function run(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  scope: Scope,
  { onText, signal }: { readonly onText: (text: string) => void; readonly signal: AbortSignal },
): Promise<Ran> {
  const startMs = performance.now()
  const facts = { id: operation.id, input, scope }
  const ms = (): number => performance.now() - startMs
  try {
    const asked = call(operation.id as OperationId, input as never, {
      ...scopeOptions(scope),
      signal,
      // The result must come from a single request.
      maxRetries: 0,
    }) as unknown as { asResponse(): Promise<Response> }
    const response = await asked.asResponse()
    const isStream = operation.answer === 'events' || operation.answer === 'lines'
    const { isCut, text } = isStream
      ? await firstLines(response, signal, onText)
      : { isCut: false, text: pretty(await response.text()) }
    return {
      ...facts,
      status: response.status,
      requestId: response.headers.get('x-request-id'),
      ms: ms(),
      text,
      isCut,
    }
  } catch (error) {
    if (error instanceof ApiError || error instanceof AnswerError) {
      const { body, requestId, status } = error
      return { ...facts, status, requestId, ms: ms(), text: pretty(body), isCut: false }
    }
    const text = error instanceof Error ? error.message : 'No response.'
    return { ...facts, status: null, requestId: null, ms: ms(), text, isCut: signal.aborted }
  }
}

async function firstLines(
  response: Response,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  if (!reader) return { text, isCut: false }
  const stop = (): void => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', stop)
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- chunks are read in order
      const { done, value } = await reader.read()
      if (done) return { text, isCut: signal.aborted }
      text += value
      const lines = text.split('\n')
      if (lines.length > linesMax) {
        stop()
        return { text: lines.slice(0, linesMax).join('\n'), isCut: true }
      }
      onText(text)
    }
  } catch (error) {
    if (signal.aborted) return { text, isCut: true }
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
