import * as z from 'zod'

const Base64Url = (charsMax: number) =>
  z
    .string()
    .max(charsMax)
    .regex(/^[A-Za-z0-9_-]+$/, { error: 'must be base64url without padding' })

const CredentialId = Base64Url(1_400).meta({
  description: '`id` of the credential that the browser returned, base64url.',
})
const ClientData = Base64Url(8_192).meta({
  description: '`response.clientDataJSON` of the credential, base64url.',
})

export const NewCredentialInput = z
  .strictObject({
    id: CredentialId,
    clientDataJson: ClientData,
    attestationObject: Base64Url(32_768).meta({
      description: '`response.attestationObject` of the credential, base64url.',
    }),
  })
  .meta({
    id: 'NewCredential',
    description: 'Result of `navigator.credentials.create` for the challenge.',
  })

export const UsedCredentialInput = z
  .strictObject({
    id: CredentialId,
    clientDataJson: ClientData,
    authenticatorData: Base64Url(8_192).meta({
      description: '`response.authenticatorData` of the credential, base64url.',
    }),
    signature: Base64Url(4_096).meta({ description: '`response.signature` of the credential, base64url.' }),
  })
  .meta({ id: 'UsedCredential', description: 'Result of `navigator.credentials.get` for the challenge.' })
