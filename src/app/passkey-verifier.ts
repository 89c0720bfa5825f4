import type { PasskeyVerifier } from '#domain/people/passkeys.ts'

/**
 * EdDSA, ES256 and RS256, which the pages request. By default, the library accepts more algorithms, for which Node
 * writes warnings into the log.
 */
const algorithms = [-8, -7, -257]

/** The library is loaded when the first passkey is used, because few servers need it. */
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
