/** A real OpenID provider on a loopback address, and a browser that signs in with it. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Provider } from 'oidc-provider'
import { listenLocally } from './listen-on-loopback.ts'

export interface Account {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

export interface TestProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Null if the person denies the sign-in. */
  account: Account | null
  isUp: boolean
  /** Sets Tollgate's redirect address, which is known only after the provider's address. */
  register(redirectUri: string): void
  close(): Promise<void>
}

export async function startIdentityProvider(): Promise<TestProvider> {
  const server = createServer()
  const { close, port } = await listenLocally(server)
  const issuer = `http://127.0.0.1:${port}`
  const accounts = new Map<string, Account>()
  let provider: Provider | null = null
  const made: TestProvider = {
    issuer,
    clientId: 'tollgate',
    clientSecret: 'canary-client-secret-of-the-test',
    account: null,
    isUp: true,
    register(redirectUri) {
      provider = providerAt(issuer, made, redirectUri, accounts)
    },
    close,
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!made.isUp || provider === null) {
      response.writeHead(503).end('away')
      return
    }
    if (request.url?.startsWith('/interaction/')) void interact(provider, made, accounts, request, response)
    else void provider.callback()(request, response)
  })
  return made
}

function providerAt(
  issuer: string,
  { clientId, clientSecret }: TestProvider,
  redirectUri: string,
  accounts: ReadonlyMap<string, Account>,
): Provider {
  return new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ['key of the test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...accounts.get(sub), sub }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
}

async function interact(
  provider: Provider,
  { account }: TestProvider,
  accounts: Map<string, Account>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (account === null) {
    await provider.interactionFinished(request, response, { error: 'access_denied' })
    return
  }
  accounts.set(account.sub, account)
  await provider.interactionFinished(request, response, { login: { accountId: account.sub } })
}

/** A browser that supports only redirects and cookies (RFC 6265, 5.3 and 5.4; `__Host-` as in 6265bis, 4.1.3). */
export class TestBrowser {
  readonly #cookies = new Map<string, Map<string, string>>()

  /** @returns the cookies that a request to the address sends */
  cookiesFor(address: string): string {
    const jar = this.#cookies.get(new URL(address).host) ?? new Map<string, string>()
    return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async get(address: string): Promise<Response> {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: this.cookiesFor(address) },
    })
    for (const line of response.headers.getSetCookie()) this.#keep(new URL(address), line)
    return response
  }

  async follow(address: string, isLast: (address: string) => boolean): Promise<string> {
    let at = address
    for (let step = 0; step < 12; step++) {
      if (isLast(at)) return at
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const response = await this.get(at)
      const location = response.headers.get('location')
      // oxlint-disable-next-line no-await-in-loop -- the reason of a failure
      assert(location, `${at} leads nowhere: ${response.status} ${await response.text()}`)
      at = new URL(location, at).href
    }
    throw new Error(`too many redirects, at ${at}`)
  }

  #keep({ host, hostname, protocol }: URL, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const name = pair.slice(0, pair.indexOf('='))
    const has = (attribute: string): boolean =>
      attributes.some((one) => one.toLowerCase() === attribute.toLowerCase())
    const isTrustworthy = protocol === 'https:' || hostname === 'localhost' || hostname === '127.0.0.1'
    if (has('Secure') && !isTrustworthy) return
    const isWhole = has('Secure') && has('Path=/') && !attributes.some((one) => /^domain=/i.test(one))
    if (name.startsWith('__Host-') && !isWhole) return
    const jar = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, jar)
    const isGone = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=.*1970/i.test(one))
    if (isGone) jar.delete(name)
    else jar.set(name, pair.slice(pair.indexOf('=') + 1))
  }
}
