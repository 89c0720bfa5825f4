import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchRecord } from '#domain/accounts/batches.ts'
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import type { FileOwner } from '#domain/accounts/stored-files.ts'
import type { BatchKey } from '#domain/background/background-calls.ts'
import { Failure } from '#domain/errors.ts'
import { batchBody, batchIdIn, parseBatch, type BatchedRequest } from '#wire/messages/batch.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { fault, isFault, type WireRequest } from '#wire/wire-request.ts'
import { admitBody } from '#gateway/arrive/admit-body.ts'
import { callerFault } from '#gateway/arrive/authenticate.ts'
import { receive } from '#gateway/arrive/receive-body.ts'
import type { Arrival, RoutedBatch } from '#gateway/call/arrival.ts'
import type { SentRequest } from '#gateway/call/batch-watch.ts'
import {
  authenticated,
  openCall,
  parsed,
  type ParsedCall,
  type ReservedCall,
} from '#gateway/call/call-states.ts'
import { timeOf, type Caller } from '#gateway/call/caller.ts'
import { failureOfFault } from '#gateway/call/fault-failure.ts'
import type { Plan } from '#gateway/call/model-name-targets.ts'
import { inTurns } from '#gateway/call/in-turns.ts'
import { isHeld } from '#gateway/call/waiting-line.ts'
import { reserveNow } from '#gateway/decide/reserve.ts'
import { backgroundTrace } from '#gateway/end/background-trace.ts'
import { traceText } from '#gateway/end/call-trace.ts'
import { endedCall } from '#gateway/end/ended-call.ts'
import { failureOf } from '#gateway/end/refuse.ts'
import { requestRecord } from '#gateway/end/request-record.ts'
import { refusalStatus } from '#gateway/end/write-failure.ts'
import { backgroundCall } from '#gateway/relay/background-call.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { upstreamError } from '#gateway/relay/upstream-failure.ts'
import { lostText } from '#gateway/relay/write-response.ts'
import { readRequest } from './read-request.ts'

/** Size in bytes of the requests that are parsed before other calls are served. */
const parsedAtOnce = 256 * 1024

/** A request about batches. */
export interface AskedBatch {
  readonly arrival: Arrival
  readonly caller: Caller
  readonly batch: RoutedBatch
}

/** A batch that the provider has accepted, and the provider's description of it. */
interface CreatedBatch {
  readonly record: BatchRecord
  readonly text: ByteText
  /** Headers of the response, as alternating names and values. */
  readonly headers: readonly string[]
}

/**
 * Creates a batch. Each request is checked, priced and reserved like a request that is sent alone, and has a hold of its
 * own until its result is settled. If one of the requests is rejected, the whole batch is.
 */
export async function createBatch(asked: AskedBatch, owner: FileOwner): Promise<CreatedBatch> {
  const { arrival, caller } = asked
  const { limits, log } = arrival.ports
  const rejection = callerFault(caller.key, timeOf(caller, arrival.ports.clock.nowMs()))
  if (rejection) throw rejection
  const held = await admitBody(arrival, caller)
  try {
    const read = parseBatch(await receive(arrival, held), limits.batches.requestsMax)
    if (isFault(read)) throw failureOfFault(read)
    await checkOpenRequests(asked, read.length)
    const calls = await parsedCalls(asked, read)
    const callIds = calls.map(({ id }) => id)
    arrival.batches.open(callIds)
    let isWatched = false
    try {
      const reserved = await reservedCalls(calls)
      const [first] = reserved
      if (first === undefined) throw new Error('a batch has a request')
      const created = await sent(arrival, read, reserved, first.plan)
      const { text } = created
      const batch: BatchKey = { ...owner, accountId: first.plan.account.id, providerId: created.id }
      isWatched = true
      const record = recordOf(asked, owner, reserved, created.id)
      try {
        await arrival.batches.watch(batch, await sentRequests(reserved, read, created.id))
        await arrival.ports.batches.add(record)
      } catch (cause) {
        // No one gets the ID, so the provider should not continue.
        log.error({ requestId: arrival.id, err: cause }, 'storing a batch failed; it is canceled')
        const cancel = { method: 'POST', id: created.id, part: '/cancel' } as const
        await sendFreeRequest(arrival, first.plan, { batch: cancel, query: '' }).catch(() => {})
        throw new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
      }
      return { record, text, headers: headersOf(reserved) }
    } finally {
      if (!isWatched) arrival.batches.close(callIds)
    }
  } finally {
    held.giveBack()
  }
}

/** The holds of one end user are in memory, so their number is limited. */
async function checkOpenRequests({ arrival: { ports }, caller }: AskedBatch, added: number): Promise<void> {
  const { openRequestsMax: requests } = ports.limits.batches
  if ((await ports.background.batched(caller.key)) + added > requests)
    throw new Failure('batch_limit_reached', { requests })
}

/** Parses each request like a request that is sent alone. */
async function parsedCalls(
  { arrival, caller }: AskedBatch,
  requests: readonly BatchedRequest[],
): Promise<readonly ParsedCall[]> {
  const calls: ParsedCall[] = []
  let bytes = 0
  for (const [at, { params }] of requests.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that other calls are served in between
    calls.push(await inRequest(at, () => parsedCall(arrival, caller, params)))
    bytes += params.length
    if (bytes < parsedAtOnce) continue
    bytes = 0
    // oxlint-disable-next-line no-await-in-loop -- as above
    await nextTurn()
  }
  const batchAccountId = accountOf(arrival, caller, calls)
  for (const call of calls) Object.assign(call, { request: { ...call.request, batchAccountId } })
  return calls
}

async function parsedCall(arrival: Arrival, caller: Caller, params: ByteText): Promise<ParsedCall> {
  const { path, wire } = arrival.route
  const known = authenticated(
    openCall({ ...arrival, id: arrival.ports.newId(), route: { kind: 'answer', wire, path, query: '' } }),
    caller,
  )
  const read = async (): Promise<WireRequest> => {
    const request = await readRequest(known, params)
    if (request.isStream) throw failureOfFault(fault('unsupported_for_route', 'stream', noStream))
    if (request.serviceTier !== null)
      throw failureOfFault(fault('unsupported_for_route', 'service_tier', noServiceTier))
    return request
  }
  const request = await read()
  const isRuled = request.lost !== undefined || request.run !== undefined
  const call = parsed(known, request)
  if (isRuled) {
    const { batchAccountId } = call.request
    call.readAgain = async () => ({ ...(await read()), ...(batchAccountId && { batchAccountId }) })
  }
  return call
}

const noStream = 'a batch has no streams. Omit the field'
const noServiceTier = 'a batch has its own price. Omit the field'

/** Runs the work on one request of the batch. Its failures name the request. */
async function inRequest<Result>(at: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw cause instanceof Failure ? failureIn(at, cause) : cause
  }
}

function failureIn(at: number, failure: Failure): Failure {
  const { code, details, operatorDetails, param } = failure
  if (param === null && code !== 'invalid_request' && code !== 'invalid_json') return failure
  const place = `requests.${at}.params`
  const { reason } = details
  const named =
    typeof reason === 'string' && code !== 'unsupported_for_route' ? `${place}: ${reason}` : reason
  return new Failure(
    code,
    { ...details, ...(named !== undefined && { reason: named }) },
    { param: param === null ? place : `${place}.${param}`, operatorDetails, cause: failure },
  )
}

/**
 * Returns the first account that can run all requests, because one account runs the whole batch.
 * @throws Failure
 */
function accountOf({ configuration }: Arrival, caller: Caller, calls: readonly ParsedCall[]): string {
  const names = new Map<string, number>()
  for (const [at, { request }] of calls.entries()) if (!names.has(request.model)) names.set(request.model, at)
  let possible: readonly string[] | null = null
  for (const [name, at] of names) {
    const served = configuration.served(caller, name)
    if (served instanceof Failure) throw failureIn(at, served)
    const accounts = served.leaves.flatMap(({ plan }) =>
      plan && runsBatches(plan) ? [plan.source.account.id] : [],
    )
    if (accounts.length === 0)
      throw failureIn(at, failureOfFault(fault('unsupported_for_route', 'model', noBatches)))
    possible = possible === null ? accounts : possible.filter((account) => accounts.includes(account))
    if (possible.length === 0)
      throw failureIn(at, failureOfFault(fault('unsupported_for_route', 'model', otherAccount)))
  }
  const [first] = possible ?? []
  if (first === undefined) throw new Error('a batch has a request')
  return first
}

function runsBatches({ source }: Plan): boolean {
  return kindFacts(source.account.kind).batches?.includes('anthropic') === true
}

const noBatches =
  "its provider runs no batches in this format. Send the request to a model of Anthropic's API, or alone"
const otherAccount =
  'no account can run it together with the requests before it. Send the requests of each account in a batch of their own'

/** Reserves all requests, or none of them. @throws Failure */
async function reservedCalls(calls: readonly ParsedCall[]): Promise<readonly ReservedCall[]> {
  const reserved: ReservedCall[] = []
  const failed: { readonly at: number; readonly call: ParsedCall; readonly cause: unknown }[] = []
  await inTurns(calls, async (call, at) => {
    if (failed.length > 0) return
    try {
      reserved.push(await reserveNow(call))
    } catch (cause) {
      failed.push({ at, call, cause })
    }
  })
  const [first] = failed
  // Each call is one object in all its states, so these are the reserved calls in the order of the requests.
  if (first === undefined) return calls as readonly ReservedCall[]
  const { at, call, cause } = first
  const failure = failureOf(call, cause)
  const told = isHeld(failure) ? withoutOwnHolds(failure, reserved) : failureIn(at, failure)
  await recordRefused(call, told)
  await released(reserved, told)
  throw told
}

/**
 * If only the other requests of the batch hold the money, waiting does not help. The failure then says that the balance
 * or the limit is too low for the batch.
 */
function withoutOwnHolds(failure: Failure, own: readonly ReservedCall[]): Failure {
  const { held, limitSource, requested, retryAfterSeconds: _, ...details } = failure.details
  const ownMicros = own.reduce((sum, { reserved }) => sum + reserved.hold.worstMicros, 0n)
  const heldMicros = BigInt(typeof held === 'string' ? held : 0)
  if (heldMicros > ownMicros) return failure
  const requestedMicros = BigInt(typeof requested === 'string' ? requested : 0) + ownMicros
  return new Failure(limitSource === 'balance' ? 'insufficient_credit' : 'spend_limit_exceeded', {
    ...details,
    limitSource: limitSource ?? null,
    held: '0',
    requested: String(requestedMicros),
  })
}

async function recordRefused(call: ParsedCall, failure: Failure): Promise<void> {
  const record = requestRecord(call, call.caller, {
    status: 'refused',
    httpStatus: refusalStatus(call, failure),
    errorCode: failure.code,
    firstByteMs: null,
    trace: traceText(call, null, null, failure),
  })
  await call.ports.ledger.record(record)
  call.ports.onCallEnded(endedCall(call, call.caller, record, null))
}

/** Releases the requests of a batch that is not sent, or that the provider has rejected. */
async function released(calls: readonly ReservedCall[], failure: Failure): Promise<void> {
  await inTurns(calls, async (call) => {
    const { caller, line, ports, reserved } = call
    const end = { kind: 'failed', failure, used: null, spent: null } as const
    const record = requestRecord(call, caller, {
      status: 'released',
      httpStatus: refusalStatus(call, failure),
      errorCode: failure.code,
      firstByteMs: null,
      trace: traceText(call, reserved, end),
    })
    try {
      await ports.ledger.release({ callId: call.id, nowMs: timeOf(caller, ports.clock.nowMs()), record })
    } catch (err) {
      // The ledger completes the release later.
      ports.log.error({ requestId: call.id, err }, 'release failed: the store did not respond in time')
    }
    reserved.share?.released()
    reserved.shared?.released()
    line.released(caller.key)
    ports.onCallEnded(endedCall(call, caller, record, null))
  })
}

/** Sends the batch to its provider. If the provider does not accept it, releases all requests. */
async function sent(
  arrival: Arrival,
  requests: readonly BatchedRequest[],
  calls: readonly ReservedCall[],
  plan: Plan,
): Promise<{ readonly id: string; readonly text: ByteText }> {
  try {
    const bodies = await inTurns(calls, bodyOf)
    const body = batchBody(requests.map(({ customId }, at) => ({ customId, params: bodies[at] ?? '' })))
    const query = new URLSearchParams(arrival.route.query).get('beta') === 'true' ? 'beta=true' : ''
    const text = await sendFreeRequest(arrival, plan, { batch: { method: 'POST' }, query, body })
    const id = batchIdIn(text)
    if (id === null) throw upstreamError('its response cannot be read', plan)
    return { id, text }
  } catch (cause) {
    const failure = failureOf(arrival, cause)
    await released(calls, failure)
    throw failure
  }
}

function bodyOf({ reserved }: ReservedCall): ByteText {
  const { dispatch, hold, maximum, plan } = reserved
  return dispatch.body(plan.target.model, maximum.imposed, hold.bound.tools?.usesMax ?? null)
}

/** Returns the calls as they are kept until the end of the batch, without the text of their requests. */
function sentRequests(
  calls: readonly ReservedCall[],
  requests: readonly BatchedRequest[],
  batchId: string,
): Promise<readonly SentRequest[]> {
  return inTurns(calls, (call, at) => {
    const { attempts, caller, line, ports, reserved, startedAtMs } = call
    const { response, ...known } = backgroundCall(call, batchId, backgroundTrace(call))
    const customId = requests[at]?.customId ?? ''
    const deadlineMs = startedAtMs + ports.limits.batches.deadlineMs
    const { share, shared } = reserved
    return {
      call: { ...known, response: { ...response, customId, deadlineMs } },
      origin: { attempts, key: caller.key, line, share, shared },
    }
  })
}

function recordOf(
  { arrival: { ports }, batch: { format } }: AskedBatch,
  owner: FileOwner,
  calls: readonly ReservedCall[],
  providerId: string,
): BatchRecord {
  const models = new Map(calls.map(({ plan, request }) => [plan.target.model, request.model]))
  const [first] = calls
  const { account, source } = first?.plan ?? {}
  if (account === undefined || source === undefined) throw new Error('a batch has a request')
  return {
    ...owner,
    id: ports.batchTags.tagOf(owner, format, account.id, providerId),
    accountId: source.account.id,
    format,
    providerId,
    models: [...models].flat(),
    createdAtMs: ports.clock.nowMs(),
    removedAtMs: null,
  }
}

/** Returns the headers that say which requests are not sent as the client wrote them. */
function headersOf(calls: readonly ReservedCall[]): readonly string[] {
  const lost = new Set(calls.flatMap(({ reserved }) => reserved.dispatch.lost))
  const isClamped = calls.some(({ reserved }) => reserved.reservation.isClamped)
  return [
    ...(isClamped ? ['x-svc-abort-reason', 'max_tokens_clamped'] : []),
    ...(lost.size > 0 ? ['x-svc-conversion-lost', lostText([...lost])] : []),
  ]
}
