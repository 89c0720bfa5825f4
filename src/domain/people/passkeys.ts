/** Passkeys: WebAuthn credentials with which members sign in, alone or after the password. */
import type { Page, Rows } from '#domain/records.ts'

export interface Passkey {
  readonly id: string
  readonly organizationId: string
  readonly memberId: string
  /** Display name. */
  readonly name: string
  /** Base64url, as the authenticator names it. */
  readonly credentialId: string
  /** COSE key, base64url. */
  readonly publicKey: string
  /** Number of uses, as the authenticator counts them. 0 means that it does not count. */
  readonly counter: number
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
}

export interface PasskeyChallenge {
  /** SHA-256 of the challenge. */
  readonly hash: string
  /** The member who may answer it with a new passkey. Null if it is answered at a sign-in. */
  readonly memberId: string | null
  /** Network that requested the challenge. */
  readonly network: string
  readonly expiresAtMs: number
}

export const challengeMs = 300_000
/**
 * Limits of open challenges, for one network and for all. Beyond a limit the oldest are deleted, so no one is locked
 * out.
 */
export const challengesMax = { network: 20, all: 10_000 } as const
/** Passkeys of a member. */
export const passkeysMax = 20

export interface Passkeys {
  /** @returns false if another passkey has the credential */
  insert(passkey: Passkey): Promise<boolean>
  byId(organizationId: string, id: string): Promise<Passkey | null>
  /** Searches all organizations. */
  byCredential(credentialId: string): Promise<Passkey | null>
  countOf(memberId: string): Promise<number>
  list(memberId: string, page: Page): Promise<Rows<Passkey>>
  rename(id: string, name: string): Promise<void>
  remove(id: string): Promise<void>
  removeOfMember(memberId: string): Promise<void>
  /** Records a use. @returns false if another use came first */
  use(
    id: string,
    use: { readonly from: number; readonly to: number; readonly atMs: number },
  ): Promise<boolean>
  /** Deletes expired challenges, and the oldest beyond `challengesMax`. */
  putChallenge(challenge: PasskeyChallenge, nowMs: number): Promise<void>
  /** Also finds expired challenges. */
  challenge(hash: string): Promise<PasskeyChallenge | null>
  /** @returns false if another request has taken it */
  takeChallenge(hash: string): Promise<boolean>
  /** Whether members need a passkey to sign in with a password. */
  isRequired(organizationId: string): Promise<boolean>
  setRequired(organizationId: string, isRequired: boolean): Promise<void>
}

/** An authenticator's response when it creates a passkey, in base64url. */
export interface NewCredential {
  readonly id: string
  readonly clientDataJson: string
  readonly attestationObject: string
}

/** An authenticator's response at a sign-in, in base64url. */
export interface UsedCredential {
  readonly id: string
  readonly clientDataJson: string
  readonly authenticatorData: string
  readonly signature: string
}

export interface Expected {
  readonly challenge: string
  readonly origin: string
  /** Domain of the origin. */
  readonly rpId: string
  /** Whether the authenticator must have recognized the person, by a PIN or a fingerprint. */
  readonly isPersonVerified: boolean
}

/** Verifies responses of authenticators (WebAuthn level 2, 7.1 and 7.2). Null if the response is invalid. */
export interface PasskeyVerifier {
  made(
    credential: NewCredential,
    expected: Expected,
  ): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter'> | null>
  /** A counter that does not increase is invalid. */
  used(
    credential: UsedCredential,
    passkey: Pick<Passkey, 'credentialId' | 'publicKey' | 'counter'>,
    expected: Expected,
  ): Promise<Pick<Passkey, 'counter'> | null>
}
