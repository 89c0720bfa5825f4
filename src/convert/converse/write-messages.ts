import { parseObject, type JsonObject } from '#wire/text/json-values.ts'
import type {
  CacheMark,
  FilePart,
  ImagePart,
  Part,
  TextPart,
  ToolResultPart,
  Turn,
} from '#convert/neutral-format.ts'
import { formatOf, videoFormatOf } from './document-and-video-formats.ts'

/**
 * Converts turns to messages. capabilities/adapt-request-to-wire.ts ensures that tool results come first in a message,
 * that they contain only text, and that no text is blank.
 */
export function writeMessages(turns: readonly Turn[]): readonly JsonObject[] {
  let documents = 0
  const messages = turns.map(({ role, parts }) => ({
    role,
    content: parts.flatMap((part) =>
      part.kind === 'file' ? (writeVideo(part) ?? writeFile(part, ++documents)) : writePart(part),
    ),
  }))
  return messages.filter(({ content }) => content.length > 0)
}

export function writeText({ cache, text }: TextPart): readonly JsonObject[] {
  return [{ text }, ...cachePoint(cache)]
}

function writePart(part: Exclude<Part, FilePart>): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      return writeText(part)
    case 'refusal':
      return [{ text: part.text }]
    case 'image':
      return writeImage(part)
    case 'tool_call':
      // Converse accepts only an object as the arguments of a tool call. capabilities/adapt-request-to-wire.ts has
      // rejected all other arguments.
      return [{ toolUse: { toolUseId: part.id, name: part.name, input: parseObject(part.arguments) ?? {} } }]
    case 'tool_result':
      return [writeResult(part)]
    case 'audio':
    case 'reasoning':
      // capabilities/adapt-request-to-wire.ts has rejected audio and removed reasoning.
      return []
    default:
      part satisfies never
      return []
  }
}

/** An image at an address never arrives here, because Converse accepts no addresses of images. */
function writeImage({ cache, source }: ImagePart): readonly JsonObject[] {
  if (source.kind !== 'data') return []
  const format = source.mediaType.replace('image/', '')
  return [{ image: { format, source: { bytes: source.data } } }, ...cachePoint(cache)]
}

/** Null if the file is not a video. */
function writeVideo(file: FilePart): readonly JsonObject[] | null {
  const format = videoFormatOf(file)
  if (file.source.kind !== 'data' || format === null) return null
  return [{ video: { format, source: { bytes: file.source.data } } }, ...cachePoint(file.cache)]
}

/**
 * The client's own name is not sent: the wire allows only some characters, and the model reads the name in the prompt.
 */
function writeFile(file: FilePart, number: number): readonly JsonObject[] {
  const { cache, source } = file
  const format = formatOf(file)
  // capabilities/media-capabilities.ts has rejected other formats and addresses.
  if (source.kind !== 'data' || format === null) return []
  const document = { format, name: `document ${number}`, source: { bytes: source.data } }
  return [{ document }, ...cachePoint(cache)]
}

function writeResult({ callId, parts }: ToolResultPart): JsonObject {
  const content = parts.flatMap((part) => (part.kind === 'text' ? [{ text: part.text }] : []))
  // If the result is empty, write an empty object. The wire rejects results without content and blank texts.
  return { toolResult: { toolUseId: callId, content: content.length > 0 ? content : [{ json: {} }] } }
}

function cachePoint(cache: CacheMark | null): readonly JsonObject[] {
  return cache === null ? [] : [{ cachePoint: { type: 'default' } }]
}
