import { lineOf, type Key } from '#domain/end-user-keys.ts'
import * as z from 'zod'
import type { RateRule } from '#money/decision-types.ts'
import type { Window } from '#money/periods-and-windows.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Application } from '#domain/application-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Ports } from '#operations/kernel/dependencies-of-operations.ts'
import { mint } from '#operations/kernel/create-keys-and-tokens.ts'
import { keyFields } from './key-response-fields.ts'

export const MintedKey = z
  .object({
    id: keyFields.id,
    key: z.string().meta({ description: 'Secret of the key. The secret is returned once.' }),
    keyPrefix: keyFields.keyPrefix,
    lastFour: keyFields.lastFour,
    name: keyFields.name,
    endUserId: z.string().meta({ description: 'ID of the end user, `eu_…`.' }),
    livemode: keyFields.livemode,
    capMicros: keyFields.capMicros,
    capPeriod: keyFields.capPeriod,
    limits: keyFields.limits,
    tags: keyFields.tags,
    expiresAt: keyFields.expiresAt,
    createdAt: keyFields.createdAt,
  })
  .meta({ id: 'MintedKey', description: 'A new key, with its secret.' })

interface KeyTerms {
  readonly application: Pick<Application, 'id' | 'code'>
  readonly endUser: Pick<EndUser, 'id'>
  readonly mode: Mode
  readonly name: string
  readonly capMicros: bigint | null
  readonly capPeriod: Window
  readonly limits: readonly RateRule[]
  readonly tags: readonly string[]
  readonly expiresAtMs: number | null
  readonly actorType: string
  readonly actorLabel: string | null
  readonly nowMs: number
  /** The key that the new key replaces. If absent, the new key starts a key line. */
  readonly replaces?: Key
}

/** The caller stores the key under `hash`, and returns the secret `minted` only once. */
export function newKey(
  { application, endUser, nowMs, replaces, ...terms }: KeyTerms,
  ports: Pick<Ports, 'newId' | 'randomByte'>,
): { readonly key: Key; readonly hash: string; readonly minted: z.output<typeof MintedKey> } {
  const shape = { kind: 'ak', code: application.code, isTest: terms.mode === 'test' } as const
  const { hash, lastFour, prefix, secret } = mint(shape, ports)
  const key = {
    id: idOf('key', ports.newId()),
    applicationId: application.id,
    endUserId: endUser.id,
    ...terms,
    prefix,
    lastFour,
    createdAtMs: nowMs,
    lastUsedAtMs: null,
    revokedAtMs: null,
    replacedBy: null,
    lineId: replaces ? lineOf(replaces) : null,
    lineActorType: replaces ? (replaces.lineActorType ?? replaces.actorType) : null,
  }
  const minted = {
    id: key.id,
    key: secret,
    keyPrefix: prefix,
    lastFour,
    name: key.name,
    endUserId: endUser.id,
    livemode: key.mode === 'live',
    capMicros: key.capMicros,
    capPeriod: key.capPeriod,
    limits: key.limits,
    tags: [...key.tags],
    expiresAt: key.expiresAtMs,
    createdAt: nowMs,
  }
  return { key, hash, minted }
}
