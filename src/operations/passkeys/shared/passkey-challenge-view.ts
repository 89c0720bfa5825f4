import * as z from 'zod'
import { challengeMs } from '#domain/people/passkeys.ts'
import { networkName } from '#domain/network/address-ranges.ts'
import { randomText } from '#domain/secrets/random-link-and-cookie-secrets.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { PublicContext } from '#operations/kernel/operation-context.ts'
import { Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { expectedFrom } from './check-passkey.ts'

export const ChallengeView = z
  .object({
    challenge: z
      .string()
      .meta({ description: 'Challenge for the authenticator, base64url. Each challenge can be used once.' }),
    rpId: z.string().meta({
      description: 'Relying party ID: the domain that passkeys belong to.',
      examples: ['tollgate.example.com'],
    }),
    userId: z.string().nullable().meta({
      description: 'User handle for a new passkey, base64url. Null if no email address was given.',
    }),
    expiresAt: Timestamp.meta({
      description: 'When the challenge expires, five minutes after it was created.',
    }),
  })
  .meta({ id: 'PasskeyChallenge', description: 'Values that a browser passes to an authenticator.' })

/** @param memberId the member who adds a passkey; null for a sign-in */
export async function newChallenge(
  { email, memberId }: { readonly email: string | null; readonly memberId: string | null },
  { client, nowMs, ports, store }: Pick<PublicContext, 'client' | 'nowMs' | 'ports' | 'store'>,
): Promise<z.output<typeof ChallengeView>> {
  const challenge = randomText(ports)
  const expiresAtMs = nowMs + challengeMs
  const network = networkName(client.address)
  await store.passkeys.putChallenge({ hash: sha256(challenge), memberId, network, expiresAtMs }, nowMs)
  return {
    challenge,
    rpId: expectedFrom(ports.baseUrl()).rpId,
    userId: email === null ? null : userHandleOf(email),
    expiresAt: expiresAtMs,
  }
}

/**
 * All new passkeys of an email address have the same user handle, so that an authenticator stores only one of them. The
 * handle does not reveal whether a member with this address has joined.
 */
function userHandleOf(email: string): string {
  return Buffer.from(sha256(`tollgate passkey of ${email}`), 'hex').toString('base64url')
}
