/**
 * The body of an answer that is made while it is sent:
 *
 *   pull       the socket has room: the next piece is made, on a turn of its own, since other requests need the thread
 *   recheck    the credential may have ended: the stream is told, says so in its last piece if it can, and ends. Asked
 *              before a piece is sent if credentials have changed in this process, at most once a second otherwise
 *              (another process may have changed them), and every few seconds while nothing is sent
 *   stall      a client that takes nothing for so long has left, and its connection is cut
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '#domain/errors.ts'
import type { AnswerStream } from '#operations/answer-stream.ts'
import type { OpenStreams } from './open-streams.ts'

export interface StreamLimits {
  /** How often it is asked whether the caller may still have the answer, while nothing is sent, in milliseconds. */
  readonly recheckMs: number
  /** How long a verdict counts for the pieces that follow, in milliseconds. */
  readonly verdictMs: number
  /** A client that takes nothing for so long is cut off, in milliseconds. */
  readonly stallMs: number
}

export const streamLimits: StreamLimits = { recheckMs: 10_000, verdictMs: 1_000, stallMs: 60_000 }

export interface Streaming extends StreamLimits {
  readonly open: OpenStreams
  /** @throws Failure the caller may have no more of it; any other error says nothing about that */
  readonly recheck: () => Promise<void>
  /** Closes the connection at once; null: there is none. */
  readonly disconnect: (() => void) | null
  /** The stream broke, and the answer is cut. */
  readonly onBroken: (error: unknown) => void
}

export function streamedBody(
  stream: AnswerStream,
  { disconnect, onBroken, open, recheck, recheckMs, stallMs, verdictMs }: Streaming,
): ReadableStream<Uint8Array> {
  const ending = new AbortController()
  const pieces = stream.pieces(ending.signal)
  const { stopping } = open
  const ended = open.begin()
  let stalled: NodeJS.Timeout | null = null
  const end = (reason: unknown): void => {
    if (!ending.signal.aborted) ending.abort(reason)
  }
  const stop = (): void => end(new Failure('draining'))
  let verdict = { atMs: performance.now(), changes: open.credentialChanges }
  const ask = async (): Promise<void> => {
    // Read before it is asked, so that a change meanwhile is asked for again.
    verdict = { atMs: performance.now(), changes: open.credentialChanges }
    try {
      await recheck()
    } catch (error) {
      if (error instanceof Failure) end(error)
    }
  }
  const isOld = (): boolean =>
    verdict.changes !== open.credentialChanges || performance.now() - verdict.atMs >= verdictMs
  const checking = setInterval(() => void ask(), recheckMs)
  checking.unref()
  const cleanUp = (): void => {
    clearInterval(checking)
    if (stalled !== null) clearTimeout(stalled)
    stopping.removeEventListener('abort', stop)
    stream.leave?.()
    ended()
  }
  if (stopping.aborted) stop()
  else stopping.addEventListener('abort', stop)
  const utf8 = new TextEncoder()
  /** No last chunk is written, so that the client does not take a part for the whole. */
  const cut = (controller: ReadableStreamDefaultController, reason: unknown): void => {
    cleanUp()
    end(reason)
    pieces.return().catch(() => {})
    // The web framework would write an errored stream's message into the answer, and end it as if it were whole.
    if (disconnect === null) controller.error(reason)
    else disconnect()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (stalled !== null) clearTimeout(stalled)
        try {
          await nextTurn()
          let { done, value } = await pieces.next()
          if (done !== true && isOld()) {
            await ask()
            // The piece is not sent any more; what follows is the stream's last word.
            if (ending.signal.aborted) ({ done, value } = await pieces.next())
          }
          if (done === true || value === undefined) {
            cleanUp()
            controller.close()
            return
          }
          controller.enqueue(utf8.encode(value))
          stalled = setTimeout(
            () => cut(controller, new Error(`the client took nothing for ${stallMs} ms`)),
            stallMs,
          )
          stalled.unref()
        } catch (error) {
          if (!ending.signal.aborted) onBroken(error)
          cut(controller, error)
        }
      },
      cancel() {
        cleanUp()
        end(new Error('the client has left'))
        // Runs what the pieces clean up; what they wait for has been told.
        pieces.return().catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}
