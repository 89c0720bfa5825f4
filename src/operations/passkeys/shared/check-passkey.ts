/**
 * Checks an authenticator's response before the transaction, on committed rows, because the cryptography is slow. The
 * transaction then deletes the challenge, so that a response can be used only once.
 */
import {
  type Expected,
  type NewCredential,
  type Passkey,
  type UsedCredential,
} from '#domain/people/passkeys.ts'
import type { Member } from '#domain/people/member-records.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { PublicContext } from '#operations/kernel/operation-context.ts'
import { type Refused, refused } from '#operations/kernel/returned-error.ts'

type CheckContext = Pick<PublicContext, 'nowMs' | 'ports' | 'store'>
type Rejected = Refused<'passkey_rejected'>

export interface CheckedUse {
  readonly challengeHash: string
  readonly passkey: Passkey
  readonly counter: number
}

export interface CheckedNew {
  readonly challengeHash: string
  readonly made: Pick<Passkey, 'credentialId' | 'publicKey' | 'counter'>
}

/** @param isPersonVerified whether the passkey alone signs in, without the password */
export async function checkUse(
  credential: UsedCredential,
  isPersonVerified: boolean,
  context: CheckContext,
): Promise<CheckedUse | Rejected> {
  const { ports, store } = context
  const challenge = await liveChallenge(credential, null, context)
  if (challenge === null) return staleChallenge()
  const passkey = await store.passkeys.byCredential(credential.id)
  if (!passkey) return rejected('it is not registered here or was removed')
  const used = await ports.passkeys.used(credential, passkey, {
    ...expectedFrom(ports.baseUrl()),
    challenge,
    isPersonVerified,
  })
  if (!used) return rejected('it could not be verified')
  return { challengeHash: sha256(challenge), passkey, counter: used.counter }
}

/** Call this in the transaction of the sign-in. */
export async function noteUse(
  { challengeHash, counter, passkey }: CheckedUse,
  { nowMs, store }: CheckContext,
): Promise<Rejected | null> {
  if (!(await store.passkeys.takeChallenge(challengeHash))) return staleChallenge()
  const use = { from: passkey.counter, to: counter, atMs: nowMs }
  return (await store.passkeys.use(passkey.id, use)) ? null : rejected('it was used or removed concurrently')
}

/** @param memberId the member who requested the challenge; null if it was requested at a sign-in */
export async function checkNew(
  credential: NewCredential,
  memberId: string | null,
  context: CheckContext,
): Promise<CheckedNew | Rejected> {
  const challenge = await liveChallenge(credential, memberId, context)
  if (challenge === null) return staleChallenge()
  const made = await context.ports.passkeys.made(credential, {
    ...expectedFrom(context.ports.baseUrl()),
    challenge,
    isPersonVerified: false,
  })
  return made ? { challengeHash: sha256(challenge), made } : rejected('it could not be verified')
}

/** Call this in the operation's transaction. */
export async function addPasskey(
  { challengeHash, made }: CheckedNew,
  { member, name }: { readonly member: Pick<Member, 'id' | 'organizationId'>; readonly name: string },
  { nowMs, ports, store }: CheckContext,
): Promise<Passkey | Rejected> {
  if (!(await store.passkeys.takeChallenge(challengeHash))) return staleChallenge()
  const passkey: Passkey = {
    id: idOf('psk', ports.newId()),
    organizationId: member.organizationId,
    memberId: member.id,
    name,
    ...made,
    createdAtMs: nowMs,
    lastUsedAtMs: null,
  }
  return (await store.passkeys.insert(passkey)) ? passkey : rejected('it is already registered')
}

export function expectedFrom(baseUrl: string): Pick<Expected, 'origin' | 'rpId'> {
  const { hostname, origin } = new URL(baseUrl)
  return { origin, rpId: hostname }
}

async function liveChallenge(
  { clientDataJson }: Pick<NewCredential, 'clientDataJson'>,
  memberId: string | null,
  { nowMs, store }: CheckContext,
): Promise<string | null> {
  const challenge = challengeIn(clientDataJson)
  if (challenge === null) return null
  const kept = await store.passkeys.challenge(sha256(challenge))
  return kept !== null && kept.memberId === memberId && kept.expiresAtMs > nowMs ? challenge : null
}

function challengeIn(clientDataJson: string): string | null {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8'))
    const challenge: unknown =
      typeof data === 'object' && data !== null ? Reflect.get(data, 'challenge') : null
    return typeof challenge === 'string' ? challenge : null
  } catch {
    return null
  }
}

function staleChallenge(): Rejected {
  return rejected('its challenge was used before or has expired')
}

function rejected(reason: string): Rejected {
  return refused('passkey_rejected', { reason })
}
