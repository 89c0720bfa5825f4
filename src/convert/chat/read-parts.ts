import { objectOf, textOrNull, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import type {
  AudioPart,
  CacheMark,
  FilePart,
  ImagePart,
  ReasoningPart,
  RefusalPart,
  TextPart,
  ToolResultPart,
} from '#convert/neutral-format.ts'
import { readBreakpoint, readFileOrAddress, readImage } from '#convert/request-fields-of-openai-wires.ts'
import { readCacheMark } from '#convert/messages/read-content.ts'
import { readContent, textsOnly } from '#convert/turns-and-content.ts'
import { mustBe, refuse, refuseForRoute } from '#wire/wire-request.ts'
import { textOfPieces } from './text-of-pieces.ts'

export type ContentPart = TextPart | ImagePart | FilePart | AudioPart | RefusalPart | ReasoningPart

export function readParts(content: JsonValue, path: string): readonly ContentPart[] {
  return readContent(content, path, readPart)
}

/** Some servers accept images and files in tool results. An empty text is omitted. */
export function readResultParts(content: JsonValue, path: string): ToolResultPart['parts'] {
  const parts = readParts(content, path)
  const given = parts.filter((part) => part.kind === 'text' || part.kind === 'image' || part.kind === 'file')
  if (given.length < parts.length)
    refuse('invalid_request', path, `The field ${path} can contain only text, images and files.`)
  return given.filter((part) => part.kind !== 'text' || part.text !== '')
}

export function readTexts(content: JsonValue, path: string): readonly TextPart[] {
  return textsOnly(readParts(content, path), path)
}

function readPart(item: JsonObject, path: string): ContentPart {
  const cache = readBreakpoint(item.prompt_cache_breakpoint)
  const part = readMarkedPart(item, path, cache)
  // OpenRouter and LiteLLM accept Anthropic's marks.
  const other = cache === null ? readCacheMark(item.cache_control) : null
  if (other === null || !('cache' in part)) return part
  return { ...part, cache: other, cacheField: 'messages.content.cache_control' }
}

function readMarkedPart(item: JsonObject, path: string, cache: CacheMark | null): ContentPart {
  const type = textOrNull(item.type) ?? ''
  const inner = objectOf(item[type])
  // In Mistral's format, a plain string replaces OpenAI's object that contains the string.
  const alone = textOrNull(item[type])
  switch (type) {
    case 'text':
      return { kind: 'text', text: textOrNull(item.text) ?? mustBe(`${path}.text`, 'a string'), cache }
    case 'refusal':
      return { kind: 'refusal', text: textOrNull(item.refusal) ?? mustBe(`${path}.refusal`, 'a string') }
    case 'image_url':
      return readImage({ url: alone ?? inner.url, detail: inner.detail, cache }, `${path}.image_url.url`)
    case 'input_audio': {
      const data = alone ?? textOrNull(inner.data) ?? mustBe(`${path}.input_audio.data`, 'a base64 string')
      const said = textOrNull(inner.format) ?? (alone === null ? null : 'wav')
      const format = said ?? mustBe(`${path}.input_audio.format`, 'wav or mp3')
      return { kind: 'audio', data, mediaType: format === 'mp3' ? 'audio/mpeg' : `audio/${format}` }
    }
    case 'file': {
      const source = readFileOrAddress(inner.file_data, `${path}.file.file_data`)
      return { kind: 'file', source, name: textOrNull(inner.filename), cache }
    }
    case 'document_url':
    case 'file_url': {
      const source = readFileOrAddress(alone ?? inner.url, `${path}.${type}`)
      return { kind: 'file', source, name: textOrNull(item.document_name), cache }
    }
    // Mistral's reasoning models write their thoughts as parts of the content.
    case 'thinking':
      return { kind: 'reasoning', text: alone ?? textOfPieces(item.thinking), signature: null }
    case 'reasoning':
      // Databricks writes the thoughts of Claude as parts of the content.
      return { kind: 'reasoning', text: textOfPieces(item.summary), signature: null }
    default:
      return refuseForRoute(
        path,
        `content of type ${type || 'unknown'} is not known to this model's provider; send text, image_url, input_audio or file`,
      )
  }
}
