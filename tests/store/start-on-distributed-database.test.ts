import { expect, test } from 'vitest'
import { openOnPostgres, openInShardGroups } from '../store-conformance/engines.ts'
import { startMs } from '../store-conformance/add-rows-that-calls-need.ts'
import { hasPostgres, sql } from '../support/start-postgres.ts'

test.runIf(hasPostgres).each([
  { code: '08006', isAway: true },
  { code: '42501', isAway: false },
])('a process starts without new partitions only if a node is down (SQLSTATE $code)', async (error) => {
  const first = await openInShardGroups({ nowMs: () => startMs })
  const args = 'parent text, partition text, from_bound text, to_bound text'
  await sql(
    first.url,
    `CREATE FUNCTION add_partition(${args}) RETURNS void LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '${error.code}'; END $$`,
  )
  const reported: unknown[] = []
  const second = openOnPostgres({
    url: first.url,
    lanes: 1,
    nowMs: () => Date.UTC(2040, 0),
    onSweepFailed: (failure) => reported.push(failure),
  })
  if (error.isAway) {
    await (await second).store.close()
    expect(reported).toMatchObject([{ message: 'injected' }])
  } else await expect(second).rejects.toThrow('injected')
  await first.closeSound()
})
