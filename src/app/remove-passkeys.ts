import { onOrganization, type OperatorOptions } from './run-operator-command-for-organization.ts'

/**
 * For example, if the only owner of a server has lost all passkeys.
 * @throws Error with a message for the operator
 */
export function removePasskeys(options: OperatorOptions & { readonly email: string }): Promise<number> {
  return onOrganization(options, async (rows, { id, name }) => {
    const email = options.email.toLowerCase()
    const removed = await rows.removePasskeys(id, email)
    if (removed === null) throw new Error(`${email} is not a member of ${name}`)
    return removed
  })
}
