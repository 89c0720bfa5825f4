import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Whether a body may mark what is to be cached, on any wire: looked for in its bytes, wherever it stands. A
 * text that only speaks of it counts as well, and so does whatever an escape may spell.
 */
export function mayMarkCache(body: ByteText): boolean {
  return body.includes('cache_control') || hasEscapedAscii(body)
}

/** The same of a mark that lasts: `"ttl": "1h"`. */
export function mayMarkLongCache(body: ByteText): boolean {
  return body.includes('"1h"') || hasEscapedAscii(body)
}

function hasEscapedAscii(body: ByteText): boolean {
  return body.includes('\\u00') && escapedAscii.test(body)
}

const escapedAscii = /\\u00[2-7]/
