import { randomBytes, randomFillSync } from 'node:crypto'
import { idSource } from '#domain/ids-sorted-by-time.ts'
import { newToken } from '#operations/kernel/create-keys-and-tokens.ts'
import { onOrganization, type OperatorOptions } from './run-operator-command-for-organization.ts'

export interface MintedToken {
  readonly token: string
  readonly id: string
  readonly organizationId: string
}

/**
 * For an operator who has lost all other tokens.
 * @throws Error with a message for the operator
 */
export function mintToken(options: OperatorOptions & { readonly label: string }): Promise<MintedToken> {
  return onOrganization(options, async (rows, organization) => {
    const chance = {
      newId: idSource(Date.now, (bytes) => randomFillSync(bytes)),
      randomByte: () => randomBytes(1)[0] ?? 0,
    }
    const made = { label: options.label, role: 'owner' as const, nowMs: Date.now() }
    const { hash, secret, token } = newToken(organization, made, chance)
    await rows.insert({ ...token, hash })
    return { token: secret, id: token.id, organizationId: organization.id }
  })
}
