import { isAbsent, listOf, objectOf, type JsonValue } from '#wire/text/json-values.ts'

/**
 * Returns the effort that a system message of the conversation has set for the next response, or null. A change directly
 * after a user turn with new input applies to the response to this turn. Any other change applies from the next user
 * turn with new input. Tool results are not new input (docs/reference/wires.md "Requests on the messages wire").
 */
export function effortOfMessages(messages: JsonValue): JsonValue {
  let effort: JsonValue = null
  let pending: JsonValue = null
  let isAnswering = false
  for (const message of listOf(messages)) {
    const { content, output_config: config, role } = objectOf(message)
    const changed = role === 'system' ? (objectOf(config).effort ?? null) : null
    if (role === 'system') {
      if (isAnswering) effort = changed ?? effort
      else pending = changed ?? pending
      continue
    }
    isAnswering = role === 'user' && hasNewInput(content)
    if (!isAnswering || isAbsent(pending)) continue
    effort = pending
    pending = null
  }
  return effort
}

function hasNewInput(content: JsonValue): boolean {
  return !Array.isArray(content) || content.some((block) => objectOf(block).type !== 'tool_result')
}
