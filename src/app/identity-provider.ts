import * as client from 'openid-client'
import { Failure } from '#domain/errors.ts'
import type { IdentityProvider } from '#domain/people/identity-provider-interface.ts'
import type { Logger } from '#domain/log-interface.ts'
import type { OidcConfig } from './server-configuration.ts'

const timeoutSeconds = 10

/**
 * The first sign-in reads the provider's configuration. If this fails, the next sign-in tries again. The operator sets
 * the address of the provider, so private addresses are allowed.
 */
export function identityProvider(config: OidcConfig, log: Logger): IdentityProvider {
  /** Logs the library's message instead of the text that the provider sent. */
  const failed = (reason: string, cause: unknown): Failure => {
    const message = cause instanceof Error ? cause.message : null
    log.warn({ reason, cause: message }, 'sign-in with the identity provider failed')
    return new Failure('identity_provider_failed', { reason }, { cause })
  }
  let discovered: Promise<client.Configuration> | null = null
  const provider = (): Promise<client.Configuration> => {
    discovered ??= discover(config).catch((cause: unknown) => {
      discovered = null
      throw failed('it does not respond, or it is not an OpenID provider', cause)
    })
    return discovered
  }
  return {
    issuer: config.issuer,
    allowedDomains: config.allowedDomains,
    async begin(redirectUri) {
      const metadata = await provider()
      const codeVerifier = client.randomPKCECodeVerifier()
      const open = { state: client.randomState(), nonce: client.randomNonce(), codeVerifier }
      const url = client.buildAuthorizationUrl(metadata, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: open.state,
        nonce: open.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, open }
    },
    async finish(callback, { codeVerifier, nonce, state }) {
      const metadata = await provider()
      const checks = { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce }
      try {
        const tokens = await client.authorizationCodeGrant(metadata, callback, checks)
        const claims = tokens.claims()
        if (claims === undefined) throw new Error('the response has no ID token')
        const { iss, sub } = claims
        // The ID token may omit the email address (OpenID Connect Core, 5.4).
        const about =
          claims['email'] === undefined
            ? await client.fetchUserInfo(metadata, tokens.access_token, sub)
            : claims
        const { email, email_verified: isVerified, name } = about
        const isVouchedFor = typeof email === 'string' && isVerified === true
        return {
          issuer: iss,
          subject: sub,
          verifiedEmail: isVouchedFor ? email.toLowerCase() : null,
          name: typeof name === 'string' && name !== '' ? name.slice(0, 128) : null,
        }
      } catch (cause) {
        throw failed(reasonOf(cause), cause)
      }
    },
  }
}

function discover({ clientId, clientSecret, issuer }: OidcConfig): Promise<client.Configuration> {
  const address = new URL(issuer)
  const insecure = address.protocol === 'http:' ? [client.allowInsecureRequests] : []
  // A provider accepts the client secret in the Authorization header unless it states otherwise (RFC 8414, section 2).
  const authentication: client.ClientAuth = (server, ...request) => {
    const isBasic = server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true
    const send = isBasic ? client.ClientSecretBasic : client.ClientSecretPost
    send(clientSecret)(server, ...request)
  }
  return client.discovery(address, clientId, undefined, authentication, {
    timeout: timeoutSeconds,
    // Verify the signature of an ID token instead of relying on the connection over which it arrived.
    execute: [...insecure, client.enableNonRepudiationChecks],
  })
}

/**
 * Returns the provider's error code only if it has the standard form, because the provider's message may contain
 * anything.
 */
function reasonOf(cause: unknown): string {
  if (cause instanceof client.AuthorizationResponseError) {
    return /^[a-z_]{1,40}$/.test(cause.error) ? `it returned ${cause.error}` : 'it rejected the request'
  }
  if (cause instanceof client.ResponseBodyError) return 'it rejected the authorization code'
  return 'its response does not belong to this sign-in'
}
