import { isPublic, isYoutube } from '#wire/generate/addresses-that-google-reads.ts'
import type { FilePart, ImagePart } from '#convert/neutral-format.ts'

/**
 * The media type is the type that the client states, or else the type in the address. Returns null in these cases
 * (docs/reference/conversions.md "Media at an address"):
 *
 * - Neither the client nor the address states a type that Gemini reads.
 * - Google would read the address with the rights of the provider account.
 * - The address is a video, which the hold does not cover.
 */
export function fetchedType({ kind, source }: ImagePart | FilePart): string | null {
  if (source.kind !== 'url') return null
  const url = URL.parse(source.url)
  if (url === null || !isPublic(url) || isYoutube(url)) return null
  const ending = /\.([a-z]+)$/i.exec(url.pathname)?.[1]?.toLowerCase() ?? ''
  const type = source.mediaType ?? types.get(ending) ?? ''
  return readTypes[kind].has(type) ? type : null
}

const types = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['pdf', 'application/pdf'],
])

const readTypes: Readonly<Record<'image' | 'file', ReadonlySet<string>>> = {
  image: new Set([...types.values()].filter((type) => type.startsWith('image/'))),
  file: new Set(['application/pdf']),
}
