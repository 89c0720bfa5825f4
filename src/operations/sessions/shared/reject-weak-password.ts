import { weakness } from '#domain/people/find-weak-passwords.ts'
import type { Nouns } from '#domain/store-interface.ts'
import { type Refused, refused } from '#operations/kernel/returned-error.ts'

/**
 * The product has the same name in every installation, so attackers would try it in passwords. End users have no
 * passwords, so the names of portals are not needed.
 */
const productName = 'Tollgate'

/**
 * Rejects a new password that attackers would try first.
 * @param param the request field that contains the password
 */
export async function refuseWeak(
  password: string,
  owner: { readonly email: string; readonly name: string | null; readonly organizationId: string },
  { organizations }: Pick<Nouns, 'organizations'>,
  param: string,
): Promise<Refused<'invalid_request'> | null> {
  const organization = await organizations.byId(owner.organizationId)
  const names = [productName, organization?.name, owner.name].flatMap((name) => name ?? [])
  const why = weakness(password, { email: owner.email, names })
  return why === null ? null : refused('invalid_request', { reason: `${param} ${why}` }, param)
}
