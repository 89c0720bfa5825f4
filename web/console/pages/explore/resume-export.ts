import { ApiError } from '#sdk/errors.ts'
import type { UsageExportInput } from '#sdk/generated/usage.ts'
import { ExportedRows } from './received-part-of-export.ts'

const triesMax = 3
const pauseMs = 500
const toldEveryMs = 100

export interface Progress {
  readonly rows: number
  readonly bytes: number
}

/** Kept until the user requests another export. */
export interface Export {
  readonly input: UsageExportInput
  readonly rows: ExportedRows
  /** A retry covers the same range. Null until the first response arrives. */
  readonly to: string | null
}

export function begun(input: UsageExportInput): Export {
  return { input, rows: new ExportedRows(input.format === 'csv' ? 'csv' : 'ndjson'), to: null }
}

/**
 * @param ask calls the API and returns the unread response
 * @param keep receives the state for a resumption after a failure
 * @throws the last error
 */
export async function exported(
  from: Export,
  {
    ask,
    keep,
    pause,
    signal,
    tell,
  }: {
    readonly ask: (input: UsageExportInput) => Promise<Response>
    readonly keep: (so: Export) => void
    readonly pause: (ms: number) => Promise<void>
    readonly signal: AbortSignal
    readonly tell: (progress: Progress) => void
  },
): Promise<Blob> {
  let now = from
  for (let tries = 0; ;) {
    const { lastId } = now.rows
    if (lastId === null) now = { ...now, rows: begun(now.input).rows }
    keep(now)
    const before = now.rows.rows
    try {
      const going = lastId !== null && now.to !== null ? { to: now.to, after: lastId } : {}
      // oxlint-disable-next-line no-await-in-loop -- the next response begins where this one ended
      const response = await ask({ ...now.input, ...going })
      now = { ...now, to: response.headers.get('x-export-to') ?? now.to }
      keep(now)
      // oxlint-disable-next-line no-await-in-loop -- as above
      await taken(response, now.rows, tell)
      return now.rows.file(response.headers.get('content-type') ?? 'application/octet-stream')
    } catch (error) {
      now.rows.breakOff()
      tell(now.rows)
      tries = now.rows.rows > before ? 0 : tries + 1
      // The server would reject a rejected request again.
      if (signal.aborted || error instanceof ApiError || tries >= triesMax) throw error
      // oxlint-disable-next-line no-await-in-loop -- as above
      await pause(pauseMs * (tries + 1))
      signal.throwIfAborted()
    }
  }
}

/** Reports the size at most ten times a second, and at the end. */
async function taken(
  response: Response,
  rows: ExportedRows,
  tell: (progress: Progress) => void,
): Promise<void> {
  if (!response.body) throw new Error('The response has no body.')
  const reader = response.body.getReader()
  let toldMs = -Infinity
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- piece by piece
    const { done, value } = await reader.read()
    if (done) break
    rows.take(value)
    if (performance.now() - toldMs < toldEveryMs) continue
    toldMs = performance.now()
    tell(rows)
  }
  tell(rows)
}
