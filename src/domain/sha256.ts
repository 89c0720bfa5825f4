import { createHash } from 'node:crypto'

/** SHA-256 of the text as UTF-8, in lower-case hex. Secrets are stored and found by it. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
