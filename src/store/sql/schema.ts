/**
 * The rows as Kysely sees them. The tables are explained where they are made (migrations/).
 *
 * Integers are `bigint` where they are money and `number` everywhere else; which is which is told by
 * the column's name (money-columns.ts), on every engine alike. Booleans are 0 or 1. Times are
 * milliseconds since 1970. JSON is text.
 */
import type { RunStatus, Source, TerminationPolicy, Unit } from '#money/hold.ts'
import type { CreditRequest, SettleRequest } from '#domain/ledger.ts'
import type { Mode } from '#domain/application-config.ts'
import type { ProviderKind } from '#domain/provider-kinds.ts'

export interface Schema {
  organizations: OrganizationRow
  tokens: TokenRow
  applications: ApplicationRow
  provider_accounts: ProviderAccountRow
  account_prices: AccountPriceRow
  aliases: AliasRow
  bundles: BundleRow
  bundle_prices: BundlePriceRow
  bundle_includes: BundleIncludeRow
  outcomes: OutcomeRow
  end_users: EndUserRow
  keys: KeyRow
  accounts: AccountRow
  sources: SourceRow
  quotes: QuoteRow
  holds: HoldRow
  ledger: LedgerRow
  usage_records: UsageRecordRow
  requests: RequestRow
  usage_days: UsageDayRow
  application_days: Omit<UsageDayRow, 'end_user_id' | 'key_id'>
  usage_fold: UsageFoldRow
  outcome_runs: OutcomeRunRow
  grants: GrantRow
  idempotency_keys: IdempotencyKeyRow
  writer_state: WriterStateRow
  epochs: EpochRow
}

export type Flag = 0 | 1
type LimitPeriod = 'day' | 'week' | 'month' | 'total'
type LedgerKind = CreditRequest['kind'] | 'usage_debit' | 'refund'

interface OrganizationRow {
  id: string
  code: string
  name: string
  created_at_ms: number
}

export interface TokenRow {
  id: string
  organization_id: string
  label: string
  hash: string
  prefix: string
  last_four: string
  active_application_id: string | null
  created_at_ms: number
  last_used_at_ms: number | null
  revoked_at_ms: number | null
}

export interface ApplicationRow {
  id: string
  organization_id: string
  slug: string
  code: string
  name: string
  config_version: number
  default_bundle_id: string | null
  gateway_port: number | null
  portal_port: number | null
  created_at_ms: number
  archived_at_ms: number | null
}

export interface ProviderAccountRow {
  id: string
  organization_id: string
  label: string
  kind: ProviderKind
  base_url: string | null
  sealed_credential: string | null
  last_four: string | null
  created_at_ms: number
}

interface AccountPriceRow {
  account_id: string
  model: string
  /** JSON of a Price (design 8). */
  price: string
  created_at_ms: number
}

export interface AliasRow {
  application_id: string
  name: string
  /** JSON array of `{"account": "<account id>", "model": "<upstream model>"}`, in the order tried. */
  sources: string
  /** JSON of AliasCeilings. */
  ceilings: string
  is_disabled: Flag
  created_at_ms: number
}

export interface BundleRow {
  id: string
  application_id: string
  slug: string
  display_name: string
  price_micros: bigint | null
  billing_interval: 'month' | 'year'
  spend_limit_micros: bigint | null
  spend_limit_period: LimitPeriod
  termination_policy: TerminationPolicy
  max_overdraft_micros: bigint
  debit_basis: 'provider_cost' | 'sell_price'
  credit_currency: string | null
  /** JSON array of patterns. */
  allow: string
  /** JSON array of patterns. */
  deny: string
  created_at_ms: number
}

export interface BundlePriceRow {
  bundle_id: string
  alias: string
  /** JSON of a Price, or null: sold at cost. */
  price: string | null
  /** JSON of a Price in millionths of a credit, or null: credit pools cannot pay for it. */
  credits: string | null
}

export interface BundleIncludeRow {
  bundle_id: string
  slug: string
  display_name: string
  unit: Unit
  amount: bigint
  price_micros: bigint | null
  then_on_demand: Flag
  recurring: Flag
  spillover_to: string | null
  /** JSON array of patterns, or null: whatever the bundle allows. */
  models: string | null
  position: number
}

export interface OutcomeRow {
  application_id: string
  slug: string
  display_name: string
  ceiling_micros: bigint
  created_at_ms: number
  archived_at_ms: number | null
}

export interface EndUserRow {
  id: string
  application_id: string
  external_id: string
  email: string | null
  bundle_id: string | null
  subscribed_at_ms: number
  bundle_since_ms: number | null
  frozen_at_ms: number | null
  removed_at_ms: number | null
  created_at_ms: number
}

export interface KeyRow {
  id: string
  application_id: string
  end_user_id: string
  mode: Mode
  name: string
  hash: string
  prefix: string
  last_four: string
  cap_micros: bigint | null
  cap_period: LimitPeriod
  actor_type: string
  actor_label: string | null
  created_at_ms: number
  last_used_at_ms: number | null
  revoked_at_ms: number | null
  expires_at_ms: number | null
}

interface AccountRow {
  end_user_id: string
  mode: Mode
  on_demand_enabled: Flag
  on_demand_limit_micros: bigint | null
}

export interface SourceRow {
  end_user_id: string
  mode: Mode
  id: string
  kind: Source['kind']
  unit: Unit
  posted: bigint
  held: bigint
  /** Sequence of its newest ledger entry, from which nouns/ledger-entries.ts walks to the older ones. */
  last_entry: number | null
  slug: string | null
  display_name: string | null
  currency: string | null
  granted: bigint | null
  withheld: bigint | null
  expired: bigint | null
  bundle_id: string | null
  /** JSON array of patterns. */
  models: string | null
  rank_models: number | null
  price_micros: bigint | null
  sequence: number | null
  spillover_to: string | null
  then_on_demand: Flag | null
  recurring: Flag | null
  starts_at_ms: number | null
  ends_at_ms: number | null
}

interface QuoteRow {
  id: string
  /** rows/json-columns.ts reads it, and every other text column of this file without a comment. */
  body: string
}

export interface HoldRow {
  call_id: string
  application_id: string
  end_user_id: string
  key_id: string
  mode: Mode
  alias: string
  quote_id: string
  bound: string
  worst_micros: bigint
  worst_credits: bigint
  legs: string
  limits: string
  outcome_slug: string | null
  run_id: string | null
  target: string
  input_estimate: number
  epoch: number
  reserved_at_ms: number
  dispatched_at_ms: number | null
  checkpoint: string | null
}

/** By `sequence`, and by nothing else: read it through nouns/ledger-entries.ts, write it through ledger/new-rows.ts. */
export interface LedgerRow {
  sequence: number
  /** The entry before it of the same source. */
  previous: number | null
  end_user_id: string
  mode: Mode
  application_id: string
  source_id: string
  kind: LedgerKind
  unit: Unit
  amount: bigint
  balance_after: bigint
  call_id: string | null
  grant_id: string | null
  reason: string | null
  idempotency_key: string | null
  created_at_ms: number
}

/** By application and call; a person's own are found through their ledger entries. */
export interface UsageRecordRow {
  application_id: string
  call_id: string
  end_user_id: string
  key_id: string
  mode: Mode
  alias: string
  target: string
  streamed: Flag
  input_tokens: number
  output_tokens: number
  usage: string
  token_source: SettleRequest['tokenSource'] | 'recovered'
  cost_micros: bigint
  billed_micros: bigint
  charge_micros: bigint
  over_hold_micros: bigint
  worst_micros: bigint
  wallet_posted_micros: bigint
  legs: string
  quote_id: string
  outcome_slug: string | null
  run_id: string | null
  settled_at_ms: number
  first_entry: number | null
  wire: string
  http_status: number
  error_code: string | null
  at_ms: number
  latency_ms: number
  first_byte_ms: number | null
  trace: string
}

export interface RequestRow {
  application_id: string
  call_id: string
  mode: Mode
  end_user_id: string | null
  key_id: string | null
  alias: string | null
  wire: string
  streamed: Flag
  status: 'released' | 'refused' | 'recovered'
  http_status: number
  error_code: string | null
  at_ms: number
  latency_ms: number
  first_byte_ms: number | null
  trace: string
}

interface UsageDayRow {
  end_user_id: string
  mode: Mode
  /** Days since 1970, UTC. */
  day: number
  key_id: string
  alias: string
  application_id: string
  calls: number
  input_tokens: number
  output_tokens: number
  cost_micros: bigint
  billed_micros: bigint
  charge_micros: bigint
  over_hold_micros: bigint
}

interface UsageFoldRow {
  id: number
  through_day: number
}

export interface OutcomeRunRow {
  end_user_id: string
  mode: Mode
  application_id: string
  outcome_slug: string
  run_id: string
  status: RunStatus
  capped_at_micros: bigint | null
  spent_micros: bigint
  calls: number
  started_at_ms: number
  last_call_at_ms: number
}

export interface GrantRow {
  application_id: string
  id: string
  mode: Mode
  kind: CreditRequest['kind']
  amount_micros: bigint
  reason: string
  idempotency_key: string | null
  request_hash: string
  end_users: number
  /** JSON array of end user ids while the grant is being written, else null. */
  pending: string | null
  created_at_ms: number
}

interface IdempotencyKeyRow {
  organization_id: string
  application_id: string
  mode: Mode
  operation_id: string
  idempotency_key: string
  request_hash: string
  status: number
  response: string
  created_at_ms: number
}

interface WriterStateRow {
  id: number
  batch: number
  ledger_sequence: number
}

interface EpochRow {
  epoch: number
  started_at_ms: number
  ended_at_ms: number | null
}
