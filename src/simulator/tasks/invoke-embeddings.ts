import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { bedrockError } from '#simulator/error-bodies-of-vendors.ts'
import type { JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { countTokens } from '#simulator/count-simulated-tokens.ts'
import { numbersOf, vectorOf, type Task, type TaskRequest } from './task-simulator-interface.ts'

/** The embeddings of Titan, Cohere and Nova at Bedrock (docs/reference/wires.md "Embeddings of Bedrock"). */
export const invokeEmbeddings: Task = {
  read(body) {
    const family = families.find(([field]) => field in body)?.[1] ?? titan
    return family(body)
  },
  errorBody: bedrockError,
  hasRetryAfter: false,
}

const size = z.int().min(1).max(3072).optional()
/** Length of the vectors if the request does not set a length. */
const usualSize = 1024
const textsMax = 96
/** A fixed number of tokens, because the simulator does not read images. */
const imageTokens = 1_000

const Titan = z.strictObject({
  inputText: z.string().min(1),
  dimensions: size,
  normalize: z.boolean().optional(),
  embeddingTypes: z.array(z.enum(['float', 'binary'])).optional(),
})

function titan(body: JsonObject): TaskRequest | Rejection {
  const parsed = Titan.safeParse(body)
  if (!parsed.success) return wrong(parsed.error)
  const { dimensions, inputText } = parsed.data
  return requestOf([inputText], (usage) => {
    const vector = numbersOf(vectorOf(inputText, dimensions ?? usualSize))
    const count = usage === null ? '' : `,"inputTextTokenCount":${usage}`
    return [`{"embedding":${vector},"embeddingsByType":{"float":`, `${vector}}${count}}`]
  })
}

const Cohere = z.strictObject({
  texts: z.array(z.string()).min(1).max(textsMax).optional(),
  images: z.array(z.string()).min(1).max(textsMax).optional(),
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering', 'image']),
  truncate: z.enum(['NONE', 'START', 'END', 'LEFT', 'RIGHT']).optional(),
  embedding_types: z.array(z.literal('float')).optional(),
  output_dimension: size,
  max_tokens: z.int().min(1).optional(),
})

function cohere(body: JsonObject): TaskRequest | Rejection {
  const parsed = Cohere.safeParse(body)
  if (!parsed.success) return wrong(parsed.error)
  const { embedding_types: types, images = [], output_dimension: dimensions, texts = [] } = parsed.data
  const vectors = [...texts, ...images].map((text) => numbersOf(vectorOf(text, dimensions ?? usualSize)))
  const request = requestOf(texts, () => {
    const list = `[${vectors.join(',')}]`
    const [type, embeddings] =
      types === undefined ? ['embeddings_floats', list] : ['embeddings_by_type', `{"float":${list}}`]
    return [
      `{"id":"embed-simulated","response_type":"${type}","embeddings":${embeddings}`,
      `,"texts":${JSON.stringify(texts)}}`,
    ]
  })
  return { ...request, inputTokens: request.inputTokens + imageTokens * images.length }
}

const Nova = z.strictObject({
  schemaVersion: z.string().optional(),
  taskType: z.literal('SINGLE_EMBEDDING'),
  singleEmbeddingParams: z.strictObject({
    embeddingPurpose: z.string(),
    embeddingDimension: size,
    text: z.strictObject({ truncationMode: z.enum(['NONE', 'START', 'END']), value: z.string().min(1) }),
  }),
})

function nova(body: JsonObject): TaskRequest | Rejection {
  const parsed = Nova.safeParse(body)
  if (!parsed.success) return wrong(parsed.error)
  const { embeddingDimension, text } = parsed.data.singleEmbeddingParams
  return requestOf([text.value], () => {
    const vector = numbersOf(vectorOf(text.value, embeddingDimension ?? usualSize))
    return [`{"embeddings":[{"embeddingType":"TEXT","embedding":`, `${vector}}]}`]
  })
}

/** The field of each family occurs only in bodies of that family. */
const families: readonly (readonly [string, (body: JsonObject) => TaskRequest | Rejection])[] = [
  ['texts', cohere],
  ['images', cohere],
  ['singleEmbeddingParams', nova],
]

function requestOf(texts: readonly string[], pieces: TaskRequest['pieces']): TaskRequest {
  return {
    inputTokens: texts.reduce((sum, text) => sum + countTokens(text), 0),
    userText: texts[0] ?? '',
    isUsageInHead: true,
    pieces,
  }
}

function wrong({ issues }: z.ZodError): Rejection {
  const [issue] = issues
  const path = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : (issue?.path.join('.') ?? '')
  return rejection(
    `Malformed input request: #: the field ${path} is not valid, please reformat your input and try again.`,
  )
}
