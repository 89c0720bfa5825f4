import { InputBound, type InputTotal } from '#wire/bound/input-bound.ts'
import { after, inside, kindOf, kinds, member, startOf, stringAt, valueOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { readWithoutOffers } from '#wire/offered-tools.ts'
import { removals } from '#wire/text/removals.ts'
import {
  choicesLimit,
  countAt,
  countFault,
  detours,
  fault,
  flagAt,
  isFault,
  isNull,
  modelAt,
  outcomeAt,
  outputTokensLimit,
  spanOf,
  textAt,
  unboundable,
} from '#wire/request.ts'
import type { RequestBody, RequestFault, WireRequest } from '#wire/request.ts'
import type { Edit } from '#wire/text/splice.ts'
import { faultOfTools, withoutProviderTools } from './offered-tools.ts'
import { foreignSignatures } from './foreign-signatures.ts'
import { faultOfLengthened, faultOfUnheld } from './unheld-fields.ts'

/** A chat-completions request (wire.md 1.1). */
export function parseChatRequest(body: RequestBody): WireRequest | RequestFault {
  return readWithoutOffers(body, parse, withoutProviderTools)
}

function parse(json: Json): WireRequest | RequestFault {
  const fields = {
    model: -1,
    maxTokens: -1,
    maxCompletionTokens: -1,
    streamOptions: -1,
    svcKey: -1,
    minTokens: -1,
    ignoreEos: -1,
  }
  let messages = -1
  let tools = -1
  let format = -1
  let stream = -1
  let n = -1
  let tier = -1
  let modalities = -1
  let audio = -1
  let seen = 0
  for (let key = inside(0), end = after(json, 0); key < end; key = after(json, valueOf(key))) {
    const name = stringAt(json, key)
    const value = valueOf(key)
    const bit = knownBits.get(name)
    if (bit === undefined) {
      const refused = faultOfUnheld(json, name, value)
      if (refused) return refused
      continue
    }
    // Two parsers may take two different ones of them: the one that is charged and the one that is run.
    if (seen & bit) return fault('invalid_request', name, `The field ${name} is there twice.`)
    seen |= bit
    if (name === 'model') fields.model = value
    else if (name === 'messages') messages = value
    else if (name === 'max_tokens') fields.maxTokens = value
    else if (name === 'max_completion_tokens') fields.maxCompletionTokens = value
    else if (name === 'stream') stream = value
    else if (name === 'stream_options') fields.streamOptions = value
    else if (name === 'n') n = value
    else if (name === 'tools') tools = value
    else if (name === 'response_format') format = value
    else if (name === 'service_tier') tier = value
    else if (name === 'modalities') modalities = value
    else if (name === 'audio') audio = value
    else if (name === 'svc') fields.svcKey = key
    else if (name === 'min_tokens') fields.minTokens = value
    else if (name === 'ignore_eos') fields.ignoreEos = value
    else if (!isNull(json, value)) return fault('unsupported_for_route', name, unboundable)
  }

  const model = modelAt(json, fields.model)
  if (typeof model !== 'string') return model
  if (messages < 0 || kindOf(json, messages) !== kinds.array || inside(messages) === after(json, messages)) {
    return fault(
      'invalid_request',
      'messages',
      'The field messages must be a list with at least one message.',
    )
  }
  const isStream = flagAt(json, stream)
  if (isStream === null) return fault('invalid_request', 'stream', 'The field stream must be true or false.')
  const wantsUsage = asksForUsage(json, fields.streamOptions)
  if (wantsUsage === null) {
    return fault(
      'invalid_request',
      'stream_options',
      'The field stream_options must be an object, and include_usage in it true or false.',
    )
  }
  const maxTokens = countAt(json, fields.maxTokens, outputTokensLimit)
  if (maxTokens === 'wrong') return countFault('max_tokens', outputTokensLimit)
  const maxCompletionTokens = countAt(json, fields.maxCompletionTokens, outputTokensLimit)
  if (maxCompletionTokens === 'wrong') return countFault('max_completion_tokens', outputTokensLimit)
  // Servers differ in which of the two wins when both are sent; the larger one is the bound.
  const outputTokensMax =
    maxTokens === null ? maxCompletionTokens : Math.max(maxTokens, maxCompletionTokens ?? 0)
  const lengthened = faultOfLengthened(json, fields, outputTokensMax)
  if (lengthened) return lengthened
  const choices = countAt(json, n, choicesLimit)
  if (choices === 'wrong') return countFault('n', choicesLimit)
  const outcome = outcomeAt(json, fields.svcKey < 0 ? -1 : valueOf(fields.svcKey))
  if (outcome !== null && isFault(outcome)) return outcome
  const toolFault = tools < 0 ? null : faultOfTools(json, tools)
  if (toolFault) return toolFault
  const input = boundInput(json, messages, tools >= 0, format >= 0)
  if (isFault(input)) return input

  const always: Edit[] = []
  if (isStream && !wantsUsage) always.push(withUsageWish(json, fields.streamOptions))
  if (fields.svcKey >= 0) always.push(...removals(json, 0, [fields.svcKey]))
  const foreign = foreignSignatures(json, messages)
  return {
    wire: 'chat',
    text: json.text,
    model,
    isStream,
    wantsUsage,
    isJsonArray: false,
    outputTokensMax,
    choices: choices ?? 1,
    serviceTier: textAt(json, tier),
    asksForAudio: isGiven(json, audio) || asksFor(json, modalities, 'audio'),
    asksForImages: asksFor(json, modalities, 'image'),
    outcome,
    ...input,
    places: {
      model: spanOf(json, fields.model),
      maxima: [fields.maxTokens, fields.maxCompletionTokens]
        .filter((node) => node >= 0)
        .map((node) => spanOf(json, node)),
      newMaximum: { at: startOf(json, 0) + 1, before: '"max_tokens":', after: ',' },
      always: foreign.everywhere.length === 0 ? always : [...always, ...foreign.everywhere],
      alwaysAtOpenai: foreign.atOpenai.length === 0 ? always : [...always, ...foreign.atOpenai],
    },
  }
}

const known = [
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'stream',
  'stream_options',
  'n',
  'tools',
  'response_format',
  'service_tier',
  'modalities',
  'audio',
  'svc',
  'min_tokens',
  'ignore_eos',
  // Refused, unless null.
  ...detours,
]
const knownBits = new Map(known.map((name, i) => [name, 1 << i]))

function isGiven(json: Json, node: Node): boolean {
  return node >= 0 && !isNull(json, node)
}

/** Null where nothing is said of it; true where something is said that is no list of texts. */
function asksFor(json: Json, modalities: Node, modality: string): boolean | null {
  if (!isGiven(json, modalities)) return null
  if (kindOf(json, modalities) !== kinds.array) return true
  for (let item = inside(modalities), end = after(json, modalities); item < end; item = after(json, item)) {
    const named = textAt(json, item)
    if (named === null || named.toLowerCase() === modality) return true
  }
  return false
}

/** What is no part of what a model reads. */
const settings: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'max_completion_tokens',
  'stream',
  'stream_options',
  'n',
  'service_tier',
  'svc',
  'temperature',
  'top_p',
  'seed',
  'stop',
  'user',
  'metadata',
  'store',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'presence_penalty',
  'frequency_penalty',
  'parallel_tool_calls',
  'prompt_cache_key',
  'safety_identifier',
  'reasoning_effort',
  'verbosity',
])

/** `include_usage: true` in the client's own stream_options, whose other members stay (wire.md 7). */
function withUsageWish(json: Json, options: Node): Edit {
  if (options < 0) {
    const at = startOf(json, 0) + 1
    return { start: at, end: at, text: '"stream_options":{"include_usage":true},' }
  }
  if (kindOf(json, options) !== kinds.object)
    return { ...spanOf(json, options), text: '{"include_usage":true}' }
  const wish = member(json, options, 'include_usage')
  if (wish >= 0) return { ...spanOf(json, wish), text: 'true' }
  const isEmpty = inside(options) === after(json, options)
  const at = startOf(json, options) + 1
  return { start: at, end: at, text: `"include_usage":true${isEmpty ? '' : ','}` }
}

/** The bounds of the input. */
function boundInput(
  json: Json,
  messages: Node,
  hasTools: boolean,
  hasSchema: boolean,
): InputTotal | RequestFault {
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  let count = 0
  for (
    let message = inside(messages), end = after(json, messages);
    message < end;
    message = after(json, message)
  ) {
    count++
    if (kindOf(json, message) !== kinds.object) {
      return fault('invalid_request', `messages.${count - 1}`, 'A message must be an object.')
    }
    bound.addTurn(json, message)
    const content = member(json, message, 'content')
    if (content < 0 || kindOf(json, content) !== kinds.array) continue
    for (
      let part = inside(content), partsEnd = after(json, content);
      part < partsEnd;
      part = after(json, part)
    ) {
      const refused = boundPart(json, part, bound)
      if (refused !== null) return fault('unsupported_for_route', `messages.${count - 1}.content`, refused)
    }
  }
  return bound.total(json, { messages: count, hasTools, hasSchema })
}

/** Adds what one content part may cost; a text when it cannot be bounded. */
function boundPart(json: Json, part: Node, bound: InputBound): string | null {
  if (kindOf(json, part) !== kinds.object) return null
  const type = textAt(json, member(json, part, 'type')) ?? ''
  if (type === 'text' || type === 'refusal') return null
  const body = member(json, part, type)
  const inBody = (name: string): Node => (body < 0 ? -1 : member(json, body, name))
  switch (type) {
    case 'image_url':
      bound.addImage(json, inBody('url'), textAt(json, inBody('detail')) === 'low')
      return null
    case 'input_audio':
      bound.addAudio(json, inBody('data'))
      return null
    case 'file': {
      const data = inBody('file_data')
      if (data < 0)
        return 'the size of a file that is only named cannot be known before the call; send it as file_data'
      bound.addDocument(json, data)
      return null
    }
    default:
      return `content of type ${type || 'unknown'} cannot be bounded before the call`
  }
}

function asksForUsage(json: Json, options: Node): boolean | null {
  if (options < 0 || isNull(json, options)) return false
  if (kindOf(json, options) !== kinds.object) return null
  return flagAt(json, member(json, options, 'include_usage'))
}
