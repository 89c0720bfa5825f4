import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { Nouns, Store } from '#domain/store-interface.ts'
import type { Ports } from '#operations/kernel/dependencies-of-operations.ts'
import { newToken, newCode } from '#operations/kernel/create-keys-and-tokens.ts'
import { newSetupLink } from './new-setup-link.ts'

export interface Founded {
  readonly organizationId: string
  /** Shown to the operator once. Only its hash is stored. */
  readonly token: string
  /** For the first owner. The link works once and expires after an hour. Only the hash of its secret is stored. */
  readonly setupUrl: string
}

type FoundPorts = Pick<Ports, 'newId' | 'randomByte' | 'baseUrl'>

/** Null if an organization exists already, because another process may have created it. */
export async function foundFirstOrganization(
  store: Store,
  ports: FoundPorts,
  first: First,
): Promise<Founded | null> {
  if ((await store.read.organizations.count()) > 0) return null
  return store.transaction(async (nouns) =>
    (await nouns.organizations.count()) > 0 ? null : foundOrganization(nouns, ports, first),
  )
}

interface First {
  readonly name: string
  readonly label: string
  readonly nowMs: number
}

/** The server calls this function at startup, when no credential for an API operation exists yet. */
export async function foundOrganization(
  nouns: Nouns,
  ports: FoundPorts,
  { label, name, nowMs }: First,
): Promise<Founded> {
  const code = await newCode((candidate) => nouns.organizations.isCodeTaken(candidate), ports)
  const organization = { id: idOf('org', ports.newId()), code, name, createdAtMs: nowMs }
  await nouns.organizations.insert(organization)
  const { hash, secret, token } = newToken(organization, { label, nowMs, role: 'owner' }, ports)
  await nouns.tokens.insert(token, hash)
  const { link, url } = newSetupLink(organization.id, nowMs, ports)
  await nouns.members.putSetupLink(link)
  return { organizationId: organization.id, token: secret, setupUrl: url }
}
