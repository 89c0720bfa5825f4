import { rejectsThoughts, type OpenaiDialect } from '#wire/names-of-wires-and-tasks.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { dataUrlOf } from '#convert/data-url.ts'
import { writeBreakpoint } from '#convert/request-fields-of-openai-wires.ts'
import { needsSignatures } from '#convert/generate/thinking-configuration.ts'
import { noSignature } from '#wire/generate/thought-signatures.ts'
import { detailsOf } from './reasoning-details.ts'
import type { RequestTarget } from '#convert/codec-interface.ts'
import type {
  NeutralRequest,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '#convert/neutral-format.ts'

/** Tool results become separate messages, which come before the user's text. */
export function writeMessages(
  { instructions, turns }: NeutralRequest,
  target: RequestTarget,
): readonly JsonObject[] {
  const { dialect } = target
  const messages: JsonObject[] = []
  if (instructions.length > 0)
    messages.push({ role: 'system', content: contentOf(instructions, isPlain(dialect)) })
  for (const turn of turns) messages.push(...messagesOf(turn, target))
  return messages
}

function messagesOf({ role, parts }: Turn, target: RequestTarget): readonly JsonObject[] {
  const { dialect } = target
  if (role === 'assistant') return [assistantMessage(parts, target)]
  if (role === 'system') return [{ role, content: contentOf(parts, isPlain(dialect)) }]
  const messages: JsonObject[] = parts
    .filter((part) => part.kind === 'tool_result')
    .map((result) => toolMessage(result, dialect))
  const said = parts.filter((part) => part.kind !== 'tool_result')
  // Every server accepts a list of parts in a user message, because images need such a list.
  if (said.length > 0) messages.push({ role, content: contentOf(said, false) })
  return messages
}

function toolMessage({ callId, parts }: ToolResultPart, dialect: OpenaiDialect): JsonObject {
  return { role: 'tool', tool_call_id: callId, content: contentOf(parts, isPlain(dialect)) }
}

function assistantMessage(parts: readonly Part[], { dialect, model }: RequestTarget): JsonObject {
  const said = parts.filter((part) => part.kind === 'text' || part.kind === 'refusal')
  const thought = rejectsThoughts(dialect) ? null : thoughtOf(parts, model)
  // A placeholder replaces the signature of the first tool call if another provider wrote the call.
  const isUnsigned = dialect === 'compatible' && needsSignatures(model) && !thought?.reasoning_details
  let standIn = isUnsigned ? noSignature : null
  const calls = parts.flatMap((part, i) => {
    if (part.kind !== 'tool_call') return []
    const signature = rejectsThoughts(dialect) ? null : (callSignatureOf(parts[i - 1]) ?? standIn)
    standIn = null
    return [{ ...writeCall(part), ...(signature !== null && extraContentWith(signature)) }]
  })
  return {
    role: 'assistant',
    // Write null if the message has no text, because an empty text would mean that the model wrote an empty text
    // (docs/reference/conversions.md "Content").
    content: said.length > 0 ? contentOf(said, isPlain(dialect)) : null,
    ...thought,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** If the model thinks between tool calls, the server requires the reasoning back. Sealed details contain the text. */
function thoughtOf(parts: readonly Part[], model: string): JsonObject | null {
  const details = detailsOf(parts, model)
  if (details.length > 0) return { reasoning_details: details }
  // Sealed reasoning that cannot be sent as details is omitted (docs/reference/conversions.md "Sealed reasoning").
  const thoughts = parts.filter(
    (part): part is ReasoningPart =>
      part.kind === 'reasoning' &&
      part.signature?.kind !== 'encrypted' &&
      part.signature?.kind !== 'thought_signature',
  )
  if (thoughts.length === 0) return null
  // The signature contains the text if the client does not send thoughts back.
  const texts = thoughts.map(({ signature, text }) => (text === '' ? (signature?.data ?? '') : text))
  return { reasoning_content: texts.join('') }
}

/** Null unless the part is the signature of the tool call that follows the part. */
function callSignatureOf(part: Part | undefined): string | null {
  return part?.kind === 'reasoning' && part.signature?.kind === 'thought_signature'
    ? part.signature.data
    : null
}

/** The field of Google's own chat endpoint (docs/reference/conversions.md "Sealed reasoning"). */
function extraContentWith(signature: string): JsonObject {
  return { extra_content: { google: { thought_signature: signature } } }
}

function writeCall({ id, name, arguments: text, isCustom }: ToolCallPart): JsonObject {
  return isCustom
    ? { id, type: 'custom', custom: { name, input: text } }
    : { id, type: 'function', function: { name, arguments: text } }
}

/** In messages that are not user messages, servers compatible with OpenAI's may accept only a plain string. */
function isPlain(dialect: OpenaiDialect): boolean {
  return dialect !== 'openai'
}

/** @param isJoined whether to join texts to one string, for servers that accept no list */
function contentOf(parts: readonly Part[], isJoined: boolean): string | readonly JsonObject[] {
  const texts = parts.filter((part): part is TextPart => part.kind === 'text')
  if (texts.length === parts.length && (isJoined || (texts.length <= 1 && !texts[0]?.cache)))
    return texts.map(({ text }) => text).join('\n\n')
  return parts.flatMap(writePart)
}

function writePart(part: Part): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      return [{ type: 'text', text: part.text, ...writeBreakpoint(part.cache) }]
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }]
    case 'image': {
      const { source, detail, cache } = part
      const url = source.kind === 'url' ? source.url : dataUrlOf(source.mediaType, source.data)
      return [{ type: 'image_url', image_url: { url, ...(detail && { detail }) }, ...writeBreakpoint(cache) }]
    }
    case 'file': {
      const { source, name, cache } = part
      if (source.kind !== 'data') return []
      // OpenAI rejects a file without a name (docs/reference/conversions.md "Content").
      const file = { filename: name ?? unnamed, file_data: dataUrlOf(source.mediaType, source.data) }
      return [{ type: 'file', file, ...writeBreakpoint(cache) }]
    }
    case 'audio': {
      const format = part.mediaType === 'audio/mpeg' ? 'mp3' : part.mediaType.slice('audio/'.length)
      return [{ type: 'input_audio', input_audio: { data: part.data, format } }]
    }
    case 'tool_call':
    case 'tool_result':
    case 'reasoning':
      return []
    default:
      return part satisfies never
  }
}

const unnamed = 'document.pdf'
