import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { openaiError } from '#simulator/error-bodies-of-vendors.ts'
import type { JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { openaiWords } from '#simulator/requests/fields-of-openai-wires.ts'
import { listOf } from '#simulator/requests/read-by-schema.ts'
import { countTokens } from '#simulator/count-simulated-tokens.ts'
import { dimensionsOf, numbersOf, vectorOf, type Task, type TaskRequest } from './task-simulator-interface.ts'

/** Source: docs/reference/wires.md "Requests for embeddings". */
export const embeddings: Task = {
  read: readEmbeddings,
  errorBody: openaiError,
  hasRetryAfter: true,
}

const textsMax = 2048
const dimensionsMax = 3072
const Tokens = listOf(z.int().min(0), { min: 1 })
const Embeddings = z.object({
  model: z.string('you must provide a model parameter'),
  input: z.union([
    z.string().min(1),
    listOf(z.string().min(1), { min: 1, max: textsMax }),
    Tokens,
    listOf(Tokens, { min: 1, max: textsMax }),
  ]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(dimensionsMax).nullish(),
  user: z.string().nullish(),
})

/** `svc` is missing, because it is the gateway's own field. */
const known = new Set(['model', 'input', 'encoding_format', 'dimensions', 'user', 'stream'])

function readEmbeddings(body: JsonObject): TaskRequest | Rejection {
  const foreign = Object.keys(body).find((name) => !known.has(name))
  if (foreign !== undefined) return rejection(`Unrecognized request argument supplied: ${foreign}`)
  const parsed = Embeddings.safeParse(body, { error: () => '', reportInput: true })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    if (issue === undefined || issue.path[0] === 'input') return rejection("'$.input' is invalid.", 'input')
    return openaiWords(issue)
  }
  const { dimensions = null, encoding_format: format, input, model } = parsed.data
  const inputs = inputsOf(input)
  const inputTokens = inputs.reduce((sum, { tokens }) => sum + tokens, 0)
  const size = dimensionsOf(model, dimensions)
  return {
    inputTokens,
    userText: inputs[0]?.text ?? '',
    *pieces(usage) {
      yield '{"object":"list","data":['
      for (const [index, { text }] of inputs.entries()) {
        const vector = vectorOf(text, size)
        const written =
          format === 'base64' ? `"${Buffer.from(vector.buffer).toString('base64')}"` : numbersOf(vector)
        yield `${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":${written}}`
      }
      const counts = usage === null ? '' : `,"usage":{"prompt_tokens":${usage},"total_tokens":${usage}}`
      yield `],"model":${JSON.stringify(model)}${counts}}`
    },
  }
}

interface Input {
  readonly text: string
  readonly tokens: number
}

/** Token numbers are joined to a text, so that equal lists of tokens have equal vectors. */
function inputsOf(input: z.output<typeof Embeddings>['input']): Input[] {
  if (typeof input === 'string') return [inputOf(input)]
  const tokens = input.filter((item) => typeof item === 'number')
  return tokens.length > 0
    ? [inputOf(tokens)]
    : input.map((item) => inputOf(typeof item === 'number' ? [item] : item))
}

function inputOf(input: string | readonly number[]): Input {
  return typeof input === 'string'
    ? { text: input, tokens: countTokens(input) }
    : { text: input.join(' '), tokens: input.length }
}
