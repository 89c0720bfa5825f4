import { parseObject, type JsonObject } from '#wire/text/json-values.ts'
import { isOwnSignature } from '#wire/tagged-reasoning-signatures.ts'
import type { RequestTarget } from '#convert/codec-interface.ts'
import type {
  AudioPart,
  FilePart,
  ImagePart,
  Part,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '#convert/neutral-format.ts'
import { joinTurns } from '#convert/turns-and-content.ts'
import { fetchedType } from './media-type-of-address.ts'
import { needsSignatures } from './thinking-configuration.ts'
import { noSignature } from '#wire/generate/thought-signatures.ts'

/**
 * The generate wire has only two roles, so system text between turns becomes user text. Tool results come first in a
 * turn, in the order of their calls (docs/reference/conversions.md "Tools").
 */
export function writeContents(turns: readonly Turn[], target: RequestTarget): readonly JsonObject[] {
  const joined = joinTurns(turns.map((turn) => (turn.role === 'system' ? { ...turn, role: 'user' } : turn)))
  const contents: JsonObject[] = []
  let calls: readonly string[] = []
  for (const { role, parts } of joined) {
    const isModel = role === 'assistant'
    const written = isModel ? modelParts(parts, target) : userParts(parts, calls)
    if (isModel) calls = parts.flatMap((part) => (part.kind === 'tool_call' ? [part.id] : []))
    if (written.length > 0) contents.push({ role: isModel ? 'model' : 'user', parts: written })
  }
  return contents
}

function userParts(parts: readonly Part[], calls: readonly string[]): readonly JsonObject[] {
  const places = new Map(calls.map((id, place) => [id, place] as const).toReversed())
  const placeOf = (id: string): number => places.get(id) ?? calls.length
  const results = parts
    .filter((part) => part.kind === 'tool_result')
    .toSorted((one, other) => placeOf(one.callId) - placeOf(other.callId))
  const said = parts.filter((part) => part.kind !== 'tool_result')
  return [...results, ...said].map(writePart).filter((part) => part !== null)
}

/**
 * A signature is written into the tool call that follows it. If no tool call follows, the signature is written into an
 * empty text part. Thoughts are sent only with a signature, because the provider cannot use thoughts of other
 * providers.
 */
function modelParts(parts: readonly Part[], { model, origin }: RequestTarget): readonly JsonObject[] {
  const written: JsonObject[] = []
  let signature: string | null = null
  let hasCall = false
  const settle = (): void => {
    if (signature !== null) written.push({ text: '', thoughtSignature: signature })
    signature = null
  }
  for (const part of parts) {
    if (part.kind === 'reasoning') {
      const own =
        part.signature && isOwnSignature(part.signature, { wire: 'generate', origin })
          ? part.signature.data
          : null
      if (own === null) continue
      settle()
      if (part.text !== '') written.push({ text: part.text, thought: true })
      signature = own
      continue
    }
    const one = writePart(part)
    if (one === null) continue
    if (part.kind === 'tool_call') {
      // The first tool call of a turn needs a signature. A placeholder replaces the signature of another provider.
      const standIn = !hasCall && needsSignatures(model) ? noSignature : null
      const given = signature ?? standIn
      written.push(given === null ? one : { ...one, thoughtSignature: given })
      signature = null
      hasCall = true
    } else {
      settle()
      written.push(one)
    }
  }
  settle()
  return written
}

/** Null if the generate wire cannot express the part. */
function writePart(part: Part): JsonObject | null {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      // The wire rejects a part without text (docs/reference/conversions.md "Content").
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

/** capabilities/tool-capabilities.ts has rejected arguments that are not an object. */
function callOf({ id, name, arguments: text }: ToolCallPart): JsonObject {
  return { id, name, args: parseObject(text.trim() === '' ? '{}' : text) ?? {} }
}

function writeMedia(part: ImagePart | FilePart | AudioPart): JsonObject | null {
  if (part.kind === 'audio') return { inlineData: { mimeType: part.mediaType, data: part.data } }
  const { source } = part
  if (source.kind === 'text') return source.text === '' ? null : { text: source.text }
  if (source.kind === 'url') {
    // capabilities/media-capabilities.ts has rejected addresses for which `fetchedType` returns null.
    const mimeType = fetchedType(part)
    return mimeType === null ? null : { fileData: { fileUri: source.url, mimeType } }
  }
  return { inlineData: { mimeType: source.mediaType, data: source.data } }
}

/**
 * By convention, a tool response is `{"output": ...}` or `{"error": ...}`, and parts other than text are in a separate
 * field (docs/reference/wires.md "Requests on the generate wire").
 */
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
