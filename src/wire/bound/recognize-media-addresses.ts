import { endOf, kindOf, kinds, startOf, type Json, type Node } from '#wire/text/json-tape.ts'

/** Does not copy the text, which may have megabytes. */
export function isDataUrl(json: Json, url: Node): boolean {
  if (url < 0 || kindOf(json, url) !== kinds.string) return false
  const start = startOf(json, url) + 1
  return json.text.slice(start, Math.min(start + 5, endOf(json, url))).toLowerCase() === 'data:'
}

/** Base64 contains no colon, and no escape that could hide the colon of an address. */
export function isMediaAddress(json: Json, data: Node): boolean {
  const start = startOf(json, data) + 1
  return /[:\\]/.test(json.text.slice(start, start + longestScheme)) && !isDataUrl(json, data)
}

/** `https:` with each character escaped. */
const longestScheme = 36
