/**
 * Changes that the operator makes on the machine, possibly while a server uses the store. Each change is one SQL
 * statement.
 */
import type { SetupLink } from '#domain/people/member-records.ts'
import { withClient } from '#store/postgres/connection.ts'
import { withConnection } from '#store/sqlite/connection.ts'
import { pathOfExistingStore } from '#store/sqlite/open-sqlite-store.ts'
import { assertMigrated } from '#store/sqlite/migrate.ts'
import { assertMigratedPostgres } from '#store/postgres/migrate.ts'

export interface OperatorRows {
  readonly organizations: readonly { readonly id: string; readonly code: string; readonly name: string }[]
  /**
   * Encrypted credentials of every organization. An operator may add a token only with a master key that decrypts these
   * credentials.
   */
  readonly sealedCredentials: readonly string[]
  insert(token: NewToken): Promise<void>
  hasOwner(organizationId: string): Promise<boolean>
  putSetupLink(link: SetupLink): Promise<void>
  /** @returns the number of passkeys; null if no such member has joined */
  removePasskeys(organizationId: string, email: string): Promise<number | null>
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
const owners = (place: (i: number) => string): string =>
  `SELECT id FROM members WHERE organization_id = ${place(1)} AND role = 'owner'
   AND joined_at_ms IS NOT NULL AND removed_at_ms IS NULL`
const putLink = (place: (i: number) => string): string =>
  `INSERT INTO setup_links (organization_id, hash, expires_at_ms)
   VALUES (${place(1)}, ${place(2)}, ${place(3)})
   ON CONFLICT (organization_id) DO UPDATE SET hash = excluded.hash, expires_at_ms = excluded.expires_at_ms`
const member = (place: (i: number) => string): string =>
  `SELECT id FROM members WHERE organization_id = ${place(1)} AND email = ${place(2)}
   AND joined_at_ms IS NOT NULL AND removed_at_ms IS NULL`
const removePasskeys = (place: (i: number) => string): string =>
  `DELETE FROM passkeys WHERE member_id = ${place(1)} RETURNING id`
const inSqlite = (): string => '?'
const inPostgres = (i: number): string => `$${i}`

/** @throws if the store does not exist, or if its version differs from this program's version */
export async function withSqliteRows<T>(
  folder: string,
  work: (store: OperatorRows) => Promise<T>,
): Promise<T> {
  return withConnection(pathOfExistingStore(folder), 'write', async (connection) => {
    assertMigrated(connection)
    return work({
      organizations: connection.prepare(organizations).all().map(organizationOf),
      sealedCredentials: connection.prepare(credentials).all().map(credentialOf),
      async insert(token) {
        connection.prepare(insert(inSqlite)).run(...valuesOf(token))
      },
      hasOwner: async (organizationId) => connection.prepare(owners(inSqlite)).all(organizationId).length > 0,
      async putSetupLink({ expiresAtMs, hash, organizationId }) {
        connection.prepare(putLink(inSqlite)).run(organizationId, hash, expiresAtMs)
      },
      async removePasskeys(organizationId, email) {
        const [found] = connection.prepare(member(inSqlite)).all(organizationId, email)
        if (found === undefined) return null
        return connection.prepare(removePasskeys(inSqlite)).all(String(found['id'])).length
      },
    })
  })
}

/** @throws if the database does not respond, or if its version differs from this program's version */
export function withPostgresRows<T>(url: string, work: (store: OperatorRows) => Promise<T>): Promise<T> {
  return withClient({ url, access: 'write', isPatient: true }, async (client) => {
    await assertMigratedPostgres(client)
    return work({
      organizations: (await client.query<Record<string, unknown>>(organizations)).rows.map(organizationOf),
      sealedCredentials: (await client.query<Record<string, unknown>>(credentials)).rows.map(credentialOf),
      async insert(token) {
        await client.query(insert(inPostgres), valuesOf(token))
      },
      hasOwner: async (organizationId) =>
        (await client.query(owners(inPostgres), [organizationId])).rows.length > 0,
      async putSetupLink({ expiresAtMs, hash, organizationId }) {
        await client.query(putLink(inPostgres), [organizationId, hash, expiresAtMs])
      },
      async removePasskeys(organizationId, email) {
        const found = await client.query<{ id: string }>(member(inPostgres), [organizationId, email])
        const [one] = found.rows
        if (one === undefined) return null
        return (await client.query(removePasskeys(inPostgres), [one.id])).rows.length
      },
    })
  })
}

function organizationOf({ code, id, name }: Record<string, unknown>): OperatorRows['organizations'][number] {
  return { id: String(id), code: String(code), name: String(name) }
}

function credentialOf({ sealed_credential: sealed }: Record<string, unknown>): string {
  return String(sealed)
}

function valuesOf(token: NewToken): (string | number)[] {
  const { createdAtMs, hash, id, label, lastFour, organizationId, prefix } = token
  return [id, organizationId, label, hash, prefix, lastFour, createdAtMs]
}
