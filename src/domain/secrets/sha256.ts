import { createHash } from 'node:crypto'

/** SHA-256 in lower-case hex, of a text as UTF-8. Secrets are stored and found by it. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
