/**
 * The console uses the published API through the TypeScript SDK, like any other client, with the member's session. The
 * server decides which operations the member may use.
 */
import { Operations } from '#sdk/generated/operations.ts'
import { Sender } from '#sdk/sender.ts'
import { correctClock } from '#web/ui/current-time-hooks.ts'

let csrfToken: string | null = null

/** `sessions.current` and the operations that begin a session return the token. */
export function setCsrfToken(token: string | null): void {
  csrfToken = token
}

export const api = new Operations(
  // A person is waiting, so fail sooner than a program would.
  new Sender(
    { token: null, baseUrl: location.origin, maxRetries: 1, timeoutMs: 30_000, fetch: fetchWithTime },
    () => (csrfToken === null ? {} : { 'x-csrf-token': csrfToken }),
  ),
)

/** Pages request the data of a time range, which must not depend on a wrong clock of the computer. */
async function fetchWithTime(...request: Parameters<typeof fetch>): Promise<Response> {
  const sentMs = Date.now()
  const response = await fetch(...request)
  const serverMs = Date.parse(response.headers.get('date') ?? '')
  // If the computer was asleep in the meantime, the server's time is outdated.
  if (!Number.isNaN(serverMs) && Date.now() - sentMs < latencyMaxMs) correctClock(serverMs)
  return response
}

const latencyMaxMs = 60_000
