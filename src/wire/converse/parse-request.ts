import {
  kindOf,
  kinds,
  member,
  nameAt,
  startOf,
  valueOf,
  type Json,
  type Node,
} from '#wire/text/json-tape.ts'
import { itemsOf, keyOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { readWithoutOffers } from '#wire/remove-provider-tools.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import {
  countAt,
  detours,
  fieldsIn,
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
  type Places,
  type RequestBody,
  type RequestFault,
  type RequestPath,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelInPath } from '#wire/model-name.ts'
import { boundConverse, guarded } from './content-bound.ts'
import { foreignSignatures } from './remove-foreign-signatures.ts'
import { refuseProviderTools, withoutProviderTools } from './remove-provider-tools.ts'

/**
 * Reads a Converse request (docs/reference/wires.md "Requests of Converse"). The path states the model and whether to
 * stream.
 */
export function parseConverseRequest(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  const model = path.model ?? ''
  return readWithoutOffers(body, {
    read: (json) => parse(json, path),
    withoutOffers: (json) => withoutProviderTools(json),
    model,
  })
}

function parse(json: Json, path: RequestPath): WireRequest {
  const fields = fieldsIn(json, known)
  const { inferenceConfig: config, messages, system, toolConfig } = fields
  const model = modelInPath(path.model, '/model/<model>/converse')
  for (const name of objects)
    if (isGiven(json, fields[name]) && kindOf(json, fields[name]) !== kinds.object) mustBe(name, 'an object')
  const max = isGiven(json, config) ? member(json, config, 'maxTokens') : -1
  const outputTokensMax = countAt(json, 'inferenceConfig.maxTokens', max, outputTokensLimit)
  refuseUnpriced(json, fields)
  refuseUnknownPaths(json, fields.additionalModelResponseFieldPaths)
  refuseProviderTools(json, toolConfig)
  return {
    ...oneAnswer,
    wire: 'converse',
    text: json.text,
    model,
    isStream: path.isStream,
    outputTokensMax,
    serviceTier: tierAt(json, fields.serviceTier),
    ...svcAt(json, fields.svc),
    ...boundConverse(json, {
      messages,
      system,
      tools: isGiven(json, toolConfig) ? member(json, toolConfig, 'tools') : -1,
      hasSchema: hasSchema(json, fields),
    }),
    places: placesOf(json, fields, max),
  }
}

const objects = ['inferenceConfig', 'toolConfig', 'outputConfig', 'additionalModelRequestFields'] as const

const known = knownFields(
  [
    'messages',
    'system',
    'inferenceConfig',
    'toolConfig',
    'outputConfig',
    'additionalModelRequestFields',
    'additionalModelResponseFieldPaths',
    'performanceConfig',
    'serviceTier',
    'svc',
  ],
  {
    guardrailConfig: guarded,
    promptVariables:
      'the size of a prompt that is stored at the provider is not known before the request. Send the prompt as messages',
    ...detours,
  },
)

/** Rejects values of known fields whose cost the hold does not cover. */
function refuseUnpriced(
  json: Json,
  {
    additionalModelRequestFields: added,
    performanceConfig,
  }: Fields<'additionalModelRequestFields' | 'performanceConfig'>,
): void {
  const latency = isGiven(json, performanceConfig)
    ? textAt(json, member(json, performanceConfig, 'latency'))
    : null
  if ((latency ?? 'standard') !== 'standard')
    refuseForRoute(
      'performanceConfig.latency',
      'a lower latency has another price, which the hold does not cover. Omit the field',
    )
  for (const key of keysOf(json, added)) {
    const name = nameAt(json, key)
    const param = `additionalModelRequestFields.${name}`
    if (name === 'inferenceConfig') {
      for (const inner of keysOf(json, valueOf(key)))
        if (!sampling.has(nameAt(json, inner))) refuseForRoute(`${param}.${nameAt(json, inner)}`, unboundable)
    } else if (!boundedFields.has(name) && !sampling.has(name))
      refuseForRoute(param, `${unboundable}. Omit the field`)
  }
}

/** Rejects a path to a field of the response that may show the provider, such as `/model`. */
function refuseUnknownPaths(json: Json, paths: Node): void {
  if (isGiven(json, paths) && kindOf(json, paths) !== kinds.array)
    mustBe('additionalModelResponseFieldPaths', 'a list')
  for (const [i, item] of itemsOf(json, paths).entries())
    if (textAt(json, item) !== shownPath)
      refuseForRoute(
        `additionalModelResponseFieldPaths.${i}`,
        `fields other than ${shownPath} may show the model of the provider. Omit the path`,
      )
}

const shownPath = '/stop_sequence'

const sampling = nameSet('top_k topK k seed random_seed frequency_penalty presence_penalty')

/**
 * Model-specific fields whose cost the maximum output limits. Models that read one of these fields count it as text.
 */
const boundedFields = nameSet(`
  thinking reasoning_config reasoningConfig reasoning_effort output_config anthropic_beta
`)

/** The schema may be in Converse's field or in Claude's field. */
function hasSchema(
  json: Json,
  {
    additionalModelRequestFields: added,
    outputConfig,
  }: Fields<'additionalModelRequestFields' | 'outputConfig'>,
): boolean {
  const config = isGiven(json, added) ? member(json, added, 'output_config') : -1
  return (
    (isGiven(json, outputConfig) && member(json, outputConfig, 'textFormat') >= 0) ||
    (config >= 0 && member(json, config, 'format') >= 0)
  )
}

/** The price may depend on the tier. Null for the default tier. */
function tierAt(json: Json, tier: Node): string | null {
  const type = isGiven(json, tier) ? textAt(json, member(json, tier, 'type')) : null
  return type === 'default' ? null : type
}

/** The output maximum is in `inferenceConfig`, which may be absent or null, or omit the maximum. */
function placesOf(json: Json, fields: Fields<'inferenceConfig' | 'messages' | 'svc'>, max: Node): Places {
  const { inferenceConfig: config, messages } = fields
  const hasConfig = isGiven(json, config)
  const removed = ['svc', ...(hasConfig ? [] : ['inferenceConfig'])].map((name) => keyOf(json, 0, name))
  const keys = removed.filter((key) => key >= 0)
  const isEmpty = hasConfig && keysOf(json, config).length === 0
  return {
    model: null,
    maxima: max < 0 ? [] : [spanOf(json, max)],
    newMaximum: hasConfig
      ? { at: startOf(json, config) + 1, before: '"maxTokens":', after: isEmpty ? '' : ',' }
      : { at: startOf(json, 0) + 1, before: '"inferenceConfig":{"maxTokens":', after: '},' },
    always: [...removals(json, 0, keys), ...foreignSignatures(json, messages)],
  }
}
