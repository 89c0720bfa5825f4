import type { ByteText } from '#wire/text/byte-text.ts'
import { contextTokensMax } from '#wire/bound/assumed-token-maxima.ts'
import { member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import {
  readWithoutOffers,
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
  refuse,
  refuseForRoute,
  textAt,
  type Fields,
  type RequestBody,
  type RequestFault,
  type RequestPath,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelAt } from '#wire/model-name.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import { containerAt } from './read-container-field.ts'
import { boundMessages } from './content-bound.ts'
import { refuseProviderTools, runTools, toolKindsIn, withoutProviderTools } from './remove-provider-tools.ts'
import { foreignSignatures } from './remove-foreign-signatures.ts'
import { hostedFacts, isHosted } from './read-claude-cloud-request.ts'

/**
 * Reads a messages request (docs/reference/wires.md "Requests on the messages wire").
 * @param path states the model and whether to stream, if the path belongs to Bedrock or Vertex AI
 */
export function parseMessagesRequest(
  body: RequestBody,
  keep?: KeepTools,
  path: RequestPath = inBody,
): WireRequest | RequestFault {
  const read: ToolReading['read'] = (json, kept) => parse(json, 'answer', path, kept)
  const reading = { read, withoutOffers: withoutProviderTools, kindsIn: toolKindsIn }
  const { model } = path
  return readWithoutOffers(body, isHosted(path) && model !== null ? { ...reading, model } : reading, keep)
}

/**
 * Reads the body of `count_tokens`, which omits the fields for generating an answer (docs/reference/wires.md "Token
 * counts on the messages wire").
 */
export function parseCountRequest(body: RequestBody, path: RequestPath = inBody): WireRequest | RequestFault {
  const read: ToolReading['read'] = (json, kept) => parse(json, 'count', path, kept)
  return readWithoutOffers(body, { read, withoutOffers: withoutProviderTools })
}

const inBody: RequestPath = { model: null, isStream: false, isJsonArray: false }

export function countAnswer(inputTokens: number): ByteText {
  return JSON.stringify({ input_tokens: inputTokens })
}

function parse(json: Json, purpose: 'answer' | 'count', path: RequestPath, kept: KeptKinds): WireRequest {
  const fields = fieldsIn(json, known)
  const { max_tokens: max, messages, tools, output_config: config } = fields
  const hosted = isHosted(path) ? hostedFacts(json, fields, path) : null
  const model = hosted?.model ?? modelAt(json, fields.model)
  const isStream = hosted?.isStream ?? flagAt(json, 'stream', fields.stream)
  const maxTokens = countAt(json, 'max_tokens', max, outputTokensLimit, 0)
  if (maxTokens === null && purpose === 'answer')
    mustBe('max_tokens', `a whole number from 0 to ${outputTokensLimit}`)
  const svc = svcAt(json, fields.svc)
  refuseUnboundable(json, fields)
  refuseProviderTools(json, tools, kept)
  const container = containerAt(json, fields.container, kept)
  const runsCode = kept.has('codeExecution')
  const compactsAbove = purpose === 'count' ? null : compactsAboveAt(json, fields.context_management)
  const hasSchema = fields.output_format >= 0 || (config >= 0 && member(json, config, 'format') >= 0)
  return {
    ...oneAnswer,
    wire: 'messages',
    text: json.text,
    model,
    isStream,
    // A bound of 1 also covers a request with a maximum of 0, which only warms the cache.
    outputTokensMax: maxTokens === null ? null : Math.max(maxTokens, 1),
    serviceTier: tierAsked(json, fields),
    ...svc,
    ...boundMessages(json, {
      messages,
      system: fields.system,
      tools,
      hasSchema,
      runsCode,
      hiddenTokens: container.hiddenTokens,
    }),
    places: hosted?.places ?? placesIn(json, fields, [max], 'max_tokens', foreignSignatures(json, messages)),
    ...(hosted?.betas !== undefined && { betas: hosted.betas }),
    ...(container.use !== null && { containers: [container.use] }),
    ...(compactsAbove !== null && { compactsAbove }),
    ...(kept.size > 0 && runTools(json, tools)),
  }
}

const known = knownFields(
  [
    'model',
    'messages',
    'max_tokens',
    'system',
    'stream',
    'tools',
    'output_config',
    'output_format',
    'context_management',
    'container',
    'mcp_servers',
    'service_tier',
    'speed',
    'inference_geo',
    'thread',
    'svc',
  ],
  {
    fallbacks: 'another model would respond, at a price that the hold does not cover. Omit the field',
    compaction: 'the cost of summarizing is not known before the request. Omit the field',
    billing_policy: 'the gateway decides who is billed. Omit the field',
    ...detours,
  },
)

/** Rejects values of known fields that make the cost of a request unpredictable. */
function refuseUnboundable(
  json: Json,
  fields: Fields<'thread' | 'inference_geo' | 'context_management'>,
): void {
  // Anthropic's tool runners send `thread` by default, and continue without a thread after this error code.
  if (isGiven(json, fields.thread)) {
    const reason = 'the size of the conversation that the provider has stored is not known before the request'
    refuse('thread_unsupported_request', 'thread', reason)
  }
  if ((textAt(json, fields.inference_geo) ?? 'global') !== 'global')
    refuseForRoute(
      'inference_geo',
      'another region has another price, which the hold does not cover. Omit the field',
    )
  const management = fields.context_management
  const edits = management < 0 ? -1 : member(json, management, 'edits')
  for (const [i, edit] of itemsOf(json, edits).entries()) {
    const type = textAt(json, member(json, edit, 'type')) ?? ''
    // Accept edits that clear content, because they cost nothing.
    if (!type.startsWith('clear_') && !type.startsWith(compaction))
      refuseForRoute(
        `context_management.edits.${i}`,
        `the cost of ${type || 'the edit'} is not known before the request`,
      )
  }
}

/**
 * Returns the input tokens above which the provider compacts the conversation. Null if the provider never compacts it.
 */
function compactsAboveAt(json: Json, management: Node): number | null {
  const edits = itemsOf(json, management < 0 ? -1 : member(json, management, 'edits'))
  const triggers = edits
    .filter((edit) => (textAt(json, member(json, edit, 'type')) ?? '').startsWith(compaction))
    .map((edit) => {
      const trigger = member(json, edit, 'trigger')
      if (!isGiven(json, trigger)) return triggerDefault
      if (textAt(json, member(json, trigger, 'type')) !== 'input_tokens') return 0
      return countAt(json, triggerParam, member(json, trigger, 'value'), contextTokensMax) ?? 0
    })
  return triggers.length === 0 ? null : Math.min(...triggers)
}

const compaction = 'compact_'
const triggerDefault = 150_000
const triggerParam = 'context_management.edits.trigger.value'

/**
 * Returns `fast` if the request asks for fast answers, whatever the tier is. Otherwise, returns null if the tier is
 * absent, `auto` or `standard_only`. For the provider, an absent tier means `auto`.
 */
function tierAsked(
  json: Json,
  { speed, service_tier: named }: Fields<'speed' | 'service_tier'>,
): string | null {
  if (textAt(json, speed) === 'fast') return 'fast'
  const tier = textAt(json, named)
  return tier === 'auto' || tier === 'standard_only' ? null : tier
}
