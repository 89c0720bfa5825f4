import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { cohereError } from '#simulator/error-bodies-of-vendors.ts'
import type { JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { countTokens } from '#simulator/count-simulated-tokens.ts'
import type { CallFacts } from '#simulator/wire-simulator-interface.ts'
import { numbersOf, vectorOf, type Task, type TaskRequest } from './task-simulator-interface.ts'

/** Both versions of Cohere's embeddings (docs/reference/wires.md "Embeddings of Cohere"). */
export const cohereEmbed: Task = {
  read: readCohereEmbed,
  errorBody: (status, fault) => cohereError(status, fault, 'embed-simulated'),
  hasRetryAfter: true,
}

const textsMax = 96
/** Length of the vectors if the request does not set a length. */
const usualSize = 1024
/** A fixed number of tokens, because the simulator does not read images. */
const imageTokens = 1_000

const Text = z.strictObject({ type: z.literal('text'), text: z.string() })
const Image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string(), detail: z.string().optional() }),
})
const Embed = z.strictObject({
  model: z.string(),
  texts: z.array(z.string()).max(textsMax).nullish(),
  images: z.array(z.string()).max(textsMax).nullish(),
  inputs: z
    .array(z.strictObject({ content: z.array(z.union([Text, Image])).min(1) }))
    .max(textsMax)
    .nullish(),
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering', 'image']).nullish(),
  truncate: z.enum(['NONE', 'START', 'END']).nullish(),
  embedding_types: z.array(z.enum(['float', 'int8', 'uint8'])).nullish(),
  output_dimension: z.int().min(1).max(3072).nullish(),
  max_tokens: z.int().min(1).nullish(),
  priority: z.int().nullish(),
})

function readCohereEmbed(body: JsonObject, { version }: CallFacts): TaskRequest | Rejection {
  const parsed = Embed.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const path = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : (issue?.path.join('.') ?? '')
    return rejection(`invalid request: the field ${path} is not valid`, path)
  }
  const { embedding_types: types, images, inputs, model, output_dimension: dimensions, texts } = parsed.data
  const parts = (inputs ?? []).map(({ content }) => content)
  const read = [...(texts ?? []), ...(images ?? []), ...parts.map((content) => JSON.stringify(content))]
  const imageCount = (images?.length ?? 0) + parts.flat().filter(({ type }) => type === 'image_url').length
  const textual = [...(texts ?? []), ...parts.flat().map((part) => (part.type === 'text' ? part.text : ''))]
  const textTokens = textual.reduce((sum, text) => sum + countTokens(text), 0)
  const isByType = version === 'v2' || (types !== undefined && types !== null)
  return {
    inputTokens: textTokens + imageTokens * imageCount,
    userText: textual[0] ?? '',
    *pieces(usage) {
      const vectors = read.map((text) => vectorOf(text, dimensions ?? usualSize))
      const responseType = isByType ? 'embeddings_by_type' : 'embeddings_floats'
      yield `{"id":"embed-simulated","response_type":"${responseType}","embeddings":`
      if (isByType)
        yield `{${(types ?? ['float']).map((type) => `"${type}":[${vectors.map((vector) => writtenAs(type, vector)).join(',')}]`).join(',')}}`
      else yield `[${vectors.map(numbersOf).join(',')}]`
      if (texts) yield `,"texts":${JSON.stringify(texts)}`
      // Models of version 3 bill images as units.
      const billedImages = /v3/.test(model)
        ? imageCount > 0 && { images: imageCount }
        : { image_tokens: imageTokens * imageCount }
      const billed = { ...(textTokens > 0 && { input_tokens: textTokens }), ...billedImages }
      const meta = { api_version: { version: version === 'v2' ? '2' : '1' }, billed_units: billed }
      if (usage !== null) yield `,"meta":${JSON.stringify(meta)}`
      yield '}'
    },
  }
}

function writtenAs(type: 'float' | 'int8' | 'uint8', vector: Float32Array): string {
  if (type === 'float') return numbersOf(vector)
  const offset = type === 'uint8' ? 128 : 0
  return JSON.stringify(Array.from(vector, (value) => Math.round(value * 127) + offset))
}
