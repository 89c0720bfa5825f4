/**
 * Lists what happens to each text column of an end user's rows when the end user is deleted. If a new text column is
 * missing here, the code does not compile or erasure-rule-for-every-text-column.test.ts fails.
 *
 * - `kept`: the column never contains personal data.
 * - `null`, `ourId`: the column is set to null, or to Tollgate's own ID of the end user.
 * - `ourIdIfTheirs`: Tollgate's own ID replaces the end user's external ID and email, and other texts are kept.
 * - `row`: the rows of the table are deleted.
 *
 * Stored responses and the audit log have no column for an end user, so `operations/users/shared/erase-end-user`
 * rewrites these rows.
 */
import { sql } from 'kysely'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Schema } from './schema.ts'

type Fate = 'kept' | 'null' | 'ourId' | 'ourIdIfTheirs'
type TextColumn<Row> = {
  [Column in keyof Row & string]: Extract<Row[Column], string> extends never ? never : Column
}[keyof Row & string]
type Fates = {
  readonly [Table in keyof Schema]?: 'row' | { readonly [Column in TextColumn<Schema[Table]>]: Fate }
}

function kept<Column extends string>(...columns: readonly Column[]): Readonly<Record<Column, 'kept'>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries loses the names
  return Object.fromEntries(columns.map((column) => [column, 'kept'])) as Record<Column, 'kept'>
}

export const erasure = {
  end_users: {
    ...kept('application_id', 'id'),
    bundle_id: 'null',
    email: 'null',
    external_id: 'ourId',
    frozen_reason: 'null',
    payer_id: 'null',
  },
  accounts: {
    ...kept(
      'billing_interval',
      'covered_bundle',
      'covered_name',
      'end_user_id',
      'mode',
      'rate_limits',
      'spend_limits',
    ),
    bundle_id: 'null',
  },
  key_spending: kept('application_id', 'end_user_id', 'key_id', 'mode'),
  keys: {
    ...kept(
      'actor_type',
      'application_id',
      'cap_period',
      'end_user_id',
      'hash',
      'id',
      'last_four',
      'line_actor_type',
      'line_id',
      'mode',
      'prefix',
      'rate_limits',
      'replaced_by',
      'tags',
    ),
    actor_label: 'ourIdIfTheirs',
    name: 'ourId',
  },
  files: {
    ...kept(
      'account_id',
      'application_id',
      'end_user_id',
      'format',
      'id',
      'kind',
      'length_state',
      'mode',
      'organization_id',
      'provider_id',
    ),
    filename: 'ourId',
  },
  batches: kept(
    'account_id',
    'added_files',
    'application_id',
    'end_user_id',
    'format',
    'id',
    'mode',
    'models',
    'organization_id',
    'provider_id',
  ),
  portal_links: 'row',
  portal_sessions: 'row',
  call_corrections: kept(
    'account_id',
    'actor',
    'alias',
    'application_id',
    'bundle',
    'call_id',
    'end_user_id',
    'entries',
    'id',
    'idempotency_key',
    'key_id',
    'kind',
    'legs',
    'mode',
    'outcome_slug',
    'reason',
    'request_hash',
    'run_id',
    'tags',
    'usage',
  ),
  holds: kept(
    'alias',
    'application_id',
    'attempts',
    'bound',
    'call_id',
    'checkpoint',
    'end_user_id',
    'key_id',
    'legs',
    'limits',
    'mode',
    'outcome_slug',
    'quote_id',
    'run_id',
    'target',
  ),
  invoices: kept('application_id', 'cause', 'end_user_id', 'id', 'mode'),
  late_usage: kept('application_id', 'call_id', 'end_user_id', 'mode', 'usage'),
  ledger: kept(
    'application_id',
    'call_id',
    'end_user_id',
    'grant_id',
    'idempotency_key',
    'kind',
    'mode',
    'reason',
    'source_id',
    'unit',
  ),
  line_rate_uses: kept('end_user_id', 'line_id', 'mode', 'uses'),
  on_demand_ceilings: kept('end_user_id', 'mode'),
  on_demand_months: kept('end_user_id', 'invoice_id', 'mode', 'reason', 'source_id'),
  outcome_runs: kept('application_id', 'end_user_id', 'mode', 'outcome_slug', 'run_id', 'status'),
  rate_uses: kept('end_user_id', 'mode', 'uses'),
  requests: kept(
    'alias',
    'application_id',
    'attempts',
    'call_id',
    'end_user_id',
    'error_code',
    'key_id',
    'mode',
    'shard_key',
    'status',
    'tags',
    'target',
    'trace',
    'wire',
  ),
  run_hours: kept('application_id', 'end_user_id', 'mode', 'outcome_slug', 'run_id'),
  sources: kept(
    'bundle_id',
    'currency',
    'display_name',
    'end_user_id',
    'id',
    'kind',
    'mode',
    'models',
    'payer_id',
    'slug',
    'spillover_to',
    'unit',
  ),
  usage_days: kept('alias', 'application_id', 'end_user_id', 'key_id', 'mode'),
  usage_records: kept(
    'alias',
    'application_id',
    'attempts',
    'call_id',
    'end_user_id',
    'error_code',
    'key_id',
    'legs',
    'mode',
    'outcome_slug',
    'quote_id',
    'run_id',
    'tags',
    'target',
    'token_source',
    'trace',
    'usage',
    'wire',
  ),
} as const satisfies Fates

type Erased = {
  [Table in keyof typeof erasure]: (typeof erasure)[Table] extends 'row' ? never : Table
}[keyof typeof erasure]

type Changes<Row> = Partial<Pick<Row, TextColumn<Row>>>

export function erased<Table extends Erased>(
  table: Table,
  { email, externalId, id }: Pick<EndUser, 'id' | 'externalId' | 'email'>,
): Changes<Schema[Table]> {
  const fates: Readonly<Record<string, Fate>> = erasure[table]
  const changes = Object.entries(fates).flatMap(([column, fate]): [string, unknown][] => {
    if (fate === 'kept') return []
    if (fate === 'null') return [[column, null]]
    if (fate === 'ourId') return [[column, id]]
    const isTheirs = sql`${sql.ref(column)} IN (${externalId}, ${email ?? externalId})`
    return [[column, sql`CASE WHEN ${isTheirs} THEN ${id} ELSE ${sql.ref(column)} END`]]
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table above has only columns of the row
  return Object.fromEntries(changes) as Changes<Schema[Table]>
}
