import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { openaiError } from '#simulator/error-bodies-of-vendors.ts'
import type { JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { listOf } from '#simulator/requests/read-by-schema.ts'
import { countTokens } from '#simulator/count-simulated-tokens.ts'
import type { Task, TaskRequest } from './task-simulator-interface.ts'

/** Source: docs/reference/wires.md "Requests for moderation". */
export const moderations: Task = {
  read: readModerations,
  errorBody: openaiError,
  hasRetryAfter: true,
}

const Part = z.union([
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image_url'), image_url: z.strictObject({ url: z.string().min(1) }) }),
])
const Moderations = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), listOf(z.string(), { min: 1, max: 2048 }), listOf(Part, { min: 1, max: 64 })]),
  stream: z.literal(false).optional(),
})

function readModerations(body: JsonObject): TaskRequest | Rejection {
  const parsed = Moderations.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return issue?.code === 'unrecognized_keys' && issue.path.length === 0
      ? rejection(`Unrecognized request argument supplied: ${issue.keys.join(', ')}`)
      : rejection("'$.input' is invalid.", 'input')
  }
  const { input, model } = parsed.data
  const texts = typeof input === 'string' ? [input] : input.filter((one) => typeof one === 'string')
  const parts = typeof input === 'string' ? [] : input.filter((one) => typeof one !== 'string')
  const spoken = parts.map((part) => ('text' in part ? part.text : ''))
  // A list of parts counts as one input. In a list of strings, each string is a separate input.
  const inputs = parts.length > 0 ? [spoken.join('\n')] : texts
  const types = parts.some(({ type }) => type === 'image_url') ? ['text', 'image'] : ['text']
  return {
    inputTokens: inputs.reduce((sum, text) => sum + countTokens(text), 0),
    userText: inputs[0] ?? '',
    *pieces(usage) {
      yield '{"id":"modr-simulator","results":['
      for (const [index, text] of inputs.entries())
        yield `${index === 0 ? '' : ','}${JSON.stringify(resultOf(text, types))}`
      // Mistral reports usage and OpenAI does not. With the directive `no-usage`, the response is like one of OpenAI.
      const counts =
        usage === null
          ? ''
          : `,"usage":{"prompt_tokens":${usage},"completion_tokens":0,"total_tokens":${usage}}`
      yield `],"model":${JSON.stringify(model)}${counts}}`
    },
  }
}

const flaggedWords: Readonly<Record<string, RegExp>> = {
  harassment: /\bidiot\b/i,
  hate: /\bhate\b/i,
  illicit: /\bsteal\b/i,
  'self-harm': /\bsuicide\b/i,
  sexual: /\bsex\b/i,
  violence: /\bkill\b/i,
}

function resultOf(text: string, types: readonly string[]) {
  const categories = Object.entries(flaggedWords).map(([name, words]) => [name, words.test(text)] as const)
  return {
    flagged: categories.some(([, isFlagged]) => isFlagged),
    categories: Object.fromEntries(categories),
    category_scores: Object.fromEntries(
      categories.map(([name, isFlagged]) => [name, isFlagged ? 0.97 : 0.001]),
    ),
    category_applied_input_types: Object.fromEntries(categories.map(([name]) => [name, types])),
  }
}
