/** Batches of messages requests (docs/reference/wires.md "Batches"). */
import type { WholeAnswer } from '#wire/stream/answer-stream.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member, stringAt, valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { isObject, objectOf, parseObject } from '#wire/text/json-values.ts'
import { itemsOf, keysOf } from '#wire/text/object-members.ts'
import {
  faultOfJson,
  mustBe,
  refuse,
  refuseTwice,
  requestLimits,
  spanOf,
  textAt,
  unlessRefused,
  type RequestBody,
  type RequestFault,
} from '#wire/wire-request.ts'
import { readMessagesResponse } from './non-streaming-response.ts'

/** A request of a batch. */
export interface BatchedRequest {
  /** The client's name for the request. */
  readonly customId: string
  /** The body of the request. */
  readonly params: ByteText
}

/** Reads the body that creates a batch, without reading the requests. */
export function parseBatch(body: RequestBody, requestsMax: number): readonly BatchedRequest[] | RequestFault {
  const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
  if ('reason' in json) return faultOfJson(json)
  return unlessRefused(() => {
    const { requests } = fieldsOf(json, 0, '', ['requests'])
    const items =
      requests === undefined || kindOf(json, requests) !== kinds.array ? [] : itemsOf(json, requests)
    if (items.length === 0 || items.length > requestsMax)
      mustBe('requests', `a list of 1 to ${requestsMax} requests`)
    const known = new Set<string>()
    return items.map((item, at) => {
      const place = `requests.${at}.`
      const { custom_id, params } = fieldsOf(json, item, place, ['custom_id', 'params'])
      const customId = textAt(json, custom_id ?? -1) ?? ''
      if (!customIdForm.test(customId))
        mustBe(`${place}custom_id`, 'a string of 1 to 64 letters, digits, underscores and hyphens')
      if (known.has(customId)) refuseTwice(`${place}custom_id`, ' in another request')
      known.add(customId)
      if (params === undefined || kindOf(json, params) !== kinds.object)
        mustBe(`${place}params`, 'an object: the body of a request to /v1/messages')
      return { customId, params: sourceOf(json, params) }
    })
  })
}

const customIdForm = /^[\w-]{1,64}$/

/** Returns the fields of an object. Rejects fields with other names, because the body is written again without them. */
function fieldsOf(
  json: Json,
  object: Node,
  place: string,
  names: readonly string[],
): Readonly<Record<string, Node | undefined>> {
  if (kindOf(json, object) !== kinds.object)
    mustBe(place === '' ? 'requests' : place.slice(0, -1), 'in a JSON object')
  const fields: Record<string, Node> = {}
  for (const key of keysOf(json, object)) {
    const name = stringAt(json, key)
    if (!names.includes(name))
      refuse(
        'invalid_request',
        `${place}${name}`.slice(0, 200),
        `Unknown field ${`${place}${name}`.slice(0, 200)}.`,
      )
    if (fields[name] !== undefined) refuseTwice(`${place}${name}`)
    fields[name] = valueOf(key)
  }
  return fields
}

/** Writes the body that creates a batch at the provider. */
export function batchBody(requests: readonly BatchedRequest[]): ByteText {
  const items = requests.map(({ customId, params }) => `{"custom_id":"${customId}","params":${params}}`)
  return `{"requests":[${items.join(',')}]}`
}

/** The result of a request in a batch. */
export type BatchResult = { readonly customId: string } & (
  | { readonly type: 'succeeded'; readonly answer: WholeAnswer; readonly line: ByteText }
  | { readonly type: 'errored'; readonly errorType: string; readonly message: string }
  | { readonly type: 'canceled' | 'expired' }
)

/**
 * Reads a line of results.
 * @param aliasOf returns the model name that the client gets for a model of the provider; null for an unnamed model
 * @returns null for anything except a result of a known type with a message that can be read
 */
export function readBatchResult(
  line: ByteText,
  aliasOf: (model: string | null) => string,
): BatchResult | null {
  const json = parseJson(line)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const customId = textAt(json, member(json, 0, 'custom_id'))
  const result = member(json, 0, 'result')
  if (customId === null || result < 0 || kindOf(json, result) !== kinds.object) return null
  const type = textAt(json, member(json, result, 'type'))
  switch (type) {
    case 'succeeded': {
      const message = member(json, result, 'message')
      if (message < 0 || kindOf(json, message) !== kinds.object) return null
      const { end, start } = spanOf(json, message)
      const alias = aliasOf(textAt(json, member(json, message, 'model')))
      const answer = readMessagesResponse(line.slice(start, end), alias)
      return answer && { customId, type, answer, line: line.slice(0, start) + answer.body + line.slice(end) }
    }
    case 'errored': {
      const error = parseObject(textOf(sourceOf(json, result)))?.error
      const { errorType, message } = errorIn(error)
      return { customId, type, errorType, message }
    }
    case 'canceled':
    case 'expired':
      return { customId, type }
    default:
      return null
  }
}

/** Writes a result as a line for the client. @param message the error of the provider without its secrets */
export function batchResultLine(result: BatchResult, message: (text: string) => string): ByteText {
  if (result.type === 'succeeded') return `${result.line}\n`
  const { customId, type } = result
  const error = {
    type: 'error',
    error: {
      type: type === 'errored' ? result.errorType : '',
      message: type === 'errored' ? message(result.message) : '',
    },
    request_id: null,
  }
  const shown = { custom_id: customId, result: { type, ...(type === 'errored' && { error }) } }
  return `${byteTextOf(JSON.stringify(shown))}\n`
}

/** The provider's error is inside an error object, as in the body of a failed request. */
function errorIn(value: unknown): { errorType: string; message: string } {
  const outer = objectOf(value)
  const error = isObject(outer['error']) ? outer['error'] : outer
  const { message, type } = error
  return {
    errorType: typeof type === 'string' ? type.slice(0, 64) : 'api_error',
    message: typeof message === 'string' ? message : 'The provider returned an error.',
  }
}

function sourceOf(json: Json, node: Node): ByteText {
  const { end, start } = spanOf(json, node)
  return json.text.slice(start, end)
}

/** Returns whether a description of a batch says that it has ended. Null if it is no description of a batch. */
export function hasBatchEnded(text: ByteText): boolean | null {
  const { id, processing_status: status } = parseObject(textOf(text)) ?? {}
  return typeof id === 'string' && typeof status === 'string' ? status === 'ended' : null
}

/** Returns the provider's ID of a batch. Null if the text is no description of a batch. */
export function batchIdIn(text: ByteText): string | null {
  const { id } = parseObject(textOf(text)) ?? {}
  return typeof id === 'string' && id !== '' && id.length <= idLengthMax ? id : null
}

const idLengthMax = 512

/**
 * Returns the provider's description of a batch with the client's ID and the gateway's address of the results. Null if
 * the text is no description of a batch.
 */
export function describedBatch(text: ByteText, id: string, resultsUrl: string): object | null {
  const batch = parseObject(textOf(text))
  if (batch === null || typeof batch.id !== 'string') return null
  const hasResults = typeof batch.results_url === 'string'
  return { ...batch, id, results_url: hasResults ? resultsUrl : null }
}

/** Writes the response to a deletion. */
export function deletedBatch(id: string): object {
  return { id, type: 'message_batch_deleted' }
}
