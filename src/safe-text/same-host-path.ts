/**
 * After a sign-in or a portal link, a browser is redirected to a path. The server, the console and the portal check the
 * path here.
 */

const base = 'https://host.invalid'

/**
 * Returns the path in the form in which a browser would request it, with its query and fragment. Null if the path could
 * name another host (docs/reference/threats.md "Names that contain markup" and the sections on sign-in and handoff).
 * The result is also null for an empty text. For example, `//evil`, `/\evil`, `https:evil`, `/%2f%2fevil` and
 * `/..//evil` are rejected.
 */
export function sameHostPath(path: string | null | undefined): string | null {
  // Accept printable ASCII, but no backslash, which browsers read as a slash, and no quotes or brackets of HTML.
  if (typeof path !== 'string' || !/^\/(?!\/)[!#-;=?-[\]_a-z~]*$/.test(path)) return null
  // Reject malformed escapes and encoded control characters.
  if (/%(?![0-9a-f]{2})|%[01][0-9a-f]|%7f/i.test(path)) return null
  const url = URL.parse(path, base)
  // Reject an encoded slash, backslash or percent sign, because a proxy may decode it once more. The URL parser turns
  // `/.//evil` into a path that starts with two slashes.
  if (url?.origin !== base || /^\/\/|%(?:2f|5c|25)/i.test(url.pathname)) return null
  return url.pathname + url.search + url.hash
}
