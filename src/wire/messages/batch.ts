/** Reads and writes batches of messages requests (docs/reference/wires.md "Batches"). */
import {
  unreadableText,
  type AliasOf,
  type BatchedRequest,
  type BatchResult,
  type BatchState,
} from '#wire/batch-result-types.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import {
  kindOf,
  kinds,
  member,
  sourceOf,
  stringAt,
  valueOf,
  type Json,
  type Node,
} from '#wire/text/json-tape.ts'
import { isObject, objectOf, parseObject } from '#wire/text/json-values.ts'
import { itemsOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
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
import type { ContainerIds } from '#wire/types-of-replaced-ids.ts'
import { readMessagesResponse } from './non-streaming-response.ts'
import { anyRun } from './code-execution-facts.ts'

/** Does not parse the requests in the batch. */
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

/** Rejects other fields, because the gateway writes the body again without them. */
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

export function batchBody(requests: readonly BatchedRequest[]): ByteText {
  const items = requests.map(({ customId, params }) => `{"custom_id":"${customId}","params":${params}}`)
  return `{"requests":[${items.join(',')}]}`
}

/** @returns null for a line without an ID */
export function readBatchResult(
  line: ByteText,
  aliasOf: AliasOf,
  containers?: ContainerIds,
): BatchResult | null {
  const json = parseJson(line)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const customId = textAt(json, member(json, 0, 'custom_id'))
  if (customId === null) return null
  const unreadable = {
    customId,
    type: 'unreadable',
    answer: null,
    shown: () => shownError(customId, 'api_error', unreadableText),
  } as const
  return resultIn(json, customId, aliasOf, containers) ?? unreadable
}

/** Returns null for anything except a known result with a readable message. */
function resultIn(
  json: Json,
  customId: string,
  aliasOf: AliasOf,
  containers?: ContainerIds,
): BatchResult | null {
  const { text: line } = json
  const result = member(json, 0, 'result')
  if (result < 0 || kindOf(json, result) !== kinds.object) return null
  const type = textAt(json, member(json, result, 'type'))
  switch (type) {
    case 'succeeded': {
      const message = member(json, result, 'message')
      if (message < 0 || kindOf(json, message) !== kinds.object) return null
      const { end, start } = spanOf(json, message)
      const alias = aliasOf(textAt(json, member(json, message, 'model')))
      const answer = readMessagesResponse(line.slice(start, end), alias, anyRun, containers)
      const shown = `${line.slice(0, start)}${answer?.body ?? ''}${line.slice(end)}\n`
      return answer && { customId, type, answer, shown: () => shown }
    }
    case 'errored': {
      const { errorType, message } = errorIn(parseObject(textOf(sourceOf(json, result)))?.error)
      return {
        customId,
        type,
        answer: null,
        shown: (clean) => shownError(customId, errorType, clean(message)),
      }
    }
    case 'canceled':
    case 'expired':
      return { customId, type, answer: null, shown: () => shownAs(customId, { type }) }
    default:
      return null
  }
}

function shownError(customId: string, type: string, message: string): ByteText {
  const error = { type: 'error', error: { type, message }, request_id: null }
  return shownAs(customId, { type: 'errored', error })
}

function shownAs(custom_id: string, result: object): ByteText {
  return `${byteTextOf(JSON.stringify({ custom_id, result }))}\n`
}

/** The error object contains the provider's error, as in the body of a failed request. */
function errorIn(value: unknown): { errorType: string; message: string } {
  const outer = objectOf(value)
  const error = isObject(outer['error']) ? outer['error'] : outer
  const { message, type } = error
  return {
    errorType: typeof type === 'string' ? type.slice(0, 64) : 'api_error',
    message: typeof message === 'string' ? message : 'The provider returned an error.',
  }
}

export function readBatchState(text: ByteText): BatchState | null {
  const { id, processing_status: status } = parseObject(textOf(text)) ?? {}
  if (typeof id !== 'string' || typeof status !== 'string') return null
  return { hasEnded: status === 'ended', isComplete: true, resultFiles: null, inputFile: null }
}

/**
 * Returns the provider's description of a batch with the client's ID and the gateway's address of the results. Null if
 * the text is not a description of a batch.
 */
export function describedBatch(text: ByteText, id: string, resultsUrl: string): object | null {
  const batch = parseObject(textOf(text))
  if (batch === null || typeof batch.id !== 'string') return null
  const hasResults = typeof batch.results_url === 'string'
  return { ...batch, id, results_url: hasResults ? resultsUrl : null }
}

export function deletedBatch(id: string): object {
  return { id, type: 'message_batch_deleted' }
}
