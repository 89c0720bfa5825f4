/**
 * Passkeys are WebAuthn credentials. A member signs in with a passkey instead of a password, or with a password and
 * then a passkey.
 */
import type { Page, Rows } from '#domain/list-page.ts'

export interface Passkey {
  readonly id: string
  readonly organizationId: string
  readonly memberId: string
  readonly name: string
  /** The ID that the authenticator gave the credential, base64url. */
  readonly credentialId: string
  /** Public key in COSE format, base64url. */
  readonly publicKey: string
  /** Number of uses, as the authenticator counts them. 0 means that the authenticator does not count. */
  readonly counter: number
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
}

export interface PasskeyChallenge {
  readonly hash: string
  /** The member who may use the challenge to add a passkey. Null if the challenge is for a sign-in. */
  readonly memberId: string | null
  readonly network: string
  readonly expiresAtMs: number
}

export const challengeMs = 300_000
/**
 * Maximum number of open challenges, from one network and in total. If more challenges are open, the oldest challenges
 * are deleted, so that members can always request a new challenge.
 */
export const challengesMax = { network: 20, all: 10_000 } as const
export const passkeysMax = 20

export interface Passkeys {
  /** @returns false if another passkey already has this credential */
  insert(passkey: Passkey): Promise<boolean>
  byId(organizationId: string, id: string): Promise<Passkey | null>
  /** Searches the passkeys of all organizations. */
  byCredential(credentialId: string): Promise<Passkey | null>
  countOf(memberId: string): Promise<number>
  list(memberId: string, page: Page): Promise<Rows<Passkey>>
  rename(id: string, name: string): Promise<void>
  remove(id: string): Promise<void>
  removeOfMember(memberId: string): Promise<void>
  /** Records a use of the passkey. @returns false if another use of the passkey was recorded in the meantime */
  use(
    id: string,
    use: { readonly from: number; readonly to: number; readonly atMs: number },
  ): Promise<boolean>
  /** Also deletes expired challenges, and the oldest challenges beyond `challengesMax`. */
  putChallenge(challenge: PasskeyChallenge, nowMs: number): Promise<void>
  /** Returns the challenge even if it has expired. */
  challenge(hash: string): Promise<PasskeyChallenge | null>
  /** @returns false if another request has already taken the challenge */
  takeChallenge(hash: string): Promise<boolean>
  /**
   * Whether every sign-in with a password also requires a passkey. If false, the passkey is required only of members
   * who have a passkey.
   */
  isRequired(organizationId: string): Promise<boolean>
  setRequired(organizationId: string, isRequired: boolean): Promise<void>
}

/** All values are base64url. */
export interface NewCredential {
  readonly id: string
  readonly clientDataJson: string
  readonly attestationObject: string
}

/** All values are base64url. */
export interface UsedCredential {
  readonly id: string
  readonly clientDataJson: string
  readonly authenticatorData: string
  readonly signature: string
}

export interface Expected {
  readonly challenge: string
  readonly origin: string
  /** Domain of the page's origin. */
  readonly rpId: string
  /** Whether the authenticator must have recognized the person, by a PIN or a fingerprint. */
  readonly isPersonVerified: boolean
}

/**
 * Verifies responses of authenticators (WebAuthn level 2, 7.1 and 7.2). The result is null if the response is invalid.
 */
export interface PasskeyVerifier {
  made(
    credential: NewCredential,
    expected: Expected,
  ): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter'> | null>
  /** The response is valid only if the authenticator's count of uses is higher than before. */
  used(
    credential: UsedCredential,
    passkey: Pick<Passkey, 'credentialId' | 'publicKey' | 'counter'>,
    expected: Expected,
  ): Promise<Pick<Passkey, 'counter'> | null>
}
