import type { PasskeyVerifier } from '#domain/people/passkeys.ts'

/**
 * EdDSA, ES256 and RS256, as the pages ask for them. By default the library asks Node for more, and
 * Node then writes warnings into the log.
 */
const algorithms = [-8, -7, -257]

/** Verifies by a library, which is loaded with the first passkey: few servers need it. */
export const passkeyVerifier: PasskeyVerifier = {
  async made({ attestationObject, clientDataJson, id }, { challenge, isPersonVerified, origin, rpId }) {
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
    try {
      const { registrationInfo } = await verifyRegistrationResponse({
        response: {
          id,
          rawId: id,
          type: 'public-key',
          clientExtensionResults: {},
          response: { clientDataJSON: clientDataJson, attestationObject },
        },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: isPersonVerified,
        supportedAlgorithmIDs: algorithms,
      })
      if (registrationInfo === undefined) return null
      const { counter, id: credentialId, publicKey } = registrationInfo.credential
      return { credentialId, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
    } catch {
      // It throws for everything that is not right, in words of its own.
      return null
    }
  },
  async used(credential, { counter, credentialId, publicKey }, expected) {
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
    const { authenticatorData, clientDataJson, id, signature } = credential
    try {
      const { authenticationInfo, verified } = await verifyAuthenticationResponse({
        response: {
          id,
          rawId: id,
          type: 'public-key',
          clientExtensionResults: {},
          response: { clientDataJSON: clientDataJson, authenticatorData, signature },
        },
        expectedChallenge: expected.challenge,
        expectedOrigin: expected.origin,
        expectedRPID: expected.rpId,
        credential: {
          id: credentialId,
          publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
          counter,
        },
        requireUserVerification: expected.isPersonVerified,
      })
      return verified ? { counter: authenticationInfo.newCounter } : null
    } catch {
      return null
    }
  },
}
