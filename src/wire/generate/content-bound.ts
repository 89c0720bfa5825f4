import type { InputBound } from '#wire/bound/input-bound.ts'
import { googleFrames } from '#wire/bound/video-bounds.ts'
import { whyUnbounded } from '#wire/bound/bound-of-unknown-content.ts'
import { endOf, kindOf, kinds, startOf, valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { mediumOf } from '#wire/bound/google-file-token-size.ts'
import { isGiven, isNull, mustBe, refuse, refuseForRoute, textAt } from '#wire/wire-request.ts'
import { entriesOf, Fields } from './fields-in-either-spelling.ts'
import { isPublic, isYoutube } from './addresses-that-google-reads.ts'

export interface Bounding {
  readonly json: Json
  readonly bound: InputBound
  /** An embedding model bills videos at a rate that no price has. */
  readonly acceptsVideo: boolean
}

/**
 * Adds the maximum cost of the parts of a content or of a tool's result. Content whose tokens have no limit is
 * rejected, except files that Google stores or fetches.
 */
export function boundParts(to: Bounding, fields: Fields, param: string): void {
  const parts = fields.at('parts')
  if (!isGiven(to.json, parts)) return
  for (const [i, part] of entriesOf(to.json, parts).entries()) boundPart(to, part, `${param}.parts.${i}`)
}

function boundPart(to: Bounding, part: Node, partParam: string): void {
  const fields = new Fields(to.json, part, partParam)
  for (const [name, key] of fields.keys) {
    const value = valueOf(key)
    const param = `${partParam}.${name}`
    if (name === 'mediaResolution') to.bound.allowLargeMedia()
    if (isNull(to.json, value) || isText.has(name)) continue
    if (name === 'inlineData') boundData(to, value, param, fields.at('videoMetadata'))
    else if (name === 'fileData' && to.acceptsVideo) boundFile(to, value, param, fields.at('videoMetadata'))
    else if (
      name === 'videoMetadata' &&
      to.acceptsVideo &&
      (isOfMedium(fields) || isShorter(to, value, param))
    )
      continue
    // A tool's result may contain images and documents in addition to its JSON.
    else if (name === 'functionResponse') boundParts(to, new Fields(to.json, value, param), param)
    else {
      const reason = reasons[name] ?? whyUnbounded(to.json, value, name)
      if (reason !== null) refuseForRoute(param, reason)
    }
  }
}

/** Parts that count as text, and members that do not change the bound of a part. */
const isText = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'functionCall',
  'executableCode',
  'codeExecutionResult',
  // Calls and results of the provider's tools, which the client returns unchanged.
  'toolCall',
  'toolResponse',
  'mediaResolution',
  'partMetadata',
])

const unknownVideo =
  'the length of this video cannot be read. Send an MP4, a WebM, or single frames as images'
const rejectedVideo = 'videos have no price. Send single frames as images'
const unknownPart = 'the cost of this part is not known before the request'

const reasons: Readonly<Record<string, string>> = {
  fileData:
    'the size of a file that is only referenced is not known before the request. Send its bytes as inlineData',
  videoMetadata: 'the part contains no video that the settings could apply to',
}

/** Some clients send video settings in a separate part after the video (recorded with pydantic-ai). */
function isShorter({ json }: Bounding, videoMetadata: Node, param: string): boolean {
  return framesPerSecond(json, videoMetadata, param) === usualFramesPerSecond
}

function isOfMedium({ keys }: Fields): boolean {
  return keys.has('inlineData') || keys.has('fileData')
}

/** The gateway checks addresses in Cloud Storage (`gs:`) against the application's settings. */
function boundFile({ bound, json }: Bounding, file: Node, param: string, videoMetadata: Node): void {
  const fields = new Fields(json, file, param)
  const address = textAt(json, fields.at('fileUri')) ?? ''
  const type = textAt(json, fields.at('mimeType'))?.toLowerCase().trim() ?? ''
  const fps = framesPerSecond(json, videoMetadata, param)
  const { id } = storedFile.exec(address)?.groups ?? {}
  if (id !== undefined)
    return bound.addFile(json, fields.at('fileUri'), {
      id,
      before: googleFiles,
      framesPerSecond: fps,
      ...(type !== '' && { medium: mediumOf(type) }),
    })
  const url = URL.parse(address)
  if (url?.protocol === 'gs:') {
    if (!isStorageAddress(address)) refuseForRoute(`${param}.fileUri`, unusualAddress)
    bound.addStorageAddress(address)
  } else if (url === null || !isPublic(url)) refuseForRoute(`${param}.fileUri`, notPublic)
  if (isYoutube(url)) bound.addFetched('any')
  else if (type.startsWith('image/')) bound.addImage(json, -1, false)
  else bound.addFetched(documentTypes.test(type) ? 'document' : 'any')
}

/** Accepts only the usual spelling, because the prefix of the address decides whether the file can be used. */
function isStorageAddress(address: string): boolean {
  return storageObject.test(address) && !unnamedFolder.test(address.slice('gs://'.length))
}

const storageObject = /^gs:\/\/[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]\/[^\\?#%*[\]\p{C}]{1,1024}$/u
const unnamedFolder = /\/\.{0,2}(?:\/|$)/
const unusualAddress =
  'the address must name one file (gs://bucket/object), without wildcards, escapes, and folders without a name'

/**
 * URL prefix of stored files, which the gateway also shows to clients. Google also accepts names of stored files
 * without this prefix.
 */
export const googleFiles = 'https://generativelanguage.googleapis.com/v1beta/files/'
const storedFile =
  /^(?:https:\/\/generativelanguage\.googleapis\.com\/v1(?:alpha|beta)?\/)?files\/(?<id>[^/?#]+)$/
const documentTypes = /^(?:application\/(?:pdf|json)|text\/)/
const notPublic =
  'only public http and https addresses are fetched. Send the content of other files as inlineData'

function boundData(
  { acceptsVideo, bound, json }: Bounding,
  blob: Node,
  param: string,
  videoMetadata: Node,
): void {
  const fields = new Fields(json, blob, param, () => param)
  const type = textAt(json, fields.at('mimeType'))
  const data = fields.at('data')
  if (type === null || data < 0 || kindOf(json, data) !== kinds.string)
    refuse(
      'invalid_request',
      param,
      'inlineData must be {"mimeType": "<type>", "data": "<base64>"}, without repeated fields.',
    )
  const media = type.toLowerCase().trim()
  if (media.startsWith('image/')) bound.addImage(json, data, false)
  else if (media.startsWith('audio/')) bound.addAudio(json, data, media)
  else if (media === 'application/pdf') bound.addDocument(json, data, media)
  else if (media.startsWith('text/') || media === 'application/json') {
    if (!bound.addEncodedText(json, data))
      refuse('invalid_request', `${param}.data`, 'The field data must be base64.')
  } else if (!media.startsWith('video/')) refuseForRoute(param, unknownPart)
  else if (!acceptsVideo) refuseForRoute(param, rejectedVideo)
  else {
    const frames = { ...googleFrames, framesPerSecond: framesPerSecond(json, videoMetadata, param) }
    if (!bound.addVideo(json, data, media, frames)) refuseForRoute(param, unknownVideo)
  }
}

/** Video settings other than the frame rate can only shorten the video. */
function framesPerSecond(json: Json, videoMetadata: Node, blobParam: string): number {
  if (!isGiven(json, videoMetadata)) return usualFramesPerSecond
  const param = blobParam.replace(/(?:inline|file)Data$/, 'videoMetadata')
  const fields = new Fields(json, videoMetadata, param)
  for (const name of fields.keys.keys())
    if (!videoSettings.has(name)) refuseForRoute(`${param}.${name}`, unknownPart)
  const fps = fields.at('fps')
  if (!isGiven(json, fps)) return usualFramesPerSecond
  const value =
    kindOf(json, fps) === kinds.number ? Number(json.text.slice(startOf(json, fps), endOf(json, fps))) : 0
  if (value <= 0 || value > framesPerSecondMax)
    mustBe(`${param}.fps`, `a number above 0, up to ${framesPerSecondMax}`)
  return Math.max(value, usualFramesPerSecond)
}

const videoSettings = new Set(['startOffset', 'endOffset', 'fps'])
const usualFramesPerSecond = googleFrames.framesPerSecond
const framesPerSecondMax = 24
