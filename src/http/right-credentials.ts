import { sha256 } from '#domain/secrets/sha256.ts'

/** Maximum number of remembered credentials. The least recently used is forgotten first. */
export const rememberedMax = 50_000
/** Number of distinct credentials from one address that indicates an untrusted proxy. */
const proxyCredentialsMin = 10
const networksMax = 1_000

/**
 * Credentials that were valid when last used, by their hash.
 *
 * Wrong credentials are limited by address, and many legitimate callers may share an address, such as an office or a
 * proxy. A credential that was valid before is looked up even if its address has used up its wrong attempts, so no
 * stranger can lock out a neighbor. The lookup must still succeed, because nothing is answered from memory.
 */
export class RightCredentials {
  readonly #hashes = new Set<string>()

  has(credential: string): boolean {
    return this.#hashes.has(sha256(credential))
  }

  /** Records the result of a lookup. */
  note(credential: string, isRight: boolean): void {
    const hash = sha256(credential)
    this.#hashes.delete(hash)
    if (!isRight) return
    this.#hashes.add(hash)
    if (this.#hashes.size <= rememberedMax) return
    const [oldest] = this.#hashes
    if (oldest !== undefined) this.#hashes.delete(oldest)
  }
}

/**
 * Detects that many credentials arrive from one address with `X-Forwarded-For` while no proxy is trusted. All callers
 * then share the limits of the proxy's address, because the operator has not set the trusted proxies.
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
