import { sha256 } from '#domain/secrets/sha256.ts'

/**
 * If this many distinct credentials arrive from one address, the address probably belongs to a proxy that is not
 * trusted.
 */
const proxyCredentialsMin = 10
const networksMax = 1_000

/**
 * Detects many credentials from one address with `X-Forwarded-For`, although no proxy is trusted. Until the operator
 * sets the trusted proxies, all callers behind the proxy share the limits of its address.
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
