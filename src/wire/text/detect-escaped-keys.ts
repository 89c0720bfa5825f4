/**
 * Whether an object in a JSON text has a key with an escape. JSON.parse may confuse such a key with a key that ends in
 * a backslash, if an earlier text had that key at the same position. For example, after `{"a":1,"\\":1}`, Node.js 24
 * and 26 read the last key of `{"a":1,"\n":2}` as `\` (https://github.com/nodejs/node/issues/63785,
 * https://issues.chromium.org/issues/521080746).
 */
export function hasEscapedKey(text: string): boolean {
  let escape = text.indexOf('\\')
  if (escape < 0) return false
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = endOfString(text, start)
    if (escape < end) {
      if (isColonNext(text, end + 1)) return true
      escape = text.indexOf('\\', end)
      if (escape < 0) return false
    }
    start = text.indexOf('"', end + 1)
  }
  return false
}

function isColonNext(text: string, from: number): boolean {
  let at = from
  while (text.charCodeAt(at) <= 0x20) at++
  return text.charCodeAt(at) === 0x3a
}

/** Returns the end of the text if the closing quote is missing. */
export function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at >= 0) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === 0x5c) escapes++
    if (escapes % 2 === 0) return at
    at = text.indexOf('"', at + 1)
  }
  return text.length
}
