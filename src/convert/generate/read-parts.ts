import { isAbsent, isObject, objectOf, printValue, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import type { Signature } from '#wire/tagged-reasoning-signatures.ts'
import { mediaTypeOf, mediaTypeOfData, sourceOfUrl } from '#convert/data-url.ts'
import type {
  AudioPart,
  FilePart,
  ImagePart,
  Part,
  ToolCallPart,
  ToolResultPart,
} from '#convert/neutral-format.ts'
import { asRecord } from '#convert/turns-and-content.ts'
import { refuse, refuseForRoute } from '#wire/wire-request.ts'
import type { CallNames } from './match-tool-results-with-calls.ts'
import { isYoutube } from '#wire/generate/addresses-that-google-reads.ts'
import { camelKeys, listOrOne } from '#wire/generate/fields-in-either-spelling.ts'
import { PartialArgs } from './streamed-function-arguments.ts'
import { precedesItsText, readThoughtSignature } from '#wire/generate/thought-signatures.ts'

/**
 * A signature becomes a reasoning part, which also contains the thoughts before the signature. If there are no such
 * thoughts, the reasoning part is placed before a signed tool call. It is placed after a text that Google signed, and
 * before a text with the sealed data of another vendor.
 */
export function readParts(
  content: JsonObject,
  role: 'user' | 'assistant',
  names: CallNames,
  param: string,
): readonly Part[] {
  const parts: Part[] = []
  for (const [i, value] of listOrOne(content.parts).entries()) {
    const part = camelKeys(objectOf(value))
    const signature = signatureOf(part.thoughtSignature)
    const isCall = isObject(part.functionCall)
    const isSaid = typeof part.text === 'string' && part.text !== '' && part.thought !== true
    const isBefore = isCall || (signature !== null && isSaid && precedesItsText(signature))
    if (signature && isBefore) addSignature(parts, signature)
    readPart(part, role, names, `${param}.${i}`, parts)
    if (signature && !isBefore && !isObject(part.functionResponse)) addSignature(parts, signature)
  }
  return parts
}

/** Records of a tool which Gemini ran become text. Other wires have no names and no exact resolutions of media. */
export function lostFieldsOfParts(contents: JsonValue): readonly string[] {
  const lost = new Set<string>()
  for (const content of listOrOne(contents)) {
    for (const value of listOrOne(camelKeys(objectOf(content)).parts)) {
      const part = camelKeys(objectOf(value))
      for (const name of records) if (isObject(part[name])) lost.add(name)
      const { displayName, mimeType = '' } = camelKeys(objectOf(part.inlineData ?? part.fileData))
      const isImage = textOrNull(mimeType)?.startsWith('image/') === true
      if (isImage && textOrNull(displayName))
        lost.add(isObject(part.inlineData) ? 'inlineData.displayName' : 'fileData.displayName')
      if (hasLostResolution(part.mediaResolution, isImage)) lost.add('mediaResolution')
    }
  }
  return [...lost].map((name) => `contents.parts.${name}`)
}

const records = ['toolCall', 'toolResponse', 'executableCode', 'codeExecutionResult']

function hasLostResolution(resolution: JsonValue, isImage: boolean): boolean {
  const { level, numTokens } = camelKeys(objectOf(resolution))
  const stated = textOrNull(level) ?? textOrNull(resolution)
  if (stated === null || stated === 'MEDIA_RESOLUTION_UNSPECIFIED') return !isAbsent(numTokens)
  return !isImage || !isAbsent(numTokens) || detailOf(resolution) === null
}

function readPart(
  part: JsonObject,
  role: 'user' | 'assistant',
  names: CallNames,
  param: string,
  parts: Part[],
): void {
  const { text, thought, fileData, functionCall, functionResponse, inlineData, videoMetadata } = part
  if (Object.keys(objectOf(videoMetadata)).length > 0) refuseForRoute(`${param}.videoMetadata`, wholeVideos)
  if (isObject(functionCall)) parts.push(readCall(camelKeys(functionCall), names, param))
  else if (isObject(functionResponse)) parts.push(readResult(camelKeys(functionResponse), names, param))
  else if (isObject(inlineData)) parts.push(readMedia(inlineData, part.mediaResolution) ?? refuseData(param))
  else if (isObject(fileData))
    parts.push(
      readAddress(fileData, part.mediaResolution) ?? refuseForRoute(`${param}.fileData`, onlyAtGoogle),
    )
  else if (typeof text === 'string') {
    if (thought === true) addThought(parts, text)
    else if (text !== '') addText(parts, text, role)
  } else {
    const code = codeOf(part)
    const isMark = Object.keys(part).every((name) => part[name] === null || marks.has(name))
    if (code !== null) addText(parts, code, role)
    else if (isObject(part.toolCall)) addRecord(parts, textOfCall(camelKeys(part.toolCall)), role)
    else if (isObject(part.toolResponse)) addRecord(parts, textOfResult(part.toolResponse), role)
    else if (!isMark) refuse('invalid_request', param, 'A part must contain text, data or a function call.')
  }
}

const onlyAtGoogle =
  'the provider of this model fetches only images and PDFs at public addresses; send the content as inlineData'

function refuseData(param: string): never {
  refuseForRoute(param, 'data of this type cannot be converted')
}

const marks = new Set(['thought', 'thoughtSignature', 'mediaResolution', 'partMetadata', 'videoMetadata'])

const wholeVideos =
  'the provider of this model reads whole videos at its own rate; omit the settings, or cut the video'

/**
 * Adjacent texts are joined, because clients send the pieces of a stream back separately, and a piece may be only a
 * space.
 */
function addText(parts: Part[], text: string, role: 'user' | 'assistant'): void {
  const last = parts.at(-1)
  if (role === 'assistant' && last?.kind === 'text')
    parts[parts.length - 1] = { ...last, text: last.text + text }
  else parts.push({ kind: 'text', text, cache: null })
}

/** The record is on separate lines, because adjacent texts of the model are joined. */
function addRecord(parts: Part[], text: string | null, role: 'user' | 'assistant'): void {
  if (text !== null) addText(parts, `${asRecord(text)}\n`, role)
}

function textOfCall({ args, toolType }: JsonObject): string {
  return `${textOrNull(toolType) ?? ''} ${printValue(args ?? {})}`
}

/** Search suggestions are omitted, because they are HTML for the end user. */
function textOfResult({ response }: JsonObject): string | null {
  const shown = Object.entries(objectOf(response)).filter(([name]) => !suggestions.has(name))
  return shown.length === 0 ? null : printValue(Object.fromEntries(shown))
}

const suggestions = new Set(['search_suggestions', 'searchSuggestions'])

function addThought(parts: Part[], text: string): void {
  const last = parts.at(-1)
  if (last?.kind === 'reasoning' && !last.signature)
    parts[parts.length - 1] = { ...last, text: last.text + text }
  else parts.push({ kind: 'reasoning', text, signature: null })
}

function addSignature(parts: Part[], signature: Signature): void {
  const last = parts.at(-1)
  if (last?.kind === 'reasoning' && !last.signature) parts[parts.length - 1] = { ...last, signature }
  else parts.push({ kind: 'reasoning', text: '', signature })
}

function signatureOf(signature: JsonValue): Signature | null {
  if (typeof signature !== 'string' || signature === '' || noSignatures.has(signature)) return null
  return readThoughtSignature(signature, null)
}

/**
 * Placeholders that clients send if the provider requires a signature and the client has none
 * (docs/reference/conversions.md "Sealed reasoning").
 */
const noSignatures: ReadonlySet<string> = new Set(
  ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'].flatMap((word) => {
    // Typed clients store the field as bytes, so they send the placeholder as base64.
    const bytes = btoa(word)
    return [word, bytes, bytes.replaceAll('=', '')]
  }),
)

function readCall(call: JsonObject, names: CallNames, param: string): ToolCallPart {
  const { name, id, args, partialArgs } = call
  if (typeof name !== 'string' || name === '')
    refuse('invalid_request', `${param}.functionCall.name`, 'A functionCall must name its function.')
  const pieces = new PartialArgs()
  pieces.add(partialArgs)
  return {
    kind: 'tool_call',
    id: names.call(name, textOrNull(id) || null),
    name,
    arguments: args === undefined || args === null ? pieces.text : printValue(args),
    isCustom: false,
  }
}

/**
 * By convention, a tool response is `{"output": ...}` or `{"error": ...}`. Any other object is read as the output
 * itself (docs/reference/wires.md "Requests on the generate wire").
 */
function readResult(result: JsonObject, names: CallNames, param: string): ToolResultPart {
  const { name, id, response } = result
  if (typeof name !== 'string' || name === '')
    refuse('invalid_request', `${param}.functionResponse.name`, 'A functionResponse must name its function.')
  const body = objectOf(response)
  const [key = ''] = Object.keys(body)
  const isWrapped = Object.keys(body).length === 1 && (key === 'output' || key === 'error')
  const output = isWrapped ? body[key] : body
  const media = listOrOne(result.parts).map((value) => {
    const part = camelKeys(objectOf(value))
    const read = isObject(part.inlineData)
      ? readMedia(part.inlineData, part.mediaResolution)
      : readAddress(objectOf(part.fileData), part.mediaResolution)
    return read === null || read.kind === 'audio' ? refuseData(`${param}.functionResponse.parts`) : read
  })
  const text = typeof output === 'string' ? output : printValue(output)
  const isSilent = text === '' || (media.length > 0 && Object.keys(body).length === 0)
  return {
    kind: 'tool_result',
    callId: names.result(name, textOrNull(id) || null),
    name,
    parts: isSilent ? media : [{ kind: 'text', text, cache: null }, ...media],
    isError: isWrapped && key === 'error',
    isCustom: false,
    cache: null,
  }
}

/** Null if the data has no media type. */
function readMedia(blob: JsonObject, mediaResolution: JsonValue): ImagePart | FilePart | AudioPart | null {
  const { mimeType, displayName, data: given } = camelKeys(blob)
  if (typeof mimeType !== 'string' || typeof given !== 'string') return null
  // Google's typed clients encode bytes as base64url, which no other wire accepts.
  const data = given.replaceAll('-', '+').replaceAll('_', '/')
  const mediaType = mediaTypeOfData({ stated: mimeType, data })
  const source = { kind: 'data', mediaType, data } as const
  if (mediaType.startsWith('image/'))
    return { kind: 'image', source, detail: detailOf(mediaResolution), cache: null }
  if (mediaType.startsWith('audio/')) return { kind: 'audio', mediaType, data }
  return { kind: 'file', source, name: textOrNull(displayName), cache: null }
}

/** Null unless the file is an image or a PDF at a public address, because other vendors fetch no other files. */
function readAddress(file: JsonObject, mediaResolution: JsonValue): ImagePart | FilePart | null {
  const { displayName, fileUri, mimeType } = camelKeys(file)
  const source = sourceOfUrl(textOrNull(fileUri) ?? '')
  const url = source?.kind === 'url' ? URL.parse(source.url) : null
  if (source?.kind !== 'url' || url === null || isYoutube(url)) return null
  const mediaType = mediaTypeOf(textOrNull(mimeType) ?? '')
  const typed = { ...source, mediaType }
  if (mediaType.startsWith('image/'))
    return { kind: 'image', source: typed, detail: detailOf(mediaResolution), cache: null }
  return mediaType === 'application/pdf'
    ? { kind: 'file', source: typed, name: textOrNull(displayName), cache: null }
    : null
}

function detailOf(resolution: JsonValue): ImagePart['detail'] {
  const level = textOrNull(camelKeys(objectOf(resolution)).level) ?? textOrNull(resolution)
  if (level === 'MEDIA_RESOLUTION_LOW') return 'low'
  return level === 'MEDIA_RESOLUTION_HIGH' || level === 'MEDIA_RESOLUTION_ULTRA_HIGH' ? 'high' : null
}

/** Another model gets the code that the model ran, and its result, as text. */
function codeOf({ executableCode, codeExecutionResult }: JsonObject): string | null {
  const code = textOrNull(objectOf(executableCode).code)
  const output = textOrNull(objectOf(codeExecutionResult).output)
  const text = code ?? output
  return text === null ? null : asRecord(text)
}
