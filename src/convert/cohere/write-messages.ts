import type { JsonObject } from '#wire/text/json-values.ts'
import { dataUrlOf } from '#convert/data-url.ts'
import type {
  ImagePart,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '#convert/neutral-format.ts'

/**
 * Converts turns to messages. capabilities/adapt-request-to-wire.ts ensures that tool results come first in a message
 * and contain only text, and that images are the only media.
 */
export function writeMessages(
  instructions: readonly TextPart[],
  turns: readonly Turn[],
): readonly JsonObject[] {
  const system = instructions.map(({ text }) => ({ role: 'system', content: text }))
  return [...system, ...turns.flatMap(writeTurn)]
}

function writeTurn({ parts, role }: Turn): readonly JsonObject[] {
  if (role === 'assistant') return writeAssistant(parts)
  const results = parts.filter((part) => part.kind === 'tool_result').map(writeResult)
  const content = parts.flatMap(writePart)
  return content.length > 0 ? [...results, { role, content }] : results
}

/** In a message with tool calls, the text is the plan of the calls. */
function writeAssistant(parts: readonly Part[]): readonly JsonObject[] {
  const calls = parts.filter((part) => part.kind === 'tool_call')
  const texts = parts.filter((part) => part.kind === 'text').map(({ text }) => text)
  if (calls.length === 0)
    return texts.length > 0 ? [{ role: 'assistant', content: parts.flatMap(writePart) }] : []
  const plan = texts.join('\n\n')
  return [{ role: 'assistant', ...(plan !== '' && { tool_plan: plan }), tool_calls: calls.map(writeCall) }]
}

function writeCall({ arguments: text, id, name }: ToolCallPart): JsonObject {
  return { id, type: 'function', function: { name, arguments: text } }
}

function writeResult({ callId, parts }: ToolResultPart): JsonObject {
  return { role: 'tool', tool_call_id: callId, content: parts.length > 0 ? parts.flatMap(writePart) : '' }
}

function writePart(part: Part): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'image':
      return [writeImage(part)]
    case 'refusal':
    case 'file':
    case 'audio':
    case 'reasoning':
    case 'tool_call':
    case 'tool_result':
      return []
    default:
      return part satisfies never
  }
}

function writeImage({ detail, source }: ImagePart): JsonObject {
  const url = source.kind === 'url' ? source.url : dataUrlOf(source.mediaType, source.data)
  return { type: 'image_url', image_url: { url, ...(detail !== null && { detail }) } }
}
