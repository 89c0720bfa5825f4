/** OpenAI's batches have files of lines for requests and results (docs/reference/wires.md "Batches of OpenAI"). */
import {
  unreadableText,
  type AliasOf,
  type BatchedRequest,
  type BatchResult,
  type BatchState,
} from './batch-result-types.ts'
import { formText, formType } from '#wire/text/form-parts.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonFault } from '#wire/text/json-limits.ts'
import { JsonParser, parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member, numberAt, sourceOf, type Json } from '#wire/text/json-tape.ts'
import {
  isAbsent,
  isObject,
  listOf,
  objectOf,
  parseObject,
  type JsonObject,
  type JsonValue,
} from '#wire/text/json-values.ts'
import type { Steps } from '#wire/text/computation-with-pauses.ts'
import type { FormatName } from './names-of-wires-and-tasks.ts'
import {
  isFault,
  isNull,
  mustBe,
  refuse,
  refuseTwice,
  requestLimits,
  spanOf,
  textAt,
  unlessRefused,
  type RequestFault,
  type WireRequest,
} from './wire-request.ts'
import { answerLimits } from '#wire/stream/frame-reader-interface.ts'
import { wires } from './table-of-wires.ts'

export const jobEndpoints = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
  '/v1/embeddings': 'embeddings',
  '/v1/completions': 'completions',
} as const satisfies Readonly<Record<string, FormatName>>

export type JobEndpoint = keyof typeof jobEndpoints
export type JobWire = (typeof jobEndpoints)[JobEndpoint]

export interface BatchJob {
  readonly inputFileId: string
  readonly endpoint: JobEndpoint
  readonly wire: JobWire
  /** Sent to the provider unchanged. */
  readonly more: JsonObject
}

export function parseJob(body: ByteText): BatchJob | RequestFault {
  return unlessRefused(() => {
    const fields =
      parseObject(textOf(body)) ?? refuse('invalid_json', null, 'The body must be a JSON object.')
    const { completion_window, endpoint, input_file_id, metadata, output_expires_after, ...others } = fields
    const [unknown] = Object.keys(others)
    if (unknown !== undefined)
      refuse('invalid_request', unknown.slice(0, 200), `Unknown field ${unknown.slice(0, 200)}.`)
    if (typeof input_file_id !== 'string') mustBe('input_file_id', 'the ID of a file with the purpose batch')
    if (completion_window !== '24h') mustBe('completion_window', '24h')
    const known = endpointsByName.get(typeof endpoint === 'string' ? endpoint : '')
    if (known === undefined) return mustBe('endpoint', `one of ${[...endpointsByName.keys()].join(', ')}`)
    const more = {
      completion_window,
      ...(!isAbsent(metadata) && { metadata }),
      ...(!isAbsent(output_expires_after) && { output_expires_after }),
    }
    return { inputFileId: input_file_id, endpoint: known, wire: jobEndpoints[known], more }
  })
}

const endpointsByName = new Map(
  // The cast is safe, because `jobEndpoints` has only these keys.
  (Object.keys(jobEndpoints) as JobEndpoint[]).map((endpoint) => [endpoint as string, endpoint]),
)

/** Null if a batch cannot have this endpoint. */
export function jobWireOf(endpoint: unknown): JobWire | null {
  const known = typeof endpoint === 'string' ? endpointsByName.get(endpoint) : undefined
  return known === undefined ? null : jobEndpoints[known]
}

export function jobBody({ endpoint, more }: BatchJob, inputFileId: string): ByteText {
  return byteTextOf(JSON.stringify({ input_file_id: inputFileId, endpoint, ...more }))
}

/** Bytes of a file that are read or written in one step. */
const stepBytes = 256 * 1024

/** Does not parse the requests. */
export function* parseLines(
  text: ByteText,
  endpoint: JobEndpoint,
  requestsMax: number,
): Steps<readonly BatchedRequest[] | RequestFault> {
  const requests: BatchedRequest[] = []
  const known = new Set<string>()
  let stepStart = 0
  for (let start = 0; start < text.length;) {
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    const line = text.slice(start, end)
    start = end + 1
    if (line.trim() !== '') {
      if (requests.length === requestsMax) return wrongCount(requestsMax)
      const parser = new JsonParser(line, requestLimits)
      while (!parser.step(stepBytes)) yield
      const request = unlessRefused(() => requestOf(parser.result(), requests.length, endpoint, known))
      if (isFault(request)) return request
      requests.push(request)
    }
    if (start - stepStart < stepBytes) continue
    stepStart = start
    yield
  }
  return requests.length === 0 ? wrongCount(requestsMax) : requests
}

function wrongCount(requestsMax: number): RequestFault {
  return unlessRefused(() => mustBe('input_file_id', `a file of 1 to ${requestsMax} lines`))
}

function requestOf(
  json: Json | JsonFault,
  at: number,
  endpoint: JobEndpoint,
  known: Set<string>,
): BatchedRequest {
  const place = `lines.${at}`
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return mustBe(place, 'a JSON object')
  const customId = textAt(json, member(json, 0, 'custom_id')) ?? ''
  if (customId === '' || customId.length > customIdMax)
    mustBe(`${place}.custom_id`, `a string of 1 to ${customIdMax} characters`)
  if (known.has(customId)) refuseTwice(`${place}.custom_id`, ' in another line')
  known.add(customId)
  if (textAt(json, member(json, 0, 'method')) !== 'POST') mustBe(`${place}.method`, 'POST')
  if (textAt(json, member(json, 0, 'url')) !== endpoint)
    mustBe(`${place}.url`, `${endpoint}, the endpoint of the batch`)
  const body = member(json, 0, 'body')
  if (body < 0 || kindOf(json, body) !== kinds.object)
    mustBe(`${place}.body`, `an object: the body of a request to ${endpoint}`)
  if (json.repeated !== null) refuseTwice(`${place}.${json.repeated}`)
  return { customId, params: sourceOf(json, body) }
}

const customIdMax = 512

/**
 * Writes the form that uploads the requests of a batch to the provider.
 * @param boundary letters that no request contains
 */
export function* linesForm(
  requests: readonly BatchedRequest[],
  endpoint: JobEndpoint,
  boundary: string,
): Steps<{ readonly body: ByteText; readonly contentType: string }> {
  const lines: ByteText[] = []
  let bytes = 0
  for (const { customId, params } of requests) {
    const head = byteTextOf(`{"custom_id":${JSON.stringify(customId)},"method":"POST","url":"${endpoint}"`)
    // Each request must be a single line, but its JSON may contain line breaks as white space.
    lines.push(`${head},"body":${params.replaceAll(/[\r\n]/g, ' ')}}\n`)
    bytes += params.length
    if (bytes < stepBytes) continue
    bytes = 0
    yield
  }
  const body = formText(boundary, [
    { name: 'purpose', value: 'batch' },
    { name: 'file', filename: 'requests.jsonl', value: lines.join('') },
  ])
  return { body, contentType: formType(boundary) }
}

export function readJobState(text: ByteText): BatchState | null {
  const { error_file_id, id, input_file_id, output_file_id, status } = parseObject(textOf(text)) ?? {}
  if (typeof id !== 'string' || typeof status !== 'string') return null
  return {
    hasEnded: ends.has(status),
    isComplete: status === 'completed',
    resultFiles: [output_file_id, error_file_id].filter((file) => typeof file === 'string'),
    inputFile: typeof input_file_id === 'string' ? input_file_id : null,
  }
}

const ends: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled'])

/**
 * Returns the description of a batch with the client's IDs. Null if the text does not describe a batch.
 * @param clean removes secrets from an error of the provider
 */
export function describedJob(
  text: ByteText,
  id: string,
  fileOf: (providerId: string) => string | null,
  clean: (text: string) => string,
): object | null {
  const job = parseObject(textOf(text))
  if (job === null || typeof job.id !== 'string') return null
  const idOf = (file: unknown): string | null => (typeof file === 'string' ? fileOf(file) : null)
  const { error_file_id, errors, input_file_id, output_file_id, ...rest } = job
  return {
    ...rest,
    id,
    errors: isAbsent(errors) ? null : { object: 'list', data: errorsIn(errors, clean) },
    ...('model' in rest && { model: null }),
    input_file_id: idOf(input_file_id),
    output_file_id: idOf(output_file_id),
    error_file_id: idOf(error_file_id),
  }
}

function errorsIn(errors: JsonValue, clean: (text: string) => string): readonly object[] {
  return listOf(objectOf(errors).data).map((value) => {
    const { code, line, message, param } = objectOf(value)
    return {
      code: shortText(code),
      line: typeof line === 'number' ? line : null,
      message: cleanText(message, clean),
      param: shortText(param),
    }
  })
}

/**
 * Reads a line of an output file or an error file.
 * @returns null for a line without an ID
 */
export function readJobResult(line: ByteText, wire: FormatName, aliasOf: AliasOf): BatchResult | null {
  const json = parseJson(line, answerLimits)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const customId = textAt(json, member(json, 0, 'custom_id'))
  if (customId === null) return null
  const response = member(json, 0, 'response')
  if (response < 0 || isNull(json, response)) {
    const error = objectOf(parseObject(textOf(line))?.error)
    const type = typesByCode[String(error['code'])] ?? 'errored'
    return failedResult(customId, type, null, error)
  }
  const status = member(json, response, 'status_code')
  const body = member(json, response, 'body')
  if (status < 0 || kindOf(json, status) !== kinds.number || body < 0) return unreadableResult(customId)
  const code = numberAt(json, status)
  const source = sourceOf(json, body)
  const { end, start } = spanOf(json, body)
  if (code === 200) {
    const alias = aliasOf(
      textAt(json, kindOf(json, body) === kinds.object ? member(json, body, 'model') : -1),
    )
    // For these formats, reading a response needs only the model name of the request.
    const answer = wires[wire].readAnswer(source, { model: alias } as WireRequest)
    if (answer !== null) {
      const shown = `${line.slice(0, start)}${answer.body}${line.slice(end)}\n`
      return { customId, type: 'succeeded', answer, shown: () => shown }
    }
  }
  const error = parseObject(textOf(source))?.error
  if (code === 200 && !isObject(error)) return unreadableResult(customId)
  return failedResult(customId, 'errored', code === 200 ? 500 : code, objectOf(error))
}

const typesByCode: Readonly<Record<string, 'canceled' | 'expired'>> = {
  batch_expired: 'expired',
  batch_cancelled: 'canceled',
}

function unreadableResult(customId: string): BatchResult {
  return failedResult(customId, 'unreadable', 500, { message: unreadableText })
}

function failedResult(
  custom_id: string,
  type: BatchResult['type'],
  status_code: number | null,
  { code, message, param, type: errorType }: JsonObject,
): BatchResult {
  return {
    customId: custom_id,
    type,
    answer: null,
    shown: (clean) => {
      const error = { code: shortText(code), message: cleanText(message, clean) }
      const body = { error: { ...error, type: shortText(errorType), param: shortText(param) } }
      const line =
        status_code === null
          ? { custom_id, response: null, error }
          : { custom_id, response: { status_code, request_id: null, body }, error: null }
      return `${byteTextOf(JSON.stringify({ id: null, ...line }))}\n`
    },
  }
}

function cleanText(message: unknown, clean: (text: string) => string): string {
  return clean(typeof message === 'string' ? message : 'The provider returned an error.')
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 200) : null
}
