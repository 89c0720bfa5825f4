import { parseObject, type JsonObject } from '#wire/text/json-values.ts'
import type { AudioPart, FilePart, ImagePart, Part, ToolCallPart, ToolResultPart } from '#convert/neutral.ts'

/** A part of a turn, reasoning and tools' results apart; null where nothing of it can be said. */
export function writePart(part: Part): JsonObject | null {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      // A part without text is refused (wire.md 5.6).
      return part.text === '' ? null : { text: part.text }
    case 'image':
    case 'file':
    case 'audio':
      return writeMedia(part)
    case 'tool_call':
      return { functionCall: callOf(part) }
    case 'tool_result':
      return writeResult(part)
    case 'reasoning':
      return null
    default:
      return part satisfies never
  }
}

/** Arguments that are no object were refused before (capabilities/tools.ts). */
function callOf({ id, name, arguments: text }: ToolCallPart): JsonObject {
  return { id, name, args: parseObject(text.trim() === '' ? '{}' : text) ?? {} }
}

function writeMedia(part: ImagePart | FilePart | AudioPart): JsonObject | null {
  if (part.kind === 'audio') return { inlineData: { mimeType: part.mediaType, data: part.data } }
  const { source } = part
  if (source.kind === 'text') return source.text === '' ? null : { text: source.text }
  // Only data is left by now: nobody fetches what is behind a URL (wire.md 5.6).
  if (source.kind !== 'data') return null
  return { inlineData: { mimeType: source.mediaType, data: source.data } }
}

/** By convention `{"output": ...}` or `{"error": ...}`; what is no text stands beside it (wire.md 3.1). */
function writeResult({ callId, name, parts, isError }: ToolResultPart): JsonObject {
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n')
  const media = parts.map((part) => (part.kind === 'text' ? null : writeMedia(part)))
  const shown = media.filter((part) => part !== null)
  return {
    functionResponse: {
      id: callId,
      name: name ?? callId,
      response: isError ? { error: text } : { output: text },
      ...(shown.length > 0 && { parts: shown }),
    },
  }
}
