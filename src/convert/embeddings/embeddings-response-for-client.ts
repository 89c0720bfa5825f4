import { totalInput, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { familyFields } from '#wire/invoke-embeddings/formats-by-embedding-family.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import {
  isAbsent,
  isObject,
  listOf,
  parseObject,
  printValue,
  type JsonObject,
  type JsonValue,
} from '#wire/text/json-values.ts'
import { bodyOf, type WireRequest } from '#wire/wire-request.ts'

export interface EmbeddingRequest extends WireRequest {
  readonly callId: string
}

interface Expected {
  readonly count: number
  readonly isBase64?: boolean
}

/** In the order of the texts of the request. */
type Vectors = readonly (readonly JsonValue[])[]

/** Null if the response is not valid or lacks a vector. */
export function answerOf(
  request: EmbeddingRequest,
  answer: WholeAnswer | null,
  vectors: Vectors | null,
  { count, isBase64 = false }: Expected,
): WholeAnswer | null {
  if (!answer || vectors?.length !== count) return null
  const { inputEstimate, model, wire } = request
  switch (wire) {
    case 'embeddings': {
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
    case 'invoke_embeddings':
      return withUsage(answer, inputEstimate, (tokens) => bedrockResponse(bodyOf(request), vectors, tokens))
    case 'cohere_embed':
      return withUsage(answer, inputEstimate, (tokens) => cohereResponse(request, vectors, tokens))
    default: {
      const embeddings = vectors.map((values) => ({ values }))
      return withUsage(answer, inputEstimate, (tokens) => ({
        ...(wire === 'batch_embed_contents' ? { embeddings } : { embedding: embeddings[0] }),
        usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens },
      }))
    }
  }
}

/** @param body the request, which shows the family of the response */
function bedrockResponse(body: JsonObject, vectors: Vectors, tokens: number): JsonObject {
  const [vector] = vectors
  switch (familyFields.find(([field]) => field in body)?.[1]) {
    case 'titan':
      return { embedding: vector, embeddingsByType: { float: vector }, inputTextTokenCount: tokens }
    case 'nova':
      return { embeddings: [{ embeddingType: 'TEXT', embedding: vector }] }
    default: {
      const isTyped = !isAbsent(body['embedding_types'])
      return {
        response_type: isTyped ? 'embeddings_by_type' : 'embeddings_floats',
        embeddings: isTyped ? { float: vectors } : vectors,
        texts: body['texts'],
      }
    }
  }
}

function cohereResponse(request: EmbeddingRequest, vectors: Vectors, tokens: number): JsonObject {
  const { callId } = request
  const { embedding_types: types, texts } = bodyOf(request)
  const isByType = request.version === 'v2' || !isAbsent(types)
  return {
    response_type: isByType ? 'embeddings_by_type' : 'embeddings_floats',
    id: callId,
    embeddings: isByType ? { float: vectors } : vectors,
    ...(!isAbsent(texts) && { texts }),
    meta: metaOf(request, tokens),
  }
}

function metaOf({ version }: EmbeddingRequest, tokens: number): JsonObject {
  return { api_version: { version: version === 'v2' ? '2' : '1' }, billed_units: { input_tokens: tokens } }
}

/** Adds the usage to a response of Cohere's models at Bedrock, whose other members are the same as at Cohere. */
export function cohereAnswerOf(
  request: EmbeddingRequest,
  answer: WholeAnswer | null,
  response: JsonObject | null,
): WholeAnswer | null {
  if (answer === null || response === null) return null
  return withUsage(answer, request.inputEstimate, (tokens) => ({
    id: request.callId,
    ...response,
    meta: metaOf(request, tokens),
  }))
}

/** Writes the provider's usage into the response, or the charged usage if the provider reports none in the body. */
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
 * Null if an entry has no vector.
 * @param list the name of the list of vectors in the response; each entry of the list may state its `index`
 */
export function vectorsOf(
  text: ByteText,
  list: string,
  vectorOf: (entry: JsonObject) => JsonValue,
): Vectors | null {
  const entries = listOf(parseObject(textOf(text))?.[list])
  if (!entries.every(isObject)) return null
  const placeOf = ({ index }: JsonObject): number => (typeof index === 'number' ? index : 0)
  return numbersIn(entries.toSorted((one, other) => placeOf(one) - placeOf(other)).map(vectorOf))
}

/** Null if any vector is not a list. */
export function numbersIn(vectors: readonly JsonValue[] | null): Vectors | null {
  return vectors?.every((vector) => Array.isArray(vector)) === true ? vectors : null
}

/** Encodes a vector in OpenAI's base64 format: 32-bit little-endian numbers. */
function base64Of(vector: readonly JsonValue[]): string {
  const bytes = new DataView(new ArrayBuffer(4 * vector.length))
  for (const [index, value] of vector.entries()) bytes.setFloat32(4 * index, Number(value), true)
  return Buffer.from(bytes.buffer).toString('base64')
}
