import * as z from 'zod'
import type { Window } from '#money/period.ts'
import { idOf } from '#domain/id.ts'
import type { Mode } from '#domain/application-config.ts'
import { lineOf, type Application, type EndUser, type Key } from '#domain/records.ts'
import type { Ports } from '#operations/ports.ts'
import { Micros, Period, Timestamp } from '#operations/schemas.ts'
import { mint } from '#operations/secrets.ts'

/** The response to a created key, with its secret. */
export const MintedKey = z
  .object({
    id: z.string().meta({ description: 'ID of the key, `key_…`.' }),
    key: z.string().meta({ description: 'Secret of the key. It is returned once.' }),
    keyPrefix: z.string().meta({ description: 'First characters of the secret. Safe to show.' }),
    lastFour: z.string().meta({ description: 'Last four characters of the secret. Safe to show.' }),
    name: z.string().meta({ description: 'Display name of the key.' }),
    endUserId: z.string().meta({ description: 'ID of the end user, `eu_…`.' }),
    livemode: z
      .boolean()
      .meta({ description: 'Whether the key is a live key. Test keys never reach a provider.' }),
    capMicros: Micros.nullable().meta({
      description: 'Maximum spend per `capPeriod`, in micros. Null means no cap.',
    }),
    capPeriod: Period.meta({
      description: 'Calendar period (UTC) after which the cap resets. With `total`, the cap never resets.',
    }),
    expiresAt: Timestamp.nullable().meta({ description: 'When the key expires. Null if it never expires.' }),
    createdAt: Timestamp.meta({ description: 'When the key was created.' }),
  })
  .meta({ id: 'MintedKey', description: 'A new key, with its secret.' })

interface KeyTerms {
  readonly application: Pick<Application, 'id' | 'code'>
  readonly endUser: Pick<EndUser, 'id'>
  readonly mode: Mode
  readonly name: string
  readonly capMicros: bigint | null
  readonly capPeriod: Window
  readonly expiresAtMs: number | null
  readonly actorType: string
  readonly actorLabel: string | null
  readonly nowMs: number
  /** The key that this one replaces, in the same line of keys. If absent, the key starts a line of its own. */
  readonly replaces?: Key
}

/** Returns a new key of an end user. The caller stores it under `hash` and returns `minted` once. */
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
    expiresAt: key.expiresAtMs,
    createdAt: nowMs,
  }
  return { key, hash, minted }
}
