import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Failure } from '#domain/errors.ts'
import { parseSecret } from '#domain/secret.ts'
import type { KeyRecord, ApplicationConfig } from '#domain/application-config.ts'
import type { Configuration } from '#gateway/decide/configuration.ts'
import { credentialOf } from './credential.ts'

export interface Caller {
  readonly key: KeyRecord
  /** SHA-256 of the whole key, under which it is remembered. */
  readonly keyHash: string
}

/**
 * Who calls: the end user whose key this is, in the application whose host this is. Kind, shape and
 * checksum are judged before any look-up, and everything that is wrong with a key gets the one answer.
 * @throws Failure `missing_credential`, `wrong_credential_kind`, `invalid_key`, `conflicting_credentials`
 */
export function authenticate(
  request: IncomingMessage,
  config: ApplicationConfig,
  configuration: Configuration,
): Caller | Promise<Caller> {
  const secret = credentialOf(request)
  const parsed = parseSecret(secret)
  if (parsed?.kind === 'sk' || secret.startsWith('sk_'))
    throw new Failure('wrong_credential_kind', { here: 'a gateway' })
  if (!parsed || parsed.code !== config.code) throw new Failure('invalid_key')
  const keyHash = hash('sha256', secret, 'hex')
  const key = configuration.key(config.applicationId, keyHash)
  return key instanceof Promise ? key.then((found) => callerOf(found, keyHash)) : callerOf(key, keyHash)
}

/**
 * Why whoever has this key may not call at all; null: nothing is known against them. In the order of the
 * reserve (money/eligibility.ts), for what is refused before it is reached: nothing of models and bundles is
 * said then.
 */
export function callerFault(key: KeyRecord, nowMs: number): Failure | null {
  return key.isFrozen ? new Failure('end_user_frozen', { limitSource: 'end_user' }) : keyFault(key, nowMs)
}

/** Why a key takes no part any more, whatever it asks for; null: nothing is known against it. */
export function keyFault({ revokedAtMs, expiresAtMs }: KeyRecord, nowMs: number): Failure | null {
  if (revokedAtMs !== null) return failureAt('key_revoked', revokedAtMs)
  return expiresAtMs !== null && expiresAtMs <= nowMs ? failureAt('key_expired', expiresAtMs) : null
}

function failureAt(code: 'key_revoked' | 'key_expired', atMs: number): Failure {
  return new Failure(code, { limitSource: 'key', at: new Date(atMs).toISOString() })
}

function callerOf(key: KeyRecord | null, keyHash: string): Caller {
  if (!key) throw new Failure('invalid_key')
  return { key, keyHash }
}
