import { ownerOf } from '#gateway/call/caller-of-request.ts'
import type { BatchKey } from '#domain/background/background-holds-interface.ts'
import type { BatchRecord } from '#domain/accounts/batches-at-providers.ts'
import { outputPurpose, type StoredFileRecord } from '#domain/accounts/files-stored-at-providers.ts'
import { isAnotherModel } from '#domain/accounts/is-other-model-than-requested.ts'
import { kindFacts, type BatchFormat } from '#domain/accounts/provider-kinds.ts'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { BatchRequest } from '#domain/provider-upstream-interface.ts'
import { describedJob, jobWireOf } from '#wire/openai-batch.ts'
import { batchProtocols } from '#wire/batch-readers-by-vendor.ts'
import { deletedBatch, describedBatch } from '#wire/messages/batch.ts'
import type { FormatName } from '#wire/names-of-wires-and-tasks.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseObject } from '#wire/text/json-values.ts'
import type { Arrival, BatchAction } from '#gateway/call/arrived-request-types.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { containerIdsOf } from '#gateway/call/use-of-stored-files.ts'
import { failureOfConnection } from '#gateway/relay/failure-of-provider-connection.ts'
import { forwardedHeaders } from '#gateway/relay/headers-sent-to-provider.ts'
import { storedObjectRequest, type AboutStoredObject } from '#gateway/relay/request-about-stored-object.ts'
import { LinesLost, LinesRefused, providerLines } from '#gateway/relay/lines-of-provider-response.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { failureOfStatus, upstreamError } from '#gateway/relay/failure-with-provider-error.ts'
import { headersOf, type FreeAnswer } from '#gateway/relay/write-response-to-client.ts'
import { betaIn, createBatch, type AskedBatch } from './create-batch.ts'
import { ownOrigin } from './origin-of-gateway-url.ts'
import { serveFreeRequest } from './serve-free-request.ts'

/**
 * The gateway stores who owns a batch, but not its requests and results. The requests are settled before a client gets
 * their results.
 */
export function serveBatches(arrival: Arrival): Promise<void> {
  const { batch } = arrival.route
  if (batch === undefined) throw new Error('the route has no batch')
  return serveFreeRequest(arrival, (caller) => actions[batch.action]({ arrival, caller, batch }))
}

const actions: Readonly<Record<BatchAction, (asked: AskedBatch) => Promise<FreeAnswer | null>>> = {
  async create(asked) {
    const { headers, record, text } = await createBatch(asked, ownerOf(asked.caller))
    return { ...(await shown(asked, record, text)), headers }
  },
  list,
  show: async (asked) => described(asked, await ownBatch(asked)),
  async cancel(asked) {
    const record = await ownBatch(asked)
    return shown(asked, record, await ask(asked, record, { method: 'POST', part: '/cancel' }))
  },
  results,
  delete: remove,
}

function answerOf(body: object): FreeAnswer {
  return { body: Buffer.from(JSON.stringify(body)) }
}

/** @throws Failure with the same error for an unknown ID, another owner's ID and a deleted batch */
async function ownBatch(asked: AskedBatch, id = asked.batch.id): Promise<BatchRecord> {
  const { arrival, batch, caller } = asked
  const { batches, batchTags } = arrival.ports
  if (!batchTags.isOwn(caller.key, batch.format, id)) throw new Failure('batch_not_found')
  const record = await batches.byId(ownerOf(asked.caller), id)
  if (record === null) throw new Failure('batch_not_found')
  return record
}

/** @throws Failure if the caller can no longer use any model name of the account that runs the batch */
function planOf(
  { arrival: { configuration }, caller }: AskedBatch,
  { accountId, format }: BatchRecord,
): Plan {
  const { aliases, routers } = caller.config
  for (const name of [...aliases.keys(), ...routers.keys()]) {
    const served = configuration.served(caller, name)
    const plans = served instanceof Failure ? [] : served.leaves.map(({ plan }) => plan)
    const plan = plans.find((one) => one?.source.account.id === accountId)
    if (plan && kindFacts(plan.source.account.kind).batches?.includes(format) === true) return plan
  }
  throw new Failure('batch_not_found')
}

function keyOf(record: BatchRecord, { account }: Plan): BatchKey {
  return { ...record, accountId: account.id }
}

async function ask(
  asked: AskedBatch,
  record: BatchRecord,
  { method, part }: { readonly method: 'GET' | 'POST' | 'DELETE'; readonly part: '' | '/cancel' },
): Promise<ByteText> {
  const request: BatchRequest = { method, id: record.providerId, part }
  const plan = planOf(asked, record)
  return sendFreeRequest(asked.arrival, plan, { batch: request, query: betaIn(asked.arrival) })
}

async function described(asked: AskedBatch, record: BatchRecord): Promise<FreeAnswer> {
  return shown(asked, record, await ask(asked, record, { method: 'GET', part: '' }))
}

async function shown(asked: AskedBatch, record: BatchRecord, text: ByteText): Promise<FreeAnswer> {
  return answerOf(await bodyOf(asked, record, text))
}

async function bodyOf(
  asked: AskedBatch,
  record: BatchRecord,
  text: ByteText,
  isListed = false,
): Promise<object> {
  const body =
    record.format === 'anthropic'
      ? describedBatch(text, record.id, resultsUrl(asked, record))
      : describedJob(text, record.id, await fileIds(asked, record, text, isListed), cleanerOf(asked, record))
  if (body === null) throw upstreamError('its response cannot be read', planOf(asked, record))
  return body
}

function resultsUrl({ arrival, caller }: AskedBatch, { id }: BatchRecord): string {
  return `${ownOrigin(arrival, caller)}/v1/messages/batches/${id}/results`
}

/**
 * Settles an ended batch of OpenAI, and adds its result files to the caller's files. Returns a function from the
 * provider's ID of a file to the client's ID.
 * @param isListed whether the batch is part of a list, where it appears without results if they cannot be settled
 */
async function fileIds(
  asked: AskedBatch,
  record: BatchRecord,
  text: ByteText,
  isListed: boolean,
): Promise<(providerId: string) => string | null> {
  const { batches, fileTags } = asked.arrival.ports
  const owner = ownerOf(asked.caller)
  const origin = planOf(asked, record).fileOrigin ?? ''
  const state = batchProtocols.openai.stateOf(text)
  // The size of a result file is not known. Its ID states more tokens than any context window has, and a request that
  // uses the file must hold money for all of them.
  const idOfFile = (id: string): string =>
    fileTags.tagOf(owner, 'openai', {
      origin,
      id,
      tokens: unreadTokens,
      citedTokens: unreadTokens,
      pixels: null,
    })
  const withoutResults = (id: string): string | null => (id === state?.inputFile ? idOfFile(id) : null)
  if (state === null || !state.hasEnded) return withoutResults
  try {
    await settled(asked, record)
  } catch (cause) {
    if (isListed) return withoutResults
    throw cause
  }
  const missing = (state.resultFiles ?? []).filter((id) => !record.addedFiles.includes(id))
  const files = missing.map((providerId): StoredFileRecord => ({
    ...owner,
    id: idOfFile(providerId),
    accountId: record.accountId,
    format: 'openai',
    providerId,
    filename: `${record.providerId}${outputEnding}`,
    kind: outputPurpose,
    bytes: 0,
    createdAtMs: record.createdAtMs,
    expiresAtMs: null,
    removedAtMs: null,
  }))
  if (files.length > 0) await batches.addFiles(record, files)
  return idOfFile
}

const unreadTokens = 10_000_000
/** The names of result files begin with the provider's ID of the batch. */
const outputEnding = '_output.jsonl'

const parametersOf: Readonly<Record<BatchFormat, readonly string[]>> = {
  anthropic: ['after_id', 'before_id', 'limit', 'key', 'beta'],
  openai: ['after', 'limit', 'key'],
}

/** Small, because each batch on a page is read from its provider. */
const pageMax = 20
const limitMax = 1_000

async function list(asked: AskedBatch): Promise<FreeAnswer> {
  const { arrival, batch } = asked
  const query = new URLSearchParams(arrival.route.query)
  for (const name of query.keys())
    // Some clients send their key as `key` (key-in-request-headers.ts), and Anthropic's clients send `beta=true`.
    if (!parametersOf[batch.format].includes(name))
      throw invalid(name, `Unknown query parameter ${name.slice(0, 200)}.`)
  const limit = Number(query.get('limit') ?? pageMax)
  if (!Number.isInteger(limit) || limit < 1 || limit > limitMax)
    throw invalid('limit', `The query parameter limit must be a whole number from 1 to ${limitMax}.`)
  const [after, before] = [query.get('after_id') ?? query.get('after'), query.get('before_id')]
  const page = await arrival.ports.batches.of(ownerOf(asked.caller), batch.format, {
    limit: Math.min(limit, pageMax),
    after: after === null ? null : await ownBatch(asked, after),
    before: before === null ? null : await ownBatch(asked, before),
  })
  const bodies = await Promise.all(page.batches.map((record) => listed(asked, record)))
  const [first, last] = [page.batches[0], page.batches.at(-1)]
  return answerOf({
    ...(batch.format === 'openai' && { object: 'list' }),
    data: bodies.filter((body) => body !== null),
    has_more: page.hasMore,
    first_id: first?.id ?? null,
    last_id: last?.id ?? null,
  })
}

/** Null if the provider no longer has the batch, or if the caller can no longer use its account. */
async function listed(asked: AskedBatch, record: BatchRecord): Promise<object | null> {
  try {
    return await bodyOf(asked, record, await ask(asked, record, { method: 'GET', part: '' }), true)
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'batch_not_found') return null
    throw cause
  }
}

function invalid(param: string, reason: string): Failure {
  return new Failure('invalid_request', { reason }, { param: param.slice(0, 200) })
}

async function remove(asked: AskedBatch): Promise<FreeAnswer> {
  const record = await ownBatch(asked)
  const text = await ask(asked, record, { method: 'GET', part: '' })
  // A deleted batch has no results, so settle its requests first.
  if (batchProtocols[record.format].stateOf(text)?.hasEnded === true) await settled(asked, record)
  await ask(asked, record, { method: 'DELETE', part: '' })
  await asked.arrival.ports.batches.forget(record.id)
  return answerOf(deletedBatch(record.id))
}

async function settled(asked: AskedBatch, record: BatchRecord): Promise<void> {
  const { arrival } = asked
  const plan = planOf(asked, record)
  try {
    await arrival.batches.settle(keyOf(record, plan))
  } catch (cause) {
    throw failureOfResults(asked, plan, cause)
  }
}

function failureOfResults({ arrival: { ports } }: AskedBatch, plan: Plan, cause: unknown): Failure {
  if (cause instanceof LinesRefused)
    return failureOfStatus(cause.status, cause.retryAfterSeconds, cause.text, {
      ports,
      plan,
      isSameWire: true,
    })
  if (cause instanceof LinesLost) return failureOfConnection(cause.failure, ports.limits.deadlines, plan)
  return cause instanceof Failure ? cause : upstreamError('its results cannot be read', plan, cause)
}

async function results(asked: AskedBatch): Promise<null> {
  await settled(asked, await ownBatch(asked))
  // Read the batch again. The watcher may have removed it and released its requests (background/batch-watcher.ts).
  const record = await ownBatch(asked)
  const about = { batch: { method: 'GET', id: record.providerId, part: '/results' } } as const
  return deliver(asked, record, about, 'messages')
}

/**
 * Streams the file after all its results are settled.
 * @param filename contains the ID of the batch
 */
export async function batchOutput(
  asked: Omit<AskedBatch, 'batch'>,
  { filename, providerId }: StoredFileRecord,
): Promise<null> {
  const { arrival, caller } = asked
  const { batches, batchTags } = arrival.ports
  const about = { file: { method: 'GET', id: providerId, part: '/content' } } as const
  const batch = { action: 'results', format: 'openai', id: '' } as const
  const owner = ownerOf(asked.caller)
  const batchId = filename.slice(0, -outputEnding.length)
  for (const accountId of new Set(accountsOf(asked))) {
    const id = batchTags.tagOf(owner, 'openai', accountId, batchId)
    // oxlint-disable-next-line no-await-in-loop -- there is rarely more than one account
    const record = await batches.byId(owner, id)
    if (record === null) continue
    const known = { arrival, caller, batch: { ...batch, id } }
    // oxlint-disable-next-line no-await-in-loop -- as above
    await settled(known, record)
    // The watcher may have removed the batch and released its requests (background/batch-watcher.ts).
    // oxlint-disable-next-line no-await-in-loop -- as above
    await ownBatch(known)
    // oxlint-disable-next-line no-await-in-loop -- as above
    const { endpoint } = parseObject(textOf(await ask(known, record, { method: 'GET', part: '' }))) ?? {}
    const wire = jobWireOf(endpoint)
    if (wire === null) throw upstreamError('its response cannot be read', planOf(known, record))
    return deliver(known, record, about, wire)
  }
  throw new Failure('file_not_found')
}

function accountsOf({ arrival: { configuration }, caller }: Omit<AskedBatch, 'batch'>): readonly string[] {
  const { aliases, routers } = caller.config
  return [...aliases.keys(), ...routers.keys()].flatMap((name) => {
    const served = configuration.served(caller, name)
    return served instanceof Failure
      ? []
      : served.leaves.flatMap(({ plan }) => (plan ? [plan.account.id] : []))
  })
}

async function deliver(
  asked: AskedBatch,
  record: BatchRecord,
  about: AboutStoredObject,
  wire: FormatName,
): Promise<null> {
  const { arrival } = asked
  const { ports, response } = arrival
  const plan = planOf(asked, record)
  const { resultOf } = batchProtocols[record.format]
  const request = storedObjectRequest(plan.account, record.format, about, {
    headers: forwardedHeaders(arrival),
    query: betaIn(arrival),
    callId: idOf('req', arrival.id),
    deadlines: ports.limits.deadlines,
  })
  const aliasOf = aliasesOf(record)
  const containers = containerIdsOf(ports.containerTags, ownerOf(asked.caller), record.format, plan)
  const clean = cleanerOf(asked, record)
  try {
    for await (const line of providerLines(ports.upstream, request, ports.limits.responseBytesMax)) {
      const result = resultOf(line, wire, aliasOf, containers)
      if (result === null) throw upstreamError('its results cannot be read', plan)
      if (!response.headersSent) response.writeHead(200, headersOf(arrival, 'application/binary'))
      if (!response.write(result.shown(clean), 'latin1')) await drained(arrival)
      if (response.destroyed) return null
    }
  } catch (cause) {
    throw failureOfResults(asked, plan, cause)
  }
  response.end()
  return null
}

function cleanerOf(asked: AskedBatch, record: BatchRecord): (text: string) => string {
  const clean = asked.arrival.ports.upstream.cleaner(planOf(asked, record).account)
  const [model = '', alias = ''] = record.models
  return (text) => clean(text, model, alias)
}

function aliasesOf({ models }: BatchRecord): (model: string | null) => string {
  const pairs = models.flatMap((model, at) => (at % 2 === 0 ? [{ model, alias: models[at + 1] ?? '' }] : []))
  return (answered) => {
    const found = pairs.find(({ model }) => answered !== null && !isAnotherModel(model, answered))
    return (found ?? pairs[0])?.alias ?? ''
  }
}

/** Disconnects a client that reads nothing for a while. */
async function drained({ ports, response }: Arrival): Promise<void> {
  if (response.destroyed) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => response.destroy(), ports.limits.stallMs)
    const end = (): void => {
      clearTimeout(timer)
      response.off('drain', end)
      response.off('close', end)
      resolve()
    }
    response.once('drain', end).once('close', end)
  })
}
