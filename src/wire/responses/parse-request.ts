import type { ByteText } from '#wire/text/byte-text.ts'
import { compactionTokensMax } from '#wire/bound/assumed-token-maxima.ts'
import { kindOf, kinds, member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import {
  readWithoutOffers,
  useLimitAt,
  type KeepTools,
  type KeptKinds,
  type ToolReading,
} from '#wire/remove-provider-tools.ts'
import { placesIn } from '#wire/positions-to-edit.ts'
import {
  countAt,
  detours,
  fieldsIn,
  flagAt,
  isGiven,
  knownFields,
  mustBe,
  oneAnswer,
  outputTokensLimit,
  refuseForRoute,
  spanOf,
  textAt,
  unboundable,
  type Fields,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelAt } from '#wire/model-name.ts'
import { openaiTier } from '#wire/openai-service-tier.ts'
import type { ConversationUse } from '#wire/stored-conversation-in-request.ts'
import type { PreviousResponse } from '#wire/types-of-replaced-ids.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import { refuseOtherModeration } from '#wire/reject-moderation-field.ts'
import { boundInput } from './content-bound.ts'
import { foreignSignatures } from './remove-foreign-signatures.ts'
import { refuseProviderTools, runTools, toolKindsIn, withoutProviderTools } from './remove-provider-tools.ts'

/** Reads a request for a response (docs/reference/wires.md "Requests on the responses wire"). */
export function parseResponsesRequest(body: RequestBody, keep?: KeepTools): WireRequest | RequestFault {
  const read: ToolReading['read'] = (json, kept) => parse(json, 'answer', kept)
  return readWithoutOffers(body, { read, withoutOffers: withoutProviderTools, kindsIn: toolKindsIn }, keep)
}

/** Reads the body of `input_tokens`, which omits the fields for generating an answer. */
export function parseCountRequest(body: RequestBody): WireRequest | RequestFault {
  const read: ToolReading['read'] = (json, kept) => parse(json, 'count', kept)
  return readWithoutOffers(body, { read, withoutOffers: withoutProviderTools })
}

/** Reads the body of `compact`, in which a stored response may replace the input. */
export function parseCompactRequest(body: RequestBody): WireRequest | RequestFault {
  const read: ToolReading['read'] = (json, kept) => parse(json, 'compact', kept)
  return readWithoutOffers(body, { read, withoutOffers: withoutProviderTools })
}

export function countAnswer(inputTokens: number): ByteText {
  return JSON.stringify({ object: 'response.input_tokens', input_tokens: inputTokens })
}

function parse(json: Json, purpose: 'answer' | 'count' | 'compact', kept: KeptKinds): WireRequest {
  const fields = fieldsIn(json, known)
  const { input, tools, text, max_output_tokens: max } = fields
  const model = modelAt(json, fields.model)
  const isStream = flagAt(json, 'stream', fields.stream)
  const outputTokensMax = countAt(json, 'max_output_tokens', max, outputTokensLimit)
  const svc = svcAt(json, fields.svc)
  const isBackground = flagAt(json, 'background', fields.background)
  if (isBackground && purpose !== 'answer') refuseForRoute('background', onlyAnswers)
  refuseUnboundable(json, fields)
  refuseProviderTools(json, tools, 'tools', kept)
  const previous = previousAt(json, fields.previous_response_id)
  if (previous !== null && purpose === 'count') refuseForRoute(previousField, uncounted)
  const conversation = conversationAt(json, fields.conversation, kept)
  if (conversation !== null && purpose !== 'answer') refuseForRoute('conversation', uncounted)
  const hasCompaction = compactsAt(json, fields.context_management)
  if (hasCompaction && purpose !== 'answer') refuseForRoute(contextField, onlyAnswersCompact)
  const mayLackInput = purpose === 'count' || (purpose === 'compact' && previous !== null)
  if (!mayLackInput && !isGiven(json, input)) mustBe('input', 'a string or a list of items')
  const hasSchema = text >= 0 && member(json, text, 'format') >= 0
  const { containers, imageTokens, isCompacted, total } = boundInput(json, input, {
    tools,
    hasSchema,
    kept,
  })
  const mayCompact = hasCompaction || isCompacted
  const uses = {
    ...(mayCompact && { output: compactionTokensMax }),
    ...(containers.sessions > 0 && { codeSessions: containers.sessions }),
    ...(imageTokens > 0 && { imageOutput: imageTokens * imagesOf(json) }),
  }
  return {
    ...oneAnswer,
    wire: 'responses',
    text: json.text,
    model,
    isStream,
    outputTokensMax,
    serviceTier: openaiTier(textAt(json, fields.service_tier)),
    ...svc,
    ...total,
    places: placesIn(json, fields, [max], 'max_output_tokens', foreignSignatures(json, input)),
    ...(Object.keys(uses).length > 0 && { uses }),
    ...(containers.uses.length > 0 && { containers: containers.uses }),
    ...(previous !== null && { previous }),
    ...(conversation !== null && {
      conversation: { ...conversation, isWhole: conversation.isWhole && !isCompacted },
    }),
    ...(isBackground && { isBackground }),
    ...(kept.size > 0 && runTools(json)),
  }
}

/**
 * Returns how many generated images the hold covers: `imagesHeld`, or fewer if the client allows fewer tool calls.
 * Recorded responses have one generated image each.
 */
function imagesOf(json: Json): number {
  const { asked } = useLimitAt(json, 0, 'max_tool_calls', 'max_tool_calls')
  return Math.min(asked ?? imagesHeld, imagesHeld)
}

const imagesHeld = 2

const onlyAnswers = 'only requests that generate a response can run in the background. Omit the field'

const contextField = 'context_management'
const onlyAnswersCompact = 'only requests that generate a response compact their context. Omit the field'

/** Whether the provider may compact the conversation before it responds. */
function compactsAt(json: Json, node: Node): boolean {
  if (!isGiven(json, node)) return false
  const edits = kindOf(json, node) === kinds.array ? itemsOf(json, node) : mustBe(contextField, 'a list')
  for (const [i, edit] of edits.entries()) {
    const type = typeOf(json, edit, '')
    if (type !== 'compaction')
      refuseForRoute(
        `${contextField}.${i}`,
        `the cost of ${type.slice(0, 40) || 'the edit'} is not known before the request`,
      )
  }
  return edits.length > 0
}

const previousField = 'previous_response_id'

const uncounted =
  'the input tokens of a stored response cannot be counted. Send the conversation as items of input'

function previousAt(json: Json, node: Node): PreviousResponse | null {
  if (!isGiven(json, node)) return null
  const id = textAt(json, node) ?? mustBe(previousField, 'the ID of a response')
  return { id, place: spanOf(json, node) }
}

/** The field is the ID itself, or an object with the ID. */
function conversationAt(json: Json, node: Node, kept: KeptKinds): ConversationUse | null {
  if (!isGiven(json, node)) return null
  const place = kindOf(json, node) === kinds.object ? member(json, node, 'id') : node
  const id = textAt(json, place) ?? mustBe('conversation', 'the ID of a conversation')
  const truncation = member(json, 0, 'truncation')
  const isTruncated = isGiven(json, truncation) && textAt(json, truncation) !== 'disabled'
  // A generated image has no tokens in the usage, but the model reads the image in the next request.
  const isWhole =
    !isTruncated && !isGiven(json, member(json, 0, contextField)) && !kept.has('imageGeneration')
  return { id, place: spanOf(json, place), isWhole }
}

const known = knownFields(
  [
    'model',
    'input',
    'instructions',
    'max_output_tokens',
    'stream',
    'tools',
    'text',
    'reasoning',
    'background',
    'background_options',
    'moderation',
    'context_management',
    'previous_response_id',
    'conversation',
    'service_tier',
    'svc',
  ],
  {
    prompt: `${unboundable}. Send the text of the prompt as instructions or input`,
    ...detours,
  },
)

/** Rejects values of known fields that make the cost of a request unpredictable. */
function refuseUnboundable(
  json: Json,
  {
    moderation,
    reasoning,
    background_options: options,
  }: Fields<'moderation' | 'reasoning' | 'background_options'>,
): void {
  refuseOtherModeration(json, moderation)
  refuseDiscount(json, options)
  const mode = reasoning < 0 ? null : textAt(json, member(json, reasoning, 'mode'))
  if (mode !== null && mode !== 'standard')
    refuseForRoute(
      'reasoning.mode',
      `the input that the mode ${mode} adds is not known before the request. Omit the field, or send the value standard`,
    )
}

/**
 * Rejects the windows of `2h` and `8h`, because a response does not report the discount. The hold would also end before
 * a window of 8 hours.
 */
function refuseDiscount(json: Json, options: Node): void {
  const window = options < 0 ? -1 : member(json, options, 'completion_window')
  if (isGiven(json, window) && textAt(json, window) !== 'soonest')
    refuseForRoute(
      'background_options.completion_window',
      'the discount is not known before the request. Omit the field, or send the value soonest',
    )
}
