import { randomFillSync, randomInt } from 'node:crypto'
import { idSource } from '#domain/id.ts'
import { foundOrganization } from '#operations/organizations/found.ts'
import { openSqlite } from '#store/sqlite/engine.ts'
import { sqlStore } from '#store/nouns/store.ts'

/**
 * Makes two organizations in an empty data folder and returns the token of each. A server makes only the first one by
 * itself.
 */
export async function twoOrganizations(dataFolder: string): Promise<string[]> {
  const sqlite = await openSqlite({ folder: dataFolder, nowMs: Date.now, onFatal: () => {} })
  const store = sqlStore(sqlite.database)
  const parts = {
    newId: idSource(Date.now, (bytes) => void randomFillSync(bytes)),
    randomByte: () => randomInt(256),
    baseUrl: () => 'http://localhost:8080',
  }
  const tokens = []
  for (const name of ['One', 'Two']) {
    // oxlint-disable-next-line no-await-in-loop -- two of them
    const { token } = await store.transaction((nouns) =>
      foundOrganization(nouns, parts, { name, label: name, nowMs: Date.now() }),
    )
    tokens.push(token)
  }
  await sqlite.close()
  return tokens
}
