/** The URL paths where a sign-in begins, and where the identity provider sends the browser back. */
export const identityPaths = { begin: '/v1/sessions/oidc', finish: '/v1/sessions/oidc/callback' } as const

export interface IdentityProvider {
  /**
   * @param redirectUri the URL to which the provider sends the browser afterwards
   * @throws Failure identity_provider_failed
   */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly open: OpenSignIn }>
  /**
   * @param callback the whole URL, with its query, to which the provider has sent the browser
   * @throws Failure identity_provider_failed
   */
  finish(callback: URL, open: OpenSignIn): Promise<Identity>
  readonly issuer: string
  /** Domains of email addresses that the provider may confirm. */
  readonly allowedDomains: readonly string[] | null
}

/** The state that the browser keeps during the sign-in, so that no other browser can complete the sign-in. */
export interface OpenSignIn {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** Email address in lower case. Null if the provider does not confirm an address. */
  readonly verifiedEmail: string | null
  readonly name: string | null
}
