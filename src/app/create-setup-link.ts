import { randomBytes } from 'node:crypto'
import { newSetupLink } from '#operations/organizations/shared/new-setup-link.ts'
import { onOrganization, type OperatorOptions } from './run-operator-command-for-organization.ts'

/**
 * Replaces the link for the first owner, which may have expired.
 * @returns the link
 * @throws Error with a message for the operator, for example if the server already has an owner
 */
export function makeSetupLink(options: OperatorOptions & { readonly baseUrl: string }): Promise<string> {
  return onOrganization(options, async (rows, { id }) => {
    if (await rows.hasOwner(id)) {
      throw new Error(
        'the organization already has an owner, who can invite others. If all passwords are lost, tollgate token creates a token that can invite (PUT /v1/team/<email>)',
      )
    }
    const ports = { randomByte: () => randomBytes(1)[0] ?? 0, baseUrl: () => options.baseUrl }
    const { link, url } = newSetupLink(id, Date.now(), ports)
    await rows.putSetupLink(link)
    return url
  })
}
