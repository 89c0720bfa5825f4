import type { WireRequest } from '#wire/wire-request.ts'

/** For each medium, the sizes that the maximum input depends on. */
export const media = {
  video: 'videos (frames and seconds)',
  sound: 'sounds (seconds)',
  document: 'documents (pages or text)',
  imageAddress: 'images at an address (their size is not known)',
  image: 'images in the request (pixels)',
} as const

/** A request with several media belongs to the first of them. */
export function mediumOf(request: WireRequest): keyof typeof media {
  const { audioTokensMax, bedrockVideoExcess, documents, hasImageAddress } = request
  if (bedrockVideoExcess !== undefined) return 'video'
  if (audioTokensMax > 0) return 'sound'
  if (documents !== null) return 'document'
  return hasImageAddress === true ? 'imageAddress' : 'image'
}
