import type { MediaSource } from './neutral-format.ts'

/**
 * Returns the source of a media URL: the data of a data URL, or the address. Null for any other text, including data
 * that is not base64 (docs/reference/conversions.md "Content"). Parameters of the media type are omitted.
 */
export function sourceOfUrl(url: string): MediaSource | null {
  if (!isDataUrl.test(url)) return isWebUrl.test(url) ? { kind: 'url', url } : null
  const comma = url.indexOf(',')
  const [mediaType = '', ...parameters] = url.slice('data:'.length, Math.max(comma, 0)).split(';')
  if (comma < 0 || parameters.at(-1)?.toLowerCase() !== 'base64') return null
  return { kind: 'data', mediaType: mediaTypeOf(mediaType) || 'text/plain', data: url.slice(comma + 1) }
}

/**
 * Returns the media type in lower case, and the usual name of a type that has several names
 * (docs/reference/conversions.md "Content"). OpenAI treats `image/jpg` and `image/pjpeg` as JPEG, and other vendors
 * reject them. For sound, OpenAI's format has names only for WAV and MP3.
 */
export function mediaTypeOf(said: string): string {
  const type = said.trim().toLowerCase()
  return usualTypes.get(type) ?? type
}

const usualTypes: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/x-mp3', 'audio/mpeg'],
  ['audio/wave', 'audio/wav'],
  ['audio/x-wav', 'audio/wav'],
  ['audio/vnd.wave', 'audio/wav'],
])

export function dataUrlOf(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`
}

const isDataUrl = /^data:/i
const isWebUrl = /^https?:\/\//i
