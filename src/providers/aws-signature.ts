import { createHash, createHmac } from 'node:crypto'
import type { AwsKeys } from '#domain/accounts/aws-credential.ts'
import type { ByteText } from '#wire/text/byte-text.ts'

interface Signed {
  readonly path: string
  readonly body: ByteText
  /** The headers have lower-case names and include `host`. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Signs a POST with AWS Signature Version 4 (docs/reference/wires.md "Bedrock"). The text to sign contains the path
 * encoded a second time, as for all services except S3.
 */
export function awsSignature(
  { body, headers, path }: Signed,
  { accessKeyId, secretAccessKey, sessionToken }: AwsKeys,
  { nowMs, region, service }: { readonly nowMs: number; readonly region: string; readonly service: string },
): string[] {
  const time = `${new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[:-]/g, '')}Z`
  const day = time.slice(0, 8)
  const added = {
    'x-amz-date': time,
    ...(sessionToken !== null && { 'x-amz-security-token': sessionToken }),
  }
  const signed = Object.entries({ ...headers, ...added }).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const request = [
    'POST',
    path.split('/').map(encoded).join('/'),
    '',
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    createHash('sha256').update(body, 'latin1').digest('hex'),
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')
  let key: Buffer = Buffer.from(`AWS4${secretAccessKey}`)
  for (const part of [day, region, service, 'aws4_request', text])
    key = createHmac('sha256', key).update(part).digest()
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${key.toString('hex')}`
  return [...Object.entries(added).flat(), 'authorization', authorization]
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The unreserved characters of RFC 3986 are not encoded. */
function encoded(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
