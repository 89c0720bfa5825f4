import { sign } from 'node:crypto'
import type { ServiceAccount } from '#domain/accounts/google-credential.ts'
import type { TokenGrant } from './dialect-interface.ts'

/** Google rejects signed requests with a longer lifetime. */
const lifetimeSeconds = 3_600

export function serviceAccountGrant({
  clientEmail,
  privateKey,
  privateKeyId,
  tokenUri,
}: ServiceAccount): TokenGrant {
  return {
    url: tokenUri,
    form(nowMs) {
      const iat = Math.floor(nowMs / 1_000)
      const head = { alg: 'RS256', typ: 'JWT', kid: privateKeyId }
      const claims = { iss: clientEmail, scope, aud: tokenUri, iat, exp: iat + lifetimeSeconds }
      const text = `${encoded(head)}.${encoded(claims)}`
      const signature = sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')
      return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: `${text}.${signature}` }
    },
  }
}

const scope = 'https://www.googleapis.com/auth/cloud-platform'

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
