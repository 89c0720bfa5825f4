import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { googleError } from '#simulator/error-bodies-of-vendors.ts'
import type { JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { countTokens } from '#simulator/count-simulated-tokens.ts'
import type { CallFacts } from '#simulator/wire-simulator-interface.ts'
import { dimensionsOf, numbersOf, vectorOf, type Task, type TaskRequest } from './task-simulator-interface.ts'

/** Source: docs/reference/wires.md "Embeddings of Gemini". */
export const embedContent: Task = {
  read(body, call) {
    const parsed = Entry.safeParse(body)
    return parsed.success ? requestOf([parsed.data], call, false) : wrong(body, parsed.error)
  },
  errorBody: googleError,
  hasRetryAfter: false,
}

export const batchEmbedContents: Task = {
  ...embedContent,
  read(body, call) {
    const parsed = Batch.safeParse(body)
    return parsed.success ? requestOf(parsed.data.requests, call, true) : wrong(body, parsed.error)
  },
}

const requestsMax = 100
/** A fixed number of tokens per image, sound or file, because the simulator does not read media. */
const mediumTokens = 258

const Part = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ inlineData: z.looseObject({ mimeType: z.string(), data: z.string() }) }),
])
const size = z.int().min(1).max(3072).optional()
const Entry = z.strictObject({
  model: z.string().optional(),
  content: z.object({ parts: z.array(Part).min(1), role: z.string().optional() }),
  taskType: z.string().optional(),
  task_type: z.string().optional(),
  title: z.string().optional(),
  outputDimensionality: size,
  output_dimensionality: size,
})
const Batch = z.strictObject({
  requests: z
    .array(Entry.extend({ model: z.string() }))
    .min(1)
    .max(requestsMax),
})

function wrong(body: JsonObject, { issues }: z.ZodError): Rejection {
  if (Array.isArray(body['requests']) && body['requests'].length > requestsMax)
    return rejection(`at most ${requestsMax} requests can be in one batch`)
  const path = issues[0]?.path.join('.') ?? ''
  return rejection(`Invalid JSON payload received. The field '${path}' is not valid.`)
}

function requestOf(
  entries: readonly z.output<typeof Entry>[],
  { model }: CallFacts,
  isBatch: boolean,
): TaskRequest {
  const texts = entries.map(({ content }) =>
    content.parts.map((part) => ('text' in part ? part.text : part.inlineData.data)).join(''),
  )
  const tokensOf = ({ content }: z.output<typeof Entry>): number =>
    content.parts.reduce((sum, part) => sum + ('text' in part ? countTokens(part.text) : mediumTokens), 0)
  return {
    inputTokens: entries.reduce((sum, entry) => sum + tokensOf(entry), 0),
    userText: texts[0] ?? '',
    *pieces(usage) {
      yield isBatch ? '{"embeddings":[' : '{"embedding":'
      for (const [index, text] of texts.entries()) {
        const { output_dimensionality: other, outputDimensionality = other ?? null } = entries[index] ?? {}
        const vector = vectorOf(text, dimensionsOf(model, outputDimensionality))
        yield `${index === 0 ? '' : ','}{"values":${numbersOf(vector)}}`
      }
      const counts =
        usage === null ? '' : `,"usageMetadata":{"promptTokenCount":${usage},"totalTokenCount":${usage}}`
      yield `${isBatch ? ']' : ''}${counts}}`
    },
  }
}
