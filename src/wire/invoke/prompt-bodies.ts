/**
 * Bodies of models that continue a prompt, at Bedrock's `invoke`. Each family has the fields of text completions under
 * its own names (docs/reference/wires.md "Other bodies at invoke").
 */
import type { ByteText } from '#wire/text/byte-text.ts'
import {
  after,
  inside,
  kindOf,
  kinds,
  nameAt,
  sourceOf,
  valueOf,
  type Json,
  type Node,
} from '#wire/text/json-tape.ts'
import { isAbsent, type JsonObject } from '#wire/text/json-values.ts'
import { keysOf } from '#wire/text/members-of-tape-nodes.ts'
import {
  isGiven,
  mustBe,
  refuseForRoute,
  refuseTwice,
  textAt,
  type RequestFault,
  type RequestPath,
} from '#wire/wire-request.ts'
import type { PromptFamily } from './body-families.ts'
import { pathFields } from './add-path-fields-to-body.ts'

interface PromptFormat {
  readonly title: string
  readonly prompt: string
  /** Maps the family's names of all fields except the prompt to the names in text completions. */
  readonly fields: Readonly<Record<string, string>>
  /** Null if all fields are at the top level of the body. */
  readonly settings: string | null
  /** Fields that text completions do not have. Each field has a list of accepted values, which have no effect. */
  readonly ignored?: Readonly<Record<string, readonly unknown[]>>
  /** Documented maximum output of a request that states no maximum. */
  readonly outputTokensDefault: number
}

const common = { temperature: 'temperature', top_p: 'top_p' }

export const promptFormats: Readonly<Record<PromptFamily, PromptFormat>> = {
  llama: {
    title: 'Llama',
    prompt: 'prompt',
    fields: { max_gen_len: 'max_tokens', ...common },
    settings: null,
    outputTokensDefault: 512,
  },
  mistral: {
    title: 'Mistral',
    prompt: 'prompt',
    fields: { max_tokens: 'max_tokens', ...common, top_k: 'top_k', stop: 'stop' },
    settings: null,
    outputTokensDefault: 512,
  },
  titan: {
    title: 'Titan',
    prompt: 'inputText',
    fields: {
      maxTokenCount: 'max_tokens',
      temperature: 'temperature',
      topP: 'top_p',
      stopSequences: 'stop',
    },
    settings: 'textGenerationConfig',
    outputTokensDefault: 512,
  },
  command: {
    title: 'Command',
    prompt: 'prompt',
    fields: {
      max_tokens: 'max_tokens',
      temperature: 'temperature',
      p: 'top_p',
      k: 'top_k',
      stop_sequences: 'stop',
      num_generations: 'n',
    },
    settings: null,
    // The path states whether to stream.
    ignored: { stream: [true, false], return_likelihoods: ['NONE'], truncate: ['NONE'] },
    outputTokensDefault: 20,
  },
}

/** Keeps the values as they are written. */
export function completionsTextOf(json: Json, family: PromptFamily, path: RequestPath): ByteText {
  const { fields, ignored = {}, outputTokensDefault, prompt, settings, title } = promptFormats[family]
  const written = new Map<string, ByteText>()
  const add = (object: Node, place: string, names: Readonly<Record<string, string>>): void => {
    for (const key of keysOf(json, object)) {
      const name = nameAt(json, key)
      const value = valueOf(key)
      const param = place + name
      if (!isGiven(json, value) || isEmptyList(json, value)) continue
      if (name === settings && object === 0) {
        if (kindOf(json, value) !== kinds.object) mustBe(name, 'an object')
        add(value, `${name}.`, fields)
        continue
      }
      const field = Object.hasOwn(names, name) ? names[name] : undefined
      if (field !== undefined) {
        if (written.has(field)) refuseTwice(param)
        written.set(field, sourceOf(json, value))
      } else if (!(Object.hasOwn(ignored, name) ? ignored[name] : undefined)?.includes(scalarAt(json, value)))
        refuseForRoute(param, `Tollgate cannot express the field of ${title}. Omit the field`)
    }
  }
  add(0, '', { [prompt]: 'prompt', ...(settings === null && fields), svc: 'svc' })
  if (!written.has('max_tokens')) written.set('max_tokens', String(outputTokensDefault))
  // Request the usage, because streams of these families end with token counts.
  if (path.isStream) written.set('stream_options', '{"include_usage":true}')
  const members = Array.from(written, ([name, value]) => `"${name}":${value}`)
  return `{${pathFields(path)}${members.join(',')}}`
}

/** Replaces the field names of text completions by the names of the family. */
export function faultOfPrompt(fault: RequestFault, family: PromptFamily): RequestFault {
  const { fields, prompt } = promptFormats[family]
  const { param, reason } = fault
  const own = param === 'prompt' ? prompt : Object.keys(fields).find((name) => fields[name] === param)
  if (param === null || own === undefined) return fault
  return { ...fault, param: own, reason: reason.replaceAll(new RegExp(`\\b${param}\\b`, 'g'), own) }
}

function isEmptyList(json: Json, value: Node): boolean {
  return kindOf(json, value) === kinds.array && inside(value) >= after(json, value)
}

function scalarAt(json: Json, value: Node): unknown {
  const kind = kindOf(json, value)
  return kind === kinds.true || kind === kinds.false ? kind === kinds.true : textAt(json, value)
}

/**
 * Converts a body of text completions for a provider that serves the family. `lost` contains the fields that the family
 * does not have.
 * @param body a body of text completions whose prompt is one string
 */
export function bodyOfPrompt(
  family: PromptFamily,
  body: JsonObject,
  outputTokensMax: number | null,
): { readonly body: JsonObject; readonly lost: readonly string[] } {
  const { fields, prompt, settings } = promptFormats[family]
  const own = new Map(Object.entries(fields).map(([name, field]) => [field, name]))
  const others: Record<string, unknown> = {}
  const lost: string[] = []
  const asked: JsonObject = { ...body, ...(outputTokensMax !== null && { max_tokens: outputTokensMax }) }
  for (const [field, value] of Object.entries(asked)) {
    const name = own.get(field)
    const isDefault = isAbsent(value) || value === false || (field === 'n' && value === 1)
    if (isDefault || ofGateway.has(field)) continue
    if (name === undefined) lost.push(field)
    else others[name] = field === 'stop' && typeof value === 'string' ? [value] : value
  }
  return {
    body: { [prompt]: body['prompt'], ...(settings === null ? others : { [settings]: others }) },
    lost,
  }
}

/** The prompt, and fields that select the model and the form of the response, or that only the gateway reads. */
const ofGateway: ReadonlySet<string> = new Set(['prompt', 'model', 'stream', 'stream_options', 'svc'])

/** Null for a model that continues no prompt. */
export function promptFamilyOf(model: string): PromptFamily | null {
  return modelFamilies.find(([pattern]) => pattern.test(model))?.[1] ?? null
}

const modelFamilies: readonly (readonly [models: RegExp, family: PromptFamily])[] = [
  [/meta\.llama/, 'llama'],
  [/mistral\.(?:mistral|mixtral)/, 'mistral'],
  [/titan-t(?:ext|g1)/, 'titan'],
  [/cohere\.command-(?:light-)?text/, 'command'],
]
