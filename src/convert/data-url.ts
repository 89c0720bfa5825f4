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
  const data = url.slice(comma + 1)
  return { kind: 'data', mediaType: mediaTypeOfData({ stated: mediaType, data }) || 'text/plain', data }
}

/**
 * Returns the media type of data in base64. For an image, the first bytes count more than the stated type, because
 * Anthropic rejects an image whose bytes have another type (docs/reference/conversions.md "Content").
 */
export function mediaTypeOfData({ stated, data }: { stated: string; data: string }): string {
  const type = mediaTypeOf(stated)
  if (!type.startsWith('image/')) return type
  return imageTypes.find(([beginning]) => beginning.test(data))?.[1] ?? type
}

/** The first bytes of each image type, in base64. The bytes 4 to 7 of a WEBP image are its length. */
const imageTypes: readonly (readonly [RegExp, string])[] = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^R0lGOD(?:dh|lh)/, 'image/gif'],
  [/^UklGR.{6}XRUJQ/, 'image/webp'],
]

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
