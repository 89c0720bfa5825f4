/** The access keys of an AWS account, which sign requests (providers/aws-signature.ts). */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Null for keys that do not expire. */
  readonly sessionToken: string | null
}

/**
 * Reads `<access key ID>:<secret access key>`, with `:<session token>` for temporary keys. The parts of the credential
 * do not contain colons.
 * @returns null if the text is an API key instead
 */
export function awsKeysOf(credential: string): AwsKeys | null {
  const [accessKeyId = '', secretAccessKey = '', sessionToken, ...others] = credential.split(':')
  if (!/^A[A-Z0-9]{15,127}$/.test(accessKeyId) || secretAccessKey === '' || others.length > 0) return null
  return sessionToken === '' ? null : { accessKeyId, secretAccessKey, sessionToken: sessionToken ?? null }
}

export function awsCredentialFault(credential: string): string | null {
  const keys = awsKeysOf(credential)
  if (keys?.accessKeyId.startsWith('ASIA') === true && keys.sessionToken === null)
    return 'apiKey contains temporary access keys without their session token. Append :<session token>.'
  if (keys !== null || !credential.includes(':')) return null
  return 'apiKey must be a Bedrock API key, or <access key ID>:<secret access key>, with :<session token> for temporary keys.'
}

/**
 * Returns the AWS region in a host name, such as `us-west-2` in `bedrock-runtime.us-west-2.amazonaws.com`. If the host
 * name contains no region, as for a proxy, returns `us-east-1`.
 */
export function awsRegionOf(hostname: string): string {
  return hostname.split('.').find((label) => region.test(label)) ?? 'us-east-1'
}

const region = /^[a-z]{2,4}(?:-[a-z]+)+-\d$/
