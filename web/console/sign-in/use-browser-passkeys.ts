import type { NewCredential, PasskeyChallenge, UsedCredential } from '#sdk/generated/types.ts'

/** EdDSA, ES256 and RS256, which the server can verify. */
const algorithms = [-8, -7, -257]
const timeout = 240_000

export const arePasskeysKnown = typeof PublicKeyCredential !== 'undefined'

/** @throws Error with a message for the user */
export async function makePasskey(
  { challenge, rpId, userId }: PasskeyChallenge,
  email: string,
): Promise<NewCredential> {
  const made = await asked(
    navigator.credentials.create({
      publicKey: {
        challenge: bytesOf(challenge),
        rp: { id: rpId, name: 'Tollgate' },
        user: { id: bytesOf(userId ?? ''), name: email, displayName: email },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        // A member can use a discoverable passkey without typing an address.
        authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
        attestation: 'none',
        timeout,
      },
    }),
  )
  const response = made.response as AuthenticatorAttestationResponse
  return {
    id: made.id,
    clientDataJson: textOf(response.clientDataJSON),
    attestationObject: textOf(response.attestationObject),
  }
}

/**
 * @param userVerification `required` to sign in without a password
 * @throws Error with a message for the user
 */
export async function answerWithPasskey(
  { challenge, rpId }: PasskeyChallenge,
  userVerification: 'required' | 'preferred',
): Promise<UsedCredential> {
  const used = await asked(
    navigator.credentials.get({
      publicKey: { challenge: bytesOf(challenge), rpId, userVerification, timeout },
    }),
  )
  const response = used.response as AuthenticatorAssertionResponse
  return {
    id: used.id,
    clientDataJson: textOf(response.clientDataJSON),
    authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature),
  }
}

const noPasskey = 'No passkey was used. Try again, or use another device.'

async function asked(asking: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await asking
    if (credential instanceof PublicKeyCredential) return credential
  } catch (error) {
    if (error instanceof DOMException && error.name === 'SecurityError') {
      throw new Error('Passkeys don’t work at this address. Open the console at its public URL.', {
        cause: error,
      })
    }
    // Browsers do not report whether the user canceled or has no passkey.
    throw new Error(noPasskey, { cause: error })
  }
  throw new Error(noPasskey)
}

function bytesOf(base64Url: string): Uint8Array<ArrayBuffer> {
  const letters = atob(base64Url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(letters, (letter) => letter.codePointAt(0) ?? 0)
}

function textOf(bytes: ArrayBuffer): string {
  const letters = Array.from(new Uint8Array(bytes), (byte) => String.fromCodePoint(byte)).join('')
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
