import { lockMsMax, rowLockMsMax } from './connection.ts'
import type { Sent } from './send-statements-together.ts'

/**
 * Locks the row of the lane (ledger connection), then the rows of the end users in ID order. Then reserves numbers for
 * ledger entries. Returns no row if the lane has ended (process-lease.ts). Only the wait for the end users has the short
 * time limit.
 *
 * The triggers of `known_by` read the setting `tollgate.lane`, which lasts until the end of the transaction
 * (migrations/0009-tool-rules-and-fewer-statements.postgres.sql). The rows of applications may be older than the locks
 * (rows-known-to-lane.ts).
 *
 * @param values the values of the parameters, in order
 */
export function lockStatement(
  values: readonly unknown[],
  { isDistributed, place }: { readonly isDistributed: boolean; readonly place: string | null },
): Sent {
  if (place !== null) return { name: 'lock_at_place', text: lockAtPlaceText, values: [...values, place] }
  return { name: 'lock', text: isDistributed ? lockOnShardText : lockText, values }
}

/**
 * @param place SQL for the place of the lane's row
 * @param isAtPlace SQL of a further condition on the lane's row
 */
const lockTextOf = (place: string, isAtPlace = ''): string => `WITH lane AS MATERIALIZED (
    SELECT batch, ${place} AS place, set_config('tollgate.lane', $5::text, true) AS name,
      set_config('lock_timeout', '${rowLockMsMax}', true) AS lock_timeout
    FROM lanes WHERE shard_key = $6 AND epoch = $1 AND lane = $2 AND is_ended = 0${isAtPlace} FOR UPDATE
  ), people AS MATERIALIZED (
    SELECT id, application_id, bundle_id, subscribed_at_ms, bundle_since_ms, frozen_at_ms, removed_at_ms, payer_id,
      payer_cap_micros, known_by
    FROM end_users WHERE id = ANY($3::text[]) AND (SELECT count(*) FROM lane) = 1 ORDER BY id FOR NO KEY UPDATE
  ), locked AS MATERIALIZED (
    SELECT count(*) AS people, set_config('lock_timeout', '${lockMsMax}', true) AS lock_timeout FROM people
  )
  SELECT l.batch, l.place, (SELECT through_day FROM usage_fold) AS through_day, ARRAY(
      SELECT nextval('ledger_sequence') FROM generate_series(1, $4::int8 + 0 * (SELECT people FROM locked))
    )::text AS numbers, l.name, p.*, a.config_version, a.archived_at_ms, a.test_clock_offset_ms,
    s.key_caps_total_micros, s.key_cap_period, coalesce(c.number, 0) AS bundle_changes
  FROM lane l LEFT JOIN people p ON true LEFT JOIN applications a ON a.id = p.application_id
  LEFT JOIN portal_settings s ON s.application_id = a.id LEFT JOIN bundle_changes c ON c.application_id = a.id`
const lockText = lockTextOf('ctid::text')
const lockAtPlaceText = lockTextOf('ctid::text', ' AND ctid = $7::tid')
const lockOnShardText = lockTextOf('NULL')
