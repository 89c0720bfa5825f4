import { openaiError } from '#simulator/error-bodies-of-vendors.ts'
import type { Rejection } from '#simulator/simulated-rejection.ts'
import type { JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { inputItems, readResponses } from '#simulator/requests/read-responses-request.ts'
import { sealOf } from '#simulator/sign-simulated-thoughts.ts'
import type { KeptResponses } from '#simulator/responses-in-memory.ts'
import type { CallFacts } from '#simulator/wire-simulator-interface.ts'
import type { Task, TaskRequest } from './task-simulator-interface.ts'

/**
 * OpenAI's compactions (docs/reference/wires.md "Compactions"). A response has the messages of the user, and then an
 * encrypted item.
 */
export const compact: Task = {
  read: readCompact,
  errorBody: openaiError,
  hasRetryAfter: true,
}

const summaryTokens = 120

function readCompact(
  body: JsonObject,
  { model }: CallFacts,
  kept: KeptResponses | null,
): TaskRequest | Rejection {
  // A request that names a stored response may have no input of its own.
  const request = readResponses({ ...body, input: body['input'] ?? [] }, kept)
  if ('fault' in request) return request
  return {
    inputTokens: request.inputTokens,
    userText: request.userText,
    *pieces(usage) {
      const messages = inputItems(body).filter(({ role }) => role === 'user')
      const seal = sealOf('encrypted', `${request.inputTokens} tokens`)
      const output = [...messages, { id: 'cmp_01', type: 'compaction', encrypted_content: seal }]
      const counts = usage !== null && {
        usage: {
          input_tokens: usage,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: summaryTokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage + summaryTokens,
        },
      }
      const head = { id: 'resp_compacted', object: 'response.compaction', created_at: 1_800_000_000, model }
      yield JSON.stringify({ ...head, output, ...counts })
    },
  }
}
