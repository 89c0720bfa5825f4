import { createPrivateKey } from 'node:crypto'

/**
 * The key of a Google service account, which signs requests for access tokens
 * (providers/service-account-token-request.ts).
 */
export interface ServiceAccount {
  readonly projectId: string
  readonly clientEmail: string
  readonly privateKeyId: string
  /** RSA key in PEM. */
  readonly privateKey: string
  readonly tokenUri: string
}

const names = {
  projectId: 'project_id',
  clientEmail: 'client_email',
  privateKeyId: 'private_key_id',
  privateKey: 'private_key',
  tokenUri: 'token_uri',
} as const

/** @returns null if the text is an API key instead */
export function serviceAccountOf(credential: string): ServiceAccount | null {
  const fields = fieldsOf(credential)
  if (fields === null) return null
  return {
    projectId: textIn(fields, names.projectId),
    clientEmail: textIn(fields, names.clientEmail),
    privateKeyId: textIn(fields, names.privateKeyId),
    privateKey: textIn(fields, names.privateKey),
    tokenUri: textIn(fields, names.tokenUri),
  }
}

/** The URL in the key file (`token_uri`) is not checked. */
export function googleCredentialFault(credential: string): string | null {
  if (!isKeyFile(credential)) return null
  const fields = fieldsOf(credential)
  if (fields === null) return 'apiKey is not valid JSON. Send the whole key file of a service account.'
  if (textIn(fields, 'type') !== 'service_account')
    return 'apiKey must be an API key, or the key file of a service account, whose type is service_account.'
  const missing = Object.values(names).filter((name) => textIn(fields, name) === '')
  if (missing.length > 0) return `The key file in apiKey lacks ${missing.join(', ')}.`
  if (!/^[\w.:-]+$/.test(textIn(fields, names.projectId)))
    return 'The project_id of the key file in apiKey is not the ID of a project.'
  return isRsaKey(textIn(fields, names.privateKey))
    ? null
    : 'The private_key of the key file in apiKey is not an RSA key in PEM.'
}

export function googleSecrets(credential: string): string {
  const account = serviceAccountOf(credential)
  if (account === null) return credential
  const { clientEmail, privateKey, privateKeyId, projectId } = account
  // Omit the header and footer of the PEM key, because harmless messages contain the same words.
  const key = privateKey.replaceAll(/-----[^-]*-----/g, '')
  return [key, privateKeyId, clientEmail, projectId].join('\n')
}

/** No API key begins with a brace. */
export function isKeyFile(credential: string): boolean {
  return credential.trimStart().startsWith('{')
}

function fieldsOf(credential: string): ReadonlyMap<string, unknown> | null {
  if (!isKeyFile(credential)) return null
  try {
    const json: unknown = JSON.parse(credential)
    return typeof json === 'object' && json !== null ? new Map(Object.entries(json)) : null
  } catch {
    return null
  }
}

function textIn(fields: ReadonlyMap<string, unknown>, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
