import type { RequestTarget } from '#convert/codec-interface.ts'
import type { NeutralRequest, OutputFormat, ReasoningWish, Tool } from '#convert/neutral-format.ts'
import { compact } from '#convert/request-fields-of-openai-wires.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { writeMessages } from './write-messages.ts'

export function writeCohereRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const { output, sampling, stop, toolChoice, tools } = request
  return compact({
    model: target.model,
    messages: writeMessages(request.instructions, request.turns),
    max_tokens: target.outputTokensMax,
    ...(tools.length > 0 && {
      tools: tools.map(writeTool),
      strict_tools: tools.some(({ isStrict }) => isStrict === true) || null,
      tool_choice: toolChoice === null ? null : choices[toolChoice.kind],
    }),
    temperature: sampling.temperature,
    p: sampling.topP,
    k: sampling.topK,
    seed: sampling.seed,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    stop_sequences: stop.length > 0 ? stop : null,
    response_format: output && writeOutput(output),
    thinking: request.reasoning && writeThinking(request.reasoning),
    stream: request.isStream || null,
  })
}

/**
 * Cohere has only these tool choices. capabilities/tool-capabilities.ts has replaced a choice of one tool or of some
 * tools.
 */
const choices: Readonly<Record<string, string>> = { required: 'REQUIRED', none: 'NONE' }

function writeTool({ description, name, parameters }: Tool): JsonObject {
  return {
    type: 'function',
    function: compact({ name, description, parameters: parameters ?? { type: 'object', properties: {} } }),
  }
}

function writeOutput(output: OutputFormat): JsonObject | null {
  if (output.kind === 'text') return null
  return compact({ type: 'json_object', json_schema: output.kind === 'schema' ? output.schema : null })
}

/**
 * Cohere has no effort levels, so every effort except `none` turns thinking on.
 * capabilities/output-option-capabilities.ts has removed the setting for models that do not think.
 */
function writeThinking({ budgetTokens, effort }: ReasoningWish): JsonObject {
  if (effort === 'none' || budgetTokens === 0) return { type: 'disabled' }
  return compact({ type: 'enabled', token_budget: budgetTokens })
}
