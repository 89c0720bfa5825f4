import type { MediaSource } from './neutral.ts'

/**
 * The source of a media URL: its data, or its address. Null for anything else, data in another encoding than base64
 * included (docs/reference/conversions.md "Content"); parameters of the type are left out.
 */
export function sourceOfUrl(url: string): MediaSource | null {
  if (!isDataUrl.test(url)) return isWebUrl.test(url) ? { kind: 'url', url } : null
  const comma = url.indexOf(',')
  const [mediaType = '', ...parameters] = url.slice('data:'.length, Math.max(comma, 0)).split(';')
  if (comma < 0 || parameters.at(-1)?.toLowerCase() !== 'base64') return null
  return { kind: 'data', mediaType: mediaTypeOf(mediaType) || 'text/plain', data: url.slice(comma + 1) }
}

/**
 * A registered media type. `image/jpg` is the commonest unregistered one, and Internet Explorer sent `image/pjpeg`;
 * OpenAI takes both for JPEG, other vendors refuse them.
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
