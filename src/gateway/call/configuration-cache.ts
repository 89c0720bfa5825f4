import type { ApplicationConfig, KeyRecord } from '#domain/application-config.ts'
import type { Directory } from '#domain/gateway-directory-interface.ts'
import { Failure } from '#domain/errors.ts'
import { servedName, type ServedName } from './targets-of-model-name.ts'

/**
 * Entries of this cache may be outdated. The reserve transaction therefore reads the version, key and end user again.
 * If the transaction reports a stale entry, the entry is loaded again. The cache needs no polling, and a revocation
 * takes effect with the next reserve in every process.
 *
 * A cached key is found by its whole hash, and only for its own application (docs/reference/threats.md "Cached keys").
 */
export class Configuration {
  readonly #directory: Directory
  readonly #nowMs: () => number
  readonly #configs = new Map<string, ApplicationConfig>()
  /** Running loads for calls. All calls that arrive during a load wait for it. */
  readonly #loading = new Map<string, Promise<ApplicationConfig | null>>()
  /** By the hash of the key. */
  readonly #keys = new Map<string, KeyRecord>()
  readonly #names = new WeakMap<ApplicationConfig, Map<string, ServedName>>()

  constructor(directory: Directory, nowMs: () => number = Date.now) {
    this.#directory = directory
    this.#nowMs = nowMs
  }

  /** Runs for every call, so it returns synchronously if the configuration is cached. */
  config(applicationId: string): ApplicationConfig | Promise<ApplicationConfig | null> {
    const known = this.#configs.get(applicationId)
    // A published price takes effect without a new version, because no stored row changes.
    const isOld =
      known !== undefined && known.pricesChangeAtMs !== null && known.pricesChangeAtMs <= this.#nowMs()
    return known === undefined || isOld ? this.#loadOnce(applicationId) : known
  }

  /** Never reads the store. */
  remembered(applicationId: string, hash: string): Remembered {
    return {
      organizationId: this.#configs.get(applicationId)?.organizationId ?? null,
      endUserId: this.cachedKey(applicationId, hash)?.endUserId ?? null,
    }
  }

  /**
   * Used if the cached configuration may be outdated, and for rejections before the reserve. If the configuration is
   * unchanged, this function reads only its version. Otherwise, any end user could make the process load the
   * configuration again and again, for example with unknown model names.
   */
  async current(applicationId: string): Promise<ApplicationConfig | null> {
    const version = await this.#directory.configVersion(applicationId)
    const isCurrent = (config: ApplicationConfig | null): boolean =>
      config === null || version === null || config.version >= version
    const known = this.#configs.get(applicationId)
    if (known !== undefined && version !== null && isCurrent(known)) return this.config(applicationId)
    const loaded = await this.#loadOnce(applicationId)
    // The load may have begun before the change. A load that begins now reads at least this version.
    return isCurrent(loaded) ? loaded : this.#loadOnce(applicationId)
  }

  /** Never reads the store. */
  cachedKey(applicationId: string, hash: string): KeyRecord | null {
    const known = this.#keys.get(hash)
    return known?.applicationId === applicationId ? known : null
  }

  async key(applicationId: string, hash: string): Promise<KeyRecord | null> {
    return this.cachedKey(applicationId, hash) ?? this.#loadKey(applicationId, hash)
  }

  /**
   * Keeps the cached configuration, so that a rejected key does not make this process compile the model names again.
   */
  storedKey(applicationId: string, hash: string): Promise<KeyRecord | null> {
    if (this.cachedKey(applicationId, hash) !== null) this.#keys.delete(hash)
    return this.#loadKey(applicationId, hash)
  }

  /** Rejected model names are not cached, because a caller can invent any number of them. */
  served({ config, key: { bundleId, mode } }: Plannable, name: string): ServedName | Failure {
    let names = this.#names.get(config)
    if (!names) {
      names = new Map()
      this.#names.set(config, names)
    }
    const id = `${bundleId} ${mode} ${name}`
    const known = names.get(id)
    if (known) return known
    const served = servedName(config, name, bundleId, mode, this.#nowMs())
    if (served instanceof Failure) return served
    // The first name of a Map is the oldest entry.
    if (names.size >= namesMax) names.delete(names.keys().next().value ?? '')
    names.set(id, served)
    return served
  }

  #loadOnce(applicationId: string): Promise<ApplicationConfig | null> {
    const running = this.#loading.get(applicationId)
    if (running !== undefined) return running
    const load = this.#loadConfig(applicationId).finally(() => this.#loading.delete(applicationId))
    this.#loading.set(applicationId, load)
    return load
  }

  async #loadConfig(applicationId: string): Promise<ApplicationConfig | null> {
    const config = await this.#directory.config(applicationId)
    if (config) this.#configs.set(applicationId, config)
    else this.#configs.delete(applicationId)
    return config
  }

  async #loadKey(applicationId: string, hash: string): Promise<KeyRecord | null> {
    const key = await this.#directory.key(applicationId, hash)
    if (key) {
      // The first key of a Map is the oldest entry.
      if (this.#keys.size >= keysMax) this.#keys.delete(this.#keys.keys().next().value ?? '')
      this.#keys.set(hash, key)
    }
    return key
  }
}

const keysMax = 100_000
/** For each application. An entry takes about 4 KB. An application can have millions of pairs of a bundle and a name. */
const namesMax = 20_000

/** A field is null if the cache does not contain it. */
interface Remembered {
  readonly organizationId: string | null
  readonly endUserId: string | null
}

interface Plannable {
  readonly config: ApplicationConfig
  readonly key: Pick<KeyRecord, 'bundleId' | 'mode'>
}
