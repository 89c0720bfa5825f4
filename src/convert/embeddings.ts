/**
 * Converts embeddings between OpenAI's format and Gemini's (docs/reference/conversions.md "Embeddings"). Both formats
 * can express only texts and the number of dimensions.
 */
import { totalInput, zeroUsage, type Usage } from '#money/usage.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { isAbsent, isObject, listOf, objectOf, parseObject, printValue } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { readEmbedContent } from '#wire/embed-content/response.ts'
import { readTaskAnswer } from '#wire/task-answer.ts'
import { camelKeys, listOrOne } from '#wire/generate/either-spelling.ts'
import type { TaskName } from '#wire/request-formats.ts'
import {
  bodyOf,
  mustBe,
  refuse,
  refuseForRoute,
  unlessRefused,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'

/** An embeddings request in the provider's format, with the conversion of its response. */
interface EmbeddingConversion {
  readonly wire: TaskName
  /** Names of the fields in the client's format that the provider does not get. */
  readonly lost: readonly string[]
  readonly body: () => ByteText
  /** Converts the response. Null if the bytes are not a valid response. */
  readonly readAnswer: (text: ByteText) => WholeAnswer | null
}

/**
 * @param spoken the formats that the provider accepts, other than the client's own
 * @param model the provider's model
 */
export function convertEmbeddings(
  request: WireRequest,
  spoken: readonly TaskName[],
  model: string,
): EmbeddingConversion | RequestFault {
  return unlessRefused(() => {
    if (request.wire === 'embeddings' && spoken.includes('batch_embed_contents'))
      return toGoogle(request, model)
    if (request.wire !== 'embeddings' && spoken.includes('embeddings')) return toOpenai(request, model)
    return refuseForRoute('model', 'its provider has no embeddings')
  })
}

function toGoogle(request: WireRequest, model: string): EmbeddingConversion {
  const {
    dimensions,
    encoding_format: format,
    input,
    model: _,
    stream: __,
    svc: ___,
    ...others
  } = bodyOf(request)
  if (!isAbsent(format) && format !== 'float' && format !== 'base64')
    mustBe('encoding_format', 'float or base64')
  const texts = typeof input === 'string' ? [input] : listOf(input)
  if (texts.some((text) => typeof text !== 'string'))
    refuseForRoute(
      'input',
      'its provider accepts only text, and the request contains tokens of a tokenizer. Send text',
    )
  const requests = texts.map((text) => ({
    model: `models/${model.replace(/^models\//, '')}`,
    content: { parts: [{ text }] },
    ...(!isAbsent(dimensions) && { outputDimensionality: dimensions }),
  }))
  return {
    wire: 'batch_embed_contents',
    lost: namesOf(others),
    body: () => byteTextOf(printValue({ requests })),
    readAnswer: (text) => fromGoogle(text, request, texts.length, format === 'base64'),
  }
}

function fromGoogle(
  text: ByteText,
  { inputEstimate, model }: WireRequest,
  count: number,
  isBase64: boolean,
): WholeAnswer | null {
  const answer = readEmbedContent(text)
  const vectors = answer && vectorsOf(text, 'embeddings', ({ values }) => values)
  if (!vectors || vectors.length !== count) return null
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: isBase64 ? base64Of(vector) : vector,
  }))
  return withUsage(answer, inputEstimate, (tokens) => ({
    object: 'list',
    data,
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }))
}

function toOpenai(request: WireRequest, model: string): EmbeddingConversion {
  const isBatch = request.wire === 'batch_embed_contents'
  const { svc: _, ...body } = camelKeys(bodyOf(request))
  const { requests, ...outer } = body
  const entries = isBatch ? listOf(requests).map((entry) => camelKeys(objectOf(entry))) : [body]
  const lost = new Set(isBatch ? namesOf(outer).filter((name) => name !== 'model') : [])
  const dimensions = new Set<JsonValue>()
  const input = entries.map((entry, index) => {
    const { content, embedContentConfig, model: __, outputDimensionality, ...others } = entry
    const { outputDimensionality: configured, ...config } = camelKeys(objectOf(embedContentConfig))
    for (const name of namesOf({ ...others, ...config })) lost.add(name)
    dimensions.add(outputDimensionality ?? configured ?? null)
    return textOfContent(content, isBatch ? `requests.${index}.content` : 'content')
  })
  const [size = null, ...otherSizes] = dimensions
  if (otherSizes.length > 0)
    refuseForRoute(
      'requests',
      'its provider requires the same number of dimensions for all texts of a request',
    )
  return {
    wire: 'embeddings',
    lost: [...lost],
    body: () => byteTextOf(printValue({ model, input, ...(size !== null && { dimensions: size }) })),
    readAnswer: (text) => fromOpenai(text, request, input.length, isBatch),
  }
}

/** Google joins the parts of a content. OpenAI's format can express only text. */
function textOfContent(content: JsonValue, param: string): string {
  const { parts } = camelKeys(objectOf(content))
  const texts = listOrOne(parts).map((part) => {
    const { text, ...others } = objectOf(part)
    if (typeof text !== 'string' || namesOf(others).length > 0)
      return refuseForRoute(`${param}.parts`, 'its provider creates embeddings only of text')
    return text
  })
  if (texts.length === 0) refuse('invalid_request', param, `The field ${param} must have parts with text.`)
  return texts.join('')
}

function fromOpenai(
  text: ByteText,
  { inputEstimate, model }: WireRequest,
  count: number,
  isBatch: boolean,
): WholeAnswer | null {
  const answer = readTaskAnswer(text, model, ['data'])
  const vectors = answer && vectorsOf(text, 'data', ({ embedding }) => embedding)
  if (!vectors || vectors.length !== count) return null
  const embeddings = vectors.map((values) => ({ values }))
  return withUsage(answer, inputEstimate, (tokens) => ({
    ...(isBatch ? { embeddings } : { embedding: embeddings[0] }),
    usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens },
  }))
}

/** Writes the provider's usage, or the charged usage if the provider reports none. */
function withUsage(
  answer: WholeAnswer,
  inputEstimate: number,
  bodyAt: (tokens: number) => JsonObject,
): WholeAnswer {
  const bodyWith = (usage: Usage): ByteText => byteTextOf(printValue(bodyAt(totalInput(usage))))
  if (answer.usage !== null) return { ...answer, body: bodyWith(answer.usage) }
  return { ...answer, body: bodyWith({ ...zeroUsage, input: inputEstimate }), bodyWith }
}

/**
 * Returns the vectors of a response, in the order of the texts. Null if an entry has no vector.
 * @param list the name of the list in the response, whose entries may contain their `index`
 */
function vectorsOf(
  text: ByteText,
  list: string,
  vectorOf: (entry: JsonObject) => JsonValue,
): readonly (readonly JsonValue[])[] | null {
  const entries = listOf(parseObject(textOf(text))?.[list])
  if (!entries.every(isObject)) return null
  const placeOf = ({ index }: JsonObject): number => (typeof index === 'number' ? index : 0)
  const vectors = entries.toSorted((one, other) => placeOf(one) - placeOf(other)).map(vectorOf)
  return vectors.every((vector) => Array.isArray(vector)) ? vectors : null
}

/** Encodes a vector in OpenAI's base64 format: 32-bit little-endian numbers. */
function base64Of(vector: readonly JsonValue[]): string {
  const bytes = new DataView(new ArrayBuffer(4 * vector.length))
  for (const [index, value] of vector.entries()) bytes.setFloat32(4 * index, Number(value), true)
  return Buffer.from(bytes.buffer).toString('base64')
}

/** Returns the names of the fields that are present. */
function namesOf(fields: JsonObject): string[] {
  return Object.keys(fields).filter((name) => !isAbsent(fields[name]))
}
