import { awsCredentialFault, awsKeysOf } from './aws-credential.ts'
import { googleCredentialFault, googleSecrets, isKeyFile, serviceAccountOf } from './google-credential.ts'
import { kindFacts, type ProviderKind } from './provider-kinds.ts'

interface CredentialForm {
  /** Returns why the text is not a credential of this form, as a sentence. */
  readonly fault: (credential: string) => string | null
  /**
   * Returns the text of which pages show the last four characters. The text is the ID of the access key or of the key
   * file, or the whole API key.
   */
  readonly shown: (credential: string) => string
  /** Returns the secret texts of the credential, which no error message may show, even in part. */
  readonly secrets: (credential: string) => string
  /** Returns the URL in the credential to which requests are sent. */
  readonly url: (credential: string) => string | null
}

const key: CredentialForm = {
  fault: headerFault,
  shown: itself,
  secrets: itself,
  url: () => null,
}

const forms: Readonly<Record<'key' | 'aws' | 'google', CredentialForm>> = {
  key,
  aws: {
    ...key,
    fault: (credential) => headerFault(credential) ?? awsCredentialFault(credential),
    shown: (credential) => awsKeysOf(credential)?.accessKeyId ?? credential,
  },
  google: {
    fault: (credential) =>
      isKeyFile(credential) ? googleCredentialFault(credential) : headerFault(credential),
    shown: (credential) => serviceAccountOf(credential)?.privateKeyId ?? credential,
    secrets: googleSecrets,
    url: (credential) => serviceAccountOf(credential)?.tokenUri ?? null,
  },
}

export function credentialForm(kind: ProviderKind): CredentialForm {
  return forms[kindFacts(kind).credential ?? 'key']
}

/**
 * Checks that the text can be sent as a header value (RFC 9110 5.5) and contains no space. Pasted keys often end with a
 * space.
 */
function headerFault(credential: string): string | null {
  return /^[\x21-\x7e]{1,4096}$/.test(credential)
    ? null
    : 'apiKey must be printable ASCII without spaces, of at most 4,096 characters.'
}

function itself(credential: string): string {
  return credential
}
