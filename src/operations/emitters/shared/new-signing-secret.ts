import type { Ports } from '#operations/kernel/dependencies-of-operations.ts'

/**
 * A multiple of three gives base64 without padding, which is easily lost when a secret is pasted. Standard Webhooks
 * allows 24 to 64 bytes.
 */
const bytes = 33

/** Standard Webhooks requires `whsec_` and base64 (docs/reference/standard-webhooks.md "Secrets"). */
export function newSigningSecret({ randomByte }: Pick<Ports, 'randomByte'>): string {
  return `whsec_${Buffer.from(Array.from({ length: bytes }, () => randomByte())).toString('base64')}`
}
