/**
 * SQL that fills an empty store with requests. The SQL is valid on both engines, and the result passes `tollgate
 * verify`. The store contains one application, end users with a key and a wallet each, and requests on the days up to
 * now. A few end users send most requests, and a twentieth of all requests was rejected.
 *
 * All values are computed from the number of the request, so the same sizes result in the same rows.
 */
import { suffixFloor } from '#domain/ids-sorted-by-time.ts'
import { monthOf, monthStartsAtMs } from '#store/postgres/monthly-partitions.ts'

export interface SeedSize {
  readonly calls: number
  readonly people: number
  readonly days: number
  readonly nowMs: number
}

export const seededOrganization = 'org_seed'
export const seededApplication = 'app_seed'
export const seededApplicationSlug = 'seed'
export const seededBundle = 'bun_seed'
/** @internal IDs of the end users, their keys and external IDs, from 0 on, for tests of the seeded store. */
export const personId = (n: number): string => `eu_${String(n).padStart(8, '0')}`
/** @internal */
export const keyId = (n: number): string => `key_${String(n).padStart(8, '0')}`
export const externalId = (n: number): string => `person-${n}`
/** @internal The last model name is rare: one call in 5,000 uses it. */
export const seededAliases = ['acme/fast', 'acme/smart', 'acme/deep', 'acme/rare'] as const

/** Each end user was last seen within this time before the newest call. */
const lastUsedMs = 1_200_000

/** The price of every request is one micro per token for input and output. */
const quote = JSON.stringify({
  cost: { input: '1000000', output: '1000000' },
  sell: null,
  basis: 'provider_cost',
  credits: null,
  policy: 'hard_token',
  maxOverdraftMicros: '0',
})

/** A sample trace, as long as the trace of a real call to a single provider. */
const trace = JSON.stringify({
  v: 1,
  steps: Array.from({ length: 8 }, (_, i) => ({ at: i * 12, what: 'a step of the call', took: 3 })),
})

export function seedStatements(size: SeedSize): string[] {
  const { calls, days, nowMs, people } = size
  const startMs = nowMs - days * 86_400_000
  // More money than any end user spends.
  const credit = 1_000_000_000_000n
  const padded = (n: string, digits: number): string =>
    `substr(CAST(${10n ** BigInt(digits)} + ${n} AS TEXT), 2)`
  const person = `'eu_' || ${padded('p', 8)}`
  const key = `'key_' || ${padded('p', 8)}`
  const numbers = (from: string, to: string): string =>
    `WITH RECURSIVE n (i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`
  // The square of a pseudo-random number below 65,536. Squaring makes small numbers more likely, so the first end users
  // send most calls.
  const chance = `((i * 2654435761) % 65536)`
  const alias = `CASE WHEN i % 5000 = 7 THEN 'acme/rare' WHEN i % 10 < 6 THEN 'acme/fast' WHEN i % 10 < 9 THEN 'acme/smart' ELSE 'acme/deep' END`
  const atMs = `(${startMs} + (i * ${Math.floor((days * 86_400_000 * 1000) / calls)}) / 1000)`
  const statements = [
    `INSERT INTO organizations (id, code, name, created_at_ms) VALUES ('${seededOrganization}', 'seed01', 'Seed', ${startMs})`,
    `INSERT INTO applications (id, organization_id, slug, code, name, config_version, default_bundle_id, created_at_ms)
     VALUES ('${seededApplication}', '${seededOrganization}', '${seededApplicationSlug}', 'seed02', 'Seed', 1, '${seededBundle}', ${startMs})`,
    `INSERT INTO bundles (id, application_id, slug, display_name, billing_interval, spend_limit_period,
       termination_policy, max_overdraft_micros, debit_basis, allow, deny, created_at_ms)
     VALUES ('${seededBundle}', '${seededApplication}', 'everyone', 'Everyone', 'month', 'month', 'hard_token', 0,
       'provider_cost', '["*"]', '[]', ${startMs})`,
    `INSERT INTO quotes (id, body) VALUES ('quote_seed', '${quote}')`,
    `INSERT INTO end_users (id, application_id, external_id, bundle_id, subscribed_at_ms, created_at_ms)
     ${numbers('0', String(people - 1))}
     SELECT ${person}, '${seededApplication}', 'person-' || p, '${seededBundle}', ${startMs} + p, ${startMs} + p
     FROM (SELECT i AS p FROM n) AS everyone`,
    `INSERT INTO keys (id, application_id, end_user_id, mode, name, hash, prefix, last_four, cap_period, actor_type,
       created_at_ms, last_used_at_ms)
     ${numbers('0', String(people - 1))}
     SELECT ${key}, '${seededApplication}', ${person}, 'live', 'key', 'hash-' || p, 'ak_seed02_' || ${padded('p', 8)},
       'last', 'month', 'token', ${startMs} + p, ${nowMs} - p * ${Math.floor(lastUsedMs / people)}
     FROM (SELECT i AS p FROM n) AS everyone`,
    // A grant for every hundred end users, so that the list of grants is not empty.
    `INSERT INTO grants (application_id, id, mode, kind, amount_micros, reason, request_hash, end_users, created_at_ms)
     ${numbers('0', String(Math.ceil(people / 100) - 1))}
     SELECT '${seededApplication}', 'gr_' || ${padded('i', 8)}, 'live', 'topup', ${credit}, 'seed', 'hash',
       CASE WHEN i < ${Math.ceil(people / 100) - 1} THEN 100 ELSE ${people - 100 * (Math.ceil(people / 100) - 1)} END,
       ${startMs} + i
     FROM n`,
    `INSERT INTO ledger (sequence, previous, end_user_id, mode, application_id, source_id, kind, unit, amount,
       balance_after, grant_id, idempotency_key, created_at_ms)
     ${numbers('0', String(people - 1))}
     SELECT p + 1, NULL, ${person}, 'live', '${seededApplication}', 'wallet', 'topup', 'micros', ${credit}, ${credit},
       'gr_' || ${padded('(p / 100)', 8)}, 'gr_' || ${padded('(p / 100)', 8)}, ${startMs} + p / 100 FROM (SELECT i AS p FROM n) AS everyone`,
  ]
  const each = `SELECT i, (${chance} * ${chance} / 65536) * ${people} / 65536 AS p, ${alias} AS alias, ${atMs} AS at_ms,
      10 + i % 990 AS input, 5 + (i * 7) % 495 AS output FROM n`
  // An ID begins with its time, so the first ID of a month is the start of the month's partition.
  const callId = `${timeText('at_ms')} || ${padded('i', 16)}`
  const charged = 'i % 20 <> 3'
  statements.push(
    `INSERT INTO usage_records (application_id, call_id, end_user_id, key_id, mode, alias, target, streamed,
       input_tokens, output_tokens, usage, token_source, cost_micros, billed_micros, charge_micros, over_hold_micros,
       worst_micros, wallet_posted_micros, legs, quote_id, settled_at_ms, first_entry, wire, http_status, at_ms,
       latency_ms, first_byte_ms, trace)
     ${numbers('1', String(calls))}
     SELECT '${seededApplication}', ${callId}, ${person}, ${key}, 'live', alias, '["pa_1","openai","gpt-5"]', i % 2, input,
       output, '{"input":' || input || ',"output":' || output || '}', 'provider_reported', input + output, input + output,
       input + output, 0, 2000, 0, '[["wallet","wallet","micros","' || (input + output) || '","' || (input + output) || '"]]',
       'quote_seed', at_ms + 900, ${people} + i, 'chat', CASE WHEN i % 97 = 0 THEN 502 ELSE 200 END, at_ms, 200 + i % 3000, 90,
       '${trace}'
     FROM (${each}) AS calls WHERE ${charged}`,
    `INSERT INTO requests (application_id, call_id, mode, end_user_id, key_id, alias, wire, streamed, status, http_status,
       error_code, at_ms, latency_ms, trace)
     ${numbers('1', String(calls))}
     SELECT '${seededApplication}', ${callId}, 'live', ${person}, ${key}, alias, 'chat', 0,
       CASE WHEN i % 40 = 3 THEN 'refused' ELSE 'released' END, CASE WHEN i % 40 = 3 THEN 402 ELSE 502 END,
       'insufficient_credit', at_ms, 12, '${trace}'
     FROM (${each}) AS calls WHERE NOT (${charged})`,
    `INSERT INTO ledger (sequence, previous, end_user_id, mode, application_id, source_id, kind, unit, amount,
       balance_after, call_id, created_at_ms)
     SELECT first_entry, lag(first_entry, 1, CAST(substr(end_user_id, 4) AS BIGINT) + 1) OVER own, end_user_id, 'live',
       '${seededApplication}', 'wallet', 'usage_debit', 'micros', -charge_micros,
       ${credit} - sum(charge_micros) OVER own, call_id, settled_at_ms
     FROM usage_records WINDOW own AS (PARTITION BY end_user_id ORDER BY first_entry)`,
    // A server adds the rows of one day after those of the previous day, so the rows of a day are close together.
    `INSERT INTO usage_days (end_user_id, mode, day, key_id, alias, application_id, calls, input_tokens, output_tokens,
       cost_micros, billed_micros, charge_micros, over_hold_micros)
     SELECT end_user_id, mode, settled_at_ms / 86400000, key_id, alias, application_id, count(*), sum(input_tokens),
       sum(output_tokens), sum(cost_micros), sum(billed_micros), sum(charge_micros), sum(over_hold_micros)
     FROM usage_records GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 3`,
    // The top-ups are paid money, so the granted part of each wallet is 0. If it were NULL, the whole balance would
    // count as granted.
    `INSERT INTO sources (end_user_id, mode, id, kind, unit, posted, given, held, last_entry)
     SELECT end_user_id, mode, 'wallet', 'wallet', 'micros', sum(amount), 0, 0, max(sequence) FROM ledger GROUP BY 1, 2`,
  )
  return statements
}

/** The months that need a partition: those of the calls, of the first entries, and the next months. */
export function monthsOf({ days, nowMs }: SeedSize): number[] {
  const first = monthOf(nowMs - days * 86_400_000)
  return Array.from({ length: monthOf(nowMs) - first + 2 }, (_, i) => first + i)
}

/** SQL for the text that `suffixFloor` returns: ten digits in Crockford's base 32. */
function timeText(ms: string): string {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  const digits = Array.from(suffixFloor(monthStartsAtMs(0)), (_, i) => {
    const shift = 5 * (9 - i)
    return `substr('${alphabet}', CAST((${ms} >> ${shift}) & 31 AS INTEGER) + 1, 1)`
  })
  return digits.join(' || ')
}
