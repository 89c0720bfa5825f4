/** An export that goes on where its answer broke off, until it is whole or breaks off several times at one place. */
import { ApiError } from '#sdk/errors.ts'
import type { UsageExportInput } from '#sdk/generated/usage.ts'
import { ExportedRows } from './exported-rows.ts'

/** How often it goes on by itself without a row more. */
const triesMax = 3
const pauseMs = 500
const toldEveryMs = 100

export interface Progress {
  readonly rows: number
  readonly bytes: number
}

/** What came of an export so far; it is kept until another one is asked for. */
export interface Export {
  /** The question it answers. */
  readonly input: UsageExportInput
  readonly rows: ExportedRows
  /** What `to` was taken as, so that what goes on is of the same span; null: no answer came yet. */
  readonly to: string | null
}

export function begun(input: UsageExportInput): Export {
  return { input, rows: new ExportedRows(input.format === 'csv' ? 'csv' : 'ndjson'), to: null }
}

/**
 * Reads an export to its end.
 * @param ask asks the API, and answers the response unread
 * @param keep told what came, so that a person may let it go on after it was given up
 * @returns the file
 * @throws what broke it off in the end
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
    // What had not a single row is asked for anew: a file of heads alone has nothing to go on behind.
    if (lastId === null) now = { ...now, rows: begun(now.input).rows }
    keep(now)
    const before = now.rows.rows
    try {
      const going = lastId !== null && now.to !== null ? { to: now.to, after: lastId } : {}
      // oxlint-disable-next-line no-await-in-loop -- the next answer begins where this one ended
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
      // A refusal is an answer: asked again it is the same.
      if (signal.aborted || error instanceof ApiError || tries >= triesMax) throw error
      // oxlint-disable-next-line no-await-in-loop -- as above
      await pause(pauseMs * (tries + 1))
      signal.throwIfAborted()
    }
  }
}

/** Takes the whole body, and tells at most ten times a second how much there is; at the end in any case. */
async function taken(
  response: Response,
  rows: ExportedRows,
  tell: (progress: Progress) => void,
): Promise<void> {
  if (!response.body) throw new Error('The answer has no body.')
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
