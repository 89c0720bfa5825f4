import { parseObject, type JsonObject } from '#wire/text/json-values.ts'
import type {
  CacheMark,
  MediaSource,
  Part,
  ReasoningPart,
  ToolResultPart,
  Turn,
} from '#convert/neutral-format.ts'
import { isOwnSignature } from '#wire/tagged-reasoning-signatures.ts'

type ContentPart = ToolResultPart['parts'][number]

/**
 * Converts turns to messages. capabilities/adapt-request-to-wire.ts ensures that tool results come first in a message
 * and that no text is blank.
 */
export function writeMessages(turns: readonly Turn[], origin: string): readonly JsonObject[] {
  const messages = turns.map(({ role, parts }, i) => {
    const content = parts.flatMap((part) => writePart(part, origin))
    // Trim the end of the answer prefix, because the prefix must not end in white space.
    const isBeginning = role === 'assistant' && i === turns.length - 1
    return { role, content: isBeginning ? trimmedAtEnd(content) : content }
  })
  return messages.filter(({ content }) => content.length > 0)
}

function writePart(part: Part, origin: string): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
    case 'image':
    case 'file':
      return [writeContent(part)]
    case 'refusal':
      return [{ type: 'text', text: part.text }]
    case 'tool_call':
      return [
        {
          type: 'tool_use',
          id: part.id,
          name: part.name,
          // The messages wire accepts only an object as the input. capabilities/adapt-request-to-wire.ts has rejected
          // input that is not an object.
          input: parseObject(part.arguments) ?? {},
        },
      ]
    case 'tool_result':
      return [writeResult(part)]
    case 'reasoning':
      return writeReasoning(part, origin)
    case 'audio':
      // No model of the messages wire accepts sound, so capabilities/adapt-request-to-wire.ts has rejected sound.
      return []
    default:
      part satisfies never
      return []
  }
}

export function writeContent(part: ContentPart): JsonObject {
  const cache = cacheControl(part.cache)
  if (part.kind === 'text') return { type: 'text', text: part.text, ...cache }
  if (part.kind === 'image') return { type: 'image', source: writeSource(part.source), ...cache }
  const { source, name } = part
  return {
    type: 'document',
    source:
      source.kind === 'text'
        ? { type: 'text', media_type: 'text/plain', data: source.text }
        : writeSource(source),
    ...(name !== null && { title: name }),
    ...cache,
  }
}

export function cacheControl(cache: CacheMark | null): JsonObject {
  if (cache === null) return {}
  return { cache_control: cache === 'long' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' } }
}

/**
 * Writes only reasoning that this account signed, because a provider rejects the signatures of other accounts
 * (docs/reference/conversions.md "Sealed reasoning").
 */
function writeReasoning({ text, signature }: ReasoningPart, origin: string): readonly JsonObject[] {
  if (signature === null || !isOwnSignature(signature, { wire: 'messages', origin })) return []
  return signature.kind === 'redacted'
    ? [{ type: 'redacted_thinking', data: signature.data }]
    : [{ type: 'thinking', thinking: text, signature: signature.data }]
}

function writeResult({ callId, parts, isError, cache }: ToolResultPart): JsonObject {
  return {
    type: 'tool_result',
    tool_use_id: callId,
    ...(parts.length > 0 && { content: parts.map(writeContent) }),
    ...(isError && { is_error: true }),
    ...cacheControl(cache),
  }
}

function writeSource(source: MediaSource): JsonObject {
  return source.kind === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mediaType, data: source.data }
}

function trimmedAtEnd(content: readonly JsonObject[]): readonly JsonObject[] {
  const last = content.at(-1)
  return last?.type === 'text' && typeof last.text === 'string'
    ? [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }]
    : content
}
