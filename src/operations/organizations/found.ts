import { idOf } from '#domain/id.ts'
import type { Store } from '#domain/store.ts'
import type { Ports } from '#operations/operation.ts'
import { mint, newCode } from '#operations/secrets.ts'

export interface Founded {
  readonly organizationId: string
  /** The first `sk_` token. Shown to the operator now and kept only as a hash. */
  readonly token: string
}

/**
 * Makes an organization and its first token. Not an operation: no credential can ask for it, so it
 * happens where the server is started.
 */
export async function foundOrganization(
  store: Store,
  ports: Pick<Ports, 'newId' | 'randomByte'>,
  { name, label, nowMs }: { readonly name: string; readonly label: string; readonly nowMs: number },
): Promise<Founded> {
  return store.transaction(async (nouns) => {
    const code = await newCode((candidate) => nouns.organizations.isCodeTaken(candidate), ports)
    const organizationId = idOf('org', ports.newId())
    await nouns.organizations.insert({ id: organizationId, code, name, createdAtMs: nowMs })
    const { hash, lastFour, prefix, secret } = mint({ kind: 'sk', code, isTest: false }, ports)
    await nouns.tokens.insert(
      {
        id: idOf('apk', ports.newId()),
        organizationId,
        label,
        prefix,
        lastFour,
        activeApplicationId: null,
        createdAtMs: nowMs,
        lastUsedAtMs: null,
        revokedAtMs: null,
      },
      hash,
    )
    return { organizationId, token: secret }
  })
}
