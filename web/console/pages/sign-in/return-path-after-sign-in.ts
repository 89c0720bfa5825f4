import { sameHostPath } from '#safe-text/same-host-path.ts'

/** Only pages of this console that need a session are allowed. */
export function returnPathOf(asked: string | undefined): string {
  const path = sameHostPath(asked) ?? '/'
  // A return to the sign-in page would never end.
  return /^\/(?:sign-in|setup|invite)(?:[/?#]|$)/.test(path) ? '/' : path
}
