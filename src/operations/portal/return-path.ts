import * as z from 'zod'

const lengthMax = 512

/**
 * A path on the portal's own host, with an optional query and fragment. It is stored with the handoff and never read
 * from a URL that an attacker could write. No parser may read another host in it (docs/reference/threats.md "Where a
 * handoff leads"): `//evil`, `/\evil`, `https:evil`, `/%2f%2fevil` and `/..//evil` are rejected.
 */
export const ReturnPath = z
  .string()
  .max(lengthMax)
  .refine(isOwnPath, { error: 'must be a path on the portal itself, like /usage?range=30d' })
  .meta({ examples: ['/usage?range=30d'], maxLength: lengthMax, pattern: '^/([!-.0-~][!-~]*)?$' })

export function isOwnPath(path: string): boolean {
  // Accept printable ASCII without the backslash, which browsers read as a slash, and without quotes or brackets of
  // HTML.
  if (!/^\/[!#-;=?-[\]_a-z~]*$/.test(path)) return false
  // A router may decode an encoded slash, backslash or percent sign once more.
  if (/%(?:2f|5c|25|00|0a|0d|09)|%(?![0-9a-f]{2})/i.test(path)) return false
  const base = 'https://portal.invalid'
  const read = URL.canParse(path, base) ? new URL(path, base) : null
  return read !== null && read.origin === base && !path.startsWith('//') && !read.pathname.startsWith('//')
}
