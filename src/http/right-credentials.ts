import { sha256 } from '#domain/secrets/sha256.ts'

/** Credentials remembered; the one that has not been used for longest is forgotten first. */
export const rememberedMax = 50_000
/** Distinct credentials from one address, after which a proxy that is not trusted is likely. */
const proxyCredentialsMin = 10
const networksMax = 1_000

/**
 * Credentials that were right when they were last used, by their hash.
 *
 * Wrong credentials are limited by address, and many honest callers may share an address: an office, or everyone
 * behind a proxy. A credential that was right is looked up even if its address has used up its wrong tries, so no
 * stranger can lock out a neighbor. It still has to be right: nothing is answered from memory.
 */
export class RightCredentials {
  readonly #hashes = new Set<string>()

  has(credential: string): boolean {
    return this.#hashes.has(sha256(credential))
  }

  /** Notes the result of a look-up. */
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
 * Notices that many credentials arrive from one address with `X-Forwarded-For`, while no proxy is trusted. Then all
 * callers share the limits of the proxy's address, and the operator has forgotten a setting.
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
