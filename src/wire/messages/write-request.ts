import type { RequestTarget } from '#wire/format.ts'
import type { JsonObject, NeutralRequest, Tool } from '#wire/neutral.ts'
import { abilitiesOf } from './model-abilities.ts'
import { cacheControl, writeMessages, writeText } from './write-content.ts'
import { writeThinking } from './write-thinking.ts'

/** A request in this wire's words, version 2023-06-01 (wire.md 9.1, 9.8, 9.10). */
export function writeMessagesRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const abilities = abilitiesOf(target.model)
  const maxTokens = target.outputTokensMax ?? target.outputTokensDefault
  const { thinking, effort } = writeThinking(request, abilities, maxTokens)
  const isThinking = thinking !== null && thinking.type !== 'disabled'
  const system = request.instructions.flatMap(({ text, cache }) => writeText(text, cache))
  const stop = request.stop.filter((text) => text.trim() !== '')
  const { output, userId } = request
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
    ...(abilities.takesSampling && writeSampling(request, isThinking)),
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...(userId !== null && { metadata: { user_id: userId } }),
    ...(request.isStream && { stream: true }),
  }
}

/** Thinking goes with the default alone; and newer models take one of the first two only. */
function writeSampling({ sampling }: NeutralRequest, isThinking: boolean): JsonObject {
  const { temperature, topP, topK } = sampling
  if (isThinking) return {}
  return {
    ...(temperature !== null && { temperature: Math.min(Math.max(temperature, 0), 1) }),
    ...(topP !== null && temperature === null && { top_p: topP }),
    ...(topK !== null && { top_k: topK }),
  }
}

function writeTools(request: NeutralRequest): JsonObject {
  const { tools, toolChoice, parallelTools } = request
  const subset = toolChoice?.kind === 'subset' ? toolChoice : null
  const sent = subset ? tools.filter(({ name }) => subset.names.includes(name)) : tools
  if (sent.length === 0) return writeToolsOfThePast(request)
  const one = parallelTools === false ? { disable_parallel_tool_use: true } : {}
  const choice = ((): JsonObject | null => {
    switch (toolChoice?.kind) {
      case 'none':
        return { type: 'none' }
      case 'auto':
        return { type: 'auto', ...one }
      case 'required':
        return { type: 'any', ...one }
      case 'one':
        return { type: 'tool', name: toolChoice.name, ...one }
      case 'subset':
        return { type: toolChoice.isRequired ? 'any' : 'auto', ...one }
      case undefined:
        return parallelTools === false ? { type: 'auto', ...one } : null
    }
  })()
  return { tools: sent.map(writeTool), ...(choice !== null && { tool_choice: choice }) }
}

/** Where calls are told of, the wire wants their tools, also when no more calls are to be made. */
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
    // The root must say that it is an object, also where there is nothing in it.
    input_schema:
      parameters === null ? { type: 'object', properties: {} } : { type: 'object', ...parameters },
    ...(isStrict === true && { strict: true }),
    ...cacheControl(cache),
  }
}
