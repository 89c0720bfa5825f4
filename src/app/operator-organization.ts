import { existsSync } from 'node:fs'
import { findMasterKey } from '#domain/secrets/master-key.ts'
import { encryptionKeyId } from '#domain/secrets/encryption.ts'
import { sqlitePath } from '#store/sqlite/engine.ts'
import { type OperatorRows, withPostgresRows, withSqliteRows } from '#store/operator-inserts.ts'
import type { StoreLocation } from './store-location.ts'

export interface OperatorOptions {
  readonly location: StoreLocation
  /** Id of an organization; null: the only one. */
  readonly organization: string | null
  /** The data folder and the text of TOLLGATE_MASTER_KEY: where the master key is. */
  readonly keyFolder: string
  readonly masterKey: string | null
}

type Organization = OperatorRows['organizations'][number]

/**
 * Work of the operator on one organization of a store. Write access to the embedded store is proof enough; the
 * address of a database is not, so a database needs the master key too.
 * @throws Error with a sentence for the operator
 */
export async function onOrganization<T>(
  options: OperatorOptions,
  work: (rows: OperatorRows, organization: Organization) => Promise<T>,
): Promise<T> {
  const { location } = options
  if (location.engine === 'postgres') {
    return withPostgresRows(location.url, async (rows) => {
      assertHasKey(rows, options)
      return work(rows, chosen(rows, options))
    })
  }
  if (!existsSync(sqlitePath(location.folder))) throw new Error(`there is no store in ${location.folder}`)
  return withSqliteRows(location.folder, (rows) => work(rows, chosen(rows, options)))
}

function assertHasKey({ sealedCredentials }: OperatorRows, { keyFolder, masterKey }: OperatorOptions): void {
  const ring = findMasterKey(keyFolder, masterKey)
  const isOurs =
    ring !== null && sealedCredentials.every((text) => ring.keys.has(encryptionKeyId(text) ?? ''))
  if (isOurs) return
  throw new Error(
    `a way into a database is made with its master key: give it in TOLLGATE_MASTER_KEY, or name the data folder that has it in TOLLGATE_DATA (now ${keyFolder})`,
  )
}

function chosen({ organizations }: OperatorRows, { organization }: OperatorOptions): Organization {
  const [only, ...others] = organizations
  if (only === undefined)
    throw new Error('no server has been started on this store, so there is no organization yet')
  if (organization === null && others.length === 0) return only
  const named = organizations.find(({ id }) => id === organization)
  if (named !== undefined) return named
  throw new Error(
    `name one of the organizations with --organization: ${organizations.map(({ id, name }) => `${id} (${name})`).join(', ')}`,
  )
}
