import type { AddressRanges } from '#domain/network/address-ranges.ts'
import { Failure } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import type { NoteRefusal } from '#domain/rejected-request-facts.ts'
import type { Store } from '#domain/store-interface.ts'
import type { Client } from '#operations/kernel/operation-context.ts'
import { denial, type Guarded } from '#operations/kernel/access-denial.ts'
import { refusalOf } from './record-of-rejected-request.ts'
import { authenticate, sessionCookieName, type TeamCaller } from './authenticate-caller.ts'
import { credentialIn } from './session-cookie-and-csrf.ts'
import type { CallGuard } from './apply-rate-limits-to-caller.ts'
import { baseHeaders, errorAnswer } from './error-responses.ts'

export interface MetricsDeps {
  readonly store: Store
  readonly nowMs: () => number
  readonly metrics: MetricsSource
  readonly onRefused: NoteRefusal
  readonly onInternal: (error: unknown, about: { requestId: string; operation: string | null }) => void
  /** Defaults to `metricsStoreMsMax`. */
  readonly storeMsMax?: number
}

/** Maximum wait for the store. Prometheus waits ten seconds for a scrape by default. */
export const metricsStoreMsMax = 4_000

export interface MetricsSource {
  readonly scrape: () => Promise<Scraped>
  /** Reports only that the store does not respond, because the caller is not known. */
  readonly scrapeWithoutStore: () => Promise<Scraped>
  /** Metrics can be read from these addresses without a token. */
  readonly addresses: AddressRanges | null
}

interface Scraped {
  readonly contentType: string
  readonly text: string
}

/** Metrics cover all applications, so a credential that is limited to one application is not sufficient. */
const guarded: Guarded = { leastRole: 'viewer', isForOneApplication: false, isForPeople: false }

/**
 * Serves `/metrics` to a scraper at one of the operator's addresses, or with any token of the organization. On a server
 * with several organizations, only the operator can read the metrics. If the store does not respond, a token cannot be
 * checked, and the response contains only this fact, which `/readyz` also returns without a token.
 * @param gateway returns the address of the gateways, for the errors of `authenticate`
 */
export function metricsHandler(
  { metrics, nowMs, onInternal, onRefused, store, storeMsMax = metricsStoreMsMax }: MetricsDeps,
  guard: CallGuard,
  gateway: () => string,
): (request: Request, client: Client, requestId: string) => Promise<Response> {
  const assertMayRead = async (
    request: Request,
    client: Client,
    found: (caller: TeamCaller) => TeamCaller,
  ): Promise<void> => {
    const { actor } = await guard.known(
      { ...client, portalOf: null },
      credentialIn(request.headers, sessionCookieName),
      async () => found(await authenticate(request, { store, nowMs, gateway })),
    )
    const denied = denial(actor, guarded)
    if (denied) throw denied
    const organizations = await store.read.organizations.count().catch((cause: unknown) => {
      throw new StoreUnavailable('count the organizations', { cause })
    })
    if (organizations > 1) throw new Failure('operator_only', { organizations })
  }
  return async (request, client, requestId) => {
    let seen: TeamCaller | null = null
    const answer = ({ contentType, text }: Scraped): Response =>
      new Response(text, { headers: { ...baseHeaders(requestId), 'content-type': contentType } })
    try {
      if (metrics.addresses?.has(client.address) !== true) {
        const mayRead = assertMayRead(request, client, (caller) => (seen = caller))
        await withinTime(mayRead, storeMsMax)
      }
      return answer(await metrics.scrape())
    } catch (error) {
      const about = { requestId, operation: 'metrics' }
      if (error instanceof StoreUnavailable) {
        onInternal(error, about)
        return answer(await metrics.scrapeWithoutStore())
      }
      return errorAnswer(error, requestId, (cause) => onInternal(cause, about), {
        onRefused: (failure) =>
          onRefused(refusalOf(failure, { ...about, client, portalOf: null, caller: seen })),
      })
    }
  }
}

/** @throws StoreUnavailable if the promise has not settled within `ms` */
export async function withinTime<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new StoreUnavailable(`no response within ${ms} ms`)), ms)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
