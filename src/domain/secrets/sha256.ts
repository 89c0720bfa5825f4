import { createHash } from 'node:crypto'

/** Returns the SHA-256 of the content in lower-case hex. Secrets are stored and looked up by this hash. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
