import { Pool } from 'pg'
import { expect, test } from 'vitest'
import type { RequestRecord } from '#domain/ledger-interface.ts'
import { evenShardGroups } from '#tests/support/equal-shard-groups.ts'
import type { LedgerEngine } from '#store/ledger/operations-and-results.ts'
import { LedgerQueue } from '#store/ledger/ledger-queue.ts'
import { RenewedMap } from '#store/ledger/map-for-many-deletions.ts'
import { LateDays } from './days-with-late-settles.ts'
import { PostgresLedger } from './ledger-divided-among-lanes.ts'
import { ShardGroups } from './shard-groups.ts'
import { OrphanedUsage } from './shut-down-declared-dead-process.ts'

/** The database does not respond. */
const engine: LedgerEngine = {
  run: () => new Promise(() => {}),
  resolve: () => new Promise(() => {}),
}

const record: RequestRecord = {
  callId: 'call',
  applicationId: 'app',
  mode: 'live',
  endUserId: null,
  keyId: null,
  alias: null,
  tags: null,
  target: null,
  wire: 'chat',
  streamed: false,
  status: 'released',
  httpStatus: 502,
  errorCode: null,
  atMs: 1,
  latencyMs: 1,
  firstByteMs: null,
  trace: '{}',
}

test('the ledger is busy only while all lanes are busy, so that a slow lane does not delay the end users of other lanes', () => {
  const [slow, other] = [new LedgerQueue(engine), new LedgerQueue(engine)]
  const owners = new RenewedMap<never>()
  const ledger = new PostgresLedger([slow, other], new ShardGroups(evenShardGroups(1)), {
    owners,
    // No function of this test connects to the database.
    left: new OrphanedUsage({ pool: new Pool(), nowMs: () => 0, calls: owners, onFatal: () => {} }),
    lateDays: new LateDays(''),
    ownedBy: () => Promise.resolve(new Set()),
  })
  const fill = (lane: LedgerQueue, count: number): void => {
    for (let n = 0; n < count; n++) void lane.release({ callId: String(n), nowMs: 0, record })
  }
  fill(slow, 5_000)
  fill(other, 255)
  expect(ledger.isBusyFor('app')).toBe(false)
  fill(other, 1)
  expect(ledger.isBusyFor('app')).toBe(true)
})
