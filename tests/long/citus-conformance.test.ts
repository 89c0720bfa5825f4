/**
 * Runs the conformance suite of the store, its random histories and the failures of each step on Citus with two nodes.
 * In every second file, Citus plans the statements of batches. In all other files, batches use the tables of their
 * shard. concurrent-calls-from-several-processes.test.ts and crashes-of-processes-and-databases.test.ts test races and
 * crashes of several processes.
 */
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '#store/postgres/connection.ts'
import { useDatabases } from '../store-conformance/engines.ts'
import {
  type Citus,
  emptied,
  hasCitus,
  isDistributed,
  rowsOf,
  startCitus,
  tasksOf,
} from '../support/start-citus-cluster.ts'
import { recordTransactions, type SentStatement } from '../support/record-ledger-statements.ts'

const tests = join(import.meta.dirname, '..')
/**
 * The teams of the excluded suites have members on several shards, which Citus does not allow. citus-teams.test.ts
 * tests teams whose members are on one shard.
 */
const exclude = ['store-conformance/{pools,wallet}-shared-in-teams.test.ts']
const files = globSync(
  ['store-conformance/*.test.ts', 'store/{disk-faults,random-histories-of-many-end-users}.test.ts'],
  {
    cwd: tests,
    exclude,
  },
)

describe.skipIf(!hasCitus)('on Citus', () => {
  let citus: Citus
  let restore: () => Promise<void>
  const transactions = hasCitus ? recordTransactions() : []
  const sent = new Map<string, SentStatement>()
  beforeAll(async () => {
    citus = await startCitus()
    restore = await emptied(citus)
  })
  afterEach(() => {
    for (const statement of transactions.splice(0).flat()) sent.set(statement.text, statement)
  })
  afterAll(() => citus.end())
  useDatabases('Citus', async () => {
    await restore()
    return { url: citus.url, drop: async () => {} }
  })

  for (const [at, file] of files.toSorted().entries()) {
    const { href } = pathToFileURL(join(tests, file))
    describe(`tests of ${basename(file, '.test.ts')}`, async () => {
      // Without the function hold_shard, batches do not use the tables of their shard, so Citus plans the statements.
      if (at % 2 === 0) {
        const rename = (from: string, to: string): Promise<unknown> =>
          rowsOf(citus.ownerUrl, `ALTER FUNCTION ${from}(int8) RENAME TO ${to}`)
        beforeAll(() => rename('hold_shard', 'hold_shard_later'))
        afterAll(() => rename('hold_shard_later', 'hold_shard'))
      }
      await import(href)
    })
  }

  test('Citus runs each distributed statement of the suites as one task', async () => {
    const distributed = [...sent.values()].filter(isDistributed)
    await withClient({ url: citus.url, access: 'read' }, async (client) => {
      for (const statement of distributed) {
        // oxlint-disable-next-line no-await-in-loop -- one connection
        const { count, plan } = await tasksOf(client, statement)
        expect(count, `${statement.name}: ${plan}`).toBe(1)
      }
    })
    console.log(
      `${distributed.length} statements: ${[...new Set(distributed.map(({ name }) => name))].toSorted().join(' ')}`,
    )
    expect(distributed.length).toBeGreaterThan(20)
  })
})
