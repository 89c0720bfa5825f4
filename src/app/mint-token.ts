import { randomBytes, randomFillSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { idSource } from '#domain/id.ts'
import { findMasterKey } from '#domain/master-key.ts'
import { encryptionKeyId } from '#domain/encryption.ts'
import { newToken } from '#operations/secrets.ts'
import { sqlitePath } from '#store/sqlite/engine.ts'
import { type TokenStore, withPostgresTokens, withSqliteTokens } from '#store/add-token.ts'
import type { StoreLocation } from './store-location.ts'

export interface TokenOptions {
  readonly location: StoreLocation
  readonly label: string
  /** Id of an organization; null: the only one. */
  readonly organization: string | null
  /** The data folder and the text of TOLLGATE_MASTER_KEY: where the master key is. */
  readonly keyFolder: string
  readonly masterKey: string | null
}

export interface MintedToken {
  readonly token: string
  readonly id: string
  readonly organizationId: string
}

/**
 * Mints a control-plane token for the operator when all others are lost. Write access to the embedded store
 * is proof enough; the address of a database is not, so a database needs the master key too.
 * @throws Error with a sentence for the operator
 */
export async function mintToken(options: TokenOptions): Promise<MintedToken> {
  const { location } = options
  if (location.engine === 'postgres') {
    return withPostgresTokens(location.url, async (store) => {
      assertHasKey(store, options)
      return minted(store, options)
    })
  }
  if (!existsSync(sqlitePath(location.folder))) throw new Error(`there is no store in ${location.folder}`)
  return withSqliteTokens(location.folder, (store) => minted(store, options))
}

function assertHasKey({ sealedCredentials }: TokenStore, { keyFolder, masterKey }: TokenOptions): void {
  const ring = findMasterKey(keyFolder, masterKey)
  const isOurs =
    ring !== null && sealedCredentials.every((text) => ring.keys.has(encryptionKeyId(text) ?? ''))
  if (isOurs) return
  throw new Error(
    `a token for a database is minted with its master key: give it in TOLLGATE_MASTER_KEY, or name the data folder that has it in TOLLGATE_DATA (now ${keyFolder})`,
  )
}

async function minted(store: TokenStore, { label, organization }: TokenOptions): Promise<MintedToken> {
  const { organizations } = store
  const [only, ...others] = organizations
  if (only === undefined)
    throw new Error('no server has been started on this store, so there is no organization yet')
  const chosen =
    organization === null
      ? others.length === 0
        ? only
        : undefined
      : organizations.find(({ id }) => id === organization)
  if (chosen === undefined) {
    throw new Error(
      `name one of the organizations with --organization: ${organizations.map(({ id, name }) => `${id} (${name})`).join(', ')}`,
    )
  }
  const chance = {
    newId: idSource(Date.now, (bytes) => randomFillSync(bytes)),
    randomByte: () => randomBytes(1)[0] ?? 0,
  }
  const { hash, secret, token } = newToken(chosen, { label, role: 'owner', nowMs: Date.now() }, chance)
  await store.insert({ ...token, hash })
  return { token: secret, id: token.id, organizationId: chosen.id }
}
