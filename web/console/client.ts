/**
 * The console speaks to the published API through the TypeScript SDK, as any other client, with the session of the
 * person who has signed in. It may what that person may; the server decides.
 */
import { Operations } from '#sdk/generated/operations.ts'
import { Sender } from '#sdk/sender.ts'

let csrfToken: string | null = null

/** What is sent with each change: `sessions.current` and those that begin a session answer it. */
export function setCsrfToken(token: string | null): void {
  csrfToken = token
}

export const api = new Operations(
  // A person waits: a page shows what failed sooner than a program gives up.
  new Sender({ token: null, baseUrl: location.origin, maxRetries: 1, timeoutMs: 30_000 }, () =>
    csrfToken === null ? {} : { 'x-csrf-token': csrfToken },
  ),
)
