import type { EncoderOptions } from '#wire/format.ts'
import type { JsonObject, NeutralRequest } from '#wire/neutral.ts'
import { formatOf, toolChoiceOf, toolOf } from './write-request.ts'

/**
 * A response that has just begun. It repeats what the request asked for, as clients' types have it that it
 * does (wire.md 4.2).
 */
export function responseOf({ alias, callId, createdSeconds, request }: EncoderOptions): JsonObject {
  const { sampling, toolChoice, tools } = request
  return {
    id: `resp_${callId}`,
    object: 'response',
    created_at: createdSeconds,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: instructionsOf(request),
    max_output_tokens: request.outputTokensMax,
    max_tool_calls: null,
    model: alias,
    output: [],
    parallel_tool_calls: request.parallelTools ?? true,
    previous_response_id: null,
    prompt_cache_key: request.cacheKey,
    reasoning: reasoningOf(request),
    safety_identifier: request.userId,
    service_tier: request.serviceTier ?? 'auto',
    store: false,
    temperature: sampling.temperature,
    text: {
      format: request.output ? formatOf(request.output) : { type: 'text' },
      verbosity: request.verbosity ?? 'medium',
    },
    tool_choice: toolChoice ? toolChoiceOf(toolChoice, tools) : 'auto',
    tools: tools.map(toolOf),
    top_logprobs: request.logprobs ?? 0,
    top_p: sampling.topP,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: request.metadata ?? {},
  }
}

function instructionsOf({ instructions }: NeutralRequest): string | null {
  return instructions.length === 0 ? null : instructions.map(({ text }) => text).join('\n\n')
}

function reasoningOf({ reasoning }: NeutralRequest): JsonObject {
  return { effort: reasoning?.effort ?? null, summary: reasoning?.isShown ? 'auto' : null }
}
