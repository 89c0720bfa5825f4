import type { BatchRequest } from '#domain/provider-upstream-interface.ts'
import type { UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import { anthropicError, openaiError } from './error-bodies-of-vendors.ts'
import { endOf, type KeptBatch, type KeptBatches, type KeptRequest } from './batches-in-memory.ts'
import { isObject, type JsonObject } from './read-values-of-any-shape.ts'
import { rejection } from './simulated-rejection.ts'
import type { SimulatedCall, Step } from './simulated-call-types.ts'
import { KeptResponses } from './responses-in-memory.ts'
import type { KeptFiles } from './files-in-memory.ts'

/** Maximum size of a batch's results, in characters of JSON. */
const batchSizeMax = 8 * 1024 * 1024
/** After this many requests, other work of the process can run. */
const pausedAfter = 16

type Answering = (call: SimulatedCall, kept: KeptResponses | null) => Iterable<Step>

/** Each request of the batch is handled like a request that is sent alone (docs/reference/wires.md "Batches"). */
export function* batchSteps(
  call: SimulatedCall,
  request: BatchRequest,
  kept: KeptResponses | null,
  answering: Answering,
): Generator<Step> {
  const memory = kept ?? new KeptResponses()
  const { status, text } =
    request.id === undefined ? yield* created(call, memory, answering) : batchAnswer(call, request, memory)
  yield { kind: 'head', status, contentType: 'application/json', retryAfterSeconds: null }
  const content = Buffer.from(text)
  for (let at = 0; at < content.length; at += partBytes)
    yield { kind: 'bytes', bytes: content.subarray(at, at + partBytes) }
}

const partBytes = 16 * 1024

interface BatchAnswer {
  readonly status: number
  readonly text: string
}

function batchAnswer(
  call: SimulatedCall,
  { id, method, part }: Extract<BatchRequest, { id: string }>,
  { batches, files }: KeptResponses,
): BatchAnswer {
  const found = batches.find(id)
  if (found === null || (found.told === null) !== isAnthropic(call))
    return failed(call, 404, `Batch ${id} not found.`)
  const hasEnded = batches.hasEnded(found)
  if (method === 'DELETE') {
    if (!hasEnded) return failed(call, 400, 'Only a Message Batch that has ended can be deleted.')
    batches.delete(id)
    return json({ id, type: 'message_batch_deleted' })
  }
  if (part === '/results') {
    if (!hasEnded) return failed(call, 404, 'The Message Batch has no results yet.')
    const lines = found.requests.map(
      (one) => `{"custom_id":"${one.customId}","result":${resultOf(found, one)}}\n`,
    )
    return { status: 200, text: lines.join('') }
  }
  if (part === '/cancel') batches.cancel(found)
  return json(found.told === null ? described(found, batches) : describedByOpenai(found, batches, files))
}

function isAnthropic({ wire }: SimulatedCall): boolean {
  return wire === 'messages'
}

function callOf(call: SimulatedCall, wire: UpstreamFormat, params: JsonObject, at: number): SimulatedCall {
  const body = Buffer.from(JSON.stringify(params))
  return { ...call, wire, batch: undefined, purpose: 'answer', callId: `${call.callId}x${at}`, body }
}

interface Asked {
  readonly customId: string
  readonly wire: UpstreamFormat
  readonly params: JsonObject
}

/** Between two requests, other work of the process can run. */
function* created(
  call: SimulatedCall,
  kept: KeptResponses,
  answering: Answering,
): Generator<Step, BatchAnswer> {
  const { batches, files } = kept
  const body = parsed(call.body)
  const told = isAnthropic(call) ? null : toldIn(body)
  const asked = told === null ? requestsIn(body?.['requests']) : linesIn(told, files)
  if (typeof asked === 'string') return failed(call, 400, asked)
  if (asked.length === 0) return failed(call, 400, 'requests: at least one request is required')
  const run: KeptRequest[] = []
  let size = 0
  for (const [at, { customId, params, wire }] of asked.entries()) {
    const ran = { customId, ...ranAs(answering(callOf(call, wire, params, at), kept)) }
    size += ran.text.length
    if (size > batchSizeMax)
      return failed(call, 400, `The results of a batch in test mode have at most ${batchSizeMax} characters.`)
    run.push(ran)
    if (at % pausedAfter === pausedAfter - 1) yield { kind: 'wait', ms: 1 }
  }
  if (new Set(run.map(({ customId }) => customId)).size < run.length)
    return failed(call, 400, 'requests: each custom_id must be unique')
  const batch = batches.keep(`${told === null ? 'msgbatch' : 'batch'}_${call.callId}`, run, told)
  return json(told === null ? described(batch, batches) : describedByOpenai(batch, batches, files))
}

function requestsIn(requests: unknown): readonly Asked[] | string {
  if (!Array.isArray(requests)) return 'requests: a list is required'
  const asked: Asked[] = []
  for (const [at, one] of requests.entries()) {
    const customId: unknown = isObject(one) ? one['custom_id'] : null
    const params: unknown = isObject(one) ? one['params'] : null
    if (typeof customId !== 'string' || !/^[\w-]{1,64}$/.test(customId))
      return `requests.${at}.custom_id: up to 64 letters, digits, _ and - are required`
    if (!isObject(params)) return `requests.${at}.params: an object is required`
    if (params['stream'] === true) return `requests.${at}.params.stream: not supported`
    asked.push({ customId, params, wire: 'messages' })
  }
  return asked
}

function toldIn(body: JsonObject | null): JsonObject {
  const { completion_window, endpoint, input_file_id, metadata = null } = body ?? {}
  return { completion_window, endpoint, input_file_id, metadata }
}

const endpoints: Readonly<Record<string, UpstreamFormat>> = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
  '/v1/embeddings': 'embeddings',
  '/v1/completions': 'completions',
}

function linesIn(
  { completion_window, endpoint, input_file_id }: JsonObject,
  files: KeptFiles,
): readonly Asked[] | string {
  const wire = endpoints[String(endpoint)]
  const file = files.find(String(input_file_id))
  if (wire === undefined) return `Invalid value: '${String(endpoint)}'.`
  if (completion_window !== '24h') return "Invalid value for 'completion_window'."
  if (file === null) return `No such File object: ${String(input_file_id)}`
  const asked: Asked[] = []
  for (const line of Buffer.from(file.content).toString().split('\n')) {
    if (line.trim() === '') continue
    const one = parsed(Buffer.from(line))
    const { body: params, custom_id: customId, method, url } = one ?? {}
    if (typeof customId !== 'string' || method !== 'POST' || url !== endpoint || !isObject(params))
      return `Line ${asked.length + 1} of the input file is invalid.`
    asked.push({ customId, params, wire })
  }
  return asked
}

function ranAs(steps: Iterable<Step>): Omit<KeptRequest, 'customId'> {
  let durationMs = 0
  let status = 0
  let text = ''
  for (const step of steps) {
    if (step.kind === 'head') ({ status } = step)
    else if (step.kind === 'bytes') text += Buffer.from(step.bytes).toString()
    else if (step.kind === 'wait') durationMs += step.ms
    else if (step.kind === 'hang') return { durationMs: Infinity, status: 200, text: '' }
    else
      return {
        durationMs,
        status: 500,
        text: '{"error":{"type":"server_error","message":"The server failed."}}',
      }
  }
  return { durationMs, status, text: text.replace('"service_tier":"standard"', '"service_tier":"batch"') }
}

function isCanceled({ canceledAtMs, createdAtMs }: KeptBatch, { durationMs }: KeptRequest): boolean {
  return canceledAtMs !== null && createdAtMs + durationMs > canceledAtMs
}

function resultOf(batch: KeptBatch, request: KeptRequest): string {
  if (isCanceled(batch, request)) return '{"type":"canceled"}'
  const { status, text } = request
  if (status !== 200 || !text.includes('"type":"message"')) return `{"type":"errored","error":${text}}`
  return `{"type":"succeeded","message":${text}}`
}

/** When the batch has ended, its results are in files. */
function describedByOpenai(batch: KeptBatch, batches: KeptBatches, files: KeptFiles): object {
  const { canceledAtMs, createdAtMs, id, requests, told } = batch
  const hasEnded = batches.hasEnded(batch)
  const ran = hasEnded ? requests.filter((one) => !isCanceled(batch, one)) : []
  const [good, bad] = [ran.filter(({ status }) => status === 200), ran.filter(({ status }) => status !== 200)]
  const fileOf = (kind: string, of: readonly KeptRequest[]): string | null => {
    if (of.length === 0) return null
    const fileId = `file-${id}${kind}`
    if (batch.isFiled) return fileId
    const lines = of.map(({ customId, status, text }) => {
      const head = `{"id":"batch_req_${id}","custom_id":${JSON.stringify(customId)}`
      return `${head},"response":{"status_code":${status},"request_id":"req_1","body":${text}},"error":null}\n`
    })
    const content = Buffer.from(lines.join(''))
    const text = JSON.stringify({
      id: fileId,
      object: 'file',
      bytes: content.length,
      purpose: 'batch_output',
    })
    files.keep({ id: fileId, content, text, isDownloadable: true })
    return fileId
  }
  const output_file_id = fileOf('o', good)
  const error_file_id = fileOf('e', bad)
  batch.isFiled = hasEnded
  return {
    id,
    object: 'batch',
    ...told,
    errors: null,
    status: hasEnded ? (canceledAtMs === null ? 'completed' : 'cancelled') : 'in_progress',
    output_file_id,
    error_file_id,
    created_at: Math.floor(createdAtMs / 1000),
    expires_at: Math.floor((createdAtMs + dayMs) / 1000),
    request_counts: { total: requests.length, completed: good.length, failed: bad.length },
  }
}

const dayMs = 86_400_000

function described(batch: KeptBatch, batches: KeptBatches): object {
  const { canceledAtMs, createdAtMs, id, requests } = batch
  const hasEnded = batches.hasEnded(batch)
  const countOf = (type: string): number =>
    hasEnded ? requests.filter((one) => resultOf(batch, one).startsWith(`{"type":"${type}"`)).length : 0
  return {
    id,
    type: 'message_batch',
    processing_status: hasEnded ? 'ended' : 'in_progress',
    request_counts: {
      processing: hasEnded ? 0 : requests.length,
      succeeded: countOf('succeeded'),
      errored: countOf('errored'),
      canceled: countOf('canceled'),
      expired: 0,
    },
    ended_at: hasEnded ? time(canceledAtMs ?? endOf(batch)) : null,
    created_at: time(createdAtMs),
    expires_at: time(createdAtMs + dayMs),
    archived_at: null,
    cancel_initiated_at: canceledAtMs === null ? null : time(canceledAtMs),
    results_url: hasEnded ? `https://vendor.example/v1/messages/batches/${id}/results` : null,
  }
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}

function parsed(body: Uint8Array): JsonObject | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function json(body: object): BatchAnswer {
  return { status: 200, text: JSON.stringify(body) }
}

function failed(call: SimulatedCall, status: number, fault: string): BatchAnswer {
  const reason = rejection(fault)
  return {
    status,
    text: isAnthropic(call) ? anthropicError(status, reason, call.callId) : openaiError(status, reason),
  }
}
