import { readContainer } from '#wire/responses/containers.ts'
import type { Arrival } from '#gateway/call/arrived-request.ts'
import type { Caller } from '#gateway/call/caller.ts'
import { openedContainer, targetWithFile } from '#gateway/call/stored-files.ts'
import { unknownObject } from '#gateway/call/unknown-object.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { upstreamError } from '#gateway/relay/upstream-failure.ts'
import type { FreeAnswer } from '#gateway/relay/write-response.ts'
import { serveFreeRequest } from './serve-free-request.ts'

/**
 * Describes or deletes a container in which a provider runs code for the caller, or returns the files that code has
 * created in it. These requests are free.
 */
export function serveContainer(arrival: Arrival): Promise<void> {
  return serveFreeRequest(arrival, (caller) => answerAbout(arrival, caller))
}

async function answerAbout(arrival: Arrival, caller: Caller): Promise<FreeAnswer> {
  const { query, container: asked } = arrival.route
  if (asked === undefined) throw new Error('the route has no container')
  const { id: shown, part } = asked
  const state = openedContainer(arrival, caller, 'openai', shown)
  const plan = targetWithFile(arrival, caller, state) ?? unknownObject('container', shown)
  const { id } = state
  const answer = await sendFreeRequest(arrival, plan, { container: { ...asked, id }, query })
  // Never serve a file as HTML from the gateway's host.
  if (part.endsWith('/content'))
    return { body: Buffer.from(answer, 'latin1'), contentType: 'application/octet-stream' }
  const body = readContainer(answer, { id, shown })
  if (body === null) throw upstreamError('its response cannot be read', plan)
  return { body }
}
