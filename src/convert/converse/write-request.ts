import type { JsonObject } from '#wire/text/json-values.ts'
import type { RequestTarget } from '#convert/codec-interface.ts'
import type { NeutralRequest, Tool, ToolChoice } from '#convert/neutral-format.ts'
import { writeMessages, writeText } from './write-messages.ts'

/**
 * Converts the neutral form to a request of Bedrock's Converse (docs/reference/conversion-losses.md). The path contains
 * the model, and shows whether the response is streamed.
 */
export function writeConverseRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const system = request.instructions.flatMap(writeText)
  const config = writeConfig(request, target)
  const tools = writeTools(request)
  return {
    ...(system.length > 0 && { system }),
    messages: writeMessages(request.turns),
    ...(Object.keys(config).length > 0 && { inferenceConfig: config }),
    ...(tools !== null && { toolConfig: tools }),
  }
}

function writeConfig({ sampling, stop }: NeutralRequest, { outputTokensMax }: RequestTarget): JsonObject {
  const { temperature, topP } = sampling
  return {
    ...(outputTokensMax !== null && { maxTokens: outputTokensMax }),
    ...(temperature !== null && { temperature }),
    ...(topP !== null && { topP }),
    ...(stop.length > 0 && { stopSequences: stop }),
  }
}

/** A conversation with tool calls must define their tools, even if no more calls are allowed. */
function writeTools({ toolChoice, tools, turns }: NeutralRequest): JsonObject | null {
  if (tools.length > 0) return { tools: tools.map(writeTool), ...writeChoice(toolChoice) }
  const calls = turns.flatMap(({ parts }) => parts).filter((part) => part.kind === 'tool_call')
  const names = [...new Set(calls.map(({ name }) => name))]
  if (names.length === 0) return null
  return { tools: names.map((name) => writeTool({ name, description: null, parameters: null })) }
}

function writeTool({
  name,
  description,
  parameters,
}: Pick<Tool, 'name' | 'description' | 'parameters'>): JsonObject {
  return {
    toolSpec: {
      name,
      ...(description && { description }),
      // The root of a schema must have the type object, even if it has no properties.
      inputSchema: { json: { type: 'object', ...(parameters ?? { properties: {} }) } },
    },
  }
}

/**
 * The tool choice `auto` is omitted, because it is the default. capabilities/tool-capabilities.ts has replaced the
 * choices that Converse cannot express.
 */
function writeChoice(choice: ToolChoice | null): JsonObject {
  switch (choice?.kind) {
    case 'required':
      return { toolChoice: { any: {} } }
    case 'one':
      return { toolChoice: { tool: { name: choice.name } } }
    default:
      return {}
  }
}
