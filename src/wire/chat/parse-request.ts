import { InputBound, type InputTotal } from '#wire/bound/input-bound.ts'
import { isDataUrl, isMediaAddress } from '#wire/bound/recognize-media-addresses.ts'
import { whyUnbounded } from '#wire/bound/bound-of-unknown-content.ts'
import { after, inside, kindOf, kinds, member, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import { refuseOtherModeration } from '#wire/reject-moderation-field.ts'
import { placesIn } from '#wire/positions-to-edit.ts'
import {
  readWithoutOffers,
  type KeepTools,
  type KeptKinds,
  type ToolReading,
} from '#wire/remove-provider-tools.ts'
import {
  choicesLimit,
  countAt,
  detours,
  fieldsIn,
  flagAt,
  isGiven,
  knownFields,
  mustBe,
  outputTokensLimit,
  refuseForRoute,
  spanOf,
  textAt,
  turnsAt,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelAt } from '#wire/model-name.ts'
import { openaiTier } from '#wire/openai-service-tier.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import type { Edit } from '#wire/text/apply-edits.ts'
import { tokensOfMistralPrompts } from './mistral-prompts.ts'
import { refusePlugins } from './openrouter-plugins.ts'
import {
  hiddenTokensOfTools,
  refuseProviderTools,
  runTools,
  toolKindsIn,
  withoutProviderTools,
} from './remove-provider-tools.ts'
import { foreignSignatures } from './remove-foreign-signatures.ts'
import { providerChoiceAt } from './openrouter-host-choice.ts'
import { searchOptionsAt } from './web-search-options.ts'
import { refuseLengthened, refuseUncovered } from './uncovered-cost-fields.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'

/** Reads a chat-completions request (docs/reference/wires.md "Requests on the chat wire"). */
export function parseChatRequest(body: RequestBody, keep?: KeepTools): WireRequest | RequestFault {
  return readWithoutOffers(body, reading, keep)
}

function parse(json: Json, kept: KeptKinds): WireRequest {
  const fields = fieldsIn(json, known, refuseUncovered)
  const { stream_options: streamOptions, tools, modalities } = fields
  const model = modelAt(json, fields.model)
  const messages = turnsAt(json, 'messages', fields.messages, 'message')
  const isStream = flagAt(json, 'stream', fields.stream)
  const wantsUsage = asksForUsage(json, streamOptions)
  const older = countAt(json, 'max_tokens', fields.max_tokens, outputTokensLimit)
  const newer = countAt(json, 'max_completion_tokens', fields.max_completion_tokens, outputTokensLimit)
  // Some servers prefer the older field and others the newer field, so the larger value is the bound.
  const outputTokensMax = older === null ? newer : Math.max(older, newer ?? 0)
  refuseLengthened(json, fields, outputTokensMax)
  refuseOtherModeration(json, fields.moderation)
  const choices = countAt(json, 'n', fields.n, choicesLimit) ?? 1
  const svc = svcAt(json, fields.svc)
  refuseProviderTools(json, tools, kept)
  refusePlugins(json, fields.plugins, kept)
  const input = boundInput(json, messages, {
    hasTools: itemsOf(json, tools).length > 0 || fields.functions >= 0,
    hasSchema: fields.response_format >= 0,
    hiddenTokens: hiddenTokensOfTools(json, tools) + tokensOfMistralPrompts(json, fields),
  })
  const usageWish = isStream && !wantsUsage ? [withUsageWish(json, streamOptions)] : []
  const maxima = [fields.max_tokens, fields.max_completion_tokens]
  const places = placesIn(json, fields, maxima, 'max_tokens', usageWish)
  const foreign = foreignSignatures(json, messages)
  const providerChoice = providerChoiceAt(json, fields.provider)
  const searchOptions = searchOptionsAt(json, fields.web_search_options)
  return {
    wire: 'chat',
    text: json.text,
    model,
    isStream,
    wantsUsage,
    isJsonArray: false,
    outputTokensMax,
    choices,
    serviceTier: openaiTier(textAt(json, fields.service_tier)),
    asksForAudio: isGiven(json, fields.audio) || asksFor(json, modalities, 'audio'),
    asksForImages: asksFor(json, modalities, 'image'),
    places: foreign
      ? {
          ...places,
          always: [...places.always, ...foreign.everywhere],
          alwaysWithoutThoughts: [...places.always, ...foreign.withoutThoughts],
        }
      : places,
    ...svc,
    ...input,
    ...(providerChoice !== undefined && { providerChoice }),
    ...(searchOptions !== undefined && { searchOptions }),
    ...(kept.size > 0 && runTools(json)),
  }
}

const reading: ToolReading = {
  read: parse,
  withoutOffers: withoutProviderTools,
  kindsIn: toolKindsIn,
}

const known = knownFields(
  [
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
    'provider',
    'plugins',
    'min_tokens',
    'ignore_eos',
    'moderation',
    'functions',
    'web_search_options',
    'prompt_mode',
    'safe_prompt',
  ],
  detours,
)

/** Null if the request omits `modalities`, and true if `modalities` is not a list of texts. */
function asksFor(json: Json, modalities: Node, modality: string): boolean | null {
  if (!isGiven(json, modalities)) return null
  if (kindOf(json, modalities) !== kinds.array) return true
  return itemsOf(json, modalities).some((item) => {
    const named = textAt(json, item)
    return named === null || named.toLowerCase() === modality
  })
}

export const settings = nameSet(`
  model max_tokens max_completion_tokens stream stream_options n service_tier svc temperature top_p seed
  stop user metadata store logprobs top_logprobs logit_bias presence_penalty frequency_penalty
  parallel_tool_calls prompt_cache_key safety_identifier reasoning_effort verbosity prompt_mode safe_prompt
  random_seed
`)

export function asksForUsage(json: Json, options: Node): boolean {
  if (!isGiven(json, options)) return false
  const wish = member(json, options, 'include_usage')
  const kind = isGiven(json, wish) ? kindOf(json, wish) : kinds.false
  if (kindOf(json, options) !== kinds.object || (kind !== kinds.true && kind !== kinds.false))
    mustBe('stream_options', 'an object in which include_usage is true or false')
  return kind === kinds.true
}

/** Keeps the other members of the client's stream_options (docs/reference/wires.md "Unchanged bytes"). */
export function withUsageWish(json: Json, options: Node): Edit {
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

function boundInput(
  json: Json,
  messages: Node,
  { hasSchema, hasTools, hiddenTokens }: { hasSchema: boolean; hasTools: boolean; hiddenTokens: number },
): InputTotal {
  const bound = new InputBound()
  bound.addHidden(hiddenTokens)
  bound.addSettings(json, 0, settings)
  let count = 0
  const end = after(json, messages)
  for (let message = inside(messages); message < end; message = after(json, message), count++) {
    if (kindOf(json, message) !== kinds.object) mustBe(`messages.${count}`, 'an object')
    bound.addTurn(json, message)
    const content = member(json, message, 'content')
    if (content < 0 || kindOf(json, content) !== kinds.array) continue
    for (let part = inside(content), last = after(json, content); part < last; part = after(json, part)) {
      const refused = boundPart(json, part, bound)
      if (refused !== null) refuseForRoute(`messages.${count}.content`, refused)
    }
  }
  return bound.total(json, { messages: count, hasTools, hasSchema })
}

/** @returns why the tokens of the part have no limit, or null */
function boundPart(json: Json, part: Node, bound: InputBound): string | null {
  if (kindOf(json, part) !== kinds.object) return null
  const type = textAt(json, member(json, part, 'type')) ?? ''
  if (type === 'text' || type === 'refusal') return null
  const body = member(json, part, type)
  const inBody = (name: string): Node => (body < 0 ? -1 : member(json, body, name))
  // Mistral's format has a plain text here, instead of OpenAI's object with the text.
  const textIn = (name: string): Node =>
    body >= 0 && kindOf(json, body) === kinds.string ? body : inBody(name)
  switch (type) {
    case 'image_url':
      bound.addImage(json, textIn('url'), textAt(json, inBody('detail')) === 'low')
      return null
    case 'input_audio':
      bound.addAudio(json, textIn('data'), textAt(json, inBody('format')))
      return null
    case 'document_url':
    case 'file_url': {
      const url = textIn('url')
      // Mistral fetches a document from its address.
      if (type === 'document_url' && isAddress.test(textAt(json, url) ?? '')) {
        bound.addFetched('document')
        return null
      }
      if (!isDataUrl(json, url))
        return `the size of the content that ${type} names is not known before the request. Send it as a data URL, or as a file with file_data`
      bound.addDocument(json, url)
      return null
    }
    case 'video_url':
      if (!isAddress.test(textAt(json, textIn('url')) ?? '')) return unknownVideo
      bound.addFetched('any')
      return null
    case 'file': {
      const data = inBody('file_data')
      const file = inBody('file_id')
      const isStored = isGiven(json, file)
      if (data >= 0 === isStored)
        return 'the size of the file is not known before the request. Send it as file_data, or upload it and send only its file_id'
      if (isStored) bound.addFile(json, file)
      // OpenRouter fetches a document if the field for its data contains an address.
      else if (isMediaAddress(json, data)) bound.addFetched('document')
      else bound.addDocument(json, data)
      return null
    }
    default:
      return whyUnbounded(json, part, type)
  }
}

const isAddress = /^https?:\/\//i
const unknownVideo =
  'videos are only accepted at an http or https address, or in the generate format (inlineData). Send single frames as images'
