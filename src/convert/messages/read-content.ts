import { isAbsent, isObject, objectOf, printValue, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { mediaTypeOfData } from '#convert/data-url.ts'
import type { CacheMark, FilePart, MediaSource, Part, TextPart } from '#convert/neutral-format.ts'
import { readContent, textsOnly } from '#convert/turns-and-content.ts'
import { mustBe, refuseForRoute } from '#wire/wire-request.ts'
import { isServerTool, textOfServerTool } from './history-of-provider-tools-as-text.ts'
import { signatureOfTag, type Signature } from '#wire/tagged-reasoning-signatures.ts'

export interface Reading {
  /** A tool result of another wire contains the name of the tool, which this map finds by the call ID. */
  readonly callNames: Map<string, string>
  /** Content that the neutral format cannot express, with its names on the client's wire. */
  readonly others: Set<string>
  /** In the order in which the conversation added or removed the tools. */
  readonly toolChanges: ToolChange[]
}

export interface ToolChange {
  readonly isAdded: boolean
  /** The name of one of the request's tools, or the definition of a new tool. */
  readonly tool: JsonObject
  readonly path: string
}

export function readBlocks(content: JsonValue, path: string, reading: Reading): readonly Part[] {
  return readContent(content, path, (block, at) => readBlock(block, at, reading))
}

export function readTexts(content: JsonValue, path: string, reading: Reading): readonly TextPart[] {
  return textsOnly(readBlocks(content, path, reading), path)
}

function readBlock(block: JsonObject, path: string, reading: Reading): Part | readonly Part[] {
  const type = textOrNull(block.type) ?? ''
  const cache = readCacheMark(block.cache_control)
  switch (type) {
    case 'text':
      return { kind: 'text', text: textAt(block, 'text', path), cache }
    case 'image':
      if (objectOf(block.transformations).oversized_image === 'error')
        reading.others.add('messages.content.image.transformations')
      return { kind: 'image', source: readSource(block.source, `${path}.source`), detail: null, cache }
    case 'document':
      return readDocument(block, path, cache, reading)
    case 'search_result':
      return readSearchResult(block, path, cache, reading)
    case 'thinking': {
      const own = textOrNull(block.signature)
      const signature = own ? signatureOf(own, 'signature') : null
      return { kind: 'reasoning', text: textOrNull(block.thinking) ?? '', signature }
    }
    case 'redacted_thinking':
      return { kind: 'reasoning', text: '', signature: signatureOf(textAt(block, 'data', path), 'redacted') }
    case 'tool_use':
      return readCall(block, path, reading)
    case 'tool_result':
      return readResult(block, path, cache, reading)
    case 'tool_reference':
      // A reference to a tool can be dropped, because requests on other wires contain the definitions of all tools.
      return { kind: 'text', text: `[tool ${textOrNull(block.tool_name) ?? ''}]`, cache }
    case 'tool_addition':
    case 'tool_removal':
      reading.others.add(`messages.content.${type}`)
      reading.toolChanges.push({ isAdded: type === 'tool_addition', tool: objectOf(block.tool), path })
      return []
    case 'compaction':
      // A failed compaction has no summary (read-request.ts reads summaries).
      return []
    default:
      if (isServerTool(type)) {
        reading.others.add(`messages.content.${type}`)
        const text = textOfServerTool(block, type, path)
        return text === null ? [] : { kind: 'text', text, cache }
      }
      return refuseForRoute(
        path,
        `content of type ${type || 'unknown'} is not known to this model's provider; omit it`,
      )
  }
}

function readCall(block: JsonObject, path: string, { callNames }: Reading): Part {
  const { id, name, input } = block
  if (typeof id !== 'string' || typeof name !== 'string')
    mustBe(path, 'a tool call with an id, a name and an input')
  callNames.set(id, name)
  return { kind: 'tool_call', id, name, arguments: printValue(input ?? {}), isCustom: false }
}

function readResult(block: JsonObject, path: string, cache: CacheMark | null, reading: Reading): Part {
  const callId = textOrNull(block.tool_use_id) ?? mustBe(`${path}.tool_use_id`, 'the ID of a tool call')
  const read = readBlocks(block.content, `${path}.content`, reading)
  const parts = read.filter((part) => part.kind === 'text' || part.kind === 'image' || part.kind === 'file')
  if (parts.length < read.length)
    mustBe(`${path}.content`, 'a string, or a list of texts, images, documents and search results')
  return {
    kind: 'tool_result',
    callId,
    name: reading.callNames.get(callId) ?? null,
    parts: parts.filter((part) => part.kind !== 'text' || part.text !== ''),
    isError: block.is_error === true,
    isCustom: false,
    cache,
  }
}

function readDocument(
  block: JsonObject,
  path: string,
  cache: CacheMark | null,
  reading: Reading,
): Part | readonly Part[] {
  if (!isAbsent(block.context)) reading.others.add('document.context')
  if (objectOf(block.citations).enabled === true) reading.others.add('document.citations')
  const name = textOrNull(block.title)
  const textFile = (text: string): FilePart => ({ kind: 'file', source: { kind: 'text', text }, name, cache })
  const source = objectOf(block.source)
  if (source.type === 'content')
    return readBlocks(source.content, `${path}.source.content`, reading).map((part) =>
      part.kind === 'text' ? textFile(part.text) : part,
    )
  if (source.type === 'text') return textFile(textAt(source, 'data', `${path}.source`))
  const read = readSource(source, `${path}.source`)
  // On the messages wire, a document at an address is always a PDF.
  const typed = read.kind === 'url' ? { ...read, mediaType: 'application/pdf' } : read
  return { kind: 'file', source: typed, name, cache }
}

/** The text contains the source and the content of the result. */
function readSearchResult(block: JsonObject, path: string, cache: CacheMark | null, reading: Reading): Part {
  if (objectOf(block.citations).enabled === true) reading.others.add('search_result.citations')
  const texts = readTexts(block.content, `${path}.content`, reading)
  const lines = [block.title, block.source].map(textOrNull).filter((line) => line !== null)
  return { kind: 'text', text: [...lines, ...texts.map(({ text }) => text)].join('\n'), cache }
}

function readSource(value: JsonValue, path: string): MediaSource {
  const source = objectOf(value)
  const url = textOrNull(source.url)
  if (source.type === 'url' && url !== null) return { kind: 'url', url }
  const data = textOrNull(source.data)
  const mediaType = textOrNull(source.media_type)
  if (source.type === 'base64' && data !== null && mediaType !== null)
    return { kind: 'data', mediaType: mediaTypeOfData({ stated: mediaType, data }), data }
  mustBe(path, 'a source of type base64 with media_type and data, or of type url with url')
}

function textAt(object: JsonObject, field: string, path: string): string {
  return textOrNull(object[field]) ?? mustBe(`${path}.${field}`, 'a string')
}

export function readCacheMark(value: JsonValue): CacheMark | null {
  if (!isObject(value)) return null
  return value.ttl === '1h' ? 'long' : 'short'
}

function signatureOf(data: string, kind: 'signature' | 'redacted'): Signature {
  return signatureOfTag(data) ?? { wire: 'messages', origin: null, kind, data, id: null }
}
