/**
 * Converts embeddings between OpenAI's format and Gemini's, and to the formats of Vertex AI
 * (docs/reference/conversions.md "Embeddings"). OpenAI's format can express only texts and the number of dimensions.
 */
import { totalInput, zeroUsage, type Usage } from '#money/usage.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { isAbsent, isObject, listOf, objectOf, parseObject, printValue } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { readEmbedContent, readPrediction } from '#wire/embed-content/response.ts'
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
  readonly wire: EmbeddingFormat
  /** Names of the fields in the client's format that the provider does not get. */
  readonly lost: readonly string[]
  readonly body: () => ByteText
  /** Converts the response. Null if the bytes are not a valid response. */
  readonly readAnswer: (text: ByteText) => WholeAnswer | null
}

/** The formats of providers for embeddings. No client uses Vertex AI's `predict`. */
type EmbeddingFormat = TaskName | 'predict'

/**
 * @param spoken the formats that the provider accepts, without the client's own format
 * @param model the provider's model
 */
export function convertEmbeddings(
  request: WireRequest,
  spoken: readonly EmbeddingFormat[],
  model: string,
): EmbeddingConversion | RequestFault {
  return unlessRefused(() => {
    if (spoken.includes('predict')) return toPredict(request)
    if (request.wire === 'embeddings' && spoken.includes('batch_embed_contents'))
      return toGoogle(request, model)
    if (request.wire !== 'embeddings' && spoken.includes('embeddings')) return toOpenai(request, model)
    if (spoken.includes('embed_content')) return toOneContent(request)
    return refuseForRoute('model', 'its provider has no embeddings')
  })
}

/** The texts of a request in OpenAI's format. */
interface OpenaiTexts {
  readonly texts: readonly string[]
  readonly dimensions: JsonValue
  readonly isBase64: boolean
  readonly lost: readonly string[]
}

function openaiTexts(request: WireRequest): OpenaiTexts {
  const {
    dimensions = null,
    encoding_format: format,
    input,
    model: _,
    stream: __,
    svc: ___,
    ...others
  } = bodyOf(request)
  if (!isAbsent(format) && format !== 'float' && format !== 'base64')
    mustBe('encoding_format', 'float or base64')
  const texts = (typeof input === 'string' ? [input] : listOf(input)).map((text) =>
    typeof text === 'string'
      ? text
      : refuseForRoute(
          'input',
          'its provider accepts only text, and the request contains tokens of a tokenizer. Send text',
        ),
  )
  return { texts, dimensions, isBase64: format === 'base64', lost: namesOf(others) }
}

/** A request for one embedding in Gemini's format. */
interface GeminiEntry {
  /** The name of its content in an error. */
  readonly param: string
  readonly content: JsonValue
  readonly dimensions: JsonValue
  /** All other settings, in the request itself or in its configuration. */
  readonly settings: JsonObject
}

/** Returns the entries of a request, and the names of fields outside of them. */
function geminiEntries(request: WireRequest): {
  readonly entries: readonly GeminiEntry[]
  readonly outside: readonly string[]
} {
  const isBatch = request.wire === 'batch_embed_contents'
  const { svc: _, ...body } = camelKeys(bodyOf(request))
  const { requests, ...outer } = body
  const all = isBatch ? listOf(requests).map((entry) => camelKeys(objectOf(entry))) : [body]
  const entries = all.map((entry, index) => {
    const { content = null, embedContentConfig, model: __, outputDimensionality, ...others } = entry
    const { outputDimensionality: configured, ...config } = camelKeys(objectOf(embedContentConfig))
    return {
      param: isBatch ? `requests.${index}.content` : 'content',
      content,
      dimensions: outputDimensionality ?? configured ?? null,
      settings: { ...others, ...config },
    }
  })
  return { entries, outside: isBatch ? namesOf(outer).filter((name) => name !== 'model') : [] }
}

/** Returns the number of dimensions, for a provider with one number for all texts of a request. */
function dimensionsOf(entries: readonly GeminiEntry[]): JsonValue {
  const [size = null, ...others] = new Set(entries.map(({ dimensions }) => dimensions))
  if (others.length > 0)
    refuseForRoute(
      'requests',
      'its provider requires the same number of dimensions for all texts of a request',
    )
  return size
}

function toGoogle(request: WireRequest, model: string): EmbeddingConversion {
  const { dimensions, isBase64, lost, texts } = openaiTexts(request)
  const requests = texts.map((text) => ({
    model: `models/${model.replace(/^models\//, '')}`,
    content: { parts: [{ text }] },
    ...(dimensions !== null && { outputDimensionality: dimensions }),
  }))
  return {
    wire: 'batch_embed_contents',
    lost,
    body: () => byteTextOf(printValue({ requests })),
    readAnswer: (text) =>
      answerOf(request, readEmbedContent(text), vectorsOf(text, 'embeddings', valuesOf), {
        count: texts.length,
        isBase64,
      }),
  }
}

function toOpenai(request: WireRequest, model: string): EmbeddingConversion {
  const { entries, outside } = geminiEntries(request)
  const input = entries.map(({ content, param }) => textOfContent(content, param))
  const dimensions = dimensionsOf(entries)
  const lost = new Set([...outside, ...entries.flatMap(({ settings }) => namesOf(settings))])
  return {
    wire: 'embeddings',
    lost: [...lost],
    body: () => byteTextOf(printValue({ model, input, ...(dimensions !== null && { dimensions }) })),
    readAnswer: (text) =>
      answerOf(
        request,
        readTaskAnswer(text, request.model, ['data']),
        vectorsOf(text, 'data', ({ embedding = null }) => embedding),
        { count: input.length },
      ),
  }
}

/** Vertex AI's format for its older models: texts, each with its own settings, and parameters for all of them. */
function toPredict(request: WireRequest): EmbeddingConversion {
  const { dimensions, instances, isBase64, lost, truncates } =
    request.wire === 'embeddings' ? instancesOfOpenai(request) : instancesOfGemini(request)
  const parameters = {
    ...(dimensions !== null && { outputDimensionality: dimensions }),
    ...(truncates !== null && { autoTruncate: truncates }),
  }
  return {
    wire: 'predict',
    lost,
    body: () => byteTextOf(printValue({ instances, parameters })),
    readAnswer: (text) =>
      answerOf(
        request,
        readPrediction(text),
        vectorsOf(text, 'predictions', ({ embeddings = null }) => valuesOf(objectOf(embeddings))),
        { count: instances.length, isBase64 },
      ),
  }
}

interface Instances {
  readonly instances: readonly JsonObject[]
  readonly dimensions: JsonValue
  readonly truncates: JsonValue
  readonly isBase64: boolean
  readonly lost: readonly string[]
}

function instancesOfOpenai(request: WireRequest): Instances {
  const { texts, ...rest } = openaiTexts(request)
  return { ...rest, truncates: null, instances: texts.map((content) => ({ content })) }
}

function instancesOfGemini(request: WireRequest): Instances {
  const { entries, outside } = geminiEntries(request)
  const lost = new Set(outside)
  const [truncates = null, ...others] = new Set(
    entries.map(({ settings }) => settings['autoTruncate'] ?? null),
  )
  if (others.length > 0)
    refuseForRoute('requests', 'its provider requires the same autoTruncate for all texts of a request')
  const instances = entries.map(({ content, param, settings }) => {
    const { autoTruncate: _, taskType, title, ...unknown } = settings
    for (const name of namesOf(unknown)) lost.add(name)
    return {
      content: textOfContent(content, param),
      ...(!isAbsent(taskType) && { task_type: taskType }),
      ...(!isAbsent(title) && { title }),
    }
  })
  return { instances, dimensions: dimensionsOf(entries), truncates, isBase64: false, lost: [...lost] }
}

/** Gemini's format for a provider that creates one embedding per request. */
function toOneContent(request: WireRequest): EmbeddingConversion {
  const isOpenai = request.wire === 'embeddings'
  const { body, isBase64, lost } = isOpenai ? contentOfOpenai(request) : contentOfBatch(request)
  return {
    wire: 'embed_content',
    lost,
    body: () => byteTextOf(printValue(body)),
    readAnswer: (text) => {
      const values = valuesOf(objectOf(parseObject(textOf(text))?.['embedding']))
      const vectors = Array.isArray(values) ? [values] : null
      return answerOf(request, readEmbedContent(text), vectors, { count: 1, isBase64 })
    },
  }
}

interface OneContent {
  readonly body: JsonObject
  readonly isBase64: boolean
  readonly lost: readonly string[]
}

function contentOfOpenai(request: WireRequest): OneContent {
  const { dimensions, isBase64, lost, texts } = openaiTexts(request)
  const [text = ''] = texts
  if (texts.length !== 1) refuseForRoute('input', onlyOne)
  const content = { parts: [{ text }] }
  return {
    body: { content, ...(dimensions !== null && { outputDimensionality: dimensions }) },
    isBase64,
    lost,
  }
}

function contentOfBatch(request: WireRequest): OneContent {
  const { entries, outside } = geminiEntries(request)
  const [entry, ...others] = entries
  if (entry === undefined || others.length > 0) return refuseForRoute('requests', onlyOne)
  const { content, dimensions, settings } = entry
  const body = { content, ...settings, ...(dimensions !== null && { outputDimensionality: dimensions }) }
  return { body, isBase64: false, lost: outside }
}

const onlyOne = 'its provider creates one embedding per request. Send one text per request'

interface Expected {
  readonly count: number
  readonly isBase64?: boolean
}

/** Writes the vectors in the client's format. Null if the response is not valid, or if a vector is missing. */
function answerOf(
  request: WireRequest,
  answer: WholeAnswer | null,
  vectors: Vectors | null,
  { count, isBase64 = false }: Expected,
): WholeAnswer | null {
  if (!answer || vectors?.length !== count) return null
  const { inputEstimate, model, wire } = request
  if (wire !== 'embeddings') {
    const embeddings = vectors.map((values) => ({ values }))
    return withUsage(answer, inputEstimate, (tokens) => ({
      ...(wire === 'batch_embed_contents' ? { embeddings } : { embedding: embeddings[0] }),
      usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens },
    }))
  }
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

type Vectors = readonly (readonly JsonValue[])[]

/** Returns the numbers of an embedding in Gemini's format. */
function valuesOf({ values = null }: JsonObject): JsonValue {
  return values
}

/**
 * Returns the vectors of a response, in the order of the texts. Null if an entry has no vector.
 * @param list the name of the list in the response, whose entries may contain their `index`
 */
function vectorsOf(text: ByteText, list: string, vectorOf: (entry: JsonObject) => JsonValue): Vectors | null {
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
