import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { mediaTypeOf } from '#convert/data-url.ts'
import { isAbsent, isObject, listOf, objectOf, printValue, textOrNull } from '#wire/text/json-values.ts'
import type {
  CacheMark,
  FilePart,
  ImagePart,
  MediaSource,
  Part,
  TextPart,
  ToolCallPart,
} from '#convert/neutral.ts'
import { fault, isFault, type RequestFault } from '#wire/request.ts'
import { signatureOf } from './signatures.ts'

/** What is remembered from one message to the next. */
export interface Reading {
  /** Names of the calls so far by their ids: other wires want the name with a result. */
  readonly callNames: Map<string, string>
  /** Parts of content that the neutral form has no place for, by what the client calls them. */
  readonly others: Set<string>
}

/** The content of a message: a text, or a list of blocks; none where it is absent. */
export function readContent(
  content: JsonValue,
  path: string,
  reading: Reading,
): readonly Part[] | RequestFault {
  if (isAbsent(content)) return []
  if (typeof content === 'string') return [{ kind: 'text', text: content, cache: null }]
  if (!Array.isArray(content))
    return fault('invalid_request', path, `The field ${path} must be a text or a list of blocks.`)
  const parts: Part[] = []
  for (const [i, block] of content.entries()) {
    const read = readBlock(block, `${path}.${i}`, reading)
    if (isFault(read)) return read
    parts.push(...read)
  }
  return parts
}

/** Content where only text may stand: of instructions. */
export function readTexts(
  content: JsonValue,
  path: string,
  reading: Reading,
): readonly TextPart[] | RequestFault {
  const parts = readContent(content, path, reading)
  if (isFault(parts)) return parts
  const texts = parts.filter((part) => part.kind === 'text')
  return texts.length === parts.length
    ? texts
    : fault('invalid_request', path, `The field ${path} may hold text only.`)
}

function readBlock(block: JsonValue, path: string, reading: Reading): readonly Part[] | RequestFault {
  if (!isObject(block)) return fault('invalid_request', path, 'A block of content must be an object.')
  const type = textOrNull(block.type) ?? ''
  const cache = readCacheMark(block.cache_control)
  switch (type) {
    case 'text': {
      const text = textOrNull(block.text)
      return text === null ? wrong(`${path}.text`, 'a text') : [{ kind: 'text', text, cache }]
    }
    case 'image': {
      const source = readSource(block.source, `${path}.source`)
      return isFault(source) ? source : [{ kind: 'image', source, detail: null, cache }]
    }
    case 'document':
      return readDocument(block, path, cache, reading)
    case 'search_result':
      return readSearchResult(block, path, cache, reading)
    case 'thinking': {
      const own = textOrNull(block.signature)
      const signature = own ? signatureOf(own, 'signature') : null
      return [{ kind: 'reasoning', text: textOrNull(block.thinking) ?? '', signature }]
    }
    case 'redacted_thinking': {
      const data = textOrNull(block.data)
      if (data === null) return wrong(`${path}.data`, 'a text')
      return [{ kind: 'reasoning', text: '', signature: signatureOf(data, 'redacted') }]
    }
    case 'tool_use':
      return readCall(block, path, reading)
    case 'tool_result':
      return readResult(block, path, cache, reading)
    case 'tool_reference':
      // The definition that it calls up is sent to other wires with all the others.
      return [{ kind: 'text', text: `[tool ${textOrNull(block.tool_name) ?? ''}]`, cache }]
    default:
      return fault(
        'unsupported_for_route',
        path,
        `content of type ${type || 'unknown'} is not known to this model's provider; leave it out`,
      )
  }
}

function readCall(block: JsonObject, path: string, { callNames }: Reading): readonly Part[] | RequestFault {
  const id = textOrNull(block.id)
  const name = textOrNull(block.name)
  if (id === null || name === null) return wrong(path, 'a call of a tool, with an id, a name and an input')
  callNames.set(id, name)
  const call: ToolCallPart = {
    kind: 'tool_call',
    id,
    name,
    arguments: printValue(block.input ?? {}),
    isCustom: false,
  }
  return [call]
}

function readResult(
  block: JsonObject,
  path: string,
  cache: CacheMark | null,
  reading: Reading,
): readonly Part[] | RequestFault {
  const callId = textOrNull(block.tool_use_id)
  if (callId === null) return wrong(`${path}.tool_use_id`, 'the id of a call')
  const read = readContent(block.content, `${path}.content`, reading)
  if (isFault(read)) return read
  const parts = read.filter((part) => part.kind === 'text' || part.kind === 'image' || part.kind === 'file')
  if (parts.length < read.length)
    return wrong(`${path}.content`, 'a text, or a list of texts, images, documents and search results')
  return [
    {
      kind: 'tool_result',
      callId,
      name: reading.callNames.get(callId) ?? null,
      parts: parts.filter((part) => part.kind !== 'text' || part.text !== ''),
      isError: block.is_error === true,
      isCustom: false,
      cache,
    },
  ]
}

function readDocument(
  block: JsonObject,
  path: string,
  cache: CacheMark | null,
  reading: Reading,
): readonly Part[] | RequestFault {
  if (!isAbsent(block.context)) reading.others.add('document.context')
  if (objectOf(block.citations).enabled === true) reading.others.add('document.citations')
  const name = textOrNull(block.title)
  const source = objectOf(block.source)
  if (source.type === 'content') {
    const parts = readContent(source.content, `${path}.source.content`, reading)
    if (isFault(parts)) return parts
    return parts.map((part) => (part.kind === 'text' ? textFile(part.text, name, cache) : part))
  }
  if (source.type === 'text') {
    const text = textOrNull(source.data)
    return text === null ? wrong(`${path}.source.data`, 'a text') : [textFile(text, name, cache)]
  }
  const media = readSource(source, `${path}.source`)
  return isFault(media) ? media : [{ kind: 'file', source: media, name, cache }]
}

function textFile(text: string, name: string | null, cache: CacheMark | null): FilePart {
  return { kind: 'file', source: { kind: 'text', text }, name, cache }
}

/** What a search of the client's own has found, as text: where it is from, and what it says. */
function readSearchResult(
  block: JsonObject,
  path: string,
  cache: CacheMark | null,
  reading: Reading,
): readonly Part[] | RequestFault {
  if (objectOf(block.citations).enabled === true) reading.others.add('search_result.citations')
  const texts = readTexts(block.content, `${path}.content`, reading)
  if (isFault(texts)) return texts
  const lines = [block.title, block.source].map(textOrNull).filter((line) => line !== null)
  return [{ kind: 'text', text: [...lines, ...texts.map(({ text }) => text)].join('\n'), cache }]
}

function readSource(value: JsonValue, path: string): ImagePart['source'] | RequestFault {
  const source = objectOf(value)
  const url = textOrNull(source.url)
  if (source.type === 'url' && url !== null) return { kind: 'url', url } satisfies MediaSource
  const data = textOrNull(source.data)
  const mediaType = textOrNull(source.media_type)
  if (source.type === 'base64' && data !== null && mediaType !== null)
    return { kind: 'data', mediaType: mediaTypeOf(mediaType), data }
  return wrong(path, 'a source of type base64 with media_type and data, or of type url with url')
}

export function readCacheMark(value: JsonValue): CacheMark | null {
  if (!isObject(value)) return null
  return value.ttl === '1h' ? 'long' : 'short'
}

function wrong(path: string, what: string): RequestFault {
  return fault('invalid_request', path, `The field ${path} must be ${what}.`)
}

/** Texts of a list, where it is one of texts alone. */
export function textsOf(value: JsonValue): readonly string[] | null {
  const texts = listOf(value).filter((item) => typeof item === 'string')
  return isAbsent(value) || (Array.isArray(value) && texts.length === value.length) ? texts : null
}
