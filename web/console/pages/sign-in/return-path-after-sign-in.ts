import { sameHostPath } from '#safe-text/same-host-path.ts'

/** Returns the page that is shown after a sign-in. The page is always a page of this console that needs a session. */
export function returnPathOf(asked: string | undefined): string {
  const path = sameHostPath(asked) ?? '/'
  // A sign-in that returned to the sign-in page would never end.
  return /^\/(?:sign-in|setup|invite)(?:[/?#]|$)/.test(path) ? '/' : path
}
