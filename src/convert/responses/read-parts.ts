import { isAbsent, isObject, textOrNull, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { sourceOfUrl } from '#convert/data-url.ts'
import type { CacheMark, FilePart, ImagePart, MediaSource, RefusalPart, TextPart } from '#convert/neutral.ts'
import { fault, isFault, type RequestFault } from '#wire/request.ts'

type ContentPart = TextPart | ImagePart | FilePart | RefusalPart

/** The content of a message: a text, or a list of parts. */
export function readContent(content: JsonValue, path: string): readonly ContentPart[] | RequestFault {
  if (typeof content === 'string') return [{ kind: 'text', text: content, cache: null }]
  if (isAbsent(content)) return []
  if (!Array.isArray(content))
    return fault('invalid_request', path, `The field ${path} must be a text or a list of parts.`)
  const parts: ContentPart[] = []
  for (const [i, item] of content.entries()) {
    const part = readPart(item, `${path}.${i}`)
    if (isFault(part)) return part
    parts.push(part)
  }
  return parts
}

/** What a tool gave: as the content of a message, without refusals. An empty text is nothing. */
export function readResultContent(
  output: JsonValue,
  path: string,
): readonly (TextPart | ImagePart | FilePart)[] | RequestFault {
  const parts = readContent(output, path)
  if (isFault(parts)) return parts
  const given = parts.filter((part) => part.kind !== 'refusal')
  if (given.length < parts.length)
    return fault('invalid_request', path, `The field ${path} may hold text, images and files only.`)
  return given.filter((part) => part.kind !== 'text' || part.text !== '')
}

/** Content where only text may stand: of instructions. */
export function readTexts(content: JsonValue, path: string): readonly TextPart[] | RequestFault {
  const parts = readContent(content, path)
  if (isFault(parts)) return parts
  const texts = parts.filter((part) => part.kind === 'text')
  return texts.length === parts.length
    ? texts
    : fault('invalid_request', path, `The field ${path} may hold text only.`)
}

function readPart(item: JsonValue, path: string): ContentPart | RequestFault {
  if (!isObject(item)) return fault('invalid_request', path, 'A part of an item must be an object.')
  const cache = cacheMark(item.prompt_cache_breakpoint)
  switch (item.type) {
    case 'input_text':
    case 'output_text':
    case 'text': {
      const text = textOrNull(item.text)
      return text === null ? wrong(`${path}.text`, 'a text') : { kind: 'text', text, cache }
    }
    case 'refusal': {
      const text = textOrNull(item.refusal)
      return text === null ? wrong(`${path}.refusal`, 'a text') : { kind: 'refusal', text }
    }
    case 'input_image': {
      const source = sourceOfUrl(textOrNull(item.image_url) ?? '')
      if (source === null) return wrong(`${path}.image_url`, 'a web address, or a data URL in base64')
      return { kind: 'image', source, detail: detailOf(item.detail), cache }
    }
    case 'input_file': {
      const source = sourceOfFile(item)
      if (source?.kind !== 'data') return wrong(`${path}.file_data`, 'a data URL in base64')
      return { kind: 'file', source, name: textOrNull(item.filename), cache }
    }
    default:
      return fault(
        'unsupported_for_route',
        path,
        `content of type ${textOrNull(item.type) ?? 'unknown'} is not known to this model’s provider; send input_text, input_image or input_file`,
      )
  }
}

function wrong(path: string, what: string): RequestFault {
  return fault('invalid_request', path, `The field ${path} must be ${what}.`)
}

/** Without a data URL around it, it can only be what everyone sends. */
function sourceOfFile({ file_data: value }: JsonObject): MediaSource | null {
  const data = textOrNull(value)
  if (data === null) return null
  return /^[A-Za-z0-9+/]+=*$/.test(data)
    ? { kind: 'data', mediaType: 'application/pdf', data }
    : sourceOfUrl(data)
}

/** Other wires and older models know no `original`: the finest that they have. */
function detailOf(value: JsonValue): ImagePart['detail'] {
  if (value === 'original') return 'high'
  return value === 'low' || value === 'high' || value === 'auto' ? value : null
}

function cacheMark(value: JsonValue): CacheMark | null {
  if (!isObject(value)) return null
  return value.ttl === '12h' ? 'long' : 'short'
}
