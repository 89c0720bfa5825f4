import type { ByteText } from '#wire/text/byte-text.ts'
import { member, startOf, valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { readWithoutOffers } from '#wire/offered-tools.ts'
import { removals } from '#wire/text/removals.ts'
import {
  countAt,
  countFault,
  detours,
  fault,
  flagAt,
  isFault,
  isNull,
  knownKeys,
  modelAt,
  outcomeAt,
  outputTokensLimit,
  spanOf,
  textAt,
  unboundable,
} from '#wire/request.ts'
import type { RequestBody, RequestFault, WireRequest } from '#wire/request.ts'
import { boundInput } from './content-bound.ts'
import { foreignSignatures } from './foreign-signatures.ts'
import { faultOfTools, withoutProviderTools } from './offered-tools.ts'

/** A request for a response (wire.md 4.1). */
export function parseResponsesRequest(body: RequestBody): WireRequest | RequestFault {
  return readWithoutOffers(body, (json) => parse(json, 'answer'), withoutProviderTools)
}

/** The body of `input_tokens`: the same without what an answer needs. */
export function parseCountRequest(body: RequestBody): WireRequest | RequestFault {
  return readWithoutOffers(body, (json) => parse(json, 'count'), withoutProviderTools)
}

/** The answer of `input_tokens`. */
export function countAnswer(inputTokens: number): ByteText {
  return JSON.stringify({ object: 'response.input_tokens', input_tokens: inputTokens })
}

function parse(json: Json, purpose: 'answer' | 'count'): WireRequest | RequestFault {
  const keys = knownKeys(json, known, refusedUnlessNull)
  if (isFault(keys)) return keys
  const valueAt = (name: string): Node => {
    const key = keys.get(name)
    return key === undefined ? -1 : valueOf(key)
  }

  const model = modelAt(json, valueAt('model'))
  if (typeof model !== 'string') return model
  const isStream = flagAt(json, valueAt('stream'))
  if (isStream === null) return fault('invalid_request', 'stream', 'The field stream must be true or false.')
  const max = valueAt('max_output_tokens')
  const outputTokensMax = countAt(json, max, outputTokensLimit)
  if (outputTokensMax === 'wrong') return countFault('max_output_tokens', outputTokensLimit)
  const outcome = outcomeAt(json, valueAt('svc'))
  if (outcome !== null && isFault(outcome)) return outcome
  const refused = faultOfOptions(json, valueAt) ?? faultOfTools(json, valueAt('tools'), 'tools')
  if (refused) return refused
  const items = valueAt('input')
  if (purpose === 'answer' && (items < 0 || isNull(json, items)))
    return fault('invalid_request', 'input', 'The field input must be a text or a list of items.')
  const format = valueAt('text')
  const input = boundInput(json, items, {
    tools: valueAt('tools'),
    hasSchema: format >= 0 && member(json, format, 'format') >= 0,
  })
  if (isFault(input)) return input

  const svc = keys.get('svc')
  return {
    wire: 'responses',
    text: json.text,
    model,
    isStream,
    wantsUsage: true,
    isJsonArray: false,
    outputTokensMax,
    choices: 1,
    serviceTier: textAt(json, valueAt('service_tier')),
    asksForAudio: null,
    asksForImages: null,
    outcome,
    ...input,
    places: {
      model: spanOf(json, valueAt('model')),
      maxima: max >= 0 ? [spanOf(json, max)] : [],
      newMaximum: { at: startOf(json, 0) + 1, before: '"max_output_tokens":', after: ',' },
      always: [...foreignSignatures(json, items), ...(svc === undefined ? [] : removals(json, 0, [svc]))],
    },
  }
}

const known: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'max_output_tokens',
  'stream',
  'tools',
  'text',
  'reasoning',
  'background',
  'service_tier',
  'svc',
])

const refusedUnlessNull: ReadonlyMap<string, string> = new Map([
  ['previous_response_id', `${unboundable}: send the conversation as items of input`],
  ['conversation', `${unboundable}: send the conversation as items of input`],
  ['prompt', `${unboundable}: send its text as instructions or input`],
  ['context_management', 'what compaction costs cannot be bounded before the call; leave it out'],
  ['moderation', 'what moderation by another model costs cannot be bounded before the call; leave it out'],
  ...detours.map((name) => [name, `${unboundable}; leave it out`] as const),
])

/** Values of known fields that make a call cost what nobody can foresee. */
function faultOfOptions(json: Json, valueAt: (name: string) => Node): RequestFault | null {
  const background = flagAt(json, valueAt('background'))
  if (background === null)
    return fault('invalid_request', 'background', 'The field background must be true or false.')
  if (background) {
    return fault(
      'unsupported_for_route',
      'background',
      'an answer that is made later cannot be metered; leave it out, or stream the answer',
    )
  }
  const reasoning = valueAt('reasoning')
  const mode = reasoning < 0 ? null : textAt(json, member(json, reasoning, 'mode'))
  if (mode !== null && mode !== 'standard') {
    return fault(
      'unsupported_for_route',
      'reasoning.mode',
      `what the mode ${mode} adds to the input cannot be bounded before the call; leave it out`,
    )
  }
  return null
}
