/** `tollgate emitters trigger`: sends one sample event, to a receiver on this machine or through an emitter. */
import { Api } from '#cli/api-client.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { callOperation } from '#cli/operations/call-operation.ts'
import { operationById } from '#cli/operations/operation-table.ts'
import {
  exitCodeOf,
  forward,
  forwardAddress,
  forwardLine,
  type ForwardedBatch,
} from '#cli/output/forward-event-batches.ts'
import { settingsOf } from '#cli/settings/settings.ts'
import { usageError, type Terminal } from '#cli/terminal-interface.ts'

export async function emittersTrigger(
  emitterId: string | undefined,
  flags: CommonFlags & { readonly forwardTo?: string },
  terminal: Terminal,
): Promise<number> {
  if ((emitterId === undefined) === (flags.forwardTo === undefined)) {
    throw usageError('Set either the ID of an emitter, or the address of a receiver with --forward-to.')
  }
  if (emitterId !== undefined) {
    return callOperation(operationById('emitters.test'), [emitterId], { ...flags }, terminal)
  }
  const address = forwardAddress(flags.forwardTo)
  const { err, out } = terminal
  const batch = await new Api(settingsOf(flags, terminal), terminal).call<ForwardedBatch>('emitters.sample')
  const delivery = await forward(batch, address, terminal)
  if (flags.json !== true && err.isTerminal) err.write(`Signing secret: ${batch.signingSecret}\n`)
  out.write(flags.json === true ? `${JSON.stringify(delivery)}\n` : forwardLine(delivery, out))
  return exitCodeOf(delivery)
}
