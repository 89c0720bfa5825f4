import { randomFillSync, randomInt } from 'node:crypto'
import { idSource } from '#domain/ids-sorted-by-time.ts'
import type { Role } from '#domain/people/team-roles.ts'
import type { Store } from '#domain/store-interface.ts'
import { foundOrganization } from '#operations/organizations/shared/create-organization.ts'
import { newToken } from '#operations/kernel/create-keys-and-tokens.ts'
import { openPostgres } from '#store/postgres/open-postgres-store.ts'
import { openSqlite } from '#store/sqlite/open-sqlite-store.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'

interface StoppedStore {
  readonly folder: string
  /** The URL of a PostgreSQL database, if the server does not use the embedded store of the folder. */
  readonly databaseUrl?: string | undefined
}

const parts = {
  newId: idSource(Date.now, (bytes) => void randomFillSync(bytes)),
  randomByte: () => randomInt(256),
  baseUrl: () => 'http://localhost:8080',
}

/** A server itself creates only the first organization. */
export function twoOrganizations(folder: string, databaseUrl?: string): Promise<string[]> {
  return withStore({ folder, databaseUrl }, async (store) => {
    const tokens = []
    for (const name of ['One', 'Two']) {
      // oxlint-disable-next-line no-await-in-loop -- two of them
      const { token } = await store.transaction((nouns) =>
        foundOrganization(nouns, parts, { name, label: name, nowMs: Date.now() }),
      )
      tokens.push(token)
    }
    return tokens
  })
}

export function tokenIn(at: StoppedStore, organizationId: string, role: Role): Promise<string> {
  return withStore(at, (store) =>
    store.transaction(async (nouns) => {
      const organization = await nouns.organizations.byId(organizationId)
      if (organization === null) throw new Error(`there is no organization ${organizationId}`)
      const made = newToken(organization, { label: role, role, nowMs: Date.now() }, parts)
      await nouns.tokens.insert(made.token, made.hash)
      return made.secret
    }),
  )
}

async function withStore<T>(
  { databaseUrl, folder }: StoppedStore,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const options = { nowMs: Date.now, onFatal: () => {} }
  const engine = await (databaseUrl === undefined
    ? openSqlite({ ...options, folder })
    : openPostgres({ ...options, url: databaseUrl }))
  try {
    return await work(sqlStore(engine.database))
  } finally {
    await engine.close()
  }
}
