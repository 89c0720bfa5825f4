import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { openaiError } from '#simulator/error-bodies-of-vendors.ts'
import type { JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { countTokens } from '#simulator/count-simulated-tokens.ts'
import { fieldInError } from '#simulator/parse-multipart-bodies.ts'
import type { Task, TaskRequest } from './task-simulator-interface.ts'

/** Source: docs/reference/wires.md "Images". Only models of the GPT Image family report usage. */
export const images: Task = {
  read: readImages,
  errorBody: openaiError,
  hasRetryAfter: true,
}

export const imageEdits: Task = { ...images, read: readEdits }

const Images = z.strictObject({
  model: z.string(),
  prompt: z.string().min(1).max(32_000),
  n: z.int().min(1).max(10).nullish(),
  size: z.string().nullish(),
  quality: z.enum(['low', 'medium', 'high', 'auto', 'standard', 'hd']).nullish(),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  moderation: z.enum(['low', 'auto']).nullish(),
  output_format: z.enum(['png', 'jpeg', 'webp']).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  style: z.enum(['vivid', 'natural']).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  stream: z.literal(false).nullish(),
})

export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Tokens of an image with 1024 x 1024 pixels that gpt-image-2 creates, by quality. */
const tokensOf: Readonly<Record<string, number>> = { low: 196, medium: 1_756, high: 7_024 }

const Edits = Images.omit({ moderation: true, stream: true }).extend({
  n: z.coerce.number().pipe(z.int().min(1).max(10)).optional(),
  output_compression: z.coerce.number().pipe(z.int().min(0).max(100)).optional(),
  input_fidelity: z.enum(['high', 'low']).optional(),
  stream: z.literal('false').optional(),
  files: z.int().min(1).max(18),
  fileBytes: z.int(),
  fileHead: z.string(),
})

/** A fixed number of tokens, because the simulator does not read input images. */
const tokensOfInput = 1_000

function readImages(body: JsonObject): TaskRequest | Rejection {
  const parsed = Images.safeParse(body)
  return parsed.success ? requestOf(parsed.data, 0) : rejectionOf(parsed.error)
}

function readEdits(body: JsonObject): TaskRequest | Rejection {
  const parsed = Edits.safeParse(body)
  return parsed.success ? requestOf(parsed.data, parsed.data.files) : rejectionOf(parsed.error)
}

function rejectionOf({ issues: [issue] }: z.ZodError): Rejection {
  const path = fieldInError(issue?.path.join('.') ?? '', 'image')
  return issue?.code === 'unrecognized_keys'
    ? rejection(`Unknown parameter: '${issue.keys.join(', ')}'.`)
    : rejection(`Invalid value: '${path}'.`, path)
}

type ImagesRequest = Pick<z.output<typeof Images>, 'model' | 'n' | 'output_format' | 'prompt' | 'quality'>

function requestOf(request: ImagesRequest, files: number): TaskRequest {
  const { model, n, output_format: format, prompt, quality: asked } = request
  const count = n ?? 1
  const quality = asked === 'low' || asked === 'medium' ? asked : 'high'
  return {
    inputTokens: (countTokens(prompt) + files * tokensOfInput) * count,
    userText: prompt,
    *pieces(usage) {
      yield '{"created":1800000000,"data":['
      for (let index = 0; index < count; index++) yield `${index === 0 ? '' : ','}{"b64_json":"${pixel}"}`
      yield ']'
      if (usage !== null && /gpt-image/.test(model)) {
        const output = (tokensOf[quality] ?? 0) * count
        const counts = {
          input_tokens: usage,
          input_tokens_details: {
            image_tokens: files * tokensOfInput * count,
            text_tokens: usage - files * tokensOfInput * count,
          },
          output_tokens: output,
          output_tokens_details: { image_tokens: output, text_tokens: 0 },
          total_tokens: usage + output,
        }
        yield `,"quality":"${quality}","size":"1024x1024","output_format":"${format ?? 'png'}"`
        yield `,"usage":${JSON.stringify(counts)}`
      }
      yield '}'
    },
  }
}
