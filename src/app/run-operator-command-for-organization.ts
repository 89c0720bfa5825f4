import { findMasterKey } from '#domain/secrets/master-key.ts'
import { encryptionKeyId } from '#domain/secrets/encrypt-stored-secrets.ts'
import { type OperatorRows, withPostgresRows, withSqliteRows } from '#store/changes-by-operator-commands.ts'
import type { StoreLocation } from './store-location.ts'

export interface OperatorOptions {
  readonly location: StoreLocation
  /** Null means the only organization. */
  readonly organization: string | null
  /** May contain the master key. */
  readonly keyFolder: string
  /** The value of TOLLGATE_MASTER_KEY, for a data folder without the master key. */
  readonly masterKey: string | null
}

type Organization = OperatorRows['organizations'][number]

/**
 * Runs an operator's work on one organization of a store. For the embedded store, write access to the folder proves
 * that the caller is the operator. The address of a database proves nothing, so the master key is also required.
 * @throws Error with a message for the operator
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
  return withSqliteRows(location.folder, (rows) => work(rows, chosen(rows, options)))
}

function assertHasKey({ sealedCredentials }: OperatorRows, { keyFolder, masterKey }: OperatorOptions): void {
  const ring = findMasterKey(keyFolder, masterKey)
  const isOurs =
    ring !== null && sealedCredentials.every((text) => ring.keys.has(encryptionKeyId(text) ?? ''))
  if (isOurs) return
  throw new Error(
    `this command requires the master key of the database. Set it in TOLLGATE_MASTER_KEY, or set TOLLGATE_DATA to the data folder that contains it (now ${keyFolder})`,
  )
}

function chosen({ organizations }: OperatorRows, { organization }: OperatorOptions): Organization {
  const [only, ...others] = organizations
  if (only === undefined)
    throw new Error(
      'the store has no organization, because no server was started on it. Start the server once',
    )
  if (organization === null && others.length === 0) return only
  const named = organizations.find(({ id }) => id === organization)
  if (named !== undefined) return named
  throw new Error(
    `set --organization to one of the organizations: ${organizations.map(({ id, name }) => `${id} (${name})`).join(', ')}`,
  )
}
