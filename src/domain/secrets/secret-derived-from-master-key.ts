import { createHmac } from 'node:crypto'
import type { KeyRing } from './encrypt-stored-secrets.ts'

/**
 * Returns a secret that is derived from the master key and a purpose. The secret is not stored, but is the same after a
 * restart and in every process. The secret has 256 bits, encoded as base64. The secret changes when another master key
 * becomes the current key.
 */
export function derivedSecret({ currentId, keys }: KeyRing, purpose: string): string {
  const key = keys.get(currentId)
  if (!key) throw new Error('The key ring does not hold its current key.')
  return createHmac('sha256', key).update(`derived secret: ${purpose}`).digest('base64')
}
