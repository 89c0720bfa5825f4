/**
 * Converts embeddings between the formats of OpenAI, Gemini, Bedrock and Cohere, and to the formats of Vertex AI
 * (docs/reference/conversions.md "Embeddings"). OpenAI's format can express only texts and the number of dimensions.
 */
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { readEmbedContent, readPrediction } from '#wire/embed-content/non-streaming-response.ts'
import {
  bodyOfTexts,
  embeddingFamilyOf,
  textsMax,
  vectorsIn,
} from '#wire/invoke-embeddings/formats-by-embedding-family.ts'
import { readInvokeEmbeddings } from '#wire/invoke-embeddings/non-streaming-response.ts'
import { readTaskAnswer } from '#wire/read-task-response.ts'
import type { TaskName } from '#wire/names-of-wires-and-tasks.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { isAbsent, objectOf, parseObject, printValue } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import {
  bodyOf,
  refuseForRoute,
  unlessRefused,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import {
  answerOf,
  cohereAnswerOf,
  numbersIn,
  vectorsOf,
  type EmbeddingRequest,
} from './embeddings-response-for-client.ts'
import {
  dimensionsOf,
  geminiEntries,
  isGeminis,
  namesOf,
  textOfContent,
  textsOf,
} from './texts-of-embeddings-request.ts'

interface EmbeddingConversion {
  readonly wire: EmbeddingFormat
  /** The fields have the names of the client's format. */
  readonly lost: readonly string[]
  readonly body: () => ByteText
  /** Null if the text is not a valid response. */
  readonly readAnswer: (text: ByteText) => WholeAnswer | null
}

/** Clients cannot use Vertex AI's `predict` and Bedrock's `invoke_prompt`. */
type EmbeddingFormat = TaskName | 'predict' | 'invoke_prompt'

/**
 * @param spoken the formats that the provider accepts. The client's own format is omitted, because it needs no
 *   conversion.
 * @param model the provider's model
 */
export function convertEmbeddings(
  request: EmbeddingRequest,
  spoken: readonly EmbeddingFormat[],
  model: string,
): EmbeddingConversion | RequestFault {
  return unlessRefused(() => {
    if (spoken.includes('predict')) return toPredict(request)
    if (spoken.includes('invoke_embeddings')) return toBedrock(request, model)
    if (!isGeminis(request) && spoken.includes('batch_embed_contents')) return toGoogle(request, model)
    if (request.wire !== 'embeddings' && spoken.includes('embeddings')) return toOpenai(request, model)
    if (spoken.includes('embed_content')) return toOneContent(request)
    return refuseModel(request)
  })
}

/**
 * Rejects the model. The error mentions conversations, because older clients send conversations to Titan's text models
 * in the same fields.
 */
function refuseModel({ wire }: WireRequest): never {
  const remedy = wire === 'invoke_embeddings' ? '. Send conversations to /model/<model>/converse' : ''
  return refuseForRoute('model', `the provider of this model has no embeddings${remedy}`)
}

function toGoogle(request: EmbeddingRequest, model: string): EmbeddingConversion {
  const { dimensions, isBase64, lost, texts } = textsOf(request)
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

function toOpenai(request: EmbeddingRequest, model: string): EmbeddingConversion {
  const { dimensions, lost, texts: input } = textsOf(request)
  return {
    wire: 'embeddings',
    lost,
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

function toBedrock(request: EmbeddingRequest, model: string): EmbeddingConversion {
  const family = embeddingFamilyOf(model) ?? refuseModel(request)
  if (family === 'cohere' && request.wire === 'cohere_embed') return toCohereAtBedrock(request)
  const { isBase64, lost, texts, ...asked } = textsOf(request)
  const most = textsMax[family]
  if (texts.length > most) refuseForRoute(listOfTexts(request), most === 1 ? onlyOne : tooMany(most))
  return {
    wire: 'invoke_embeddings',
    lost: family === 'cohere' ? lost.filter((name) => name !== 'input_type') : lost,
    body: () => byteTextOf(printValue(bodyOfTexts(family, { ...asked, texts }))),
    readAnswer: (text) => {
      const response = parseObject(textOf(text))
      const vectors = numbersIn(response && vectorsIn(family, response))
      return answerOf(request, readInvokeEmbeddings(text), vectors, { count: texts.length, isBase64 })
    },
  }
}

/** Bedrock uses Cohere's own format for Cohere's models, so images and all types of vectors can be sent. */
function toCohereAtBedrock(request: EmbeddingRequest): EmbeddingConversion {
  const { model: _, priority, stream: __, svc: ___, ...fields } = bodyOf(request)
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => !isAbsent(value)))
  const body = { ...(request.version === 'v2' && { embedding_types: ['float'] }), ...given }
  return {
    wire: 'invoke_embeddings',
    lost: isAbsent(priority) ? [] : ['priority'],
    body: () => byteTextOf(printValue(body)),
    readAnswer: (text) => cohereAnswerOf(request, readInvokeEmbeddings(text), parseObject(textOf(text))),
  }
}

/** Names the field that contains the texts, for an error message. */
function listOfTexts({ wire }: WireRequest): string {
  if (wire === 'embeddings') return 'input'
  return wire === 'invoke_embeddings' || wire === 'cohere_embed' ? 'texts' : 'requests'
}

function tooMany(most: number): string {
  return `the provider of this model creates at most ${most} embeddings per request. Send fewer texts per request`
}

/**
 * Converts the request to Vertex AI's format for its older models: texts, each with its own settings, and parameters
 * for all texts.
 */
function toPredict(request: EmbeddingRequest): EmbeddingConversion {
  const { dimensions, instances, isBase64, lost, truncates } = isGeminis(request)
    ? instancesOfGemini(request)
    : instancesOfTexts(request)
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

function instancesOfTexts(request: WireRequest): Instances {
  const { dimensions, isBase64, lost, texts } = textsOf(request)
  return { dimensions, isBase64, lost, truncates: null, instances: texts.map((content) => ({ content })) }
}

function instancesOfGemini(request: WireRequest): Instances {
  const { entries, outside } = geminiEntries(request)
  const lost = new Set(outside)
  const [truncates = null, ...others] = new Set(
    entries.map(({ settings }) => settings['autoTruncate'] ?? null),
  )
  if (others.length > 0)
    refuseForRoute(
      'requests',
      'the provider of this model requires the same autoTruncate for all texts of a request',
    )
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

/** For a provider that creates one embedding per request. */
function toOneContent(request: EmbeddingRequest): EmbeddingConversion {
  const { body, isBase64, lost } = isGeminis(request) ? contentOfBatch(request) : contentOfTexts(request)
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

function contentOfTexts(request: WireRequest): OneContent {
  const { dimensions, isBase64, lost, texts } = textsOf(request)
  const [text = ''] = texts
  if (texts.length !== 1) refuseForRoute(listOfTexts(request), onlyOne)
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

const onlyOne = 'the provider of this model creates one embedding per request. Send one text per request'

function valuesOf({ values = null }: JsonObject): JsonValue {
  return values
}
