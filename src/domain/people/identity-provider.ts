/** Where a browser begins to sign in by it, and where it comes back to. */
export const identityPaths = { begin: '/v1/sessions/oidc', finish: '/v1/sessions/oidc/callback' } as const

/** An identity provider that people may sign in by (OpenID Connect), as the control plane asks it. */
export interface IdentityProvider {
  /**
   * Begins a sign-in.
   * @param redirectUri where the provider sends the browser afterwards
   * @throws Failure identity_provider_failed
   */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly open: OpenSignIn }>
  /**
   * Ends it.
   * @param callback the address, with its query, to which the provider has sent the browser
   * @throws Failure identity_provider_failed
   */
  finish(callback: URL, open: OpenSignIn): Promise<Identity>
  /** Its address, which names it. */
  readonly issuer: string
  /** Domains of e-mail addresses that it may vouch for; null: any. */
  readonly allowedDomains: readonly string[] | null
}

/** What the browser keeps meanwhile, so that nobody else can end the sign-in. */
export interface OpenSignIn {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** Who somebody is to the provider. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** Lower case; null: the provider does not vouch for one. */
  readonly verifiedEmail: string | null
  readonly name: string | null
}
