/**
 * Where a browser goes after a sign-in: a path of this host, whatever was asked for
 * (docs/reference/threats.md "Where a sign-in leads").
 */
export function returnPathOf(asked: string | null): string {
  // Backslashes are slashes to browsers, and control characters are dropped by them.
  if (asked === null || asked.length > 512 || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(asked)) return '/'
  const here = 'https://here.invalid'
  const url = URL.parse(asked, here)
  // `/.//evil` becomes a path of two slashes.
  if (url?.origin !== here || url.pathname.startsWith('//')) return '/'
  // Whoever decodes once more must not find another host.
  return /^\/(?:%2f|%5c)/i.test(url.pathname) ? '/' : url.pathname + url.search + url.hash
}
