import type { BatchRequest } from '#domain/upstream.ts'
import { anthropicError } from './error-body.ts'
import { isObject, type JsonObject } from './loose-json.ts'
import { rejection } from './rejection.ts'
import type { Step } from './script.ts'

/** A request of a batch that the simulated vendor runs. */
interface KeptRequest {
  readonly customId: string
  /** The result, as JSON. */
  readonly result: string
  /** How long the request takes, in milliseconds. Infinite if it never ends by itself. */
  readonly durationMs: number
}

interface KeptBatch {
  readonly id: string
  readonly requests: readonly KeptRequest[]
  readonly createdAtMs: number
  canceledAtMs: number | null
}

/**
 * The batches that the simulator runs for test mode, in the memory of this process. They are not shared with other
 * processes and do not survive a restart. The oldest batch is dropped when the memory is full.
 */
export class KeptBatches {
  readonly #kept = new Map<string, KeptBatch>()
  readonly #nowMs: () => number
  #size = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  keep(id: string, requests: readonly KeptRequest[]): KeptBatch {
    const batch = { id, requests, createdAtMs: this.#nowMs(), canceledAtMs: null }
    this.#kept.set(id, batch)
    this.#size += sizeOf(batch)
    for (const [oldest] of this.#kept) {
      if (this.#size <= sizeMax || oldest === id) break
      this.delete(oldest)
    }
    return batch
  }

  find(id: string): KeptBatch | null {
    return this.#kept.get(id) ?? null
  }

  delete(id: string): void {
    const found = this.#kept.get(id)
    if (found === undefined) return
    this.#size -= sizeOf(found)
    this.#kept.delete(id)
  }

  /** Cancels the requests that have not ended. Does nothing if the batch has ended. */
  cancel(batch: KeptBatch): void {
    if (!this.hasEnded(batch)) batch.canceledAtMs = this.#nowMs()
  }

  hasEnded(batch: KeptBatch): boolean {
    return batch.canceledAtMs !== null || this.#nowMs() >= endOf(batch)
  }
}

/** Size in characters of JSON, of all batches and of one. */
const sizeMax = 32 * 1024 * 1024
const batchSizeMax = 8 * 1024 * 1024
/** Number of requests after which other work of the process can run. */
const pausedAfter = 16

function sizeOf({ requests }: KeptBatch): number {
  return requests.reduce((sum, { customId, result }) => sum + customId.length + result.length, 0)
}

function endOf({ createdAtMs, requests }: KeptBatch): number {
  return createdAtMs + Math.max(...requests.map(({ durationMs }) => durationMs))
}

/** A request about a batch, as the simulated vendor receives it. */
interface BatchCall {
  readonly body: Uint8Array
  readonly callId: string
}

/** Returns the actions of the vendor for the parameters of one request. */
type Answering = (params: JsonObject, callId: string) => Iterable<Step>

/**
 * Returns the response to a request about a batch (docs/reference/wires.md "Batches"). The requests of the batch run as
 * if they were sent alone.
 * @param kept the batches that the vendor runs; null if it runs none
 */
export function* batchSteps(
  call: BatchCall,
  request: BatchRequest,
  kept: KeptBatches | null,
  answering: Answering,
): Generator<Step> {
  const batches = kept ?? new KeptBatches(Date.now)
  const { status, text } =
    request.id === undefined ? yield* created(call, batches, answering) : batchAnswer(call, request, batches)
  yield { kind: 'head', status, contentType: 'application/json', retryAfterSeconds: null }
  // Parts of this size reach a reader as they would over a network.
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
  call: BatchCall,
  { id, method, part }: Extract<BatchRequest, { id: string }>,
  batches: KeptBatches,
): BatchAnswer {
  const found = batches.find(id)
  if (found === null) return failed(call, 404, `Message Batch ${id} not found.`)
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
  return json(described(found, batches))
}

/** Runs all requests now. Between them, other work of the process can run. */
function* created(call: BatchCall, batches: KeptBatches, answering: Answering): Generator<Step, BatchAnswer> {
  const body = parsed(call.body)
  const requests = body?.['requests']
  if (!Array.isArray(requests) || requests.length === 0)
    return failed(call, 400, 'requests: a list with at least one request is required')
  const kept: KeptRequest[] = []
  let size = 0
  for (const [at, one] of requests.entries()) {
    const customId: unknown = isObject(one) ? one['custom_id'] : null
    const params: unknown = isObject(one) ? one['params'] : null
    if (typeof customId !== 'string' || !/^[\w-]{1,64}$/.test(customId))
      return failed(call, 400, `requests.${at}.custom_id: up to 64 letters, digits, _ and - are required`)
    if (!isObject(params)) return failed(call, 400, `requests.${at}.params: an object is required`)
    if (params['stream'] === true) return failed(call, 400, `requests.${at}.params.stream: not supported`)
    const ran = { customId, ...resultFrom(answering(params, `${call.callId}x${at}`)) }
    size += ran.result.length
    if (size > batchSizeMax)
      return failed(call, 400, `The results of a batch in test mode have at most ${batchSizeMax} characters.`)
    kept.push(ran)
    if (at % pausedAfter === pausedAfter - 1) yield { kind: 'wait', ms: 1 }
  }
  if (new Set(kept.map(({ customId }) => customId)).size < kept.length)
    return failed(call, 400, 'requests: each custom_id must be unique')
  return json(described(batches.keep(`msgbatch_${call.callId}`, kept), batches))
}

/** Adds up the waits of the actions, and returns what they send as the result of the request. */
function resultFrom(steps: Iterable<Step>): Omit<KeptRequest, 'customId'> {
  let durationMs = 0
  let status = 0
  let text = ''
  for (const step of steps) {
    if (step.kind === 'head') ({ status } = step)
    else if (step.kind === 'bytes') text += Buffer.from(step.bytes).toString()
    else if (step.kind === 'wait') durationMs += step.ms
    else if (step.kind === 'hang') return { durationMs: Infinity, result: '' }
    else return { durationMs, result: errored(anthropicError(500, null, 'none')) }
  }
  if (status !== 200 || !text.includes('"type":"message"')) return { durationMs, result: errored(text) }
  const message = text.replace('"service_tier":"standard"', '"service_tier":"batch"')
  return { durationMs, result: `{"type":"succeeded","message":${message}}` }
}

function errored(error: string): string {
  return `{"type":"errored","error":${error}}`
}

function resultOf({ canceledAtMs, createdAtMs }: KeptBatch, { durationMs, result }: KeptRequest): string {
  return canceledAtMs !== null && createdAtMs + durationMs > canceledAtMs ? '{"type":"canceled"}' : result
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

function failed({ callId }: BatchCall, status: number, fault: string): BatchAnswer {
  return { status, text: anthropicError(status, rejection(fault), callId) }
}
