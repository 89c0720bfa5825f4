import type { MediaSource } from './neutral.ts'

/**
 * The source of a media URL: the data in it, or where it is. Null for anything else, data that is not
 * base64 among it (docs/reference/conversions.md "Content"); parameters of the type are of no use to anyone
 * and left out.
 */
export function sourceOfUrl(url: string): MediaSource | null {
  if (!isDataUrl.test(url)) return isWebUrl.test(url) ? { kind: 'url', url } : null
  const comma = url.indexOf(',')
  const [mediaType = '', ...parameters] = url.slice('data:'.length, Math.max(comma, 0)).split(';')
  if (comma < 0 || parameters.at(-1)?.toLowerCase() !== 'base64') return null
  return { kind: 'data', mediaType: mediaTypeOf(mediaType) || 'text/plain', data: url.slice(comma + 1) }
}

/**
 * A media type as it is registered. `image/jpg` is what clients write most often that is none, and Internet
 * Explorer said `image/pjpeg`; OpenAI takes them for JPEG, other vendors refuse them.
 */
export function mediaTypeOf(said: string): string {
  const type = said.trim().toLowerCase()
  return type === 'image/jpg' || type === 'image/pjpeg' ? 'image/jpeg' : type
}

/** @param data base64 */
export function dataUrlOf(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`
}

const isDataUrl = /^data:/i
const isWebUrl = /^https?:\/\//i
