import { objectOf, type JsonObject } from '#wire/text/json-values.ts'
import type { RequestTarget } from '#convert/codec.ts'
import type { NeutralRequest, OutputFormat, ReasoningWish, Tool, ToolChoice } from '#convert/neutral.ts'
import { instructionsOf, itemsOf } from './write-items.ts'

/**
 * The neutral form -> a request for a response. Nothing is stored (the wire keeps prompts for 30 days unless
 * told), so reasoning is asked for signed, to be given back with the next request.
 */
export function writeResponsesRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const { instructions, items } = instructionsOf(request.instructions)
  const include = ['reasoning.encrypted_content']
  if (request.logprobs !== null) include.push('message.output_text.logprobs')
  const { temperature, topP } = request.sampling
  return {
    model: target.model,
    ...(instructions !== null && { instructions }),
    input: [...items, ...itemsOf(request.turns, target.origin)],
    ...toolsOf(request),
    ...(target.outputTokensMax !== null && { max_output_tokens: target.outputTokensMax }),
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { top_p: topP }),
    ...textOf(request),
    ...(request.reasoning && reasoningOf(request.reasoning)),
    ...(request.logprobs !== null && { top_logprobs: request.logprobs }),
    ...(request.serviceTier !== null && { service_tier: request.serviceTier }),
    ...(request.metadata && { metadata: request.metadata }),
    ...(request.userId !== null && { safety_identifier: request.userId }),
    ...(request.cacheKey !== null && { prompt_cache_key: request.cacheKey }),
    include,
    store: false,
    ...(request.isStream && { stream: true }),
  }
}

/** A choice among no tools is refused. */
function toolsOf({ tools, toolChoice, parallelTools }: NeutralRequest): JsonObject {
  if (tools.length === 0) return {}
  return {
    tools: tools.map(toolOf),
    ...(toolChoice && { tool_choice: toolChoiceOf(toolChoice, tools) }),
    ...(parallelTools !== null && { parallel_tool_calls: parallelTools }),
  }
}

export function toolOf({ name, description, parameters, isStrict, custom }: Tool): JsonObject {
  const described = description === null ? {} : { description }
  if (custom)
    return { type: 'custom', name, ...described, ...(custom.format && { format: flat(custom.format) }) }
  // The wire takes a schema for a strict one unless told, which most schemas are not written for.
  return {
    type: 'function',
    name,
    ...described,
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: isStrict ?? false,
  }
}

/** The neutral form has it in the chat wire's shape. */
function flat({ grammar, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...objectOf(grammar) }
}

export function toolChoiceOf(choice: ToolChoice, tools: readonly Tool[]): string | JsonObject {
  const named = (name: string): JsonObject => ({
    type: tools.some((tool) => tool.name === name && tool.custom) ? 'custom' : 'function',
    name,
  })
  if (choice.kind === 'one') return named(choice.name)
  if (choice.kind !== 'subset') return choice.kind
  return {
    type: 'allowed_tools',
    mode: choice.isRequired ? 'required' : 'auto',
    tools: choice.names.map(named),
  }
}

export function formatOf(output: OutputFormat): JsonObject {
  if (output.kind !== 'schema') return { type: output.kind === 'text' ? 'text' : 'json_object' }
  return {
    type: 'json_schema',
    name: output.name ?? 'response',
    ...(output.description !== null && { description: output.description }),
    schema: output.schema,
    ...(output.isStrict !== null && { strict: output.isStrict }),
  }
}

function textOf({ output, verbosity }: NeutralRequest): JsonObject {
  if (output === null && verbosity === null) return {}
  return {
    text: { ...(output && { format: formatOf(output) }), ...(verbosity !== null && { verbosity }) },
  }
}

/** A budget has become an effort by now (capabilities/). */
function reasoningOf({ effort, isShown }: ReasoningWish): JsonObject {
  if (effort === null && isShown !== true) return {}
  return {
    reasoning: { ...(effort !== null && { effort }), ...(isShown === true && { summary: 'auto' }) },
  }
}
