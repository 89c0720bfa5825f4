/** Adds a control-plane token to a store that a server may be serving meanwhile: one row, in one statement. */
import { withClient } from '#store/postgres/connection.ts'
import { withConnection } from '#store/sqlite/connection.ts'
import { sqlitePath } from '#store/sqlite/engine.ts'
import { assertMigrated } from '#store/sqlite/migrate.ts'
import { assertMigratedPostgres } from '#store/postgres/migrate.ts'

export interface TokenStore {
  readonly organizations: readonly { readonly id: string; readonly code: string; readonly name: string }[]
  /** Of every organization: the master key that opens these proves the right to add a token. */
  readonly sealedCredentials: readonly string[]
  insert(token: NewToken): Promise<void>
}

export interface NewToken {
  readonly id: string
  readonly organizationId: string
  readonly label: string
  readonly hash: string
  readonly prefix: string
  readonly lastFour: string
  readonly createdAtMs: number
}

const organizations = 'SELECT id, code, name FROM organizations ORDER BY id'
const credentials = 'SELECT sealed_credential FROM provider_accounts WHERE sealed_credential IS NOT NULL'
const insert = (place: (i: number) => string): string =>
  `INSERT INTO tokens (id, organization_id, label, hash, prefix, last_four, created_at_ms)
   VALUES (${Array.from({ length: 7 }, (_, i) => place(i + 1)).join(', ')})`

/** @throws when there is no such store, or its version differs from this program's */
export function withSqliteTokens<T>(folder: string, work: (store: TokenStore) => Promise<T>): Promise<T> {
  return withConnection(sqlitePath(folder), 'write', async (connection) => {
    assertMigrated(connection)
    return work({
      organizations: connection.prepare(organizations).all().map(organizationOf),
      sealedCredentials: connection.prepare(credentials).all().map(credentialOf),
      async insert(token) {
        connection.prepare(insert(() => '?')).run(...valuesOf(token))
      },
    })
  })
}

/** @throws when the database does not answer, or its version differs from this program's */
export function withPostgresTokens<T>(url: string, work: (store: TokenStore) => Promise<T>): Promise<T> {
  return withClient({ url, access: 'write', isPatient: true }, async (client) => {
    await assertMigratedPostgres(client)
    return work({
      organizations: (await client.query<Record<string, unknown>>(organizations)).rows.map(organizationOf),
      sealedCredentials: (await client.query<Record<string, unknown>>(credentials)).rows.map(credentialOf),
      async insert(token) {
        await client.query(
          insert((i) => `$${i}`),
          valuesOf(token),
        )
      },
    })
  })
}

function organizationOf({ code, id, name }: Record<string, unknown>): TokenStore['organizations'][number] {
  return { id: String(id), code: String(code), name: String(name) }
}

function credentialOf({ sealed_credential: sealed }: Record<string, unknown>): string {
  return String(sealed)
}

function valuesOf(token: NewToken): (string | number)[] {
  const { createdAtMs, hash, id, label, lastFour, organizationId, prefix } = token
  return [id, organizationId, label, hash, prefix, lastFour, createdAtMs]
}
