/**
 * Runs batches of made-up calls before the process serves requests, so that V8 has compiled the code that runs a batch.
 * All batches belong to one transaction that is rolled back. No row remains, and no other process sees or waits for a
 * row.
 */
import { randomFillSync } from 'node:crypto'
import type { Client } from 'pg'
import { idSource } from '#domain/ids-sorted-by-time.ts'
import type { RequestRecord, ReserveRequest } from '#domain/ledger-interface.ts'
import type { CallBound, Quote } from '#money/decision-types.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import type { Operation } from '#store/ledger/operations-and-results.ts'
import { EndedHours } from '#store/ledger/hour-sums-of-ended-calls.ts'
import { RenewedMap } from '#store/ledger/map-for-many-deletions.ts'
import { type LaneOptions, PostgresLane } from './batch-engine.ts'
import { withClient } from './connection.ts'
import type { Sent } from './send-statements-together.ts'
import { type CallOwners, PrefetchHints } from './predict-rows-for-batch.ts'
import { StoredQuotes } from './stored-quotes.ts'

/** More batches would hardly make the code faster. */
const batches = 100
const callsOfBatch = 12
const endUsers = 100
/** If the database is slow, the process starts before all code is compiled. */
const batchesMsMax = 2_000

const creditMicros = 1_000_000_000n
const model = 'model'
const target = { accountId: 'pa_rehearsal', provider: 'openai_compatible', model }
const price = { input: 1_000_000n, output: 1_000_000n }
const quote: Omit<Quote, 'id'> = {
  cost: price,
  sell: price,
  basis: 'provider_cost',
  credits: null,
  policy: 'hard_token',
  maxOverdraftMicros: 0n,
}
const bound: CallBound = {
  alias: model,
  textTokens: 100,
  audioTokens: 0,
  imageTokens: 0,
  outputTokens: 100,
  choices: 1,
  serviceTier: null,
  canReport: { cacheWrite: true, cacheWriteLong: true, audioOutput: true, imageOutput: true },
}

interface RehearsalOptions extends Pick<
  LaneOptions,
  'epoch' | 'groups' | 'lateDays' | 'months' | 'shardKeys'
> {
  readonly url: string
  readonly nowMs: () => number
}

/**
 * Call this function before the process runs its first batch. @throws an error if the database rejects the rows or a
 * batch
 */
export async function rehearse({ url, ...options }: RehearsalOptions): Promise<void> {
  await withClient({ url, access: 'write', isPipelined: true, isPlannedOnce: true }, async (client) => {
    await client.query('BEGIN')
    await runBatches(client, options)
    await client.query('ROLLBACK')
  })
}

async function runBatches(client: Client, options: Omit<RehearsalOptions, 'url'>): Promise<void> {
  const { epoch, groups, lateDays, months, nowMs, shardKeys } = options
  const newId = idSource(nowMs, randomFillSync)
  const names = namesOf(newId())
  const [shardKey = ''] = shardKeys
  const lane = shardKeys.length
  for (const { text, values } of rowsFor(names, { epoch, lane, shardKey, nowMs: nowMs() }))
    // oxlint-disable-next-line no-await-in-loop -- rows refer to the rows before them
    await client.query(text, [...values])
  const owners: CallOwners = new RenewedMap()
  const engine = new PostgresLane(lane, {
    epoch,
    groups,
    months,
    shardKeys: [...shardKeys, shardKey],
    connect: () => Promise.resolve({ client, tables: null }),
    owners,
    hints: new PrefetchHints(),
    quotes: new StoredQuotes(client, groups.isDistributed),
    lateDays,
    ended: new EndedHours(),
    onFatal: () => {},
    isPartOfTransaction: true,
  })
  const endMs = performance.now() + batchesMsMax
  let open: readonly ReserveRequest[] = []
  for (let done = 0; done < batches && performance.now() < endMs; done++) {
    const reserves = Array.from({ length: callsOfBatch }, (_, at) =>
      reserveOf(names, { callId: newId(), n: (done * callsOfBatch + at) % endUsers, nowMs: nowMs() }),
    )
    for (const { callId, endUserId, keyId, mode } of reserves)
      owners.set(callId, { endUserId, keyId, mode, outcome: null })
    const operations: Operation[] = [
      ...open.map((request): Operation => ({ kind: 'settle', request: settleOf(request, nowMs()) })),
      ...reserves.map((request): Operation => ({ kind: 'reserve', request })),
    ]
    // oxlint-disable-next-line no-await-in-loop -- each batch ends the calls of the previous one
    await engine.commit(await engine.decide(operations))
    for (const { callId } of open) owners.delete(callId)
    open = reserves
  }
}

interface Names {
  readonly organizationId: string
  readonly applicationId: string
  readonly bundleId: string
  /** The first part of the IDs of end users and keys. A number follows. */
  readonly endUser: string
  readonly key: string
  /** Unique to this rehearsal, so that rehearsals of several processes do not wait for each other. */
  readonly quoteId: string
  /** A unique text that is part of all other names. */
  readonly own: string
}

function namesOf(own: string): Names {
  return {
    organizationId: `org_${own}`,
    applicationId: `app_${own}`,
    bundleId: `bun_${own}`,
    endUser: `eu_${own}`,
    key: `key_${own}`,
    quoteId: `quote_${own}`,
    own,
  }
}

function rowsFor(
  { applicationId, bundleId, endUser, key, organizationId, own }: Names,
  {
    epoch,
    lane,
    nowMs,
    shardKey,
  }: { readonly epoch: number; readonly lane: number; readonly nowMs: number; readonly shardKey: string },
): readonly Omit<Sent, 'name'>[] {
  const everyone = `FROM generate_series(0, ${endUsers - 1}) AS n`
  return [
    {
      text: 'INSERT INTO lanes (shard_key, epoch, lane, batch) VALUES ($1, $2, $3, 0)',
      values: [shardKey, epoch, lane],
    },
    {
      text: `INSERT INTO organizations (id, code, name, created_at_ms) VALUES ($1, $2, 'rehearsal', $3)`,
      values: [organizationId, own, nowMs],
    },
    {
      text: `INSERT INTO applications (id, organization_id, slug, code, name, config_version, default_bundle_id,
          created_at_ms) VALUES ($1, $2, $3, $3, 'rehearsal', 1, $4, $5)`,
      values: [applicationId, organizationId, own, bundleId, nowMs],
    },
    {
      text: `INSERT INTO bundles (id, application_id, slug, display_name, billing_interval, spend_limit_period,
          termination_policy, max_overdraft_micros, debit_basis, allow, deny, created_at_ms)
        VALUES ($1, $2, 'all', 'All', 'month', 'month', 'hard_token', 0, 'provider_cost', '["*"]', '[]', $3)`,
      values: [bundleId, applicationId, nowMs],
    },
    {
      text: `INSERT INTO end_users (id, application_id, external_id, bundle_id, subscribed_at_ms, created_at_ms)
        SELECT $1 || n, $2, 'end-user-' || n, $3, $4, $4 ${everyone}`,
      values: [endUser, applicationId, bundleId, nowMs],
    },
    {
      text: `INSERT INTO keys (id, application_id, end_user_id, mode, name, hash, prefix, last_four, cap_period,
          actor_type, created_at_ms)
        SELECT $1 || n, $2, $3 || n, 'live', 'key', $4 || n, 'prefix', 'last', 'month', 'token', $5 ${everyone}`,
      values: [key, applicationId, endUser, own, nowMs],
    },
    {
      text: `INSERT INTO sources (end_user_id, mode, id, kind, unit, posted, given, held)
        SELECT $1 || n, 'live', 'wallet', 'wallet', 'micros', $2, 0, 0 ${everyone}`,
      values: [endUser, creditMicros],
    },
  ]
}

function reserveOf(
  { applicationId, bundleId, endUser, key, quoteId }: Names,
  { callId, n, nowMs }: { readonly callId: string; readonly n: number; readonly nowMs: number },
): ReserveRequest {
  return {
    callId,
    applicationId,
    configVersion: 1,
    keyId: `${key}${n}`,
    endUserId: `${endUser}${n}`,
    bundleId,
    mode: 'live',
    nowMs,
    quote: { id: quoteId, ...quote },
    bound,
    outcome: null,
    target,
    inputEstimate: bound.textTokens,
  }
}

function settleOf(
  { applicationId, callId, endUserId, keyId, mode, nowMs: atMs }: ReserveRequest,
  nowMs: number,
): Extract<Operation, { readonly kind: 'settle' }>['request'] {
  const record: RequestRecord = {
    callId,
    applicationId,
    mode,
    endUserId,
    keyId,
    alias: model,
    tags: null,
    target,
    wire: 'chat',
    streamed: false,
    status: 'settled',
    httpStatus: 200,
    errorCode: null,
    atMs,
    latencyMs: nowMs - atMs,
    firstByteMs: null,
    trace: '{}',
  }
  const usage = { ...zeroUsage, input: bound.textTokens, output: 50 }
  return { callId, nowMs, usage, tokenSource: 'provider_reported', record }
}
