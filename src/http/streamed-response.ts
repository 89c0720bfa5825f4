/**
 * Sends the body of a response while it is produced:
 *
 * - pull: when the socket can accept data, the next piece is produced in a separate turn of the event loop. Other
 *   requests can use the thread in between.
 * - recheck: the credential is checked before a piece is sent if credentials have changed in this process, or if the
 *   last check is at least a second old. (Another process may change credentials too.) While nothing is sent, the
 *   credential is checked every ten seconds. If the credential is no longer valid, the stream ends. Its last piece
 *   reports the reason, if possible.
 * - stall: if a client has read nothing for `stallMs`, the connection is closed.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '#domain/errors.ts'
import type { AnswerStream } from '#operations/kernel/response-stream.ts'
import type { OpenStreams } from './count-open-streams.ts'

export interface StreamLimits {
  /** Interval between checks of the caller's access while nothing is sent. */
  readonly recheckMs: number
  /** For this time, the result of a check also applies to the following pieces. */
  readonly verdictMs: number
  /** A client that has read nothing for this time is disconnected. */
  readonly stallMs: number
}

export const streamLimits: StreamLimits = { recheckMs: 10_000, verdictMs: 1_000, stallMs: 60_000 }

export interface Streaming extends StreamLimits {
  readonly open: OpenStreams
  /**
   * Checks the caller's access.
   * @throws Failure if the caller has lost access; any other error means that access could not be checked
   */
  readonly recheck: () => Promise<void>
  /** Null if the request has no socket, as in tests. */
  readonly disconnect: (() => void) | null
  /** Called if the stream fails. The connection is then closed before the response is complete. */
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
    // Read `credentialChanges` before the check, so that a change during the check causes another check.
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
  /**
   * Closes the connection without a last chunk, so that the client does not mistake the partial response for a complete
   * one.
   */
  const cut = (controller: ReadableStreamDefaultController, reason: unknown): void => {
    cleanUp()
    end(reason)
    pieces.return().catch(() => {})
    // Close the connection if possible. After an error of the stream, the web framework would write the error's message
    // into the response and end it normally.
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
            // If the stream must end, discard the current piece. The next piece is the last one and reports the reason.
            if (ending.signal.aborted) ({ done, value } = await pieces.next())
          }
          if (done === true || value === undefined) {
            cleanUp()
            controller.close()
            return
          }
          controller.enqueue(utf8.encode(value))
          stalled = setTimeout(
            () => cut(controller, new Error(`the client read nothing for ${stallMs} ms`)),
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
        end(new Error('the client has disconnected'))
        // Let the source of the pieces clean up. All work for which the source waits has been aborted.
        pieces.return().catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}
