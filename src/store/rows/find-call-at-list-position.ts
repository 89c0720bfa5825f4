import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { isDistributed, type Query } from '#store/sql/database-interface.ts'
import type { Schema } from '#store/sql/schema.ts'

/** A sample contains about one of this many calls. Must be a power of 2. */
const sampledOf = 16
/** At lower positions, reading all rows costs less than the three queries that use a sample. */
const sampledFrom = 2_000

/**
 * Returns the ID of the call at a position of a list. The newest call has the position 1. Null if the list has fewer
 * calls.
 *
 * All calls up to the position could be on one shard of a distributed database. Each shard would therefore have to send
 * this many calls. Instead, a random sample first finds a call a little before the position (the near call). The shards
 * count the calls up to the near call, and send only the calls from there to the position. The result is therefore
 * exact.
 * @param calls the list in the order of its IDs, newest first
 * @param id the column with the ID
 */
export async function callAtPosition(
  query: Query,
  calls: SelectQueryBuilder<Schema, 'usage_records' | 'requests', object>,
  id: RawBuilder<string>,
  position: number,
): Promise<string | null> {
  if (!isDistributed(query) || position < sampledFrom) return idAt(calls, id, position)
  const isSampled = sql<SqlBool>`hashtext(${id}) & ${sql.lit(sampledOf - 1)} = 0`
  const sampled = position / sampledOf
  // Except in one of 30,000 lists, the number of sampled calls before the position deviates by at most four standard
  // deviations.
  const near = await idAt(calls.where(isSampled), id, Math.floor(sampled - 4 * Math.sqrt(sampled)))
  if (near === null) return idAt(calls, id, position)
  const { count } = await calls
    .clearOrderBy()
    .where(sql<SqlBool>`${id} >= ${near}`)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count >= position) return idAt(calls, id, position)
  return idAt(calls.where(sql<SqlBool>`${id} < ${near}`), id, position - count)
}

async function idAt(
  calls: SelectQueryBuilder<Schema, 'usage_records' | 'requests', object>,
  id: RawBuilder<string>,
  position: number,
): Promise<string | null> {
  const call = await calls
    .select(id.as('call_id'))
    .limit(1)
    .offset(position - 1)
    .executeTakeFirst()
  return call?.call_id ?? null
}
