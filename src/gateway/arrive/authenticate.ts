import { hash } from 'node:crypto'
import { Failure } from '#domain/errors.ts'
import { networkName } from '#domain/network/address-ranges.ts'
import { parseSecret } from '#domain/secrets/key-and-token-format.ts'
import type { ApplicationConfig, KeyRecord } from '#domain/application-config.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import { clientAddress } from './client-address.ts'
import { credentialOf } from './key-in-request-headers.ts'

/**
 * Finds the caller of a request. The Host header selects the application. The key's kind, shape and checksum are
 * checked before any look-up. Every invalid key gets the same response, unless its network has sent too many wrong
 * keys. Returns synchronously if the configuration and the key are cached, which is the usual case.
 * @throws Failure `unknown_host`, `application_archived`, `missing_credential`, `wrong_credential_kind`, `invalid_key`,
 *   `conflicting_credentials`, `signature_not_supported`, `rate_limited`
 */
export function authenticate(arrival: Arrival): Caller | Promise<Caller> {
  const config = arrival.configuration.config(arrival.applicationId)
  return config instanceof Promise
    ? config.then((loaded) => callerIn(arrival, loaded))
    : callerIn(arrival, config)
}

/**
 * Reads the caller from the store. All requests that find the same change load the new configuration together.
 * @throws Failure `unknown_host`, `application_archived`, `invalid_key`
 */
export async function authenticateAgain(arrival: Arrival, { keyHash }: Caller): Promise<Caller> {
  const { applicationId, configuration } = arrival
  const [config, key] = await Promise.all([
    configuration.current(applicationId),
    configuration.storedKey(applicationId, keyHash),
  ])
  return callerWith(inService(config), key, keyHash)
}

function callerIn(arrival: Arrival, found: ApplicationConfig | null): Caller | Promise<Caller> {
  const config = inService(found)
  const secret = credentialOf(arrival.response.req)
  const parsed = parseSecret(secret)
  if (parsed?.kind === 'sk' || secret.startsWith('sk_'))
    throw new Failure('wrong_credential_kind', { here: 'This is a gateway.' })
  if (!parsed || parsed.code !== config.code) throw new Failure('invalid_key')
  const keyHash = hash('sha256', secret, 'hex')
  const key = arrival.configuration.cachedKey(arrival.applicationId, keyHash)
  return key === null ? newCaller(arrival, config, keyHash) : callerWith(config, key, keyHash)
}

/** A wrong key counts toward the limit of the client's network. */
async function newCaller(arrival: Arrival, config: ApplicationConfig, keyHash: string): Promise<Caller> {
  const { applicationId, configuration, ports, response, wrongKeys } = arrival
  const place = `${networkName(clientAddress(response.req, ports.trustedProxies) ?? '')} ${applicationId}`
  const key = (await wrongKeys.isWrong(place, keyHash))
    ? null
    : await configuration.key(applicationId, keyHash)
  if (key === null) wrongKeys.note(place)
  return callerWith(config, key, keyHash)
}

/** @throws Failure `unknown_host`, `application_archived` */
export function inService(config: ApplicationConfig | null): ApplicationConfig {
  if (!config) throw new Failure('unknown_host')
  if (config.isArchived) throw new Failure('application_archived', { slug: config.slug })
  return config
}

function callerWith(config: ApplicationConfig, key: KeyRecord | null, keyHash: string): Caller {
  if (!key) throw new Failure('invalid_key')
  return { config, key, keyHash }
}

/**
 * Returns why the key's owner may not send any request, in the order of the reserve's checks
 * (money/caller-eligibility.ts). Used only for rejections before the reserve. The reason reveals nothing about models
 * and bundles.
 */
export function callerFault(key: KeyRecord, nowMs: number): Failure | null {
  return key.isFrozen ? new Failure('end_user_frozen', { limitSource: 'end_user' }) : keyFault(key, nowMs)
}

export function keyFault({ revokedAtMs, expiresAtMs }: KeyRecord, nowMs: number): Failure | null {
  if (revokedAtMs !== null) return failureAt('key_revoked', revokedAtMs)
  return expiresAtMs !== null && expiresAtMs <= nowMs ? failureAt('key_expired', expiresAtMs) : null
}

function failureAt(code: 'key_revoked' | 'key_expired', atMs: number): Failure {
  return new Failure(code, { limitSource: 'key', at: new Date(atMs).toISOString() })
}
