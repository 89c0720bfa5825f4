import { sha256 } from '#domain/secrets/sha256.ts'

/** If an address sends this many distinct credentials, it is probably a proxy that is not configured as trusted. */
const proxyCredentialsMin = 10
const networksMax = 1_000

/**
 * Detects that many credentials arrive from one address with `X-Forwarded-For` while no proxy is trusted. All callers
 * behind the proxy share the limits of its address until the operator sets the trusted proxies.
 */
export class UntrustedProxies {
  readonly #seen = new Map<string, Set<string>>()
  readonly #onFound: (address: string) => void

  /** @param onFound called once for each address */
  constructor(onFound: (address: string) => void) {
    this.#onFound = onFound
  }

  note(address: string, credential: string): void {
    const known = this.#seen.get(address)
    if (known === undefined && this.#seen.size >= networksMax) return
    const credentials = known ?? new Set<string>()
    if (credentials.size >= proxyCredentialsMin) return
    credentials.add(sha256(credential))
    this.#seen.set(address, credentials)
    if (credentials.size === proxyCredentialsMin) this.#onFound(address)
  }
}
