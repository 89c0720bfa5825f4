import { textOf } from '#wire/byte-text.ts'
import { parseObject } from '#wire/json-values.ts'
import type {
  CacheMark,
  FilePart,
  ImagePart,
  JsonObject,
  MediaSource,
  Part,
  ReasoningPart,
  ToolResultPart,
  Turn,
} from '#wire/neutral.ts'
import { validCallId } from './call-id.ts'
import { isOwnSeal } from './seals.ts'

/** Turns as messages. What is empty is left out: the wire refuses it (wire.md 5.6). */
export function writeMessages(turns: readonly Turn[], origin: string): readonly JsonObject[] {
  const ordered = systemsAfterResults(turns)
  const messages = ordered.map(({ role, parts }) => ({ role, content: writeParts(role, parts, origin) }))
  const last = messages.at(-1)
  // What the answer is to begin with may not end in space.
  if (last?.role === 'assistant') last.content = trimmedAtEnd(last.content)
  return messages.filter(({ content }) => content.length > 0)
}

function writeParts(role: Turn['role'], parts: readonly Part[], origin: string): readonly JsonObject[] {
  // The results of a turn's calls come first in the next one, with nothing before or between (wire.md 5.5).
  const ordered =
    role === 'user'
      ? [
          ...parts.filter(({ kind }) => kind === 'tool_result'),
          ...parts.filter(({ kind }) => kind !== 'tool_result'),
        ]
      : parts
  return ordered.flatMap((part) => writePart(part, origin))
}

function writePart(part: Part, origin: string): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      return writeText(part.text, part.cache)
    case 'refusal':
      return writeText(part.text, null)
    case 'image':
      return [{ type: 'image', source: writeSource(part.source), ...cacheControl(part.cache) }]
    case 'file':
      return writeFile(part)
    case 'tool_call':
      return [
        {
          type: 'tool_use',
          id: validCallId(part.id),
          name: part.name,
          // An object is all that the wire takes; anything else is given as a text, so that nothing is lost.
          input: parseObject(part.arguments) ?? { arguments: part.arguments },
        },
      ]
    case 'tool_result':
      return [writeResult(part)]
    case 'reasoning':
      return writeReasoning(part, origin)
    case 'audio':
      // No model of this wire hears: features.ts has refused it.
      return []
    default:
      part satisfies never
      return []
  }
}

export function writeText(text: string, cache: CacheMark | null): readonly JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...cacheControl(cache) }]
}

export function cacheControl(cache: CacheMark | null): JsonObject {
  if (cache === null) return {}
  return { cache_control: cache === 'long' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' } }
}

/** Thoughts go back to who sealed them, and to nobody else: a signature is not forged (wire.md 8). */
function writeReasoning({ text, opaque }: ReasoningPart, origin: string): readonly JsonObject[] {
  if (opaque === null || !isOwnSeal(opaque, origin)) return []
  return opaque.kind === 'redacted'
    ? [{ type: 'redacted_thinking', data: opaque.data }]
    : [{ type: 'thinking', thinking: text, signature: opaque.data }]
}

function writeResult({ callId, parts, isError, cache }: ToolResultPart): JsonObject {
  const content = parts.flatMap((part) => writeResultPart(part))
  return {
    type: 'tool_result',
    tool_use_id: validCallId(callId),
    ...(content.length > 0 && { content }),
    ...(isError && { is_error: true }),
    ...cacheControl(cache),
  }
}

function writeResultPart(part: ToolResultPart['parts'][number]): readonly JsonObject[] {
  if (part.kind === 'file') return writeFile(part)
  return part.kind === 'text'
    ? writeText(part.text, part.cache)
    : [{ type: 'image', source: writeSource(part.source), ...cacheControl(part.cache) }]
}

function writeFile({ source, name, cache }: FilePart): readonly JsonObject[] {
  const written = source.kind === 'text' ? textSource(source.text) : writeDocument(source)
  if (written === null) return []
  const title = name !== null && name !== '' ? { title: name } : {}
  return [{ type: 'document', source: written, ...title, ...cacheControl(cache) }]
}

function writeDocument(source: MediaSource): JsonObject | null {
  const text = textIn(source)
  return text === null ? writeSource(source) : textSource(text)
}

/** Null for one that is empty, which the wire refuses. */
function textSource(text: string): JsonObject | null {
  return text.trim() === '' ? null : { type: 'text', media_type: 'text/plain', data: text }
}

/** Of documents the wire takes PDF as data; every other kind is text, and stands there as it is. */
function textIn(source: MediaSource): string | null {
  if (source.kind === 'url' || source.mediaType === 'application/pdf') return null
  try {
    return textOf(atob(source.data))
  } catch {
    return null
  }
}

function writeSource(source: ImagePart['source']): JsonObject {
  return source.kind === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mediaType, data: source.data }
}

/** The results of calls must follow them at once: a system's word between is said after. */
function systemsAfterResults(turns: readonly Turn[]): readonly Turn[] {
  const ordered = [...turns]
  for (let i = 0; i + 1 < ordered.length; i++) {
    const turn = ordered[i]
    const next = ordered[i + 1]
    if (turn?.role === 'system' && next?.parts.some(({ kind }) => kind === 'tool_result')) {
      ordered[i] = next
      ordered[i + 1] = turn
      i++
    }
  }
  return ordered
}

function trimmedAtEnd(content: readonly JsonObject[]): readonly JsonObject[] {
  const last = content.at(-1)
  return last?.type === 'text' && typeof last.text === 'string'
    ? [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }]
    : content
}
