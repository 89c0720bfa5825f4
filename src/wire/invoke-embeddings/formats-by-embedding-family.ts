import { isObject, listOf, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'

/** Each family of embedding models has its own format of bodies. */
export type InvokeFamily = 'titan' | 'cohere' | 'nova'

/** Fields that only bodies of one family have. A body with fields of two families is rejected (request.ts). */
export const familyFields: readonly (readonly [field: string, family: InvokeFamily])[] = [
  ['inputText', 'titan'],
  ['inputImage', 'titan'],
  ['singleEmbeddingParams', 'nova'],
  ['segmentedEmbeddingParams', 'nova'],
  ['texts', 'cohere'],
  ['images', 'cohere'],
  ['inputs', 'cohere'],
]

/** Null if the model belongs to no family, and for the ARN of an inference profile. */
export function embeddingFamilyOf(model: string): InvokeFamily | null {
  return modelFamilies.find(([pattern]) => pattern.test(model))?.[1] ?? null
}

const modelFamilies: readonly (readonly [models: RegExp, family: InvokeFamily])[] = [
  [/titan-embed/, 'titan'],
  [/cohere\.embed/, 'cohere'],
  [/nova-[\w-]*embed/, 'nova'],
]

/** Titan and Nova create one embedding per request. */
export const textsMax: Readonly<Record<InvokeFamily, number>> = { titan: 1, nova: 1, cohere: 96 }

interface TextsToEmbed {
  readonly texts: readonly string[]
  readonly dimensions: JsonValue
  /** Cohere requires a purpose. Null if the request names no purpose. */
  readonly inputType: JsonValue
}

/** The number of texts must not exceed `textsMax`. */
export function bodyOfTexts(
  family: InvokeFamily,
  { dimensions, inputType, texts }: TextsToEmbed,
): JsonObject {
  const [text = ''] = texts
  switch (family) {
    case 'titan':
      return { inputText: text, ...(dimensions !== null && { dimensions }) }
    case 'cohere':
      return {
        texts,
        input_type: inputType ?? 'search_document',
        ...(dimensions !== null && { output_dimension: dimensions }),
      }
    case 'nova':
      return {
        taskType: 'SINGLE_EMBEDDING',
        singleEmbeddingParams: {
          embeddingPurpose: 'GENERIC_INDEX',
          ...(dimensions !== null && { embeddingDimension: dimensions }),
          text: { truncationMode: 'NONE', value: text },
        },
      }
    default:
      return family satisfies never
  }
}

/** Returns the vectors in the order of the texts. Null or empty if the response has no vectors of numbers. */
export function vectorsIn(family: InvokeFamily, response: JsonObject): readonly JsonValue[] | null {
  const { embedding, embeddings, embeddingsByType } = response
  switch (family) {
    case 'titan': {
      const vector = embedding ?? objectOf(embeddingsByType)['float']
      return vector === undefined ? null : [vector]
    }
    case 'cohere':
      // Either a list of vectors, or an object with such a list for each type.
      return listOf(isObject(embeddings) ? embeddings['float'] : embeddings)
    case 'nova':
      return listOf(embeddings).map((entry) => objectOf(entry)['embedding'])
    default:
      return family satisfies never
  }
}
