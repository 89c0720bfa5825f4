import { figureColumns, summed } from '#store/sql/sql-of-figure-columns.ts'
import type { Words } from './store-snapshot-interface.ts'

export interface RowCheck {
  readonly check: string
  readonly rows: string
  /** SQL that returns one row with a `difference` for each fault. */
  readonly broken: string
}

/** SQL expression for the payer's ID, from the ID `team/<payer>/<month>` of a member's share in a wallet. */
const payerOfShare = (id: string): string => `substr(${id}, 6, length(${id}) - 13)`

/** SQL expression for the pool's ID, from the ID `team/<payer>/<pool>` of a member's share in a pool. */
const poolOfShare = 'substr(id, length(payer_id) + 7)'

/**
 * SQL condition for an entry on a payer's wallet or pool that repeats an entry of a member. The reason of the repeated
 * entry is `team/<member>`. If a wallet entry repeats a pool entry, the reason is `team/<member>/<pool>`.
 */
export const isRepeated = `call_id IS NULL AND grant_id IS NULL AND reason LIKE 'team/%'`

/** SQL expression that names the source and its owner in the text of a difference. */
const source = `source_id || ' of ' || end_user_id || ' (' || mode || ')'`

/** The first column counts requests. Costs are omitted, because failed requests without a usage record have costs, too. */
const hourly = ['charged', 'billed_micros', 'charge_micros'] as const

export function rowChecks({ eachLeg, lastNumber, policyOf }: Words): readonly RowCheck[] {
  return [
    {
      check: 'every ledger entry continues the previous entry of its source',
      rows: 'SELECT count(*) FROM ledger',
      broken: `SELECT 'entry ' || l.sequence || ': balance ' || l.balance_after || ' after ' || l.amount ||
        ' on ' || coalesce(p.balance_after, 0) AS difference
      FROM ledger l LEFT JOIN ledger p ON p.sequence = l.previous
        AND p.end_user_id = l.end_user_id AND p.mode = l.mode AND p.source_id = l.source_id
      WHERE l.balance_after <> coalesce(p.balance_after, 0) + l.amount
        OR (l.previous IS NOT NULL AND (p.sequence IS NULL OR p.sequence >= l.sequence))`,
    },
    {
      check: 'every ledger entry has a unique number',
      rows: 'SELECT count(*) FROM ledger',
      broken: `SELECT count(*) || ' entries have the number ' || sequence AS difference
      FROM ledger GROUP BY sequence HAVING count(*) > 1`,
    },
    {
      check: 'the entries of a source form one chain, and the source refers to the last entry',
      rows: 'SELECT count(*) FROM sources',
      broken: `SELECT ${source} || ': ' || note AS difference FROM (
        SELECT end_user_id, mode, source_id, count(*) || ' first entries' AS note
          FROM ledger WHERE previous IS NULL GROUP BY 1, 2, 3 HAVING count(*) > 1
        UNION ALL
        SELECT end_user_id, mode, source_id, 'two entries after ' || previous
          FROM ledger WHERE previous IS NOT NULL GROUP BY 1, 2, 3, previous HAVING count(*) > 1
        UNION ALL
        SELECT l.end_user_id, l.mode, l.source_id, 'ends at ' || max(l.sequence) || ', the row says ' ||
            coalesce(CAST(s.last_entry AS TEXT), 'nothing')
          FROM ledger l LEFT JOIN sources s
            ON s.end_user_id = l.end_user_id AND s.mode = l.mode AND s.id = l.source_id
          GROUP BY 1, 2, 3, s.last_entry HAVING max(l.sequence) IS DISTINCT FROM s.last_entry
        UNION ALL
        SELECT s.end_user_id, s.mode, s.id, 'its newest entry is not there' FROM sources s
          WHERE s.last_entry IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM ledger l WHERE l.sequence = s.last_entry
              AND l.end_user_id = s.end_user_id AND l.mode = s.mode AND l.source_id = s.id)) AS faults`,
    },
    {
      check: 'every balance equals the sum of its ledger entries',
      rows: 'SELECT count(*) FROM sources',
      broken: `SELECT s.id || ' of ' || s.end_user_id || ' (' || s.mode || '): posted ' || s.posted ||
        ', ledger ' || coalesce(l.amount, 0) AS difference
      FROM sources s LEFT JOIN (
        SELECT end_user_id, mode, source_id, sum(amount) AS amount FROM ledger GROUP BY 1, 2, 3
      ) l ON l.end_user_id = s.end_user_id AND l.mode = s.mode AND l.source_id = s.id
      WHERE s.posted <> coalesce(l.amount, 0)`,
    },
    {
      check: 'every ledger entry is in the unit of its source',
      rows: 'SELECT count(*) FROM ledger',
      broken: `SELECT 'entry ' || l.sequence || ' is in ' || l.unit || ', its source in ' || s.unit AS difference
      FROM ledger l JOIN sources s ON s.end_user_id = l.end_user_id AND s.mode = l.mode AND s.id = l.source_id
      WHERE l.unit <> s.unit`,
    },
    {
      check: 'held amounts equal the holds of requests in flight',
      rows: 'SELECT count(*) FROM holds',
      broken: `WITH held_by AS (
        SELECT h.end_user_id, h.mode, leg.value ->> 0 AS source_id,
          sum(CAST(leg.value ->> 3 AS BIGINT)) AS amount
        FROM holds h, ${eachLeg} GROUP BY 1, 2, 3
        UNION ALL
        SELECT ${payerOfShare('id')}, mode, 'wallet', sum(held) FROM sources
        WHERE kind = 'team' AND payer_id IS NULL AND held > 0 GROUP BY 1, 2
        UNION ALL
        SELECT payer_id, mode, ${poolOfShare}, sum(held) FROM sources
        WHERE payer_id IS NOT NULL AND held > 0 GROUP BY 1, 2, 3),
      legs AS (SELECT end_user_id, mode, source_id, sum(amount) AS amount FROM held_by GROUP BY 1, 2, 3)
      SELECT coalesce(s.id, l.source_id) || ' of ' || coalesce(s.end_user_id, l.end_user_id) || ' (' ||
        coalesce(s.mode, l.mode) || '): held ' || coalesce(s.held, 0) || ', calls hold ' ||
        coalesce(l.amount, 0) AS difference
      FROM sources s FULL JOIN legs l
        ON l.end_user_id = s.end_user_id AND l.mode = s.mode AND l.source_id = s.id
      WHERE coalesce(s.held, 0) <> coalesce(l.amount, 0)`,
    },
    {
      check: 'every hold equals the sum of its legs',
      rows: 'SELECT count(*) FROM holds',
      broken: `SELECT 'call ' || call_id || ': holds ' || worst_micros || ', legs ' || micros AS difference FROM (
        SELECT h.call_id, h.worst_micros, coalesce((
          SELECT sum(CAST(leg.value ->> 4 AS BIGINT)) FROM ${eachLeg}), 0) AS micros
        FROM holds h) AS sums WHERE worst_micros <> micros`,
    },
    {
      check: 'no pool, no on-demand month and no share in the money of a payer is overdrawn',
      rows: `SELECT count(*) FROM sources WHERE kind <> 'wallet'`,
      broken: `SELECT id || ' of ' || end_user_id || ' (' || mode || '): posted ' || posted || ', held ' || held
        AS difference
      FROM sources WHERE (kind = 'pool' AND posted - held < 0) OR (kind IN ('on_demand', 'team') AND posted > 0)`,
    },
    {
      check: 'a wallet is below 0 only for an allowed reason',
      rows: `SELECT count(*) FROM sources WHERE kind = 'wallet'`,
      broken: `SELECT s.id || ' of ' || s.end_user_id || ' (' || s.mode || '): ' || s.posted || ' without a cause'
        AS difference
      FROM sources s WHERE s.kind = 'wallet' AND s.posted < 0 AND NOT EXISTS (
        SELECT 1 FROM ledger l
        LEFT JOIN usage_records u ON u.end_user_id = l.end_user_id AND u.application_id = l.application_id
          AND u.call_id = l.call_id
        LEFT JOIN quotes q ON q.id = u.quote_id
        WHERE l.end_user_id = s.end_user_id AND l.mode = s.mode AND l.source_id = s.id AND (
          l.kind IN ('reversal', 'adjustment')
          OR (${policyOf('q.body')}) IN ('grace', 'complete_message')))`,
    },
    {
      check: 'what members took from a wallet equals the entries on that wallet',
      rows: `SELECT count(*) FROM sources WHERE kind = 'team'`,
      broken: `WITH both_sides AS (
        SELECT ${payerOfShare('source_id')} AS payer, mode, end_user_id AS member, amount, 0 AS repeated
        FROM ledger WHERE source_id LIKE 'team/%/____-__'
        UNION ALL
        SELECT end_user_id, mode, substr(reason, 6), 0, amount FROM ledger
        WHERE source_id = 'wallet' AND ${isRepeated} AND reason NOT LIKE 'team/%/%')
      SELECT member || ' took ' || -sum(amount) || ' from ' || payer || ' (' || mode || '), whose wallet lost ' ||
        -sum(repeated) AS difference
      FROM both_sides GROUP BY payer, mode, member HAVING sum(amount) <> sum(repeated)`,
    },
    {
      check: 'what members took from a pool equals the entries on that pool',
      rows: 'SELECT count(*) FROM sources WHERE payer_id IS NOT NULL',
      broken: `WITH shares AS (
        SELECT end_user_id, mode, id, payer_id, ${poolOfShare} AS pool FROM sources WHERE payer_id IS NOT NULL),
      both_sides AS (
        SELECT s.payer_id AS payer, s.mode, 'team/' || s.end_user_id || '/' || s.pool AS reason, l.amount, 0 AS repeated
        FROM shares s JOIN ledger l ON l.end_user_id = s.end_user_id AND l.mode = s.mode AND l.source_id = s.id
        UNION ALL
        SELECT end_user_id, mode, reason || '/' || source_id, 0, amount FROM ledger
        WHERE source_id <> 'wallet' AND ${isRepeated}
        UNION ALL
        SELECT end_user_id, mode, reason, 0, amount FROM ledger
        WHERE source_id = 'wallet' AND ${isRepeated} AND reason LIKE 'team/%/%')
      SELECT reason || ' took ' || -sum(amount) || ' from a pool of ' || payer || ' (' || mode || '), who lost ' ||
        -sum(repeated) AS difference
      FROM both_sides GROUP BY payer, mode, reason HAVING sum(amount) <> sum(repeated)`,
    },
    {
      check: 'the gifted credit of a wallet does not exceed its balance',
      rows: 'SELECT count(*) FROM sources WHERE given IS NOT NULL',
      broken: `SELECT id || ' of ' || end_user_id || ' (' || mode || '): given ' || given || ' of ' || posted
        AS difference
      FROM sources WHERE given IS NOT NULL
        AND (kind <> 'wallet' OR given < 0 OR (given > 0 AND given > posted))`,
    },
    {
      check: 'the amounts that sources paid for a request add up to its charge',
      rows: 'SELECT count(*) FROM usage_records WHERE paid_plan_micros IS NOT NULL',
      broken: `SELECT 'call ' || call_id || ': charged ' || charge_micros || ', paid ' || paid AS difference FROM (
        SELECT call_id, charge_micros, paid_plan_micros + paid_wallet_micros + paid_gift_micros
          + on_demand_micros + overdraft_micros AS paid FROM usage_records) AS sums
      WHERE charge_micros <> paid`,
    },
    {
      check: 'no request is both in flight and ended',
      rows: 'SELECT count(*) FROM holds',
      broken: `SELECT 'call ' || h.call_id || ' is both' AS difference
      FROM holds h JOIN usage_records u ON u.end_user_id = h.end_user_id AND u.application_id = h.application_id
        AND u.call_id = h.call_id`,
    },
    {
      // The provider costs may be more, because they include failed requests, which the next check compares.
      check: 'daily sums equal the sums of usage records',
      rows: 'SELECT count(*) FROM usage_days',
      broken: `WITH records AS (
        SELECT end_user_id, mode, settled_at_ms / 86400000 AS day, key_id, alias, count(*) AS calls,
          ${summed(recorded)}
        FROM usage_records GROUP BY 1, 2, 3, 4, 5)
      ${differences({
        keys: 'end_user_id, mode, day, key_id, alias',
        kept: 'usage_days',
        right: 'records',
        mayExceed: ['rows', 'cost_micros'],
        words: `alias || ' of ' || end_user_id || ' on day ' || day || ': ' || kept_calls || ' calls for ' ||
          kept_charge_micros || ', records say ' || right_calls || ' for ' || right_charge_micros`,
      })}`,
    },
    {
      // Add up all days, because earlier versions counted a failed request on the day on which it began. If a day is
      // older than every record of an uncharged request, `prune` may have deleted records.
      check: 'daily sums include the provider costs of failed requests',
      rows: 'SELECT count(*) FROM requests WHERE cost_micros > 0',
      broken: `WITH costs AS (
        SELECT end_user_id, mode, key_id, alias, sum(cost_micros) AS kept, 0 AS recorded
        FROM usage_days GROUP BY 1, 2, 3, 4
        UNION ALL
        SELECT end_user_id, mode, key_id, alias, 0, sum(cost_micros) FROM usage_records GROUP BY 1, 2, 3, 4
        UNION ALL
        SELECT end_user_id, mode, key_id, alias, 0, sum(cost_micros)
        FROM requests WHERE cost_micros > 0 GROUP BY 1, 2, 3, 4),
      first_day AS (SELECT min(day) AS day FROM usage_days),
      first_request AS (SELECT min(at_ms) / 86400000 AS day FROM requests)
      SELECT alias || ' of ' || end_user_id || ': ' || sum(kept) || ' in all days, records say ' || sum(recorded)
        AS difference
      FROM costs CROSS JOIN first_day CROSS JOIN first_request
      GROUP BY end_user_id, mode, key_id, alias
      HAVING sum(kept) < sum(recorded)
        OR (sum(kept) > sum(recorded) AND max(first_day.day) >= max(first_request.day))`,
    },
    {
      // Omit the last week, because requests that settle late still change its sums (usage-sums-by-day.ts).
      check: 'the totals of an application equal the sums of its end users',
      rows: 'SELECT count(*) FROM application_days',
      broken: `WITH people AS (
        SELECT application_id, mode, day, alias, ${summed(figureColumns)}
        FROM usage_days WHERE day <= (SELECT through_day - 7 FROM usage_fold) GROUP BY 1, 2, 3, 4),
      everyone AS (
        SELECT * FROM application_days WHERE day <= (SELECT through_day - 7 FROM usage_fold))
      ${differences({
        keys: 'application_id, mode, day, alias',
        kept: 'everyone',
        right: 'people',
        words: `alias || ' of ' || application_id || ' on day ' || day || ': ' || kept_calls || ' calls for ' ||
          kept_charge_micros || ', its end users have ' || right_calls || ' for ' || right_charge_micros`,
      })}`,
    },
    {
      // The sums may be less: a request whose end is stored days late is never added (call-sums-by-hour.ts).
      check: 'the hourly sums of an application do not exceed the sums of its usage records',
      rows: 'SELECT count(*) FROM call_hours',
      broken: `WITH hours AS (
        SELECT application_id, mode, hour, alias, ${summed(hourly)} FROM call_hours GROUP BY 1, 2, 3, 4),
      records AS (
        SELECT application_id, mode, settled_at_ms / 3600000 AS hour, alias, count(*) AS charged,
          ${summed(hourly.slice(1))}
        FROM usage_records GROUP BY 1, 2, 3, 4)
      SELECT h.alias || ' of ' || h.application_id || ' (' || h.mode || ') in hour ' || h.hour || ': ' || h.charged ||
        ' charged requests for ' || h.charge_micros || ', records say ' || coalesce(r.charged, 0) || ' for ' ||
        coalesce(r.charge_micros, 0) AS difference
      FROM hours h LEFT JOIN records r ON r.application_id = h.application_id AND r.mode = h.mode
        AND r.hour = h.hour AND r.alias = h.alias
      WHERE ${hourly.map((name) => `h.${name} > coalesce(r.${name}, 0)`).join(' OR ')}`,
    },
    {
      check: 'the spending of a run equals the charges of its requests',
      rows: 'SELECT count(*) FROM outcome_runs',
      broken: `WITH records AS (
        SELECT end_user_id, mode, outcome_slug, run_id, sum(charge_micros) AS micros
        FROM usage_records WHERE run_id IS NOT NULL GROUP BY 1, 2, 3, 4)
      SELECT coalesce(o.run_id, r.run_id) || ' of ' || coalesce(o.end_user_id, r.end_user_id) || ': spent ' ||
        coalesce(o.spent_micros, 0) || ', records say ' || coalesce(r.micros, 0) AS difference
      FROM outcome_runs o FULL JOIN records r ON r.end_user_id = o.end_user_id AND r.mode = o.mode
        AND r.outcome_slug = o.outcome_slug AND r.run_id = o.run_id
      WHERE coalesce(o.spent_micros, 0) <> coalesce(r.micros, 0)`,
    },
    {
      check: 'the periods of a pool do not overlap',
      rows: `SELECT count(*) FROM sources WHERE kind NOT IN ('wallet', 'team')`,
      broken: `SELECT id || ' of ' || end_user_id || ' (' || mode || ') starts before ' || before_id || ' ends'
        AS difference
      FROM (
        SELECT id, end_user_id, mode, starts_at_ms, ends_at_ms,
          lag(ends_at_ms) OVER one AS before_ends, lag(id) OVER one AS before_id
        FROM sources WHERE kind NOT IN ('wallet', 'team') AND ends_at_ms IS NOT NULL
        WINDOW one AS (PARTITION BY end_user_id, mode, kind, bundle_id, slug, rolled ORDER BY starts_at_ms, ends_at_ms)) AS periods
      WHERE starts_at_ms < before_ends OR ends_at_ms < starts_at_ms`,
    },
    {
      check: 'a pool was granted once, and every deduction from it is on its ledger',
      rows: `SELECT count(*) FROM sources WHERE kind = 'pool'`,
      broken: `SELECT id || ' of ' || end_user_id || ' (' || mode || '): granted ' || granted || ', withheld ' ||
        withheld || ', expired ' || expired || '; its ledger: ' || grants || ' grants of ' || ledger_granted || ', ' ||
        ledger_withheld || ', ' || ledger_expired AS difference
      FROM (
        SELECT s.id, s.end_user_id, s.mode, coalesce(s.granted, 0) AS granted,
          coalesce(s.withheld, 0) AS withheld, coalesce(s.expired, 0) AS expired,
          coalesce(l.grants, 0) AS grants, coalesce(l.granted, 0) AS ledger_granted,
          coalesce(l.withheld, 0) AS ledger_withheld, coalesce(l.expired, 0) AS ledger_expired
        FROM sources s LEFT JOIN (
          SELECT end_user_id, mode, source_id,
            sum(CASE WHEN kind = 'grant' THEN 1 ELSE 0 END) AS grants,
            sum(CASE WHEN kind = 'grant' THEN amount ELSE 0 END) AS granted,
            -sum(CASE WHEN kind IN ('reversal', 'adjustment') AND call_id IS NULL
              AND reason NOT IN ('expired', 'reversed', 'rolled_over') AND NOT (${isRepeated}) THEN amount ELSE 0 END)
              AS withheld,
            -sum(CASE WHEN kind = 'reversal' AND reason IN ('expired', 'reversed', 'rolled_over') THEN amount ELSE 0 END) AS expired
          FROM ledger GROUP BY 1, 2, 3
        ) l ON l.end_user_id = s.end_user_id AND l.mode = s.mode AND l.source_id = s.id
        WHERE s.kind = 'pool') AS pools
      WHERE grants <> 1 OR granted <> ledger_granted OR withheld <> ledger_withheld OR expired <> ledger_expired`,
    },
    {
      // Before an operation on an end user's money, the ledger lets the end user's ended pools expire
      // (ledger/add-due-sources.ts).
      check: 'the credit of an ended pool expired before any later ledger entry was written',
      rows: `SELECT count(*) FROM sources WHERE kind = 'pool' AND ends_at_ms IS NOT NULL`,
      broken: `SELECT s.id || ' of ' || s.end_user_id || ' (' || s.mode || '): ' || (s.posted - s.held) ||
        ' are left of it, and it is over' AS difference
      FROM sources s JOIN (
        SELECT end_user_id, mode, max(created_at_ms) AS at_ms FROM ledger GROUP BY 1, 2
      ) l ON l.end_user_id = s.end_user_id AND l.mode = s.mode
      WHERE s.kind = 'pool' AND s.posted > s.held AND s.ends_at_ms <= l.at_ms`,
    },
    {
      check: 'a finished grant credited each of its end users once',
      rows: 'SELECT count(*) FROM grants',
      broken: `SELECT 'grant ' || g.id || ': for ' || g.end_users || ', entries ' || count(l.sequence) AS difference
      FROM grants g LEFT JOIN ledger l ON l.grant_id = g.id AND l.application_id = g.application_id
        AND l.idempotency_key = g.id
      WHERE g.pending IS NULL AND g.reverses IS NULL GROUP BY g.application_id, g.id, g.end_users HAVING count(l.sequence) <> g.end_users`,
    },
    {
      check: 'a reversal equals its ledger entries and does not exceed its grant',
      rows: `SELECT count(*) FROM grants WHERE reverses IS NOT NULL`,
      broken: `WITH entries AS (
        SELECT application_id, idempotency_key AS id, max(grant_id) AS grant_id, -sum(amount) AS micros,
          count(*) AS end_users
        FROM ledger WHERE kind = 'reversal' AND grant_id <> idempotency_key GROUP BY 1, 2)
      SELECT 'reversal ' || coalesce(r.id, e.id) || ' of ' || coalesce(g.reverses, e.grant_id, 'no grant') || ': ' ||
        coalesce(r.reversed_micros, 0) || ' from ' || coalesce(r.end_users, 0) || ', its entries ' ||
        coalesce(e.micros, 0) || ' from ' || coalesce(e.end_users, 0) AS difference
      FROM grant_reversals r FULL JOIN entries e ON e.application_id = r.application_id AND e.id = r.id
      LEFT JOIN grants g ON g.application_id = coalesce(r.application_id, e.application_id)
        AND g.id = coalesce(r.id, e.id)
      WHERE coalesce(r.reversed_micros, 0) <> coalesce(e.micros, 0)
        OR coalesce(r.end_users, 0) <> coalesce(e.end_users, 0)
        OR g.reverses IS NULL OR g.reverses <> r.grant_id OR g.reverses <> e.grant_id
      UNION ALL
      SELECT 'grant ' || grant_id || ' of ' || end_user_id || ': ' || reversed || ' reversed of ' || granted
      FROM (
        SELECT l.end_user_id, l.mode, l.grant_id,
          -sum(CASE WHEN l.kind = 'reversal' THEN l.amount ELSE 0 END) AS reversed,
          sum(CASE WHEN l.idempotency_key = l.grant_id THEN l.amount ELSE 0 END) AS granted
        FROM ledger l JOIN grants g ON g.application_id = l.application_id AND g.id = l.grant_id
          AND g.kind = 'grant'
        WHERE l.source_id = 'wallet'
        GROUP BY 1, 2, 3) AS sums
      WHERE reversed > granted`,
    },
    {
      check: 'the refunds of a request do not exceed its charge',
      rows: 'SELECT count(*) FROM call_corrections',
      broken: `SELECT 'call ' || c.call_id || ': ' || c.charge_micros || ' for ' || coalesce(u.charge_micros, 0) ||
        ' charged and ' || coalesce(u.billed_micros, 0) || ' billed' AS difference
      FROM (
        SELECT application_id, end_user_id, call_id, sum(charge_micros) AS charge_micros,
          sum(billed_micros) AS billed_micros, sum(cost_micros) AS cost_micros
        FROM call_corrections GROUP BY 1, 2, 3) AS c
      LEFT JOIN usage_records u ON u.application_id = c.application_id AND u.call_id = c.call_id
        AND u.end_user_id = c.end_user_id
      WHERE coalesce(u.charge_micros, 0) + c.charge_micros < 0 OR coalesce(u.billed_micros, 0) + c.billed_micros < 0
        OR coalesce(u.cost_micros, 0) + c.cost_micros < 0
        OR (u.charge_micros + c.charge_micros > u.worst_micros AND c.charge_micros > 0)`,
    },
    {
      check: 'the amounts of a correction by source add up to its total, and its day matches its time',
      rows: 'SELECT count(*) FROM call_corrections',
      broken: `SELECT 'correction ' || id || ': ' || charge_micros || ', by who paid ' ||
        (paid_plan_micros + paid_wallet_micros + paid_gift_micros + on_demand_micros + overdraft_micros) ||
        ', day ' || day AS difference
      FROM call_corrections
      WHERE paid_plan_micros + paid_wallet_micros + paid_gift_micros + on_demand_micros + overdraft_micros
        <> charge_micros OR day <> created_at_ms / 86400000`,
    },
    {
      check: 'every payment reference credited one end user once',
      rows: `SELECT count(*) FROM grants WHERE kind = 'topup'`,
      broken: `SELECT application_id || ' (' || mode || '): ' || count(*) || ' top-ups of the payment ' ||
        payment_reference AS difference
      FROM grants WHERE payment_reference IS NOT NULL
      GROUP BY application_id, mode, payment_reference HAVING count(*) > 1 OR max(end_users) > 1`,
    },
    {
      check: 'every invoice equals the sum of its lines',
      rows: 'SELECT count(*) FROM invoices',
      broken: `SELECT 'invoice ' || i.id || ': ' || i.amount_micros || ', its lines ' || coalesce(l.amount, 0)
        AS difference
      FROM invoices i LEFT JOIN (
        SELECT invoice_id, sum(amount_micros) AS amount FROM invoice_lines GROUP BY 1
      ) l ON l.invoice_id = i.id
      WHERE i.amount_micros <> coalesce(l.amount, 0)`,
    },
    {
      check: 'an end user has one invoice per period, and the invoice numbers have no gaps',
      rows: 'SELECT count(*) FROM invoices',
      broken: `SELECT end_user_id || ' (' || mode || '): ' || note AS difference FROM (
        SELECT end_user_id, mode, count(*) || ' invoices for the period from ' || period_start_ms AS note
          FROM invoices WHERE cause = 'renewed' GROUP BY 1, 2, period_start_ms HAVING count(*) > 1
        UNION ALL
        SELECT end_user_id, mode, 'invoice ' || number || ' begins before ' || before_end || ', the end of the one before'
          FROM (SELECT end_user_id, mode, number, cause, period_start_ms,
            lag(period_end_ms) OVER (PARTITION BY end_user_id, mode ORDER BY number) AS before_end
            FROM invoices WHERE cause <> 'on_demand') AS spans
          WHERE cause = 'renewed' AND period_start_ms <> before_end
        UNION ALL
        SELECT i.end_user_id, i.mode, count(*) || ' invoices up to number ' || max(i.number) || ', the account says ' ||
            coalesce(a.invoices, 0)
          FROM invoices i LEFT JOIN accounts a ON a.end_user_id = i.end_user_id AND a.mode = i.mode
          GROUP BY 1, 2, a.invoices HAVING count(*) <> max(i.number) OR max(i.number) <> coalesce(a.invoices, 0)
      ) AS faults`,
    },
    {
      // Skip months that are still open. A month stays open while a call in flight holds money of the month, and until
      // the plan renews in that month.
      check: 'a closed on-demand month is on one invoice, with its whole amount',
      rows: 'SELECT count(*) FROM on_demand_months',
      broken: `WITH used AS (
        SELECT end_user_id, mode, source_id, sum(amount) AS amount
        FROM ledger
        WHERE source_id LIKE 'on_demand/%' AND (reason IS NULL OR reason NOT IN ('on_demand_paid', 'on_demand_waived'))
        GROUP BY 1, 2, 3)
      SELECT ${source} || ': ' || note AS difference FROM (
        SELECT u.end_user_id, u.mode, u.source_id, 'debited ' || -u.amount || ', invoiced ' ||
            coalesce(m.amount_micros, 0) AS note
          FROM used u
          JOIN sources s ON s.end_user_id = u.end_user_id AND s.mode = u.mode AND s.id = u.source_id
          JOIN accounts a ON a.end_user_id = s.end_user_id AND a.mode = s.mode
          LEFT JOIN on_demand_months m
            ON m.end_user_id = s.end_user_id AND m.mode = s.mode AND m.source_id = s.id
          WHERE (s.ends_at_ms <= a.on_demand_closed_until_ms OR m.source_id IS NOT NULL)
            AND u.amount + coalesce(m.amount_micros, 0) <> 0
        UNION ALL
        SELECT m.end_user_id, m.mode, m.source_id, 'is on invoice ' || m.invoice_id || ' and was never debited'
          FROM on_demand_months m LEFT JOIN used u
            ON u.end_user_id = m.end_user_id AND u.mode = m.mode AND u.source_id = m.source_id
          WHERE u.source_id IS NULL
        UNION ALL
        SELECT m.end_user_id, m.mode, m.source_id, 'is invoiced, and the account is closed only until ' ||
            coalesce(CAST(a.on_demand_closed_until_ms AS TEXT), 'nothing')
          FROM on_demand_months m
          JOIN sources s ON s.end_user_id = m.end_user_id AND s.mode = m.mode AND s.id = m.source_id
          LEFT JOIN accounts a ON a.end_user_id = m.end_user_id AND a.mode = m.mode
          WHERE s.ends_at_ms > coalesce(a.on_demand_closed_until_ms, 0)
        UNION ALL
        SELECT m.end_user_id, m.mode, m.source_id, 'has ' || count(l.name) || ' lines on invoice ' || m.invoice_id ||
            ' for ' || coalesce(sum(l.amount_micros), 0) || ', not one for ' || m.amount_micros
          FROM on_demand_months m LEFT JOIN invoice_lines l
            ON l.invoice_id = m.invoice_id AND l.kind = 'on_demand' AND 'on_demand/' || l.name = m.source_id
          GROUP BY m.end_user_id, m.mode, m.source_id, m.invoice_id, m.amount_micros
          HAVING count(l.name) <> 1 OR sum(l.amount_micros) <> m.amount_micros
        UNION ALL
        SELECT i.end_user_id, i.mode, 'on_demand/' || l.name, 'is on invoice ' || i.id || ', which is not void, and on ' ||
            coalesce(m.invoice_id, 'no other')
          FROM invoice_lines l JOIN invoices i ON i.id = l.invoice_id
          LEFT JOIN on_demand_months m
            ON m.end_user_id = i.end_user_id AND m.mode = i.mode AND m.source_id = 'on_demand/' || l.name
          WHERE l.kind = 'on_demand' AND i.voided_at_ms IS NULL AND coalesce(m.invoice_id, '') <> i.id
      ) AS faults`,
    },
    {
      check: 'an on-demand month is cleared once, when its invoice is paid or voided',
      rows: 'SELECT count(*) FROM on_demand_months WHERE reason IS NOT NULL',
      broken: `SELECT ${source} || ' on invoice ' || invoice_id || ': ' || note AS difference FROM (
        SELECT m.end_user_id, m.mode, m.source_id, m.invoice_id, 'the invoice is ' ||
            CASE WHEN i.paid_at_ms IS NOT NULL THEN 'paid' WHEN i.voided_at_ms IS NOT NULL THEN 'void' ELSE 'unpaid' END ||
            ', the month says ' || coalesce(m.reason, 'nothing') AS note
          FROM on_demand_months m JOIN invoices i ON i.id = m.invoice_id
          WHERE coalesce(m.reason, '') <> CASE WHEN i.paid_at_ms IS NOT NULL THEN 'on_demand_paid'
            WHEN i.voided_at_ms IS NOT NULL THEN 'on_demand_waived' ELSE '' END
        UNION ALL
        SELECT m.end_user_id, m.mode, m.source_id, m.invoice_id, 'cleared ' || coalesce(l.amount, 0) || ' of ' ||
            m.amount_micros || ' by entry ' || m.entry
          FROM on_demand_months m LEFT JOIN ledger l ON l.sequence = m.entry AND l.end_user_id = m.end_user_id
            AND l.mode = m.mode AND l.source_id = m.source_id AND l.kind = 'adjustment' AND l.reason = m.reason
            AND l.idempotency_key = m.invoice_id || '/' || m.source_id
          WHERE m.entry IS NOT NULL AND coalesce(l.amount, 0) <> m.amount_micros
        UNION ALL
        SELECT l.end_user_id, l.mode, l.source_id, coalesce(m.invoice_id, 'none'), 'entry ' || l.sequence ||
            ' clears it, the month names ' || coalesce(CAST(m.entry AS TEXT), 'none')
          FROM ledger l LEFT JOIN on_demand_months m
            ON m.end_user_id = l.end_user_id AND m.mode = l.mode AND m.source_id = l.source_id
          WHERE l.source_id LIKE 'on_demand/%' AND l.reason IN ('on_demand_paid', 'on_demand_waived')
            AND coalesce(m.entry, 0) <> l.sequence
      ) AS faults`,
    },
    {
      check: 'on-demand billing is blocked when the first unpaid invoice is past due',
      rows: `SELECT count(*) FROM invoices WHERE paid_at_ms IS NULL AND voided_at_ms IS NULL`,
      broken: `SELECT i.end_user_id || ' (' || i.mode || '): an invoice is due at ' || min(i.due_at_ms) ||
        ', on-demand goes on until ' || coalesce(CAST(a.on_demand_until_ms AS TEXT), 'ever') AS difference
      FROM invoices i LEFT JOIN accounts a ON a.end_user_id = i.end_user_id AND a.mode = i.mode
      WHERE i.paid_at_ms IS NULL AND i.voided_at_ms IS NULL
      GROUP BY i.end_user_id, i.mode, a.on_demand_until_ms
      HAVING a.on_demand_until_ms IS NULL OR a.on_demand_until_ms > min(i.due_at_ms)`,
    },
    ...(lastNumber === null ? [] : [numberCheck(lastNumber)]),
  ]
}

export const newNumbers = 'the next entry gets a new number'

function numberCheck(lastNumber: string): RowCheck {
  return {
    check: newNumbers,
    rows: 'SELECT 1',
    broken: `SELECT 'entries reach ' || max(sequence) || ', the next ones follow ' || ${lastNumber} AS difference
      FROM ledger HAVING max(sequence) > ${lastNumber}`,
  }
}

/** A record of a call has no column `calls`, because it is one call. */
const recorded = figureColumns.filter((column) => column !== 'calls')

/**
 * Returns SQL for the rows in which two sets of sums differ, and for the rows that only one set has. A single GROUP BY
 * reads both sets. For a FULL JOIN, SQLite creates no index, and reads one whole set for each row of the other set.
 */
function differences({
  keys,
  kept,
  mayExceed = [],
  right,
  words,
}: {
  readonly keys: string
  readonly kept: string
  /** Columns in which the kept sums may be more. `rows` means rows that only the kept sums have. */
  readonly mayExceed?: readonly string[]
  readonly right: string
  /** SQL expression for the text of a difference. May use the key columns, `kept_calls` and `right_calls`. */
  readonly words: string
}): string {
  const columns = ['rows', ...figureColumns]
  const side = (table: string, isKept: boolean): string => {
    const values = columns.map((name) => (name === 'rows' ? '1' : name))
    const nothing = columns.map(() => '0')
    return `SELECT ${keys}, ${[...(isKept ? values : nothing), ...(isKept ? nothing : values)].join(', ')} FROM ${table}`
  }
  const named = ['kept', 'right'].flatMap((which) => columns.map((name) => `${which}_${name}`))
  return `, both_sides(${keys}, ${named.join(', ')}) AS (
        ${side(kept, true)} UNION ALL ${side(right, false)}),
      compared AS (
        SELECT ${keys}, ${named.map((name) => `sum(${name}) AS ${name}`).join(', ')}
        FROM both_sides GROUP BY ${keys})
      SELECT ${words} AS difference FROM compared
      WHERE ${columns.map((name) => `kept_${name} ${mayExceed.includes(name) ? '<' : '<>'} right_${name}`).join(' OR ')}`
}
