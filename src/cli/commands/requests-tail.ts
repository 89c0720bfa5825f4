/**
 * `tollgate requests tail`: prints a line for each finished request. If the stream breaks, the command resumes after
 * the last event, so that no request is missed.
 */
import { routeOf, senderOf } from '#cli/api-client.ts'
import { operationById } from '#cli/operations/operation-table.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { inputOf } from '#cli/operations/operation-flags.ts'
import { moneyText } from '#cli/output/dollars-and-micros.ts'
import { paint } from '#cli/output/terminal-colors.ts'
import { isRow, timeText, type Row } from '#cli/output/aligned-table.ts'
import { cut, harmless, padEnd, padStart } from '#cli/output/text-width.ts'
import { settingsOf } from '#cli/settings/settings.ts'
import { CommandError, exit, type Screen, type Terminal } from '#cli/terminal-interface.ts'
import { CancelledError } from '#sdk/errors.ts'
import { streamEvents } from '#sdk/stream-calls.ts'
import { inSeconds, reconnectionDelayMs } from './reconnection-delay.ts'

const longestWaitMs = 10_000

export async function requestsTail(
  flags: CommonFlags & { readonly ndjson?: boolean } & Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<number> {
  const { clock, err, out, signal } = terminal
  const operation = operationById('requests.tail')
  const sender = senderOf(settingsOf(flags, terminal), terminal)
  const input = inputOf(operation, flags, null, clock.now())
  const isJson = flags.json === true || flags.ndjson === true
  let lastId: string | null = null
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    let delayMs = waitMs
    try {
      const headers: Record<string, string> = lastId === null ? {} : { 'last-event-id': lastId }
      // The time limit applies only until the stream begins, because the stream does not end by itself.
      const stream = streamEvents(sender, routeOf(operation), input, { signal, headers })
      await stream.opened()
      if (lastId === null && err.isTerminal) err.write('Waiting for requests to finish. Stop with Ctrl-C.\n')
      for await (const { data, event, id } of stream.entries()) {
        lastId = id ?? lastId
        waitMs = 500
        const row: Row = isRow(data) ? data : {}
        if (event === 'call') out.write(isJson ? `${JSON.stringify(data)}\n` : callLine(row, out))
        else err.write(`${harmless(typeof row['message'] === 'string' ? row['message'] : (event ?? ''))}\n`)
        if (event === 'ended') throw new CommandError('The server ended the stream.', exit.signIn)
        await out.drained()
      }
    } catch (error) {
      if (error instanceof CancelledError || signal.aborted) return exit.ok
      const askedMs = reconnectionDelayMs(error, waitMs, clock)
      if (askedMs === null || lastId === null) throw error
      delayMs = askedMs
    }
    if (err.isTerminal)
      err.write(`The connection was lost. Resuming after the last request${inSeconds(delayMs)}.\n`)
    try {
      await clock.sleep(delayMs, signal)
    } catch {
      return exit.ok
    }
  }
}

function callLine(call: Row, screen: Screen): string {
  const text = (name: string): string => {
    const value = call[name]
    return typeof value === 'string' || typeof value === 'number' ? harmless(String(value)) : '-'
  }
  const status = text('status')
  const charge = call['chargeMicros']
  const style = status === 'settled' ? 'green' : 'red'
  const code = text('errorCode')
  // Columns that do not fit on the line with the ID are omitted.
  const room = screen.columns ?? Infinity
  const cells = [
    timeText(text('createdAt')).slice(11),
    paint(screen, style, padEnd(text('httpStatus'), 3)),
    ...(room >= 98 ? [padEnd(cut(text('endUserId'), 16), 16)] : []),
    padEnd(cut(text('requestedModel'), 20), 20),
    ...(room >= 123 ? [padStart(`${text('inputTokens')}/${text('outputTokens')}`, 12)] : []),
    ...(room >= 123 ? [padStart(`${text('latencyMs')} ms`, 9)] : []),
    padStart(typeof charge === 'string' ? moneyText(charge) : '-', 11),
    text('id'),
    ...(code !== '-' && room >= 150 ? [code] : []),
  ]
  return `${cells.join('  ')}\n`
}
