/**
 * Returns where a browser goes after a sign-in: always a path of this host, regardless of the requested path
 * (docs/reference/threats.md "Where a sign-in leads").
 */
export function returnPathOf(asked: string | null): string {
  // Browsers treat backslashes as slashes, and drop control characters.
  if (asked === null || asked.length > 512 || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(asked)) return '/'
  const here = 'https://here.invalid'
  const url = URL.parse(asked, here)
  // `/.//evil` would become a path with two slashes.
  if (url?.origin !== here || url.pathname.startsWith('//')) return '/'
  // A client that decodes the path once more must not get another host.
  return /^\/(?:%2f|%5c)/i.test(url.pathname) ? '/' : url.pathname + url.search + url.hash
}
