import { randomBytes, randomFillSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { idOf, idSource } from '#domain/id.ts'
import { findMasterKey } from '#domain/master-key.ts'
import { encryptionKeyId } from '#domain/encryption.ts'
import { mint } from '#operations/secrets.ts'
import { sqlitePath } from '#store/sqlite/engine.ts'
import { type TokenStore, withPostgresTokens, withSqliteTokens } from '#store/add-token.ts'
import type { StorePlace } from './store-location.ts'

export interface TokenOptions {
  readonly place: StorePlace
  readonly label: string
  /** Id of an organization; null: the only one there is. */
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
 * A control-plane token for whoever runs the server, when all others are lost. Who may write the embedded store
 * has everything already; who knows the address of a database has to have the master key as well.
 * @throws Error with a sentence for the operator
 */
export async function mintToken(options: TokenOptions): Promise<MintedToken> {
  const { place } = options
  if (place.engine === 'postgres') {
    return withPostgresTokens(place.url, async (store) => {
      assertHasKey(store, options)
      return minted(store, options)
    })
  }
  if (!existsSync(sqlitePath(place.folder))) throw new Error(`there is no store in ${place.folder}`)
  return withSqliteTokens(place.folder, (store) => minted(store, options))
}

function assertHasKey({ sealedCredentials }: TokenStore, { keyFolder, masterKey }: TokenOptions): void {
  const ring = findMasterKey(keyFolder, masterKey)
  const isOurs =
    ring !== null && sealedCredentials.every((text) => ring.keys.has(encryptionKeyId(text) ?? ''))
  if (isOurs) return
  throw new Error(
    `a token for a database is minted by who has its master key: give that in TOLLGATE_MASTER_KEY, or name the data folder that has it in TOLLGATE_DATA (now ${keyFolder})`,
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
  const newId = idSource(Date.now, (bytes) => randomFillSync(bytes))
  const shape = { kind: 'sk', code: chosen.code, isTest: false } as const
  const { hash, lastFour, prefix, secret } = mint(shape, { randomByte: () => randomBytes(1)[0] ?? 0 })
  const id = idOf('apk', newId())
  await store.insert({
    id,
    organizationId: chosen.id,
    label,
    hash,
    prefix,
    lastFour,
    createdAtMs: Date.now(),
  })
  return { token: secret, id, organizationId: chosen.id }
}
