import { objectOf, type JsonObject } from '#wire/text/json-values.ts'
import type { RequestTarget } from '#convert/codec-interface.ts'
import { compact, writeFormat } from '#convert/request-fields-of-openai-wires.ts'
import { withProperties } from '#convert/root-of-tool-schema.ts'
import type { NeutralRequest, Tool, ToolChoice } from '#convert/neutral-format.ts'
import { instructionsOf, itemsOf } from './write-items.ts'

/**
 * The request tells the provider to store nothing (by default, responses are stored for 30 days). The request therefore
 * asks for encrypted reasoning, which the client can send back with the next request.
 */
export function writeResponsesRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const { instructions, items } = instructionsOf(request.instructions)
  const { tools, toolChoice, sampling, output, verbosity, reasoning } = request
  const include = ['reasoning.encrypted_content']
  if (request.logprobs !== null) include.push('message.output_text.logprobs')
  return compact({
    model: target.model,
    instructions,
    input: [...items, ...itemsOf(request.turns, target.origin)],
    // The responses wire rejects a tool choice without tools.
    ...(tools.length > 0 && {
      tools: tools.map(toolOf),
      tool_choice: toolChoice && toolChoiceOf(toolChoice, tools),
      parallel_tool_calls: request.parallelTools,
    }),
    max_output_tokens: target.outputTokensMax,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    text: orNull({ format: output && writeFormat(output), verbosity }),
    // capabilities/ has already converted a thinking budget to an effort.
    reasoning: orNull({ effort: reasoning?.effort, summary: reasoning?.isShown === true ? 'auto' : null }),
    top_logprobs: request.logprobs,
    service_tier: request.serviceTier,
    metadata: request.metadata,
    safety_identifier: request.userId,
    prompt_cache_key: request.cacheKey,
    include,
    store: false,
    stream: request.isStream || null,
  })
}

/** Null if all members are null or undefined. */
function orNull(fields: JsonObject): JsonObject | null {
  const said = compact(fields)
  return Object.keys(said).length > 0 ? said : null
}

export function toolOf({ name, description, parameters, isStrict, custom }: Tool): JsonObject {
  if (custom)
    return compact({ type: 'custom', name, description, format: custom.format && flat(custom.format) })
  return compact({
    type: 'function',
    name,
    description,
    parameters: withProperties(parameters),
    // Set `strict` explicitly, because the wire's default is true and most schemas do not follow its rules.
    strict: isStrict ?? false,
  })
}

/** The neutral request uses the form of the chat wire. */
function flat({ grammar, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...objectOf(grammar) }
}

export function toolChoiceOf(choice: ToolChoice, tools: readonly Tool[]): string | JsonObject {
  // If several tools have one name, the first of them counts.
  const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]))
  const named = (name: string): JsonObject => {
    const tool = byName.get(name)
    return tool?.computer
      ? { type: tool.computer.type }
      : { type: tool?.custom ? 'custom' : 'function', name }
  }
  if (choice.kind === 'one') return named(choice.name)
  if (choice.kind !== 'subset') return choice.kind
  return {
    type: 'allowed_tools',
    mode: choice.isRequired ? 'required' : 'auto',
    tools: choice.names.map(named),
  }
}
