/**
 * Returns the page after a sign-in. It is always a page of this console, whatever the address says. The server applies
 * the same rule.
 */
export function returnPathOf(asked: string | undefined, origin: string): string {
  if (asked === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(asked)) return '/'
  const url = URL.parse(asked, origin)
  if (url?.origin !== origin || /^\/(?:\/|%2f|%5c)/i.test(url.pathname)) return '/'
  // Signing in must not return to a sign-in page.
  return /^\/(?:sign-in|setup|invite)(?:\/|$)/.test(url.pathname) ? '/' : url.pathname + url.search + url.hash
}
