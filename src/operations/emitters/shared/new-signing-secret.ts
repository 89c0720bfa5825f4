import type { Ports } from '#operations/kernel/dependencies-of-operations.ts'

/**
 * Number of random bytes in a signing secret. The number is a multiple of three, so that base64 has no padding, which
 * is easily lost when a secret is pasted. Standard Webhooks allows 24 to 64 bytes.
 */
const bytes = 33

/** Returns `whsec_` and base64, the format of Standard Webhooks (docs/reference/standard-webhooks.md "Secrets"). */
export function newSigningSecret({ randomByte }: Pick<Ports, 'randomByte'>): string {
  return `whsec_${Buffer.from(Array.from({ length: bytes }, () => randomByte())).toString('base64')}`
}
