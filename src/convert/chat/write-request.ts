import type { OpenaiDialect } from '#wire/names-of-wires-and-tasks.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import type { RequestTarget } from '#convert/codec-interface.ts'
import { compact, writeFormat } from '#convert/request-fields-of-openai-wires.ts'
import { withProperties } from '#convert/root-of-tool-schema.ts'
import type { NeutralRequest, OutputFormat, Tool, ToolChoice } from '#convert/neutral-format.ts'
import { writeMessages } from './write-messages.ts'

/**
 * OpenAI's own service gets all fields. Compatible servers get only long-established fields, because many servers
 * reject a body that has an unknown field.
 */
export function writeChatRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const { tools, sampling, output, reasoning, logprobs } = request
  const { dialect, outputTokensMax: maximum } = target
  const isMistral = dialect === 'mistral'
  return compact({
    model: target.model,
    messages: writeMessages(request, target),
    [dialect === 'openai' ? 'max_completion_tokens' : 'max_tokens']: maximum,
    // Send `tool_choice` and `parallel_tool_calls` only with tools, because OpenAI rejects them without tools.
    ...(tools.length > 0 && {
      tools: tools.map(writeTool),
      tool_choice: request.toolChoice && writeToolChoice(request.toolChoice, tools),
      parallel_tool_calls: request.parallelTools,
    }),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    seed: isMistral ? null : sampling.seed,
    random_seed: isMistral ? sampling.seed : null,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    stop: request.stop.length > 0 ? request.stop : null,
    response_format: output && writeOutput(output),
    reasoning_effort: reasoning?.effort,
    verbosity: request.verbosity,
    n: request.choices > 1 ? request.choices : null,
    logprobs: logprobs === null ? null : true,
    top_logprobs: logprobs,
    logit_bias: request.logitBias,
    service_tier: request.serviceTier,
    metadata: request.metadata,
    [userField(dialect)]: isMistral ? null : request.userId,
    prompt_cache_key: request.cacheKey,
    stream: request.isStream || null,
    // A stream contains the usage only if `stream_options` requests it (docs/reference/wires.md "Usage on the chat
    // wire"). Mistral's streams always contain the usage.
    stream_options: request.isStream && !isMistral ? { include_usage: true } : null,
  })
}

function userField(dialect: OpenaiDialect): string {
  return dialect === 'openai' ? 'safety_identifier' : 'user'
}

function writeTool({ name, description, parameters, isStrict, custom }: Tool): JsonObject {
  if (custom) return { type: 'custom', custom: compact({ name, description, format: custom.format }) }
  return {
    type: 'function',
    function: compact({
      name,
      description,
      parameters: withProperties(parameters),
      strict: isStrict,
    }),
  }
}

function writeToolChoice(choice: ToolChoice, tools: readonly Tool[]): string | JsonObject {
  const custom = new Set(tools.flatMap((tool) => (tool.custom ? tool.name : [])))
  const named = (name: string): JsonObject =>
    custom.has(name) ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } }
  switch (choice.kind) {
    case 'one':
      return named(choice.name)
    case 'subset': {
      const mode = choice.isRequired ? 'required' : 'auto'
      return { type: 'allowed_tools', allowed_tools: { mode, tools: choice.names.map(named) } }
    }
    default:
      return choice.kind
  }
}

function writeOutput(output: OutputFormat): JsonObject {
  const { type, ...described } = writeFormat(output)
  return output.kind === 'schema' ? { type, json_schema: described } : { type }
}
