import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchRecord } from '#domain/accounts/batches-at-providers.ts'
import { kindFacts, type BatchFormat } from '#domain/accounts/provider-kinds.ts'
import type { FileOwner } from '#domain/accounts/files-stored-at-providers.ts'
import type { BatchKey } from '#domain/background/background-holds-interface.ts'
import { Failure } from '#domain/errors.ts'
import { jobBody, linesForm, parseJob, parseLines, type BatchJob } from '#wire/openai-batch.ts'
import { providerIdIn } from '#wire/batch-readers-by-vendor.ts'
import type { BatchedRequest } from '#wire/batch-result-types.ts'
import { batchBody, parseBatch } from '#wire/messages/batch.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { fault, isFault, type WireRequest } from '#wire/wire-request.ts'
import { admitBody } from '#gateway/arrive/admit-body-by-request-head.ts'
import { callerFault } from '#gateway/arrive/authenticate.ts'
import { lastOf } from '#gateway/arrive/parse-body.ts'
import { receive } from '#gateway/arrive/receive-body.ts'
import type { Arrival, RoutedBatch } from '#gateway/call/arrived-request-types.ts'
import type { SentRequest } from '#gateway/call/batch-watch-interface.ts'
import type { HeldBody } from '#gateway/overload/limit-memory-of-bodies.ts'
import {
  authenticated,
  openCall,
  parsed,
  type ParsedCall,
  type ReservedCall,
} from '#gateway/call/call-state-types.ts'
import { timeOf, type Caller } from '#gateway/call/caller-of-request.ts'
import { failureOfFault } from '#gateway/call/failure-of-request-fault.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { mapInTurns } from '#gateway/call/map-list-in-turns.ts'
import { openedFile, targetWithFile, unknownFile } from '#gateway/call/use-of-stored-files.ts'
import { backgroundTrace } from '#gateway/end/trace-of-background-call.ts'
import { failureOf } from '#gateway/end/reject-call.ts'
import { backgroundCall } from '#gateway/relay/background-call-to-store.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { upstreamError } from '#gateway/relay/failure-with-provider-error.ts'
import { lostText } from '#gateway/relay/write-response-to-client.ts'
import { failureIn, inRequest, placeOf, wireOfCall, type BatchWire } from './name-requests-of-batch.ts'
import { readRequest } from './parse-request-with-tool-rules.ts'
import { released, reservedCalls } from './reserve-requests-of-batch.ts'

/** After this many bytes of parsed requests, other calls are served. */
const parsedAtOnce = 16 * 1024

export interface AskedBatch {
  readonly arrival: Arrival
  readonly caller: Caller
  readonly batch: RoutedBatch
}

interface CreatedBatch {
  readonly record: BatchRecord
  readonly text: ByteText
  /** Alternating names and values. */
  readonly headers: readonly string[]
}

/**
 * Each request is checked, priced and reserved like a request outside a batch. Its hold is kept until its result is
 * settled. If one of the requests is rejected, the whole batch is rejected.
 */
export async function createBatch(asked: AskedBatch, owner: FileOwner): Promise<CreatedBatch> {
  const { arrival, caller } = asked
  const rejection = callerFault(caller.key, timeOf(caller, arrival.ports.clock.nowMs()))
  if (rejection) throw rejection
  const held = await admitBody(arrival, caller)
  try {
    const batch = await readBatch(asked, owner, held)
    const { length } = batch.requests
    const inCreation = arrival.batches.inCreation.begin(caller.key, length)
    try {
      await checkOpenRequests(asked, inCreation)
      return await created(asked, owner, batch)
    } finally {
      arrival.batches.inCreation.end(caller.key, length)
    }
  } finally {
    held.giveBack()
  }
}

async function created(asked: AskedBatch, owner: FileOwner, batch: ReadBatch): Promise<CreatedBatch> {
  const { arrival } = asked
  const calls = await parsedCalls(asked, batch)
  const callIds = calls.map(({ id }) => id)
  arrival.batches.open(callIds)
  let isWatched = false
  try {
    const reserved = await reservedCalls(calls)
    const [first] = reserved
    if (first === undefined) throw new Error('a batch has a request')
    const { id, text } = await sent(asked, batch, reserved, first.plan)
    const { format } = asked.batch
    const key: BatchKey = { ...owner, accountId: first.plan.account.id, format, providerId: id }
    isWatched = true
    const record = recordOf(asked, owner, reserved, id)
    try {
      await arrival.batches.watch(key, await sentRequests(reserved, batch.requests, id))
      await arrival.ports.batches.add(record)
    } catch (cause) {
      // The client never gets the ID of a batch that is not stored, so cancel the batch.
      arrival.ports.log.error({ requestId: arrival.id, err: cause }, 'storing a batch failed; it is canceled')
      const cancel = { method: 'POST', id, part: '/cancel' } as const
      await sendFreeRequest(arrival, first.plan, { batch: cancel, query: '' }).catch(() => {})
      throw new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
    }
    return { record, text, headers: headersOf(reserved) }
  } finally {
    if (!isWatched) arrival.batches.close(callIds)
  }
}

interface ReadBatch {
  readonly requests: readonly BatchedRequest[]
  readonly wire: BatchWire
  readonly job?: BatchJob
  /** The account that stores the requests in a file. Null if the body contains the requests. */
  readonly accountId: string | null
}

/** @param held counts the memory of the body; for a batch of OpenAI, also the memory of the file with the requests */
async function readBatch(asked: AskedBatch, owner: FileOwner, held: HeldBody): Promise<ReadBatch> {
  const { arrival, batch, caller } = asked
  const body = await receive(arrival, held)
  const { files, limits } = arrival.ports
  const { requestsMax } = limits.batches
  if (batch.format === 'anthropic') {
    const requests = parseBatch(body, requestsMax)
    if (isFault(requests)) throw failureOfFault(requests)
    return { requests, wire: 'messages', accountId: null }
  }
  const text = typeof body === 'string' ? body : body.text
  const job = parseJob(text)
  if (isFault(job)) throw failureOfFault(job)
  const state = openedFile(arrival, caller, 'openai', job.inputFileId, 'input_file_id')
  const file = (await files.byId(owner, job.inputFileId)) ?? unknownFile('input_file_id')
  const plan = targetWithFile(arrival, caller, state) ?? unknownFile('input_file_id')
  if (file.kind !== 'batch')
    throw failureOfFault(fault('invalid_request', 'input_file_id', 'The file must have the purpose batch.'))
  held.growTo(text.length + file.bytes)
  const request = { method: 'GET', id: file.providerId, part: '/content' } as const
  const lines = await sendFreeRequest(arrival, plan, { file: request, query: '', headers: [] })
  const requests = await lastOf(parseLines(lines, job.endpoint, requestsMax))
  if (isFault(requests)) throw failureOfFault(requests)
  return { requests, wire: job.wire, job, accountId: plan.source.account.id }
}

/**
 * Limits the requests in unfinished batches, because the holds of an end user are kept in memory.
 * @param inCreation the number of requests in batches that the end user is creating. Read this number before the number
 *   in the store. Otherwise, a request that is stored between the two reads would be missed
 */
async function checkOpenRequests(
  { arrival: { ports }, caller }: AskedBatch,
  inCreation: number,
): Promise<void> {
  const { openRequestsMax: requests } = ports.limits.batches
  if ((await ports.background.batched(caller.key)) + inCreation > requests)
    throw new Failure('batch_limit_reached', { requests })
}

async function parsedCalls(asked: AskedBatch, batch: ReadBatch): Promise<readonly ParsedCall[]> {
  const { requests, wire } = batch
  const calls: ParsedCall[] = []
  let bytes = 0
  for (const [at, { params }] of requests.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that other calls are served in between
    calls.push(await inRequest(placeOf(wire, at), () => parsedCall(asked, wire, params)))
    bytes += params.length
    if (bytes < parsedAtOnce) continue
    bytes = 0
    // oxlint-disable-next-line no-await-in-loop -- as above
    await nextTurn()
  }
  const batchAccountId = accountOf(asked, calls, batch)
  for (const call of calls) Object.assign(call, { request: { ...call.request, batchAccountId } })
  return calls
}

async function parsedCall(
  { arrival, caller }: AskedBatch,
  wire: BatchWire,
  params: ByteText,
): Promise<ParsedCall> {
  const { path } = arrival.route
  const known = authenticated(
    openCall({ ...arrival, id: arrival.ports.newId(), route: { kind: 'answer', wire, path, query: '' } }),
    caller,
  )
  const read = async (): Promise<WireRequest> => {
    const request = await readRequest(known, params)
    if (request.isStream) throw failureOfFault(fault('unsupported_for_route', 'stream', noStream))
    const state = stateOf(request)
    if (state !== null) throw failureOfFault(fault('unsupported_for_route', state, noState))
    if (request.serviceTier !== null && !plainTiers.has(request.serviceTier))
      throw failureOfFault(fault('unsupported_for_route', 'service_tier', noServiceTier))
    return request
  }
  const request = await read()
  const isRuled = request.lost !== undefined || request.run !== undefined
  return parsed(known, request, isRuled ? read : null)
}

/** Null if no field of the request uses or creates state at the provider. */
function stateOf({
  containers,
  conversation,
  isBackground,
  previous,
  uses,
  wire,
}: WireRequest): string | null {
  if (containers !== undefined) return 'container'
  if (conversation !== undefined) return 'conversation'
  // The results of OpenAI's batches would contain IDs of containers that no end user owns, so reject tools that run
  // code.
  if (wire === 'responses' && uses?.codeSessions !== undefined) return 'tools'
  if (previous !== undefined) return 'previous_response_id'
  return isBackground === true ? 'background' : null
}

const noStream = 'a batch does not stream responses. Omit the field'
const noState = 'a request in a batch cannot use stored state. Omit the field'
/** OpenAI's names for the default service tier. */
const plainTiers: ReadonlySet<string> = new Set(['auto', 'default'])
const noServiceTier = 'a batch has its own price. Omit the field'

/**
 * A single account runs the whole batch, so this account must accept all requests.
 * @throws Failure
 */
function accountOf(
  { arrival: { configuration }, batch: { format }, caller }: AskedBatch,
  calls: readonly ParsedCall[],
  { accountId, wire }: ReadBatch,
): string {
  const names = new Map<string, number>()
  for (const [at, { request }] of calls.entries()) if (!names.has(request.model)) names.set(request.model, at)
  let possible: readonly string[] | null = accountId === null ? null : [accountId]
  for (const [name, at] of names) {
    const place = placeOf(wire, at)
    const served = configuration.served(caller, name)
    if (served instanceof Failure) throw failureIn(place, served)
    const accounts = served.leaves.flatMap(({ plan }) =>
      plan && runsBatches(plan, format) ? [plan.source.account.id] : [],
    )
    if (accounts.length === 0)
      throw failureIn(place, failureOfFault(fault('unsupported_for_route', 'model', noBatches)))
    possible = possible === null ? accounts : possible.filter((account) => accounts.includes(account))
    if (possible.length === 0)
      throw failureIn(place, failureOfFault(fault('unsupported_for_route', 'model', otherAccount)))
  }
  const [first] = possible ?? []
  if (first === undefined) throw new Error('a batch has a request')
  return first
}

function runsBatches({ source }: Plan, format: BatchFormat): boolean {
  return kindFacts(source.account.kind).batches?.includes(format) === true
}

const noBatches =
  'the provider of this model runs no batches in this format. Send the request to another model, or outside of a batch'
const otherAccount =
  'no account can run this request together with the other requests. Send the requests of each account in a separate batch'

/** If the provider does not accept the batch, all requests are released. */
async function sent(
  asked: AskedBatch,
  { job, requests }: ReadBatch,
  calls: readonly ReservedCall[],
  plan: Plan,
): Promise<{ readonly id: string; readonly text: ByteText }> {
  const { arrival } = asked
  const { id: accountId } = plan.source.account
  try {
    if (calls.some(({ reserved }) => reserved.plan.source.account.id !== accountId))
      throw new Error('the requests of a batch are held for two accounts')
    const bodies = await mapInTurns(calls, bodyOf)
    const own = requests.map(({ customId }, at) => ({ customId, params: bodies[at] ?? '' }))
    const text =
      job === undefined
        ? await sendFreeRequest(arrival, plan, {
            batch: { method: 'POST' },
            query: betaIn(arrival),
            body: batchBody(own),
          })
        : await sendJob(arrival, plan, job, own)
    const id = providerIdIn(text)
    if (id === null) throw upstreamError('its response cannot be read', plan)
    return { id, text }
  } catch (cause) {
    const failure = failureOf(arrival, cause)
    await released(calls, failure)
    throw failure
  }
}

/** Like for a message (arrive/find-route-of-path.ts), only `beta=true` is forwarded. */
export function betaIn({ route }: Arrival): string {
  return new URLSearchParams(route.query).get('beta') === 'true' ? 'beta=true' : ''
}

/** OpenAI creates a batch from an uploaded file with the requests. The batch watcher deletes the file later. */
async function sendJob(
  arrival: Arrival,
  plan: Plan,
  job: BatchJob,
  requests: readonly BatchedRequest[],
): Promise<ByteText> {
  // The sender of the requests cannot predict these letters and digits.
  const boundary = `batch${arrival.id}${arrival.ports.newId()}`
  const form = await lastOf(linesForm(requests, job.endpoint, boundary))
  const upload = { file: { method: 'POST' }, query: '', headers: [], ...form } as const
  const id = providerIdIn(await sendFreeRequest(arrival, plan, upload))
  if (id === null) throw upstreamError('its response cannot be read', plan)
  try {
    return await sendFreeRequest(arrival, plan, {
      batch: { method: 'POST' },
      query: '',
      body: jobBody(job, id),
    })
  } catch (cause) {
    const deletion = { file: { method: 'DELETE', id, part: '' }, query: '', headers: [] } as const
    await sendFreeRequest(arrival, plan, deletion).catch(() => {})
    throw cause
  }
}

function bodyOf({ reserved }: ReservedCall): ByteText {
  const { dispatch, hold, maximum, plan } = reserved
  return dispatch.body(plan.target.model, maximum.imposed, hold.bound.tools?.usesMax ?? null)
}

/** Omits the text of the requests, to save memory. */
function sentRequests(
  calls: readonly ReservedCall[],
  requests: readonly BatchedRequest[],
  batchId: string,
): Promise<readonly SentRequest[]> {
  return mapInTurns(calls, (call, at) => {
    const { attempts, caller, line, ports, reserved, startedAtMs } = call
    const { response, ...known } = backgroundCall(call, batchId, backgroundTrace(call))
    const batched = { customId: requests[at]?.customId ?? '', wire: wireOfCall(call) }
    const deadlineMs = startedAtMs + ports.limits.batches.deadlineMs
    const { share, shared } = reserved
    return {
      call: { ...known, response: { ...response, batched, deadlineMs } },
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
  const models = new Map<string, string>()
  // Results contain only the provider's model name, so store the application's model name. If several of these names
  // route to one provider model, all results of this model show the first name.
  for (const { plan, request } of calls)
    if (!models.has(plan.target.model)) models.set(plan.target.model, request.model)
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
    addedFiles: [],
  }
}

function headersOf(calls: readonly ReservedCall[]): readonly string[] {
  const lost = new Set(calls.flatMap(({ reserved }) => reserved.dispatch.lost))
  const isClamped = calls.some(({ reserved }) => reserved.reservation.isClamped)
  return [
    ...(isClamped ? ['x-svc-abort-reason', 'max_tokens_clamped'] : []),
    ...(lost.size > 0 ? ['x-svc-conversion-lost', lostText([...lost])] : []),
  ]
}
