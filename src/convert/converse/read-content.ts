import { isAbsent, listOf, objectOf, printValue, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { documentTypes } from '#wire/converse/content-bound.ts'
import { signatureOfTag, type Signature } from '#wire/tagged-reasoning-signatures.ts'
import { mustBe, refuseForRoute } from '#wire/wire-request.ts'
import { mediaTypeOfData } from '#convert/data-url.ts'
import { asRecord, readContent } from '#convert/turns-and-content.ts'
import type { CacheMark, FilePart, MediaSource, Part, TextPart } from '#convert/neutral-format.ts'

export interface Reading {
  /** A tool result of another wire contains the name of the tool, which this map finds by the call ID. */
  readonly callNames: Map<string, string>
  /** Content that the neutral format cannot express, with its names on the client's wire. */
  readonly others: Set<string>
}

/** A `cachePoint` marks the block before it. */
export function readBlocks(content: JsonValue, path: string, reading: Reading): readonly Part[] {
  const parts: Part[] = []
  for (const [i, item] of listOf(content).entries()) {
    const block = objectOf(item)
    if (isAbsent(block.cachePoint)) parts.push(...readBlock(block, `${path}.${i}`, reading))
    else {
      const last = parts.at(-1)
      if (last !== undefined && 'cache' in last)
        parts[parts.length - 1] = { ...last, cache: readCachePoint(block.cachePoint) }
      else reading.others.add('messages.content.cachePoint')
    }
  }
  return parts
}

export function readCachePoint(value: JsonValue): CacheMark {
  return objectOf(value).ttl === '1h' ? 'long' : 'short'
}

function readBlock(block: JsonObject, path: string, reading: Reading): readonly Part[] {
  const { citationsContent, document, image, reasoningContent, searchResult, text } = block
  const { toolResult, toolUse, video } = block
  if (typeof text === 'string') return [{ kind: 'text', text, cache: null }]
  if (!isAbsent(image)) {
    const source = readSource(objectOf(image), `image/${formatOf(image)}`, `${path}.image`)
    return [{ kind: 'image', source, detail: null, cache: null }]
  }
  if (!isAbsent(video)) {
    const source = readSource(objectOf(video), videoTypeOf(formatOf(video)), `${path}.video`)
    return [{ kind: 'file', source, name: null, cache: null }]
  }
  if (!isAbsent(document)) return readDocument(objectOf(document), `${path}.document`, reading)
  if (isServerTool(toolUse)) {
    reading.others.add('messages.content.toolUse.type')
    const { input, name } = objectOf(toolUse)
    return [record(`${textOrNull(name) ?? ''} ${printValue(input ?? {})}`)]
  }
  if (isServerTool(toolResult)) {
    reading.others.add('messages.content.toolResult.type')
    return readServerResult(objectOf(toolResult), `${path}.toolResult`, reading)
  }
  if (!isAbsent(toolUse)) return [readCall(objectOf(toolUse), `${path}.toolUse`, reading)]
  if (!isAbsent(toolResult)) return [readResult(objectOf(toolResult), `${path}.toolResult`, reading)]
  if (!isAbsent(reasoningContent)) return [readReasoning(objectOf(reasoningContent))]
  if (!isAbsent(searchResult))
    return [readSearchResult(objectOf(searchResult), `${path}.searchResult`, reading)]
  if (!isAbsent(citationsContent)) {
    if (listOf(objectOf(citationsContent).citations).length > 0)
      reading.others.add('messages.content.citationsContent.citations')
    return readBlocks(objectOf(citationsContent).content, `${path}.citationsContent.content`, reading)
  }
  const type = Object.keys(block)[0] ?? 'unknown'
  return refuseForRoute(
    `${path}.${type}`,
    `content of type ${type} is not known to this model's provider; omit it`,
  )
}

/** A call of a tool that the client runs has no type. */
function isServerTool(block: JsonValue): boolean {
  return !isAbsent(objectOf(block).type)
}

/** The result becomes a text (docs/reference/conversions.md). */
function readServerResult(result: JsonObject, path: string, reading: Reading): readonly Part[] {
  const read = readResultParts(result, path, reading)
  if (read.some(({ kind }) => kind !== 'text'))
    refuseForRoute(
      path,
      'a result that is not text can only be sent to the provider that created it; omit it',
    )
  return read.flatMap((part) => (part.kind === 'text' && part.text !== '' ? [record(part.text)] : []))
}

function record(text: string): TextPart {
  return { kind: 'text', text: asRecord(text), cache: null }
}

function readCall({ input, name, toolUseId: id }: JsonObject, path: string, { callNames }: Reading): Part {
  if (typeof id !== 'string' || typeof name !== 'string')
    mustBe(path, 'a tool call with a toolUseId, a name and an input')
  callNames.set(id, name)
  return { kind: 'tool_call', id, name, arguments: printValue(input ?? {}), isCustom: false }
}

function readResult(result: JsonObject, path: string, reading: Reading): Part {
  const callId = textOrNull(result.toolUseId) ?? mustBe(`${path}.toolUseId`, 'the ID of a tool call')
  const read = readResultParts(result, path, reading)
  const parts = read.filter((part) => part.kind === 'text' || part.kind === 'image' || part.kind === 'file')
  if (parts.length < read.length) mustBe(`${path}.content`, 'a list of texts, JSON, images and documents')
  return {
    kind: 'tool_result',
    callId,
    name: reading.callNames.get(callId) ?? null,
    parts: parts.filter((part) => part.kind !== 'text' || part.text !== ''),
    isError: result.status === 'error',
    isCustom: false,
    cache: null,
  }
}

function readResultParts(result: JsonObject, path: string, reading: Reading): readonly Part[] {
  const content = listOf(result.content).map((item) => {
    const { json } = objectOf(item)
    return json === undefined ? item : { text: printValue(json) }
  })
  return readBlocks(content, `${path}.content`, reading)
}

function readReasoning({ reasoningText, redactedContent }: JsonObject): Part {
  const { signature, text } = objectOf(reasoningText)
  const sealed = textOrNull(redactedContent)
  const own = textOrNull(signature)
  return {
    kind: 'reasoning',
    text: textOrNull(text) ?? '',
    signature: sealed ? signatureOf(sealed, 'redacted') : own ? signatureOf(own, 'signature') : null,
  }
}

function signatureOf(data: string, kind: 'signature' | 'redacted'): Signature {
  return signatureOfTag(data) ?? { wire: 'converse', origin: null, kind, data, id: null }
}

function readDocument(document: JsonObject, path: string, reading: Reading): readonly Part[] {
  if (!isAbsent(document.context)) reading.others.add('document.context')
  if (objectOf(document.citations).enabled === true) reading.others.add('document.citations')
  const name = textOrNull(document.name)
  const { content, text } = objectOf(document.source)
  const textFile = (inner: string): FilePart => ({
    kind: 'file',
    source: { kind: 'text', text: inner },
    name,
    cache: null,
  })
  if (typeof text === 'string') return [textFile(text)]
  if (!isAbsent(content))
    return readBlocks(content, `${path}.source.content`, reading).map((part) =>
      part.kind === 'text' ? textFile(part.text) : part,
    )
  const format = formatOf(document)
  return [
    {
      kind: 'file',
      source: readSource(document, documentTypes.get(format) ?? format, path),
      name,
      cache: null,
    },
  ]
}

/** The text contains the source and the content of the result. */
function readSearchResult(result: JsonObject, path: string, reading: Reading): TextPart {
  if (objectOf(result.citations).enabled === true) reading.others.add('search_result.citations')
  const texts = readContent(result.content, `${path}.content`, ({ text }) => ({
    kind: 'text',
    text: textOrNull(text) ?? '',
    cache: null,
  }))
  const lines = [result.title, result.source].map(textOrNull).filter((line) => line !== null)
  return { kind: 'text', text: [...lines, ...texts.map(({ text }) => text)].join('\n'), cache: null }
}

function formatOf(media: JsonValue): string {
  return textOrNull(objectOf(media).format) ?? ''
}

function videoTypeOf(format: string): string {
  return `video/${format === 'three_gp' ? '3gpp' : format}`
}

function readSource(media: JsonObject, mediaType: string, path: string): MediaSource {
  const data = textOrNull(objectOf(media.source).bytes)
  return data === null
    ? mustBe(`${path}.source`, 'bytes in base64')
    : { kind: 'data', mediaType: mediaTypeOfData({ stated: mediaType, data }), data }
}
