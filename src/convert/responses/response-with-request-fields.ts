import type { JsonObject } from '#wire/text/json-values.ts'
import type { EncoderOptions } from '#convert/codec-interface.ts'
import { writeFormat } from '#convert/request-fields-of-openai-wires.ts'
import type { NeutralRequest } from '#convert/neutral-format.ts'
import { toolChoiceOf, toolOf } from './write-request.ts'

/**
 * The response object repeats the fields of the request, with the default values of absent fields. The schema of Open
 * Responses requires all repeated fields, and allows null only for some (docs/reference/wires.md "Answers on the
 * responses wire"; openresponses.org, ResponseResource).
 */
export function responseOf({ alias, callId, createdSeconds, request }: EncoderOptions): JsonObject {
  const { sampling, toolChoice, tools } = request
  return {
    id: `resp_${callId}`,
    object: 'response',
    created_at: createdSeconds,
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    frequency_penalty: sampling.frequencyPenalty ?? 0,
    incomplete_details: null,
    instructions: instructionsOf(request),
    max_output_tokens: request.outputTokensMax,
    max_tool_calls: null,
    model: alias,
    output: [],
    parallel_tool_calls: request.parallelTools ?? true,
    presence_penalty: sampling.presencePenalty ?? 0,
    previous_response_id: null,
    prompt_cache_key: request.cacheKey,
    reasoning: reasoningOf(request),
    safety_identifier: request.userId,
    service_tier: request.serviceTier ?? 'auto',
    store: false,
    temperature: sampling.temperature ?? 1,
    text: {
      format: request.output ? writeFormat(request.output) : { type: 'text' },
      verbosity: request.verbosity ?? 'medium',
    },
    tool_choice: toolChoice ? toolChoiceOf(toolChoice, tools) : 'auto',
    tools: tools.map(
      (tool) => tool.computer ?? tool.search ?? { ...toolOf(tool), description: tool.description },
    ),
    top_logprobs: request.logprobs ?? 0,
    top_p: sampling.topP ?? 1,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: request.metadata ?? {},
  }
}

/**
 * Other vendors call the usual tier `standard` or omit it, and clients with a closed list of names reject any other
 * name.
 */
export function tierInForce(tier: string | null): string {
  return tier !== null && tiers.has(tier) ? tier : 'default'
}

const tiers: ReadonlySet<string> = new Set(['default', 'flex', 'scale', 'priority'])

function instructionsOf({ instructions }: NeutralRequest): string | null {
  return instructions.length === 0 ? null : instructions.map(({ text }) => text).join('\n\n')
}

function reasoningOf({ reasoning }: NeutralRequest): JsonObject {
  return { effort: reasoning?.effort ?? null, summary: reasoning?.isShown ? 'auto' : null }
}
