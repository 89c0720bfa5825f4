/**
 * The console uses the published API through the TypeScript SDK, like any other client, with the member's session. The
 * server decides which operations the member may use.
 */
import { Operations } from '#sdk/generated/operations.ts'
import { Sender } from '#sdk/sender.ts'

let csrfToken: string | null = null

/** `sessions.current` and the operations that begin a session return the token. */
export function setCsrfToken(token: string | null): void {
  csrfToken = token
}

export const api = new Operations(
  // A person is waiting, so fail sooner than a program would.
  new Sender({ token: null, baseUrl: location.origin, maxRetries: 1, timeoutMs: 30_000 }, () =>
    csrfToken === null ? {} : { 'x-csrf-token': csrfToken },
  ),
)
