import { isAbsent, isObject, objectOf, textOrNull, type JsonValue } from '#wire/text/json-values.ts'
import { sourceOfUrl } from '#convert/data-url.ts'
import type { AudioPart, CacheMark, FilePart, ImagePart, RefusalPart, TextPart } from '#convert/neutral.ts'
import { fault, isFault, type RequestFault } from '#wire/request.ts'

export type ContentPart = TextPart | ImagePart | FilePart | AudioPart | RefusalPart

/** The content of a message: a text, or a list of parts; none where it is null. */
export function readContent(content: JsonValue, path: string): readonly ContentPart[] | RequestFault {
  if (isAbsent(content)) return []
  if (typeof content === 'string') return [{ kind: 'text', text: content, cache: null }]
  if (!Array.isArray(content))
    return fault('invalid_request', path, `The field ${path} must be a text or a list of parts.`)
  const parts: ContentPart[] = []
  for (const [i, item] of content.entries()) {
    const part = readPart(item, `${path}.${i}`)
    if (part.kind === 'fault') return part
    parts.push(part)
  }
  return parts
}

/** Content where only text may stand: of instructions and of what tools gave. */
export function readTexts(content: JsonValue, path: string): readonly TextPart[] | RequestFault {
  const parts = readContent(content, path)
  if (isFault(parts)) return parts
  const texts = parts.filter((part) => part.kind === 'text')
  return texts.length === parts.length
    ? texts
    : fault('invalid_request', path, `The field ${path} may hold text only.`)
}

function readPart(item: JsonValue, path: string): ContentPart | RequestFault {
  if (!isObject(item)) return fault('invalid_request', path, 'A part of a message must be an object.')
  const type = textOrNull(item.type) ?? ''
  const cache = cacheMark(item.prompt_cache_breakpoint)
  const inner = objectOf(item[type])
  const wrong = (field: string, what: string): RequestFault =>
    fault('invalid_request', `${path}.${field}`, `The field ${path}.${field} must be ${what}.`)
  switch (type) {
    case 'text': {
      const text = textOrNull(item.text)
      return text === null ? wrong('text', 'a text') : { kind: 'text', text, cache }
    }
    case 'refusal': {
      const text = textOrNull(item.refusal)
      return text === null ? wrong('refusal', 'a text') : { kind: 'refusal', text }
    }
    case 'image_url': {
      const source = sourceOfUrl(textOrNull(inner.url) ?? '')
      if (source === null) return wrong('image_url.url', 'a web address, or a data URL in base64')
      return { kind: 'image', source, detail: detailOf(inner.detail), cache }
    }
    case 'input_audio': {
      const data = textOrNull(inner.data)
      const format = textOrNull(inner.format)
      if (data === null) return wrong('input_audio.data', 'a text of base64')
      if (format === null) return wrong('input_audio.format', 'a text, wav or mp3')
      return { kind: 'audio', data, mediaType: format === 'mp3' ? 'audio/mpeg' : `audio/${format}` }
    }
    case 'file': {
      const data = textOrNull(inner.file_data)
      // Without a data URL around it, it can only be what everyone sends.
      const source = data === null ? null : isBase64.test(data) ? pdf(data) : sourceOfUrl(data)
      if (source?.kind !== 'data') return wrong('file.file_data', 'a data URL in base64')
      return { kind: 'file', source, name: textOrNull(inner.filename), cache }
    }
    default:
      return fault(
        'unsupported_for_route',
        path,
        `content of type ${type || 'unknown'} is not known to this model's provider; send text, image_url, input_audio or file`,
      )
  }
}

const isBase64 = /^[A-Za-z0-9+/]+=*$/

function pdf(data: string): { kind: 'data'; mediaType: string; data: string } {
  return { kind: 'data', mediaType: 'application/pdf', data }
}

/** Other wires and older models know no `original`: the finest that they have. */
function detailOf(value: JsonValue): ImagePart['detail'] {
  if (value === 'original') return 'high'
  return value === 'low' || value === 'high' || value === 'auto' ? value : null
}

function cacheMark(value: JsonValue): CacheMark | null {
  if (!isObject(value)) return null
  return value.ttl === '12h' || value.ttl === '24h' ? 'long' : 'short'
}
