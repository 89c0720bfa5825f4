import { readContainer } from '#wire/responses/code-containers.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import { ownerOf, type Caller } from '#gateway/call/caller-of-request.ts'
import type { ReservedCall } from '#gateway/call/call-state-types.ts'
import { openedContainer, targetWithFile } from '#gateway/call/use-of-stored-files.ts'
import { unknownObject } from '#gateway/call/unknown-object-failure.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { upstreamError } from '#gateway/relay/failure-with-provider-error.ts'
import type { FreeAnswer } from '#gateway/relay/write-response-to-client.ts'
import { serveFreeRequest } from './serve-free-request.ts'

export function serveContainer(arrival: Arrival): Promise<void> {
  return serveFreeRequest(arrival, (caller) => answerAbout(arrival, caller))
}

/** Files that code has created are deleted with their end user. */
export function keepCreatedFiles({ caller, plan, ports }: ReservedCall, files: Set<string>): Promise<void> {
  return ports.files.addCreated(ownerOf(caller), plan.source.account.id, files)
}

async function answerAbout(arrival: Arrival, caller: Caller): Promise<FreeAnswer> {
  const { query, container: asked } = arrival.route
  if (asked === undefined) throw new Error('the route has no container')
  const { id: shown, part } = asked
  const state = openedContainer(arrival, caller, 'openai', shown)
  const plan = targetWithFile(arrival, caller, state) ?? unknownObject('container', shown)
  const { id } = state
  const answer = await sendFreeRequest(arrival, plan, { container: { ...asked, id }, query })
  // The gateway's host must never serve a client's file as HTML, so the content type is neutral.
  if (part.endsWith('/content'))
    return { body: Buffer.from(answer, 'latin1'), contentType: 'application/octet-stream' }
  const body = readContainer(answer, { id, shown })
  if (body === null) throw upstreamError('its response cannot be read', plan)
  return { body }
}
