import { existsSync } from 'node:fs'
import { findMasterKey } from '#domain/secrets/master-key.ts'
import { encryptionKeyId } from '#domain/secrets/encryption.ts'
import { sqlitePath } from '#store/sqlite/engine.ts'
import { type OperatorRows, withPostgresRows, withSqliteRows } from '#store/operator-inserts.ts'
import type { StoreLocation } from './store-location.ts'

export interface OperatorOptions {
  readonly location: StoreLocation
  /** ID of an organization. Null for the only one. */
  readonly organization: string | null
  /** The data folder, and the text of TOLLGATE_MASTER_KEY, one of which has the master key. */
  readonly keyFolder: string
  readonly masterKey: string | null
}

type Organization = OperatorRows['organizations'][number]

/**
 * Runs an operator's work on one organization of a store. Write access to the embedded store is sufficient proof. A
 * database address is not, so a database requires the master key too.
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
