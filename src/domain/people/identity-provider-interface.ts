/**
 * The URL path where a sign-in through the identity provider begins, and the path to which the provider sends the
 * browser back.
 */
export const identityPaths = { begin: '/v1/sessions/oidc', finish: '/v1/sessions/oidc/callback' } as const

/** An identity provider (OpenID Connect) as the control plane uses it for sign-ins. */
export interface IdentityProvider {
  /**
   * Begins a sign-in at the identity provider.
   * @param redirectUri the URL to which the provider sends the browser afterwards
   * @throws Failure identity_provider_failed
   */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly open: OpenSignIn }>
  /**
   * Completes a sign-in at the identity provider.
   * @param callback the whole URL, with its query, to which the provider has sent the browser
   * @throws Failure identity_provider_failed
   */
  finish(callback: URL, open: OpenSignIn): Promise<Identity>
  /** The provider's URL, which identifies the provider. */
  readonly issuer: string
  /** Domains of email addresses that the provider may confirm. Null means any domain. */
  readonly allowedDomains: readonly string[] | null
}

/** The state that the browser keeps during the sign-in, so that no other browser can complete the sign-in. */
export interface OpenSignIn {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** The identity of a member at the identity provider. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** Email address in lower case. Null if the provider does not confirm an address. */
  readonly verifiedEmail: string | null
  readonly name: string | null
}
