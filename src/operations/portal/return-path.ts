import * as z from 'zod'

const lengthMax = 512

/**
 * A path on the portal's own host, with a query and a fragment if need be. It is kept with the handoff and
 * never taken from an address that somebody else could write; and no reader of it may find another host in it
 * (docs/reference/threats.md "Where a handoff leads"): `//evil`, `/\evil`, `https:evil`, `/%2f%2fevil` and
 * `/..//evil` are refused.
 */
export const ReturnPath = z
  .string()
  .max(lengthMax)
  .refine(isOwnPath, { error: 'must be a path on the portal itself, like /usage?range=30d' })
  .meta({ examples: ['/usage?range=30d'], maxLength: lengthMax, pattern: '^/([!-.0-~][!-~]*)?$' })

export function isOwnPath(path: string): boolean {
  // Printable ASCII without the backslash, which browsers read as a slash, and no quotes or brackets of HTML.
  if (!/^\/[!#-;=?-[\]_a-z~]*$/.test(path)) return false
  // An encoded slash, backslash or percent sign may be decoded once more by what routes the path.
  if (/%(?:2f|5c|25|00|0a|0d|09)|%(?![0-9a-f]{2})/i.test(path)) return false
  const base = 'https://portal.invalid'
  const read = URL.canParse(path, base) ? new URL(path, base) : null
  return read !== null && read.origin === base && !path.startsWith('//') && !read.pathname.startsWith('//')
}
