import { sql } from 'kysely'
import { suffixFloor, suffixMs } from '#domain/ids-sorted-by-time.ts'
import type { Mode } from '#domain/application-config.ts'
import type { AccountAnswer, Diagnosis, LedgerSample } from '#domain/health/doctor-facts-interface.ts'
import type { StoredTrace } from '#explain/sections-of-trace.ts'
import { traceOf } from '#explain/convert-trace-to-text.ts'
import { totalInput } from '#money/usage-counts.ts'
import { attemptsFromText } from '#store/rows/failed-attempts-column.ts'
import { targetFromText, usageFromText } from '#store/rows/json-columns.ts'
import { fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import { isDistributed, isPostgres, type Query } from '#store/sql/database-interface.ts'
import { every } from './read-rows-and-pages.ts'

export function diagnosis(query: Query): Diagnosis {
  return {
    async clockMs() {
      if (!isPostgres(query)) return null
      const { rows } = await sql<{ at_ms: number }>`
        SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS at_ms`.execute(query)
      return rows[0]?.at_ms ?? null
    },
    async nodesAway() {
      if (!isDistributed(query)) return []
      const { rows } = await sql<{ address: string }>`
        SELECT DISTINCT n.nodename || ':' || n.nodeport AS address
        FROM run_command_on_shards('shard_groups', 'SELECT count(*) FROM %s') r
        JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
        WHERE NOT r.success AND n.noderole = 'primary' ORDER BY 1`.execute(query)
      return rows.map(({ address }) => address)
    },
    async newestEntryMs() {
      // PostgreSQL numbers entries in blocks and has no index by number alone.
      if (isPostgres(query)) return null
      const newest = await query
        .selectFrom('ledger')
        .select(['created_at_ms', 'mode'])
        .orderBy('sequence', 'desc')
        .limit(1)
        .executeTakeFirst()
      // Skip an entry of test mode, whose time is the time of a test clock.
      return newest?.mode === 'live' ? newest.created_at_ms : null
    },
    async hasKey(applicationId, mode, nowMs) {
      const key = await query
        .selectFrom('keys')
        .select('id')
        .where('application_id', '=', applicationId)
        .where('mode', '=', mode)
        .where('revoked_at_ms', 'is', null)
        .where((eb) => eb.or([eb('expires_at_ms', 'is', null), eb('expires_at_ms', '>', nowMs)]))
        .limit(1)
        .executeTakeFirst()
      return key !== undefined
    },
    async isFunded(applicationId, mode) {
      const grant = await query
        .selectFrom('grants')
        .select('id')
        .where('application_id', '=', applicationId)
        .where('mode', '=', mode)
        .where('amount_micros', '>', 0n)
        .limit(1)
        .executeTakeFirst()
      if (grant !== undefined) return true
      const pool = await query
        .selectFrom('sources')
        .innerJoin(newestPeople(query, applicationId).as('newest'), 'newest.id', 'sources.end_user_id')
        .select('sources.id')
        .where('sources.mode', '=', mode)
        .where('sources.granted', '>', 0n)
        .limit(1)
        .executeTakeFirst()
      return pool !== undefined
    },
    async frozen(applicationId, limit) {
      const rows = await query
        .selectFrom('end_users')
        .select(['external_id', 'frozen_at_ms'])
        .where('application_id', '=', applicationId)
        .where('frozen_at_ms', 'is not', null)
        .where('removed_at_ms', 'is', null)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ externalId: row.external_id, frozenAtMs: row.frozen_at_ms ?? 0 }))
    },
    async recentPeople(applicationId, mode, limit) {
      const called = await newestCalls(query, 'usage_records', { applicationId, mode, limit })
        .select('end_user_id')
        .execute()
      const made = await newestPeople(query, applicationId).execute()
      return [...new Set([...called.map((row) => row.end_user_id ?? ''), ...made.map(({ id }) => id)])]
    },
    async negativeWallets(endUserIds, mode) {
      if (endUserIds.length === 0) return []
      const rows = await query
        .selectFrom('sources')
        .innerJoin('end_users', 'end_users.id', 'sources.end_user_id')
        .select(['end_users.external_id', 'sources.posted'])
        .where('sources.end_user_id', 'in', endUserIds)
        .where('sources.mode', '=', mode)
        .where('sources.kind', '=', 'wallet')
        .where('sources.posted', '<', 0n)
        .orderBy('sources.posted')
        .execute()
      return rows.map((row) => ({ externalId: row.external_id, postedMicros: row.posted }))
    },
    openHolds: (applicationId, mode, beforeMs, limit) =>
      every(
        query
          .selectFrom('holds')
          .innerJoin('end_users', 'end_users.id', 'holds.end_user_id')
          .select(['holds.call_id', 'end_users.external_id', 'holds.reserved_at_ms', 'holds.worst_micros'])
          .where('holds.application_id', '=', applicationId)
          .where('holds.mode', '=', mode)
          // Select by call ID, which contains the time of the request.
          .where('holds.call_id', '<', suffixFloor(beforeMs))
          .orderBy('holds.call_id')
          .limit(limit),
        fieldsOf,
      ),
    async holdsInFlight() {
      const found = await query
        .selectFrom('holds')
        .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('call_id').as('oldest')])
        .executeTakeFirstOrThrow()
      // Read the time of the request from the call ID, because `reserved_at_ms` may be the time of a test clock.
      return { count: found.count, oldestAtMs: found.oldest === null ? null : suffixMs(found.oldest) }
    },
    async schemaVersion() {
      if (isPostgres(query)) {
        const found = await sql<{ version: number | bigint }>`
          SELECT max(version) AS version FROM schema_versions`.execute(query)
        return Number(found.rows[0]?.version ?? 0)
      }
      const found = await sql<{ user_version: number | bigint }>`PRAGMA user_version`.execute(query)
      return Number(found.rows[0]?.user_version ?? 0)
    },
    async accountAnswers(applicationId, mode, sinceMs, limit) {
      const of = { applicationId, mode, limit }
      const since = suffixFloor(sinceMs)
      const charged = await newestCalls(query, 'usage_records', of)
        .select(['target', 'at_ms', 'attempts'])
        .where('call_id', '>=', since)
        .where('token_source', '<>', 'recovered')
        .execute()
      const failed = await newestCalls(query, 'requests', of)
        .select(['target', 'at_ms', 'error_code', 'attempts'])
        .where('call_id', '>=', since)
        .where('status', '=', 'released')
        .execute()
      // If a call was charged, its provider returned a response, even if the response was interrupted.
      const answers: AccountAnswer[] = []
      const add = (target: string | null, atMs: number, errorCode: string | null): void => {
        if (target !== null) answers.push({ accountId: targetFromText(target).accountId, atMs, errorCode })
      }
      const addAttempts = (text: string | null, atMs: number): void => {
        for (const attempt of attemptsFromText(text))
          answers.push({
            accountId: attempt.target.accountId,
            atMs: atMs + attempt.atMs,
            errorCode: attempt.code,
          })
      }
      for (const { at_ms: atMs, attempts, target } of charged) {
        add(target, atMs, null)
        addAttempts(attempts, atMs)
      }
      for (const { at_ms: atMs, attempts, error_code: errorCode, target } of failed) {
        // If a call has no stored attempts, its stored end describes its only attempt.
        if (attempts === null) add(target, atMs, errorCode)
        else addAttempts(attempts, atMs)
      }
      return answers.toSorted((one, other) => other.atMs - one.atMs)
    },
    async comparedCalls(applicationId, mode, limit) {
      const newest = newestCharged(query, { applicationId, mode, limit }).select([
        'target',
        'usage',
        'cost_micros',
        'attempts',
        'disputed',
      ])
      const rows = await query
        .selectFrom(newest.as('calls'))
        .selectAll()
        .where('mode', '=', mode)
        .where((eb) => {
          const states = (name: string) => eb('usage', 'like', `%"${name}":%`)
          return eb.or([
            ...['statedCostNanos', 'outputBeyond', 'webSearches'].map(states),
            // Most responses state a tier, but a tier that costs more makes the call disputed.
            eb.and([states('serviceTier'), eb('disputed', '=', 1)]),
          ])
        })
        .orderBy('call_id', 'desc')
        .execute()
      return rows.map(({ attempts, call_id: callId, cost_micros: costMicros, target, usage }) => {
        const { accountId, model } = targetFromText(target)
        const failed = attemptsFromText(attempts).reduce((sum, attempt) => sum + attempt.costMicros, 0n)
        return { callId, accountId, model, usage: usageFromText(usage), costMicros: costMicros - failed }
      })
    },
    async substitutedCalls(applicationId, mode, limit) {
      const newest = newestCharged(query, { applicationId, mode, limit }).select([
        'target',
        'disputed',
        'trace',
      ])
      const rows = await query
        .selectFrom(newest.as('calls'))
        .select(['call_id', 'target', 'trace'])
        .where('mode', '=', mode)
        .where('disputed', '=', 1)
        .orderBy('call_id', 'desc')
        .execute()
      return rows.flatMap(({ call_id: callId, target, trace }) => {
        const answeredBy = traceOf(trace).route?.answeredBy ?? null
        // If `answeredBy` is missing, the requested model wrote the answer to the request. The call is disputed only
        // because the provider reported another cost.
        if (answeredBy === null) return []
        const { accountId, model } = targetFromText(target)
        return [{ callId, accountId, model, answeredBy }]
      })
    },
    async oversizedCalls(applicationId, mode, limit) {
      const newest = newestCharged(query, { applicationId, mode, limit }).select([
        'target',
        'token_source',
        'trace',
        'usage',
      ])
      const rows = await query
        .selectFrom(newest.as('calls'))
        .select(['call_id', 'target', 'trace', 'usage'])
        .where('mode', '=', mode)
        .where('token_source', '=', 'provider_reported')
        .orderBy('call_id', 'desc')
        .execute()
      return rows.flatMap(({ call_id: callId, target, trace, usage }) => {
        const inputTokensMax = inputTokensMaxOf(traceOf(trace))
        const inputTokens = totalInput(usageFromText(usage))
        if (inputTokensMax === null || inputTokens <= inputTokensMax) return []
        const { accountId, model } = targetFromText(target)
        return [{ callId, accountId, model, inputTokens, inputTokensMax }]
      })
    },
    ledgerSample: (endUserIds, mode, entries) => ledgerSample(query, { endUserIds, mode, entries }),
  }
}

/**
 * The maximum input of a call, in tokens, including all allowed uses of tools that the provider runs. Null if the trace
 * does not contain the maximum.
 */
function inputTokensMaxOf({ quote }: StoredTrace): number | null {
  if (quote === null) return null
  const { audioTokensMax = null, imageTokensMax = null, textTokensMax = null, tools } = quote
  if (textTokensMax === null || audioTokensMax === null || imageTokensMax === null) return null
  return textTokensMax + audioTokensMax + imageTokensMax + (tools?.usesMax ?? 0) * (tools?.tokensPerUse ?? 0)
}

/** On SQLite, returns the calls of all modes, because the index does not contain the mode. */
function newestCharged(
  query: Query,
  {
    applicationId,
    limit,
    mode,
  }: { readonly applicationId: string; readonly mode: Mode; readonly limit: number },
) {
  return query
    .selectFrom('usage_records')
    .select(['call_id', 'mode'])
    .where('application_id', '=', applicationId)
    .$if(isPostgres(query), (all) => all.where('mode', '=', mode))
    .orderBy('call_id', 'desc')
    .limit(limit)
}

/** Maximum number of rows that a search for one application or mode reads, because no index exists. */
const walkedMax = 5_000

/** Reads the newest end users of all applications, and returns those of this application. IDs sort by time. */
function newestPeople(query: Query, applicationId: string) {
  const newest = query
    .selectFrom('end_users')
    .select(['id', 'application_id'])
    .orderBy('id', 'desc')
    .limit(walkedMax)
  return query
    .selectFrom(newest.as('people'))
    .select('id')
    .where('application_id', '=', applicationId)
    .orderBy('id', 'desc')
    .limit(200)
}

interface CallsOf {
  readonly applicationId: string
  readonly mode: Mode
  readonly limit: number
}

/** SQLite has no index by mode, so the application's newest calls are filtered there. */
function newestCalls(
  query: Query,
  table: 'usage_records' | 'requests',
  { applicationId, limit, mode }: CallsOf,
) {
  const newest = query
    .selectFrom<'usage_records' | 'requests'>(table)
    .selectAll()
    .where('application_id', '=', applicationId)
    .$if(isPostgres(query), (all) => all.where('mode', '=', mode))
    .orderBy('call_id', 'desc')
    .limit(isPostgres(query) ? limit : walkedMax)
  return query.selectFrom(newest.as('calls')).where('mode', '=', mode).orderBy('call_id', 'desc').limit(limit)
}

interface Sampled {
  readonly endUserIds: readonly string[]
  readonly mode: string
  readonly entries: number
}

/**
 * Reads everything in one statement, so that the result is one snapshot while calls settle. For each source, reads the
 * row, the newest ledger entry, and some entries before that entry (ledger-entries.ts).
 */
async function ledgerSample(query: Query, { endUserIds, entries, mode }: Sampled): Promise<LedgerSample> {
  if (endUserIds.length === 0) return { sources: 0, entries: 0, differences: [] }
  if (isDistributed(query) && endUserIds.length > 1) {
    // Citus rejects a recursive query whose tables are not all compared with a single end user.
    const samples = await Promise.all(
      endUserIds.map((one) => ledgerSample(query, { endUserIds: [one], entries, mode })),
    )
    return {
      sources: samples.reduce((sum, { sources }) => sum + sources, 0),
      entries: samples.reduce((sum, sample) => sum + sample.entries, 0),
      differences: samples.flatMap(({ differences }) => differences),
    }
  }
  const ofOne = (column: string) =>
    isDistributed(query) ? sql`AND ${sql.ref(column)} = ${endUserIds[0]}` : sql``
  const { rows } = await sql<{
    end_user_id: string
    source_id: string
    depth: number
    posted: bigint
    /** Null if the source has no ledger entries. */
    amount: bigint | null
    balance_after: bigint
    /**
     * The balance after the previous entry. 0 if there is no previous entry. Null if the entry names a previous entry
     * that does not exist.
     */
    before_micros: bigint | null
  }>`
    WITH RECURSIVE chain (end_user_id, source_id, posted, sequence, depth) AS (
      SELECT end_user_id, id, posted, last_entry, 1 FROM sources
        WHERE mode = ${mode} AND end_user_id IN (${sql.join([...endUserIds])})
      UNION ALL
      SELECT c.end_user_id, c.source_id, c.posted, l.previous, c.depth + 1
        FROM chain c JOIN ledger l ON l.sequence = c.sequence
          AND l.end_user_id = c.end_user_id AND l.mode = ${mode} AND l.source_id = c.source_id
          ${ofOne('l.end_user_id')}
        WHERE l.previous IS NOT NULL AND c.depth < ${entries})
    SELECT c.end_user_id, c.source_id, c.depth, c.posted, l.amount, coalesce(l.balance_after, 0) AS balance_after,
      CASE WHEN l.previous IS NULL THEN 0 ELSE p.balance_after END AS before_micros
    FROM chain c
    LEFT JOIN ledger l ON l.sequence = c.sequence
      AND l.end_user_id = c.end_user_id AND l.mode = ${mode} AND l.source_id = c.source_id ${ofOne('l.end_user_id')}
    LEFT JOIN ledger p ON p.sequence = l.previous
      AND p.end_user_id = c.end_user_id AND p.mode = ${mode} AND p.source_id = c.source_id ${ofOne('p.end_user_id')}`.execute(
    query,
  )
  const differences: string[] = []
  for (const row of rows) {
    const { amount, balance_after: balance, before_micros: before, depth, posted } = row
    const name = `${row.source_id} of ${row.end_user_id}`
    if (depth === 1 && posted !== balance)
      differences.push(`${name} has ${posted}, and its newest entry leaves ${balance}`)
    if (amount !== null && (before === null || before + amount !== balance))
      differences.push(
        `an entry of ${name} leaves ${balance} after ${amount} on ${before ?? 'a missing entry'}`,
      )
  }
  return {
    sources: rows.filter(({ depth }) => depth === 1).length,
    entries: rows.filter(({ amount }) => amount !== null).length,
    differences,
  }
}
