import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Whether a body of any wire may mark content for the cache. Searches the bytes of the whole body, so a text
 * that only mentions the mark counts too, and so does any escape.
 */
export function mayMarkCache(body: ByteText): boolean {
  return body.includes('cache_control') || hasEscapedAscii(body)
}

/** Whether a body may ask for the long lifetime: `"ttl": "1h"`. */
export function mayMarkLongCache(body: ByteText): boolean {
  return body.includes('"1h"') || hasEscapedAscii(body)
}

function hasEscapedAscii(body: ByteText): boolean {
  return body.includes('\\u00') && escapedAscii.test(body)
}

const escapedAscii = /\\u00[2-7]/
