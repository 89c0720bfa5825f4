import type { JsonObject } from '#wire/text/json-values.ts'
import type { RequestTarget } from '#convert/codec-interface.ts'
import type { NeutralRequest, Sampling, Tool, ToolChoice } from '#convert/neutral-format.ts'
import { abilitiesOf } from '#convert/known-restrictions-of-models.ts'
import { cacheControl, writeContent, writeMessages } from './write-messages.ts'
import { writeThinking } from './write-thinking.ts'

/** Converts the neutral form to a messages request, version 2023-06-01 (docs/reference/conversion-losses.md). */
export function writeMessagesRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const maxTokens = target.outputTokensMax ?? target.outputTokensDefault
  const { thinking, effort } = writeThinking(request, abilitiesOf(target.model), maxTokens)
  const system = request.instructions.map(writeContent)
  const { output, userId, stop } = request
  const config = {
    ...(effort !== null && { effort }),
    ...(output?.kind === 'schema' && { format: { type: 'json_schema', schema: output.schema } }),
  }
  return {
    model: target.model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system }),
    messages: writeMessages(request.turns, target.origin),
    ...writeTools(request),
    ...(thinking !== null && { thinking }),
    ...(Object.keys(config).length > 0 && { output_config: config }),
    ...writeSampling(request.sampling),
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...(userId !== null && { metadata: { user_id: userId } }),
    ...(request.isStream && { stream: true }),
  }
}

function writeSampling({ temperature, topP, topK }: Sampling): JsonObject {
  return {
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { top_p: topP }),
    ...(topK !== null && { top_k: topK }),
  }
}

function writeTools(request: NeutralRequest): JsonObject {
  const { tools, toolChoice, parallelTools } = request
  if (tools.length === 0) return writeToolsOfThePast(request)
  const choice = toolChoice ?? (parallelTools === false ? { kind: 'auto' } : null)
  const one = parallelTools === false && choice?.kind !== 'none' ? { disable_parallel_tool_use: true } : {}
  return {
    tools: tools.map(writeTool),
    ...(choice !== null && { tool_choice: { ...writeChoice(choice), ...one } }),
  }
}

function writeChoice(choice: ToolChoice): JsonObject {
  switch (choice.kind) {
    case 'none':
    case 'auto':
      return { type: choice.kind }
    case 'required':
      return { type: 'any' }
    case 'one':
      return { type: 'tool', name: choice.name }
    case 'subset':
      // The request now contains only the allowed tools, because capabilities/adapt-request-to-wire.ts has removed all
      // others.
      return { type: choice.isRequired ? 'any' : 'auto' }
    default:
      return choice satisfies never
  }
}

/** The wire requires the definitions of these tools, even if no more calls are allowed. */
function writeToolsOfThePast({ turns }: NeutralRequest): JsonObject {
  const calls = turns.flatMap(({ parts }) => parts).filter((part) => part.kind === 'tool_call')
  const names = [...new Set(calls.map(({ name }) => name))]
  if (names.length === 0) return {}
  const tools = names.map((name) => ({ name, input_schema: { type: 'object', properties: {} } }))
  return { tools, tool_choice: { type: 'none' } }
}

function writeTool({ name, description, parameters, isStrict, cache }: Tool): JsonObject {
  return {
    name,
    ...(description !== null && { description }),
    // The root of a schema must have the type object, even if it has no properties.
    input_schema:
      parameters === null ? { type: 'object', properties: {} } : { type: 'object', ...parameters },
    ...(isStrict === true && { strict: true }),
    ...cacheControl(cache),
  }
}
