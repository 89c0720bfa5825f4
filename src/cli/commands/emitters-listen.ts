/**
 * `tollgate emitters listen --forward-to URL`: posts every batch of usage events to a receiver on this machine, and
 * prints the results. The server creates and signs the batches, as for a webhook emitter.
 */
import { routeOf, senderOf } from '#cli/api-client.ts'
import { operationById } from '#cli/operations/operation-table.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { inputOf } from '#cli/operations/operation-flags.ts'
import {
  forward,
  forwardAddress,
  forwardLine,
  type ForwardedBatch,
} from '#cli/output/forward-event-batches.ts'
import { isRow } from '#cli/output/aligned-table.ts'
import { harmless } from '#cli/output/text-width.ts'
import { settingsOf } from '#cli/settings/settings.ts'
import { CommandError, exit, type Terminal } from '#cli/terminal-interface.ts'
import { CancelledError } from '#sdk/errors.ts'
import { streamEvents } from '#sdk/stream-calls.ts'
import { inSeconds, reconnectionDelayMs } from './reconnection-delay.ts'

const longestWaitMs = 10_000

export async function emittersListen(
  flags: CommonFlags & { readonly forwardTo?: string } & Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<number> {
  const { clock, err, out, signal } = terminal
  const address = forwardAddress(flags.forwardTo)
  const operation = operationById('emitters.listen')
  const settings = settingsOf(flags, terminal)
  const sender = senderOf(settings, terminal)
  const input = inputOf(operation, flags, null, clock.now())
  const isJson = flags.json === true
  let isFirst = true
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    let delayMs = waitMs
    try {
      const stream = streamEvents(sender, routeOf(operation), input, { signal })
      for await (const { data, event } of stream.entries()) {
        waitMs = 500
        if (event === 'listening' && isFirst) {
          isFirst = false
          const secret = isRow(data) ? String(data['signingSecret']) : ''
          if (isJson) out.write(`${JSON.stringify({ signingSecret: secret })}\n`)
          else {
            err.write(
              `Forwarding usage events of ${settings.mode.value} mode to ${address}. Stop with Ctrl-C.\n`,
            )
            err.write(`Signing secret: ${harmless(secret)}\n`)
          }
        }
        if (event === 'batch') {
          // The cast is safe, because the server sends what the OpenAPI document declares.
          const batch = data as ForwardedBatch
          const delivery = await forward(batch, address, terminal)
          out.write(isJson ? `${JSON.stringify(delivery)}\n` : forwardLine(delivery, out))
          await out.drained()
        }
        if (event === 'dropped' || event === 'ended') {
          const message = isRow(data) && typeof data['message'] === 'string' ? data['message'] : event
          err.write(`${harmless(message)}\n`)
        }
        if (event === 'ended') throw new CommandError('The server ended the stream.', exit.signIn)
      }
    } catch (error) {
      if (error instanceof CancelledError || signal.aborted) return exit.ok
      const askedMs = reconnectionDelayMs(error, waitMs, clock)
      if (askedMs === null || isFirst) throw error
      delayMs = askedMs
    }
    if (!isJson) {
      err.write(
        `The connection was lost. Reconnecting${inSeconds(delayMs)}. Requests that settle in the meantime are skipped.\n`,
      )
    }
    try {
      await clock.sleep(delayMs, signal)
    } catch {
      return exit.ok
    }
  }
}
