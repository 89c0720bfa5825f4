/**
 * Sign-ins through the identity provider use two addresses, which are not API operations.
 *
 * - `GET /v1/sessions/oidc` redirects to the provider, with state, nonce and PKCE in a cookie of ten minutes.
 * - `GET /v1/sessions/oidc/callback` receives the browser from the provider, starts the session, and redirects to the
 *   requested page.
 */
import { privateHeaders } from '#domain/cache-charge-and-retry-headers.ts'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import {
  identityPaths,
  type IdentityProvider,
  type OpenSignIn,
} from '#domain/people/identity-provider-interface.ts'
import { sameHostPath } from '#safe-text/same-host-path.ts'
import type { Client } from '#operations/kernel/operation-context.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { memberOfIdentity } from '#operations/sessions/shared/find-member-of-identity.ts'
import { startSession } from '#operations/sessions/shared/start-session.ts'
import { cookieOf, endedCookie, sessionCookie } from './session-cookie-and-csrf.ts'
import type { CallGuard } from './apply-rate-limits-to-caller.ts'
import { errorAnswer } from './error-responses.ts'
import { memberBrowser } from './cookies-of-console-browser.ts'
import { refusalOf } from './record-of-rejected-request.ts'
import type { OperationDeps } from './operation-routes.ts'
import { isNavigation } from '#http/pages/page-response-headers.ts'

export interface IdentityDeps extends Pick<
  OperationDeps,
  'store' | 'ports' | 'nowMs' | 'onInternal' | 'onRefused' | 'devices'
> {
  /** Null if members sign in with passwords only. */
  readonly identityProvider: IdentityProvider | null
}

const cookieName = '__Host-tollgate_oidc'
const minutes = 10

interface About {
  readonly client: Client
  readonly requestId: string
}

type Handler = (request: Request, client: Client) => Promise<Response>

export function identityHandlers(
  deps: IdentityDeps,
  guard: Pick<CallGuard, 'publicCall'>,
): Readonly<Record<keyof typeof identityPaths, Handler>> {
  const { identityProvider: provider, nowMs, onInternal, onRefused, ports, store } = deps
  const redirectUri = (): string => new URL(identityPaths.finish, ports.baseUrl()).href

  const begin = async (url: URL, provided: IdentityProvider): Promise<Response> => {
    const { open, url: to } = await provided.begin(redirectUri())
    const kept = { ...open, returnPath: returnPathOf(url.searchParams.get('returnPath')) }
    const text = Buffer.from(JSON.stringify(kept)).toString('base64url')
    return redirect(to, [['set-cookie', sessionCookie(cookieName, text, minutes * 60)]])
  }

  const finish = async (
    request: Request,
    provided: IdentityProvider,
    { client, requestId }: About,
  ): Promise<Response> => {
    const open = openSignIn(cookieOf(request.headers, cookieName))
    if (open === null) {
      const reason = `this browser did not start a sign-in within the last ${minutes} minutes`
      throw new Failure('identity_provider_failed', { reason })
    }
    // Use the configured address of this server, which must equal the address that was sent to the provider.
    const callback = new URL(new URL(request.url).search, redirectUri())
    const identity = await provided.finish(callback, open)
    const headers: [string, string][] = [['set-cookie', endedCookie(cookieName)]]
    await store.transaction(async (nouns) => {
      const now = { nowMs: nowMs(), store: nouns }
      const member = await memberOfIdentity(identity, provided.allowedDomains, now)
      if (member instanceof Refused) throw member.failure
      // No operation handles this request, so write the audit row here.
      const browser = memberBrowser(request.headers, null, headers, deps)
      const context = { ...now, ports, client, browser, actAs: () => {} }
      const { id } = await startSession(member, context)
      await nouns.audit.insert({
        id: idOf('aud', ports.newId()),
        organizationId: member.organizationId,
        applicationId: null,
        mode: 'live',
        createdAtMs: now.nowMs,
        actorKind: 'member',
        actorId: member.id,
        actorLabel: member.email,
        address: client.address,
        operationId: 'sessions.oidc',
        resource: `GET ${identityPaths.finish}`,
        requestId,
        before: null,
        after: JSON.stringify({ id }),
        externalId: null,
      })
    })
    return redirect(open.returnPath, headers)
  }

  const answering =
    (work: (request: Request, provided: IdentityProvider, about: About) => Promise<Response>): Handler =>
    async (request, client) => {
      const requestId = idOf('req', ports.newId())
      try {
        guard.publicCall({ ...client, portalOf: null })
        if (provider === null) throw new Failure('no_identity_provider')
        const response = await work(request, provider, { client, requestId })
        response.headers.set('x-request-id', requestId)
        return response
      } catch (error) {
        const about = { requestId, operation: 'sessions.oidc' }
        const answer = errorAnswer(error, requestId, (cause) => onInternal(cause, about), {
          onRefused: (failure) =>
            onRefused(refusalOf(failure, { ...about, client, portalOf: null, caller: null })),
        })
        return isNavigation(request, new URL(request.url).pathname) ? toSignIn(answer, requestId) : answer
      }
    }
  return {
    begin: answering((request, provided) => begin(new URL(request.url), provided)),
    finish: answering(finish),
  }
}

/** Redirects to the sign-in page, which shows a message for each error code. */
async function toSignIn(answer: Response, requestId: string): Promise<Response> {
  const { error } = (await answer.json()) as { readonly error: { readonly code: string } }
  return redirect(`/sign-in?${new URLSearchParams({ error: error.code, requestId }).toString()}`, [
    ['x-request-id', requestId],
  ])
}

function redirect(to: string, headers: readonly [string, string][]): Response {
  const response = new Response(null, {
    status: 303,
    headers: { ...privateHeaders, location: to, 'referrer-policy': 'no-referrer' },
  })
  for (const [name, value] of headers) response.headers.append(name, value)
  return response
}

/** If the requested path is too long for a cookie or belongs to another host, returns the path of the first page. */
function returnPathOf(asked: unknown): string {
  return (typeof asked === 'string' && asked.length <= 512 ? sameHostPath(asked) : null) ?? '/'
}

/** Null if the cookie is absent, or if this server did not create it. */
function openSignIn(cookie: string | null): (OpenSignIn & { readonly returnPath: string }) | null {
  try {
    const kept: unknown = JSON.parse(Buffer.from(cookie ?? '', 'base64url').toString('utf8'))
    if (typeof kept !== 'object' || kept === null) return null
    const { codeVerifier, nonce, returnPath, state } = kept as Readonly<Record<string, unknown>>
    if (typeof codeVerifier !== 'string' || typeof nonce !== 'string' || typeof state !== 'string')
      return null
    return { codeVerifier, nonce, state, returnPath: returnPathOf(returnPath) }
  } catch {
    return null
  }
}
