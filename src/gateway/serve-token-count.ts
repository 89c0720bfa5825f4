import { kindFacts, modelFacts } from '#domain/accounts/provider-kinds.ts'
import { Failure } from '#domain/errors.ts'
import { wireOf } from '#wire/names-of-wires-and-tasks.ts'
import { counters } from '#wire/table-of-token-count-formats.ts'
import { upstreamBody } from '#wire/wire-request.ts'
import { admitBody } from '#gateway/arrive/admit-body-by-request-head.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import { parseBody } from '#gateway/arrive/parse-body.ts'
import { receive } from '#gateway/arrive/receive-body.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { upstreamError } from '#gateway/relay/failure-with-provider-error.ts'
import type { FreeAnswer } from '#gateway/relay/write-response-to-client.ts'
import { cacheFault, withOpenedCache } from '#gateway/call/use-of-cached-contents.ts'
import {
  otherAccountFault,
  storageFault,
  withOpenedContainers,
  withOpenedFiles,
} from '#gateway/call/use-of-stored-files.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import { serveFreeRequest } from './serve-free-request.ts'

/**
 * A provider of the client's wire counts the tokens. For any other provider, the gateway estimates the number and marks
 * it as an estimate. Estimates tend to be too high.
 */
export function countTokens(arrival: Arrival): Promise<void> {
  return serveFreeRequest(arrival, (caller) => counted(arrival, caller))
}

async function counted(arrival: Arrival, caller: Caller): Promise<FreeAnswer> {
  const wire = wireOf(arrival.route.wire)
  const counter = counters[wire]
  if (counter === null) throw new Error(`the wire ${wire} has a path that counts tokens but no counter`)
  const held = await admitBody(arrival, caller)
  try {
    const received = await receive(arrival, held)
    const parsed = await parseBody(arrival, null, received, counter.parseRequest)
    const opened = withOpenedContainers(arrival, caller, withOpenedFiles(arrival, caller, parsed))
    const request = withOpenedCache(arrival, caller, opened)
    const served = arrival.configuration.served(caller, request.model)
    if (served instanceof Failure) throw served
    const { first: plan } = served
    const { account, target } = plan
    const otherAccount = request.files === undefined ? null : otherAccountFault(request.files, plan)
    if (otherAccount !== null) throw otherAccount
    const uncached = cacheFault(request, plan)
    if (uncached !== null) throw uncached
    const { storageAddresses } = request
    const unreadable =
      storageAddresses === undefined ? null : storageFault(storageAddresses, plan, caller.config)
    if (unreadable !== null) throw unreadable
    const { read } = counter
    const isCounted = kindFacts(account.kind).countsTokens !== false
    if (read === null || !isCounted || !modelFacts(account.kind, target.model).wires.includes(wire))
      return { body: counter.answer(request.inputEstimate), headers: ['x-svc-token-count', 'estimated'] }
    const body = upstreamBody(request, target.model, null)
    const answer = await sendFreeRequest(arrival, plan, { body, request })
    const tokens = read(answer)
    if (tokens === null) throw upstreamError('its response cannot be read', plan)
    return { body: counter.answer(tokens) }
  } finally {
    held.giveBack()
  }
}
