import { boundBytes, thirdsOf, tokensFromThirds } from '#wire/count.ts'
import {
  after,
  endOf,
  inside,
  kindOf,
  kinds,
  member,
  numberAt,
  parseJson,
  startOf,
  stringAt,
  valueOf,
} from '#wire/json.ts'
import type { Json, Node } from '#wire/json.ts'
import { byteTextOf } from '#wire/byte-text.ts'
import type { ByteText } from '#wire/byte-text.ts'
import { splice } from '#wire/splice.ts'
import type { Edit } from '#wire/splice.ts'

/**
 * A chat-completions request: what the gateway needs to know of it, and where the few values stand that
 * it may change. The rest of the body is never looked at and goes on byte for byte.
 */
export interface ChatRequest {
  readonly text: ByteText
  readonly model: string
  readonly isStream: boolean
  /** The client asked for the usage chunk itself. */
  readonly wantsUsage: boolean
  /** The maximum asked for, per choice; null: none. */
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly serviceTier: string | null
  readonly outcome: { readonly slug: string; readonly runId: string } | null
  /** At most what the provider can count for the input (tokens.md 1). */
  readonly textTokensMax: number
  readonly audioTokensMax: number
  readonly imageTokensMax: number
  /** Our own count of it, should the provider never say. */
  readonly inputEstimate: number
  readonly places: Places
}

/** Where the values stand that may be changed. The tape is gone by the time they are. */
interface Places {
  readonly model: Span
  /** Of whichever maxima are there. */
  readonly maxima: readonly Span[]
  /** Where a new member may be put. */
  readonly firstMember: number
  /** What makes a stream report its usage; null when the client has asked for it itself, or no stream. */
  readonly usageWish: Edit | null
  readonly svc: Edit | null
}

interface Span {
  readonly start: number
  readonly end: number
}

export interface RequestFault {
  readonly kind: 'fault'
  readonly code: 'invalid_json' | 'invalid_request' | 'unsupported_for_route'
  readonly param: string | null
  readonly reason: string
}

/** Allowances for what providers wrap around a request: framing per message, hidden tool prompts. */
const frameTokens = 64
const messageTokens = 8
const toolsTokens = 1024
/** Per image where its size is not known; `detail: low` is one small tile at every vendor (tokens.md 4). */
const imageTokens = 16_000
const lowDetailImageTokens = 3_000
/** Compressed audio may be as thin as 1 KB a second at about 10 tokens. */
const audioBytesPerToken = 100
/** A PDF page may be 200 bytes, and costs its text and its picture. */
const pdfBytesPerPage = 200
const pdfPageTokens = 7_800

/** No name is longer; and what was asked for is told, logged and kept, so it must not be a book. */
const modelLengthMax = 128
const outputTokensLimit = 10_000_000
const choicesLimit = 128

export function parseChatRequest(text: ByteText): ChatRequest | RequestFault {
  const json = parseJson(text)
  if ('reason' in json) return fault('invalid_json', null, json.reason)
  if (kindOf(json, 0) !== kinds.object)
    return fault('invalid_request', null, 'The body must be a JSON object.')

  const fields = { model: -1, maxTokens: -1, maxCompletionTokens: -1, streamOptions: -1, svcKey: -1 }
  let messages = -1
  let tools = -1
  let stream = -1
  let n = -1
  let tier = -1
  let seen = 0
  for (let key = inside(0), end = after(json, 0); key < end; key = after(json, valueOf(key))) {
    const name = stringAt(json, key)
    const value = valueOf(key)
    const bit = knownBits.get(name)
    if (bit === undefined) continue
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
    else if (name === 'service_tier') tier = value
    else if (name === 'svc') fields.svcKey = key
    else if (!isNull(json, value)) {
      return fault('unsupported_for_route', name, 'what it costs cannot be bounded before the call')
    }
  }

  if (
    fields.model < 0 ||
    kindOf(json, fields.model) !== kinds.string ||
    stringAt(json, fields.model).length > modelLengthMax
  ) {
    return fault(
      'invalid_request',
      'model',
      `The field model must be a text of at most ${modelLengthMax} characters: the name of a model of this application.`,
    )
  }
  if (messages < 0 || kindOf(json, messages) !== kinds.array || inside(messages) === after(json, messages)) {
    return fault(
      'invalid_request',
      'messages',
      'The field messages must be a list with at least one message.',
    )
  }
  const isStream = flag(json, stream)
  if (isStream === null) return fault('invalid_request', 'stream', 'The field stream must be true or false.')
  const wantsUsage = asksForUsage(json, fields.streamOptions)
  if (wantsUsage === null) {
    return fault(
      'invalid_request',
      'stream_options',
      'The field stream_options must be an object, and include_usage in it true or false.',
    )
  }
  const maxTokens = count(json, fields.maxTokens, outputTokensLimit)
  if (maxTokens === 'wrong') return countFault('max_tokens', outputTokensLimit)
  const maxCompletionTokens = count(json, fields.maxCompletionTokens, outputTokensLimit)
  if (maxCompletionTokens === 'wrong') return countFault('max_completion_tokens', outputTokensLimit)
  const choices = count(json, n, choicesLimit)
  if (choices === 'wrong') return countFault('n', choicesLimit)
  const outcome = outcomeOf(json, fields.svcKey)
  if (outcome !== null && 'kind' in outcome) return outcome
  const toolFault = tools < 0 ? null : faultOfTools(json, tools)
  if (toolFault) return toolFault
  const input = boundInput(json, messages, tools >= 0)
  if ('kind' in input) return input

  return {
    text,
    model: stringAt(json, fields.model),
    isStream,
    wantsUsage,
    // Servers differ in which of the two wins when both are sent; the larger one is the bound.
    outputTokensMax: maxTokens === null ? maxCompletionTokens : Math.max(maxTokens, maxCompletionTokens ?? 0),
    choices: choices ?? 1,
    serviceTier: tier >= 0 && kindOf(json, tier) === kinds.string ? stringAt(json, tier) : null,
    outcome,
    ...input,
    places: {
      model: spanOf(json, fields.model),
      maxima: [fields.maxTokens, fields.maxCompletionTokens]
        .filter((node) => node >= 0)
        .map((node) => spanOf(json, node)),
      firstMember: startOf(json, 0) + 1,
      usageWish: isStream && !wantsUsage ? withUsageWish(json, fields.streamOptions) : null,
      svc: fields.svcKey < 0 ? null : removal(json, fields.svcKey),
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
  'service_tier',
  'svc',
  // Costs that no bound exists for, and fields by which a caller could choose where the call goes
  // (CVE-2024-6587): refused, unless null.
  'web_search_options',
  'api_base',
  'base_url',
  'extra_headers',
]
const knownBits = new Map(known.map((name, i) => [name, 1 << i]))

/**
 * The body for the provider: its model name, the maximum when clamped, the usage chunk of a stream
 * asked for, `svc` taken out. Every other byte is the client's.
 * @param outputTokensMax the clamped maximum per choice; null leaves the client's alone
 */
export function chatUpstreamBody(
  request: ChatRequest,
  model: string,
  outputTokensMax: number | null,
): ByteText {
  const { maxima, firstMember, usageWish, svc } = request.places
  const edits: Edit[] = []
  if (model !== request.model)
    edits.push({ ...request.places.model, text: byteTextOf(JSON.stringify(model)) })
  if (outputTokensMax !== null) {
    for (const span of maxima) edits.push({ ...span, text: String(outputTokensMax) })
    if (maxima.length === 0) {
      edits.push({ start: firstMember, end: firstMember, text: `"max_tokens":${outputTokensMax},` })
    }
  }
  if (usageWish) edits.push(usageWish)
  if (svc) edits.push(svc)
  return splice(request.text, edits)
}

function spanOf(json: Json, node: Node): Span {
  return { start: startOf(json, node), end: endOf(json, node) }
}

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

/** A member out of its object, with the one comma that goes with it. */
function removal(json: Json, key: Node): Edit {
  const { text } = json
  const value = valueOf(key)
  const isLast = after(json, value) === after(json, 0)
  let start = startOf(json, key)
  let end = endOf(json, value)
  if (isLast) {
    while (start > 1 && text[start - 1] !== ',' && text[start - 1] !== '{') start--
    if (text[start - 1] === ',') start--
  } else {
    while (text[end] !== ',') end++
    end++
  }
  return { start, end, text: '' }
}

/** The three bounds of the input, media taken out of the text they are base64 in. */
function boundInput(
  json: Json,
  messages: Node,
  hasTools: boolean,
): Pick<ChatRequest, 'textTokensMax' | 'audioTokensMax' | 'imageTokensMax' | 'inputEstimate'> | RequestFault {
  const media = { textTokens: 0, audioTokens: 0, imageTokens: 0, bytes: 0, thirds: 0 }
  let messagesSeen = 0
  for (
    let message = inside(messages), end = after(json, messages);
    message < end;
    message = after(json, message)
  ) {
    messagesSeen++
    if (kindOf(json, message) !== kinds.object) {
      return fault('invalid_request', `messages.${messagesSeen - 1}`, 'A message must be an object.')
    }
    const content = member(json, message, 'content')
    if (content < 0 || kindOf(json, content) !== kinds.array) continue
    for (
      let part = inside(content), partsEnd = after(json, content);
      part < partsEnd;
      part = after(json, part)
    ) {
      const refused = boundPart(json, part, media)
      if (refused !== null)
        return fault('unsupported_for_route', `messages.${messagesSeen - 1}.content`, refused)
    }
  }
  const fixed = frameTokens + messageTokens * messagesSeen + (hasTools ? toolsTokens : 0)
  const { text } = json
  return {
    textTokensMax: boundBytes(text) - media.bytes + media.textTokens + fixed,
    audioTokensMax: media.audioTokens,
    imageTokensMax: media.imageTokens,
    inputEstimate:
      tokensFromThirds(thirdsOf(text, 0, text.length) - media.thirds) +
      Math.ceil(media.imageTokens / 8) +
      media.audioTokens +
      Math.ceil(media.textTokens / 8),
  }
}

/** Adds what one content part may cost; a text when it cannot be bounded. */
function boundPart(
  json: Json,
  part: Node,
  media: { textTokens: number; audioTokens: number; imageTokens: number; bytes: number; thirds: number },
): string | null {
  if (kindOf(json, part) !== kinds.object) return null
  const typeNode = member(json, part, 'type')
  const type = typeNode >= 0 && kindOf(json, typeNode) === kinds.string ? stringAt(json, typeNode) : ''
  if (type === 'text' || type === 'refusal') return null
  const body = member(json, part, type)
  if (type === 'image_url') {
    const url = body < 0 ? -1 : member(json, body, 'url')
    const detail = body < 0 ? -1 : member(json, body, 'detail')
    media.imageTokens +=
      detail >= 0 && kindOf(json, detail) === kinds.string && stringAt(json, detail) === 'low'
        ? lowDetailImageTokens
        : imageTokens
    exclude(json, url, media)
    return null
  }
  if (type === 'input_audio') {
    const data = body < 0 ? -1 : member(json, body, 'data')
    media.audioTokens += Math.ceil(exclude(json, data, media) / audioBytesPerToken)
    return null
  }
  if (type === 'file') {
    const data = body < 0 ? -1 : member(json, body, 'file_data')
    if (data < 0)
      return 'the size of a file that is only named cannot be known before the call; send it as file_data'
    media.textTokens += Math.ceil(exclude(json, data, media) / pdfBytesPerPage) * pdfPageTokens
    return null
  }
  return `content of type ${type || 'unknown'} cannot be bounded before the call`
}

/** Takes a text that is data (base64) out of the text to be counted; gives the bytes it decodes to. */
function exclude(json: Json, node: Node, media: { bytes: number; thirds: number }): number {
  if (node < 0 || kindOf(json, node) !== kinds.string) return 0
  const start = startOf(json, node)
  const end = endOf(json, node)
  media.bytes += end - start
  media.thirds += thirdsOf(json.text, start, end)
  return Math.ceil(((end - start) * 3) / 4)
}

/** Only tools that the caller runs: what a provider runs by itself has no bound (tokens.md 1.4). */
function faultOfTools(json: Json, tools: Node): RequestFault | null {
  if (isNull(json, tools)) return null
  if (kindOf(json, tools) !== kinds.array)
    return fault('invalid_request', 'tools', 'The field tools must be a list.')
  let i = 0
  for (let tool = inside(tools), end = after(json, tools); tool < end; tool = after(json, tool), i++) {
    const type = member(json, tool, 'type')
    const name = type >= 0 && kindOf(json, type) === kinds.string ? stringAt(json, type) : 'function'
    if (name !== 'function' && name !== 'custom') {
      return fault(
        'unsupported_for_route',
        `tools.${i}`,
        `the provider runs ${name} by itself, at a cost that cannot be bounded before the call`,
      )
    }
  }
  return null
}

function outcomeOf(json: Json, svcKey: Node): { slug: string; runId: string } | RequestFault | null {
  if (svcKey < 0 || isNull(json, valueOf(svcKey))) return null
  const svc = valueOf(svcKey)
  const wrong =
    'The field svc must be {"outcome": "<slug>", "outcome_id": "<run>"}, both texts of 1 to 200 characters.'
  if (kindOf(json, svc) !== kinds.object) return fault('invalid_request', 'svc', wrong)
  let slug: string | null = null
  let runId: string | null = null
  for (let key = inside(svc), end = after(json, svc); key < end; key = after(json, valueOf(key))) {
    const name = stringAt(json, key)
    const value = valueOf(key)
    if (name !== 'outcome' && name !== 'outcome_id')
      return fault(
        'invalid_request',
        `svc.${name}`,
        `Unknown field svc.${name}; svc takes outcome and outcome_id.`,
      )
    if (kindOf(json, value) !== kinds.string) return fault('invalid_request', `svc.${name}`, wrong)
    const text = stringAt(json, value)
    if (text.length < 1 || text.length > 200) return fault('invalid_request', `svc.${name}`, wrong)
    if (name === 'outcome') slug = text
    else runId = text
  }
  if (slug === null && runId === null) return null
  return slug === null || runId === null ? fault('invalid_request', 'svc', wrong) : { slug, runId }
}

function asksForUsage(json: Json, options: Node): boolean | null {
  if (options < 0 || isNull(json, options)) return false
  if (kindOf(json, options) !== kinds.object) return null
  return flag(json, member(json, options, 'include_usage'))
}

/** true or false; false where absent or null; null where it is something else. */
function flag(json: Json, node: Node): boolean | null {
  if (node < 0) return false
  const kind = kindOf(json, node)
  if (kind === kinds.true) return true
  return kind === kinds.false || kind === kinds.null ? false : null
}

/** A whole number from 1 to `max`; null where absent or null. */
function count(json: Json, node: Node, max: number): number | null | 'wrong' {
  if (node < 0 || isNull(json, node)) return null
  if (kindOf(json, node) !== kinds.number) return 'wrong'
  const value = numberAt(json, node)
  return Number.isInteger(value) && value >= 1 && value <= max ? value : 'wrong'
}

function countFault(param: string, max: number): RequestFault {
  return fault('invalid_request', param, `The field ${param} must be a whole number from 1 to ${max}.`)
}

function isNull(json: Json, node: Node): boolean {
  return kindOf(json, node) === kinds.null
}

function fault(code: RequestFault['code'], param: string | null, reason: string): RequestFault {
  return { kind: 'fault', code, param, reason }
}
