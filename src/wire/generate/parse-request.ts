import { InputBound, type InputTotal } from '#wire/bound/input-bound.ts'
import { kindOf, kinds, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { readWithoutOffers, type KeepTools, type KeptKinds } from '#wire/remove-provider-tools.ts'
import { removals } from '#wire/text/removal-edits.ts'
import {
  choicesLimit,
  countAt,
  detours,
  isGiven,
  mustBe,
  outputTokensLimit,
  refuse,
  refuseForRoute,
  spanOf,
  textAt,
  type Places,
  type RequestBody,
  type RequestFault,
  type RequestPath,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelInPath } from '#wire/model-name.ts'
import type { CacheUse } from '#wire/cached-content-use-types.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import { boundParts } from './content-bound.ts'
import {
  hiddenTokensOfTools,
  refuseProviderTools,
  runTools,
  toolKindsIn,
  withoutProviderTools,
} from './remove-provider-tools.ts'
import { camelCase, entriesOf, Fields } from './fields-in-either-spelling.ts'
import { foreignSignatures } from './remove-foreign-signatures.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'

/**
 * Reads a generateContent request (docs/reference/wires.md "Requests on the generate wire"). The path states the model
 * and whether the response is streamed.
 */
export function parseGenerateRequest(
  body: RequestBody,
  path: RequestPath,
  keep?: KeepTools,
): WireRequest | RequestFault {
  const model = path.model ?? ''
  const reading = {
    read: (json: Json, kept: KeptKinds) => parse(json, path, kept),
    withoutOffers: (json: Json, kept: KeptKinds) => withoutProviderTools(json, kept),
    kindsIn: toolKindsIn,
    model,
  }
  return readWithoutOffers(body, reading, keep)
}

function parse(json: Json, path: RequestPath, kept: KeptKinds): WireRequest {
  const { fields, config, ...request } = readBody(json, 0, path.model ?? '', kept)
  return {
    wire: 'generate',
    text: json.text,
    isStream: path.isStream,
    wantsUsage: true,
    isJsonArray: path.isJsonArray,
    ...svcAt(json, fields.at('svc')),
    ...request,
    places: placesOf(json, fields, config),
    ...(kept.size > 0 && runTools(json)),
  }
}

export interface Body extends InputTotal {
  readonly fields: Fields
  readonly config: Fields | null
  readonly model: string
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly serviceTier: string | null
  readonly asksForAudio: boolean | null
  readonly asksForImages: boolean | null
  readonly cache?: CacheUse
}

/**
 * @param root the request, which is the whole text or a part of a countTokens request
 * @param kept kinds of the provider's tools that are sent
 */
export function readBody(json: Json, root: Node, model: string, kept: KeptKinds): Body {
  if (kindOf(json, root) !== kinds.object) refuse('invalid_request', null, 'The body must be a JSON object.')
  modelInPath(model, '/v1beta/models/<model>:generateContent')
  const fields = new Fields(json, root)
  for (const [name, reason] of refusedFields) if (isGiven(json, fields.at(name))) refuseForRoute(name, reason)
  // Typed clients repeat in the body the model that the path names. Reject a body that names another model, because the
  // provider would run that model, but the path's model would be charged.
  const named = textAt(json, fields.at('model'))
  if (isGiven(json, fields.at('model')) && named !== model && named !== `models/${model}`)
    refuse('invalid_request', 'model', 'The field model and the path name different models. Omit the field.')
  const given = fields.at('generationConfig')
  const config = isGiven(json, given) ? new Fields(json, given, 'generationConfig') : null
  for (const name of modelChoices)
    if (isGiven(json, config?.at(name) ?? -1)) refuseForRoute(`generationConfig.${name}`, anotherModel)
  const countOf = (name: string, max: number): number | null =>
    countAt(json, `generationConfig.${name}`, config?.at(name) ?? -1, max)
  const outputTokensMax = countOf('maxOutputTokens', outputTokensLimit)
  const choices = countOf('candidateCount', choicesLimit) ?? 1
  const modalities = config?.at('responseModalities') ?? -1
  const asksForImages = asksForImagesAt(json, modalities)
  refuseProviderTools(json, fields.at('tools'), kept)
  const input = boundInput(json, fields, config)
  const cache = cacheAt(json, fields.at('cachedContent'))
  return {
    fields,
    config,
    model,
    outputTokensMax,
    choices,
    serviceTier: textAt(json, fields.at('serviceTier')),
    asksForAudio: asksForImages === null ? null : false,
    asksForImages,
    ...input,
    ...(cache !== null && { cache }),
  }
}

function cacheAt(json: Json, name: Node): CacheUse | null {
  if (!isGiven(json, name)) return null
  const text = textAt(json, name) ?? mustBe('cachedContent', 'the name of cached content')
  return { id: text.replace(/^cachedContents\//, ''), place: spanOf(json, name) }
}

/**
 * These fields have costs without a limit or a price, use state at the provider, or reroute the request. Null is
 * accepted.
 */
const refusedFields: ReadonlyMap<string, string> = new Map([
  ['continuationToken', 'the gateway does not store conversations. Send the whole conversation'],
  // A field of Vertex AI (docs/reference/wires.md "Vertex AI").
  [
    'modelArmorConfig',
    'Google bills Model Armor in addition to the model, and no price covers it. Omit the field',
  ],
  ...Object.entries(detours).map(([name, reason]) => [camelCase(name), reason] as const),
])

/** With these fields, Vertex AI selects another model than the one in the path. */
const modelChoices = ['routingConfig', 'modelConfig', 'modelSelectionConfig'] as const
const anotherModel = 'another model would respond, at a price that the hold does not cover. Omit the field'

/** Null if the request omits the modalities. Rejects speech, because no request can limit the length of speech. */
function asksForImagesAt(json: Json, modalities: Node): boolean | null {
  if (!isGiven(json, modalities)) return null
  const named = entriesOf(json, modalities).map((entry) => textAt(json, entry)?.toUpperCase() ?? '')
  if (named.every((name) => name === 'TEXT' || name === 'IMAGE')) return named.includes('IMAGE')
  refuseForRoute(
    'generationConfig.responseModalities',
    'the amount of speech in the response is not known before the request. Request only TEXT and IMAGE',
  )
}

export function boundInput(
  json: Json,
  fields: Fields,
  config: Fields | null,
  settings: ReadonlySet<string> = topSettings,
): InputTotal {
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  if (config) bound.addSettings(json, fields.at('generationConfig'), generationSettings)
  bound.addHidden(hiddenTokensOfTools(json, fields.at('tools')))
  const resolution = config?.at('mediaResolution') ?? -1
  if (isGiven(json, resolution) && textAt(json, resolution) !== 'MEDIA_RESOLUTION_LOW')
    bound.allowLargeMedia()
  const to = { json, bound, acceptsVideo: true }
  let messages = 0
  for (const name of ['contents', 'systemInstruction']) {
    const value = fields.at(name)
    const entries = isGiven(json, value) ? entriesOf(json, value) : []
    if (name === 'contents' && entries.length === 0 && (value < 0 || isGiven(json, value)))
      mustBe(name, 'a list with at least one content')
    messages += entries.length
    for (const [i, entry] of entries.entries()) {
      const param = name === 'contents' ? `${name}.${i}` : name
      const content = new Fields(json, entry, param)
      bound.addTurn(json, entry)
      boundParts(to, content, param)
    }
  }
  const hasSchema = [...(config?.keys.keys() ?? [])].some(
    (name) => name.startsWith('response') && name.endsWith('Schema'),
  )
  const tools = fields.at('tools')
  const hasTools = isGiven(json, tools) && entriesOf(json, tools).length > 0
  return bound.total(json, { messages, hasTools, hasSchema })
}

/** Top-level settings that no model reads as text. */
const topSettings = nameSet('model svc safetySettings serviceTier labels cachedContent')

const generationSettings = nameSet(`
  maxOutputTokens candidateCount temperature topP topK seed stopSequences responseMimeType
  responseModalities responseLogprobs logprobs presencePenalty frequencyPenalty mediaResolution
  thinkingConfig
`)

export const settings: ReadonlySet<string> = new Set([...topSettings, ...generationSettings])

/** `generationConfig`, which contains the output maximum, may be absent or null. */
function placesOf(json: Json, fields: Fields, config: Fields | null): Places {
  const max = config?.at('maxOutputTokens') ?? -1
  const at = fields.at('generationConfig')
  const removed = ['svc', 'model', ...(config ? [] : ['generationConfig'])]
  const removedKeys = removed.flatMap((name) => fields.keys.get(name) ?? [])
  const isEmpty = config?.keys.size === 0
  return {
    model: null,
    maxima: max < 0 ? [] : [spanOf(json, max)],
    newMaximum: config
      ? { at: startOf(json, at) + 1, before: '"maxOutputTokens":', after: isEmpty ? '' : ',' }
      : { at: startOf(json, 0) + 1, before: '"generationConfig":{"maxOutputTokens":', after: '},' },
    always: [...removals(json, 0, removedKeys), ...foreignSignatures(json, fields.at('contents'))],
  }
}
