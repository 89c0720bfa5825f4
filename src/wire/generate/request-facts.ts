import { InputBound, type InputTotal } from '#wire/bound/input-bound.ts'
import { inside, after, kindOf, kinds, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { readWithoutOffers } from '#wire/offered-tools.ts'
import { removals } from '#wire/text/removals.ts'
import {
  choicesLimit,
  countAt,
  countFault,
  detours,
  fault,
  isFault,
  isNull,
  modelLengthMax,
  outcomeAt,
  outputTokensLimit,
  spanOf,
  textAt,
  unboundable,
} from '#wire/request.ts'
import type { Places, RequestBody, RequestFault, RequestPath, WireRequest } from '#wire/request.ts'
import { boundParts } from './content-bound.ts'
import { faultOfTools, withoutProviderTools } from './offered-tools.ts'
import { camelCase, entriesOf, fieldsOf, type Field } from './fields.ts'
import { foreignSignatures } from './foreign-signatures.ts'

/** A generateContent request (wire.md 3.1). Its model and whether it streams are in the path. */
export function parseGenerateRequest(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  return readWithoutOffers(body, (json) => parse(json, path), withoutProviderTools)
}

function parse(json: Json, path: RequestPath): WireRequest | RequestFault {
  const model = path.model ?? ''
  const read = readBody(json, 0, model)
  if (isFault(read)) return read
  if (read.fields.get('contents') === undefined)
    return fault(
      'invalid_request',
      'contents',
      'The field contents must be a list with at least one content.',
    )
  const { fields, config, ...request } = read
  const svc = fields.get('svc')
  const outcome = outcomeAt(json, svc?.value ?? -1)
  if (outcome !== null && isFault(outcome)) return outcome
  return {
    wire: 'generate',
    text: json.text,
    model,
    isStream: path.isStream,
    wantsUsage: true,
    isJsonArray: path.isJsonArray,
    outcome,
    ...request,
    places: placesOf(json, fields, config),
  }
}

/** A body that was read, by the names of its fields. */
export interface Body extends InputTotal {
  readonly fields: ReadonlyMap<string, Field>
  readonly config: ReadonlyMap<string, Field>
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly serviceTier: string | null
  readonly asksForAudio: boolean | null
  readonly asksForImages: boolean | null
}

/** @param root the request itself, which is all of the text or stands within a request to count it */
export function readBody(json: Json, root: Node, model: string): Body | RequestFault {
  if (kindOf(json, root) !== kinds.object)
    return fault('invalid_request', null, 'The body must be a JSON object.')
  if (model === '' || model.length > modelLengthMax) {
    return fault(
      'invalid_request',
      'model',
      `The path must be /v1beta/models/<model>:generateContent with the name of a model of this application, of at most ${modelLengthMax} characters.`,
    )
  }
  const fields = fieldsOf(json, root)
  if (typeof fields === 'string') return twice(fields)
  const refused = refusedField(json, fields) ?? faultOfModel(json, fields, model)
  if (refused) return refused
  const config = configOf(json, fields)
  if (isFault(config)) return config
  const outputTokensMax = countAt(json, config.get('maxOutputTokens')?.value ?? -1, outputTokensLimit)
  if (outputTokensMax === 'wrong') return countFault('generationConfig.maxOutputTokens', outputTokensLimit)
  const choices = countAt(json, config.get('candidateCount')?.value ?? -1, choicesLimit)
  if (choices === 'wrong') return countFault('generationConfig.candidateCount', choicesLimit)
  const wrong = faultOfModalities(json, config) ?? faultOfTools(json, fields.get('tools')?.value ?? -1)
  if (wrong) return wrong
  const input = boundInput(json, fields, config)
  if (isFault(input)) return input
  const modalities = config.get('responseModalities')
  const isTextAlone = modalities && !isNull(json, modalities.value) ? false : null
  return {
    fields,
    config,
    outputTokensMax,
    choices: choices ?? 1,
    serviceTier: textAt(json, fields.get('serviceTier')?.value ?? -1),
    // What is asked for is TEXT: all else was refused.
    asksForAudio: isTextAlone,
    asksForImages: isTextAlone,
    ...input,
  }
}

function twice(name: string): RequestFault {
  return fault('invalid_request', name, `The field ${name} is there twice.`)
}

/** Costs that no bound exists for, state of the provider's, and detours: refused, unless null. */
function refusedField(json: Json, fields: ReadonlyMap<string, Field>): RequestFault | null {
  for (const [name, reason] of refusedFields) {
    const field = fields.get(name)
    if (field && !isNull(json, field.value)) return fault('unsupported_for_route', name, reason)
  }
  return null
}

const refusedFields: readonly (readonly [string, string])[] = [
  [
    'cachedContent',
    'what a cached content holds cannot be known before the call; send the content itself, which is cached by the provider where it repeats',
  ],
  ['continuationToken', 'what it continues is not kept here; send the conversation itself'],
  ...detours.map((name) => [camelCase(name), unboundable] as const),
]

/** Typed clients repeat the path's model in the body; another one there would be run and not be charged. */
function faultOfModel(json: Json, fields: ReadonlyMap<string, Field>, model: string): RequestFault | null {
  const field = fields.get('model')
  if (!field || isNull(json, field.value)) return null
  const named = textAt(json, field.value)
  if (named === model || named === `models/${model}`) return null
  return fault('invalid_request', 'model', 'The field model names another model than the path; leave it out.')
}

const none: ReadonlyMap<string, Field> = new Map()

function configOf(json: Json, fields: ReadonlyMap<string, Field>): ReadonlyMap<string, Field> | RequestFault {
  const field = fields.get('generationConfig')
  if (!field || isNull(json, field.value)) return none
  if (kindOf(json, field.value) !== kinds.object)
    return fault('invalid_request', 'generationConfig', 'The field generationConfig must be an object.')
  const config = fieldsOf(json, field.value)
  return typeof config === 'string' ? twice(`generationConfig.${config}`) : config
}

/** Speech and pictures are priced, but nothing in a request says how much of them may come. */
function faultOfModalities(json: Json, config: ReadonlyMap<string, Field>): RequestFault | null {
  const field = config.get('responseModalities')
  if (!field || isNull(json, field.value)) return null
  if (entriesOf(json, field.value).every((entry) => textAt(json, entry)?.toUpperCase() === 'TEXT'))
    return null
  return fault(
    'unsupported_for_route',
    'generationConfig.responseModalities',
    'how much speech or how many pictures come out cannot be bounded before the call; ask for TEXT alone',
  )
}

function boundInput(
  json: Json,
  fields: ReadonlyMap<string, Field>,
  config: ReadonlyMap<string, Field>,
): InputTotal | RequestFault {
  const bound = new InputBound()
  boundSettings(json, fields, bound)
  const resolution = textAt(json, config.get('mediaResolution')?.value ?? -1)
  const isLowDetail = resolution === 'MEDIA_RESOLUTION_LOW'
  let messages = 0
  for (const name of ['contents', 'systemInstruction']) {
    const field = fields.get(name)
    if (!field || isNull(json, field.value)) continue
    const entries = entriesOf(json, field.value)
    if (name === 'contents' && entries.length === 0)
      return fault('invalid_request', name, 'The field contents must be a list with at least one content.')
    messages += entries.length
    for (const [i, entry] of entries.entries()) {
      const param = name === 'contents' ? `${name}.${i}` : name
      const refused = boundContent(json, entry, bound, isLowDetail, param)
      if (refused) return refused
    }
  }
  const hasSchema = [...config.keys()].some((name) => name.startsWith('response') && name.endsWith('Schema'))
  return bound.total(json, { messages, hasTools: fields.has('tools'), hasSchema })
}

/** What is no part of what a model reads. */
function boundSettings(json: Json, fields: ReadonlyMap<string, Field>, bound: InputBound): void {
  bound.addSettings(json, 0, settings)
  const { value } = fields.get('generationConfig') ?? {}
  if (value !== undefined && kindOf(json, value) === kinds.object)
    bound.addSettings(json, value, generationSettings)
}

const settings: ReadonlySet<string> = new Set(['model', 'svc', 'safetySettings', 'serviceTier', 'labels'])

const generationSettings: ReadonlySet<string> = new Set([
  'maxOutputTokens',
  'candidateCount',
  'temperature',
  'topP',
  'topK',
  'seed',
  'stopSequences',
  'responseMimeType',
  'responseModalities',
  'responseLogprobs',
  'logprobs',
  'presencePenalty',
  'frequencyPenalty',
  'mediaResolution',
  'thinkingConfig',
])

function boundContent(
  json: Json,
  content: Node,
  bound: InputBound,
  isLowDetail: boolean,
  param: string,
): RequestFault | null {
  if (kindOf(json, content) !== kinds.object)
    return fault('invalid_request', param, 'A content must be an object with its parts.')
  const fields = fieldsOf(json, content)
  if (typeof fields === 'string') return twice(`${param}.${fields}`)
  bound.addTurn(json, content)
  const parts = fields.get('parts')
  if (!parts || isNull(json, parts.value)) return null
  return boundParts(json, parts.value, bound, isLowDetail, `${param}.parts`)
}

/** The maximum stands in generationConfig, which may be there without one, be null, or not be there. */
function placesOf(
  json: Json,
  fields: ReadonlyMap<string, Field>,
  config: ReadonlyMap<string, Field>,
): Places {
  const max = config.get('maxOutputTokens')
  const field = fields.get('generationConfig')
  const hasConfig = field !== undefined && !isNull(json, field.value)
  const removed = [fields.get('svc'), fields.get('model'), hasConfig ? undefined : field]
  return {
    model: null,
    maxima: max ? [spanOf(json, max.value)] : [],
    newMaximum: hasConfig
      ? {
          at: startOf(json, field.value) + 1,
          before: '"maxOutputTokens":',
          after: isEmpty(json, field.value) ? '' : ',',
        }
      : { at: startOf(json, 0) + 1, before: '"generationConfig":{"maxOutputTokens":', after: '},' },
    always: [
      ...removals(
        json,
        0,
        removed.flatMap((one) => (one ? [one.key] : [])),
      ),
      ...foreignSignatures(json, fields.get('contents')?.value ?? -1),
    ],
  }
}

function isEmpty(json: Json, object: Node): boolean {
  return inside(object) === after(json, object)
}
