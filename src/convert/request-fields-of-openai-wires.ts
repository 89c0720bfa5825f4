import {
  filledObjectOrNull,
  flagOrNull,
  isAbsent,
  isObject,
  numberOrNull,
  objectOf,
  textOrNull,
} from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { mustBe, type WireRequest } from '#wire/wire-request.ts'
import { sourceOfUrl } from './data-url.ts'
import type {
  CacheMark,
  Effort,
  ImagePart,
  MediaSource,
  NeutralRequest,
  OutputFormat,
  Tool,
  ToolChoice,
} from './neutral-format.ts'

export const notModerated = 'this model’s provider does not support moderation; omit it'

/** OpenAI's two wires, chat completions and responses, share the code in this file. */

export function commonFields(body: JsonObject, request: WireRequest) {
  return {
    parallelTools: flagOrNull(body.parallel_tool_calls),
    outputTokensMax: request.outputTokensMax,
    choices: request.choices,
    serviceTier: request.serviceTier,
    metadata: filledObjectOrNull(body.metadata),
    userId: textOrNull(body.safety_identifier) ?? textOrNull(body.user),
    cacheKey: textOrNull(body.prompt_cache_key),
    isStream: request.isStream,
    wantsUsage: request.wantsUsage,
  } satisfies Partial<NeutralRequest>
}

/** Null if the number is absent. */
export function readNumber(
  body: JsonObject,
  field: string,
  { min = 0, max, isWhole = false }: { min?: number; max: number; isWhole?: boolean },
): number | null {
  if (isAbsent(body[field])) return null
  const value = numberOrNull(body[field])
  const isGood = value !== null && value >= min && value <= max && (!isWhole || Number.isInteger(value))
  return isGood ? value : mustBe(field, `a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`)
}

/** The chosen token does not count. */
export function readTopLogprobs(body: JsonObject): number {
  return readNumber(body, 'top_logprobs', { max: 20, isWhole: true }) ?? 0
}

/**
 * @param described the object with the name and the schema
 * @param param the name of the field in errors
 */
export function readFormat(format: JsonValue, described: JsonObject, param: string): OutputFormat | null {
  if (isAbsent(format)) return null
  const { type } = objectOf(format)
  if (type === 'text') return { kind: 'text' }
  if (type === 'json_object') return { kind: 'json' }
  const { name, description, schema, strict } = described
  if (type !== 'json_schema' || !isObject(schema))
    mustBe(param, 'of type text, json_object, or json_schema with a schema')
  return {
    kind: 'schema',
    name: textOrNull(name),
    description: textOrNull(description),
    schema,
    isStrict: flagOrNull(strict),
  }
}

export function readVerbosity(value: JsonValue): NeutralRequest['verbosity'] {
  return value === 'low' || value === 'medium' || value === 'high' ? value : null
}

export function readEffort(value: JsonValue): Effort | null {
  return efforts.find((effort) => effort === value) ?? null
}

const efforts: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** @param fields the object that contains the tool's fields on its wire */
export function readTool(name: string, fields: JsonObject, custom: Tool['custom']): Tool {
  return {
    name,
    description: textOrNull(fields.description),
    parameters: custom === null && isObject(fields.parameters) ? fields.parameters : null,
    isStrict: custom === null ? flagOrNull(fields.strict) : null,
    custom,
    cache: null,
  }
}

/** @param asked the selected tool, or the names of the allowed tools; null if no tool is named */
export function readToolChoice(
  value: JsonValue,
  asked: {
    readonly name: string | null
    readonly names: readonly (string | null)[]
    readonly mode: JsonValue
  },
): ToolChoice | null {
  if (isAbsent(value)) return null
  if (value === 'auto' || value === 'none' || value === 'required') return { kind: value }
  const { name, names, mode } = asked
  if (name !== null) return { kind: 'one', name }
  if (objectOf(value).type === 'allowed_tools' && names.length > 0 && names.every((each) => each !== null))
    return { kind: 'subset', names, isRequired: mode === 'required' }
  mustBe('tool_choice', 'auto, none, required, the name of a tool, or a list of allowed tools')
}

/** @param param the name of the URL field in errors */
export function readImage(
  { url, detail, cache }: { url: JsonValue; detail: JsonValue; cache: CacheMark | null },
  param: string,
): ImagePart {
  const source =
    sourceOfUrl(textOrNull(url) ?? '') ?? mustBe(param, 'an http or https URL, or a data URL in base64')
  // Replace `original` with `high`, the finest level of detail that other wires and older models support.
  const known = detail === 'original' ? 'high' : detail
  const isKnown = known === 'low' || known === 'high' || known === 'auto'
  return { kind: 'image', source, detail: isKnown ? known : null, cache }
}

/** Base64 without a data URL is treated as a PDF. */
export function readFileData(data: JsonValue, param: string): Extract<MediaSource, { kind: 'data' }> {
  const source = fileSourceOf(data)
  return source?.kind === 'data' ? source : mustBe(param, 'a data URL in base64')
}

/** Only some servers of the chat wire fetch files at an address. */
export function readFileOrAddress(data: JsonValue, param: string): MediaSource {
  return fileSourceOf(data) ?? mustBe(param, 'an http or https URL, or a data URL in base64')
}

function fileSourceOf(data: JsonValue): MediaSource | null {
  const text = textOrNull(data) ?? ''
  return isBase64.test(text) ? { kind: 'data', mediaType: 'application/pdf', data: text } : sourceOfUrl(text)
}

const isBase64 = /^[A-Za-z0-9+/]+=*$/

export function readBreakpoint(value: JsonValue): CacheMark | null {
  if (!isObject(value)) return null
  return value.ttl === '12h' || value.ttl === '24h' ? 'long' : 'short'
}

/** See docs/reference/conversions.md "Cache marks". */
export function writeBreakpoint(cache: CacheMark | null): JsonObject {
  if (cache === null) return {}
  return { prompt_cache_breakpoint: { mode: 'explicit', ttl: cache === 'long' ? '12h' : '30m' } }
}

/** On the chat wire, all fields of the format except the type are in a separate object. */
export function writeFormat(output: OutputFormat): JsonObject {
  if (output.kind !== 'schema') return { type: output.kind === 'json' ? 'json_object' : 'text' }
  const { name, description, schema, isStrict } = output
  return compact({ type: 'json_schema', name: name ?? 'response', description, schema, strict: isStrict })
}

export function compact(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isAbsent(value)))
}
