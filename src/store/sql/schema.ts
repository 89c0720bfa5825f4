/**
 * The migrations explain the tables (migrations/). Most columns come from the table's record
 * (convert-records-and-rows.ts). Only the other columns are listed here.
 *
 * Integers are `bigint` for money and `number` for everything else, according to the column's name
 * (bigint-only-for-money-columns.ts). Booleans are 0 or 1. Times are milliseconds since 1970. JSON is text, which
 * rows/json-columns.ts reads unless the comment of the column names another file.
 */
import type { IdempotencyAnswer } from '#domain/stored-idempotent-responses.ts'
import type { Outcome, OutcomeRun } from '#domain/outcomes-and-runs.ts'
import type { Key } from '#domain/end-user-keys.ts'
import type { IncludeTerms } from '#money/plan-pools.ts'
import type { Source, Unit } from '#money/decision-types.ts'
import type { InvoiceLine } from '#money/invoice.ts'
import type { Interval } from '#money/periods-and-windows.ts'
import type { LedgerKind } from '#money/posting.ts'
import type { CorrectedName, Counts, RecordFigures } from '#domain/sums-of-request-figures.ts'
import type { DailyLimit } from '#domain/daily-limits.ts'
import type {
  Delivery,
  Emitter,
  EmitterCounts,
  EmitterMark,
  Replay,
} from '#domain/emitters/emitter-records-and-ports.ts'
import type { GatewaySettings } from '#domain/gateway-settings.ts'
import type { Team } from '#domain/billing/team-record.ts'
import type { TierChange } from '#money/organization-tier-by-day.ts'
import type { IssuedBill } from '#domain/billing/organization-bills.ts'
import type { OnboardingStage } from '#domain/onboarding-interface.ts'
import type { ClearedReason, CreditRequest, RequestRecord, SettleRequest } from '#domain/ledger-interface.ts'
import type { Role } from '#domain/people/team-roles.ts'
import type { Mode } from '#domain/application-config.ts'
import type { AuditEntry } from '#domain/audit-log.ts'
import type { DeviceSignIn } from '#domain/people/device-sign-ins.ts'
import type { FailedSignInHour } from '#domain/people/failed-sign-ins.ts'
import type { Invoice } from '#domain/billing/invoice-records.ts'
import type { MemberSession } from '#domain/people/member-sessions.ts'
import type { Passkey, PasskeyChallenge } from '#domain/people/passkeys.ts'
import type { Member, SetupLink } from '#domain/people/member-records.ts'
import type { Brand, LogoFacts } from '#domain/portal-brand.ts'
import type { PortalLink, PortalSession, PortalSettings } from '#domain/portal-settings-and-sessions.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import type { Application } from '#domain/application-record.ts'
import type { OnDemandSetting } from '#domain/billing/balances-and-ledger-entries.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { Grant } from '#domain/billing/grants-and-balance-changes.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { AliasRecord } from '#domain/model-name-record.ts'
import type { Organization } from '#domain/organization-record.ts'
import type { Token } from '#domain/people/token-record.ts'
import type { BatchRecord } from '#domain/accounts/batches-at-providers.ts'
import type { StoredFileRecord } from '#domain/accounts/files-stored-at-providers.ts'
import type { ProbeRecord } from '#domain/health/provider-probes.ts'
import type { RouterRecord } from '#domain/router-records.ts'
import type { Columns, Flag } from './convert-records-and-rows.ts'
import type { FailedColumns, MoneyColumns } from './sql-of-figure-columns.ts'

export interface Schema {
  organizations: Columns<Organization>
  tokens: TokenRow
  members: MemberRow
  setup_links: Columns<SetupLink>
  member_sessions: MemberSessionRow
  device_sign_ins: DeviceSignInRow
  passkeys: Columns<Passkey>
  passkey_challenges: Columns<PasskeyChallenge>
  passkey_policies: { organization_id: string; is_required: Flag }
  failed_sign_ins: Columns<FailedSignInHour>
  applications: ApplicationRow
  provider_accounts: ProviderAccountRow
  account_prices: AccountPriceRow
  aliases: AliasRow
  routers: RouterRow
  probes: Columns<ProbeRecord>
  bundles: BundleRow
  bundle_prices: BundlePriceRow
  bundle_includes: BundleIncludeRow
  past_includes: PastIncludeRow
  outcomes: OutcomeRow
  gateway_settings: GatewaySettingsRow
  daily_limits: DailyLimitRow
  end_users: EndUserRow
  files: Columns<StoredFileRecord>
  batches: Columns<BatchRecord>
  teams: TeamRow
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
  key_spending: KeySpendingRow
  call_hours: CallHourRow
  target_hours: TargetHourRow
  run_hours: RunHourRow
  tag_hours: TagHourRow
  call_fold: CallFoldRow
  outcome_runs: OutcomeRunRow
  rate_uses: RateUseRow
  line_rate_uses: LineRateUseRow
  shared_limit_uses: SharedLimitUseRow
  tag_limit_uses: SharedLimitUseRow & { tag: string }
  team_limit_uses: SharedLimitUseRow & { team_id: string }
  grants: GrantRow
  grant_reversals: GrantReversalRow
  call_corrections: CallCorrectionRow
  late_usage: LateUsageRow
  invoices: InvoiceRow
  invoice_lines: InvoiceLineRow
  on_demand_months: OnDemandMonthRow
  idempotency_keys: IdempotencyKeyRow
  audit_entries: AuditRow
  portal_links: Columns<PortalLink> & { hash: string }
  portal_sessions: Columns<PortalSession> & { hash: string }
  portal_settings: Columns<PortalSettings> & { application_id: string }
  on_demand_ceilings: OnDemandCeilingRow
  brands: Columns<Omit<Brand, 'logo'>> & { application_id: string }
  /** `content` is the file encoded as base64. */
  brand_logos: Columns<LogoFacts> & { application_id: string; content: string }
  tier_changes: TierChangeRow
  bills: BillRow
  onboarding_stages: OnboardingStageRow
  emitters: EmitterRow
  emitter_changes: { id: number; version: number }
  emitter_marks: Columns<EmitterMark> & { claimed_by: number | null }
  emitter_counts: Columns<EmitterCounts> & { emitter_id: string }
  emitter_deliveries: DeliveryRow
  emitter_replays: Columns<Replay>
  writer_slots: WriterSlotRow
  epochs: EpochRow
}

export interface TokenRow extends Columns<Omit<Token, 'role'>> {
  hash: string
  /** Null if the token was created before roles existed. */
  role: Role | null
}

export interface MemberRow extends Columns<Member> {
  invite_hash: string | null
}

export interface MemberSessionRow extends Columns<MemberSession> {
  hash: string
}

export interface DeviceSignInRow extends Columns<DeviceSignIn> {
  device_hash: string
  user_hash: string
}

export type AuditRow = Columns<AuditEntry>

export interface ApplicationRow extends Columns<Omit<Application, 'testClockOffsetMs'>> {
  /** Null means 0. */
  test_clock_offset_ms: number | null
}

export type ProviderAccountRow = Columns<Provider>

interface AccountPriceRow {
  account_id: string
  model: string
  /** JSON of a Price (docs/reference/rules.md "Prices"). */
  price: string
  created_at_ms: number
}

export interface AliasRow extends Columns<Omit<AliasRecord, 'sources' | 'ceilings'>> {
  /**
   * JSON array of `{"account": "<account id>", "model": "<upstream model>"}`, in the order in which targets are tried.
   */
  sources: string
  ceilings: string
}

export interface RouterRow extends Columns<Pick<RouterRecord, 'applicationId' | 'name' | 'createdAtMs'>> {
  /** JSON of a RouterDefinition (rows/router-definition-column.ts). */
  definition: string
}

export interface BundleRow extends Columns<
  Omit<BundleRecord, 'interval' | 'isDebitBasisChosen' | 'limits' | 'providerTools'>
> {
  /** Null if no limits are set. */
  rate_limits: string | null
  /** JSON of `ToolRules`. Null means the rules of the application. */
  provider_tools: string | null
  is_debit_basis_chosen: Flag | null
  billing_interval: BundleRecord['interval']
  removed_at_ms: number | null
}

export interface BundlePriceRow {
  bundle_id: string
  alias: string
  /** JSON of a Price. Null means that the model is sold at cost. */
  price: string | null
  /** JSON of a Price in millionths of a credit. Null means that credit pools cannot pay for the model. */
  credits: string | null
}

export interface BundleIncludeRow extends Columns<Omit<IncludeTerms, 'rollover'>> {
  bundle_id: string
  position: number
  since_ms: number
  since_test_ms: number
  is_undated: Flag
  rollover_percent: number | null
  rollover_periods: number | null
}

/** Terms of an included pool that applied until they were changed or removed. */
export interface PastIncludeRow extends BundleIncludeRow {
  /** Number of the row within its bundle. */
  version: number
  until_ms: number
  until_test_ms: number
}

export type OutcomeRow = Columns<Outcome>

export interface GatewaySettingsRow extends Columns<
  Omit<GatewaySettings, 'hours' | 'limits' | 'providerTools' | 'tags'>
> {
  /** Null if no tags are declared. rows/tags-columns.ts reads this column. */
  tags: string | null
  /** Null if no limits are set. */
  rate_limits: string | null
  hours: string | null
  /** Used only if `tool_rules` is null. */
  provider_tools: 'drop' | 'refuse'
  tool_rules: string | null
}

export interface DailyLimitRow extends Columns<Omit<DailyLimit, 'applicationId'>> {
  organization_id: string
  /** Empty for a limit over all applications. */
  application_id: string
}

export interface EndUserRow extends Columns<Omit<EndUser, 'bundleSinceMs'>> {
  /** When the bundle was assigned. Null means when the end user subscribed. */
  bundle_since_ms: number | null
}

export interface TeamRow extends Columns<Omit<Team, 'limits'>> {
  /** The limits that the members share. Null if no limits are set. */
  rate_limits: string | null
}

export interface KeyRow extends Columns<Omit<Key, 'limits' | 'tags'>> {
  hash: string
  /** Null if the key has no tags. rows/tags-columns.ts reads this column. */
  tags: string | null
  /** Null if no limits are set. */
  rate_limits: string | null
}

export interface AccountRow {
  end_user_id: string
  mode: Mode
  on_demand_enabled: Flag
  on_demand_limit_micros: OnDemandSetting['limitMicros']
  /** The end user's plan in test mode. Null means the same plan as in live mode. */
  bundle_id: string | null
  subscribed_at_ms: number | null
  bundle_since_ms: number | null
  plan_ends_at_ms: number | null
  on_demand_until_ms: number | null
  on_demand_closed_until_ms: number | null
  on_demand_closes_at_ms: number | null
  price_micros: bigint | null
  billing_interval: Interval | null
  covered_bundle: string | null
  covered_name: string | null
  covered_price_micros: bigint | null
  covered_days: number | null
  covered_until_ms: number | null
  /** Null if the end user has no own limits in this mode. */
  spend_limits: string | null
  /** Null if the end user has no rate limits in this mode. */
  rate_limits: string | null
  credit_micros: bigint | null
  invoices: number | null
  next_invoice_at_ms: number | null
}

export interface RateUseRow {
  end_user_id: string
  mode: Mode
  /** The usage that rate limits have counted. */
  uses: string
}

export interface LineRateUseRow extends RateUseRow {
  line_id: string
}

export interface SharedLimitUseRow {
  application_id: string
  mode: Mode
  /** The amounts that processes have taken of shared limits. */
  uses: string
  calls: string
}

export type InvoiceRow = Columns<Invoice>

export interface InvoiceLineRow extends Columns<InvoiceLine> {
  invoice_id: string
  position: number
}

export interface OnDemandMonthRow {
  end_user_id: string
  mode: Mode
  /** ID of a month of on-demand usage, such as `on_demand/2026-11`. */
  source_id: string
  invoice_id: string
  amount_micros: bigint
  reason: ClearedReason | null
  entry: number | null
}

export interface SourceRow {
  end_user_id: string
  mode: Mode
  id: string
  /** `team` is a share in a payer's pool if `payer_id` is set, and a share in a payer's wallet otherwise. */
  kind: Exclude<Source['kind'], 'team_pool'>
  unit: Unit
  posted: bigint
  held: bigint
  /**
   * The granted part of a wallet's balance. Null means the whole balance, if it is positive. Always null in other
   * sources.
   */
  given: bigint | null
  /** Sequence number of the newest ledger entry, from which nouns/ledger-entries.ts reads back to older entries. */
  last_entry: number | null
  slug: string | null
  display_name: string | null
  currency: string | null
  granted: bigint | null
  withheld: bigint | null
  expired: bigint | null
  bundle_id: string | null
  models: string | null
  rank_models: number | null
  price_micros: bigint | null
  sequence: number | null
  spillover_to: string | null
  then_on_demand: Flag | null
  recurring: Flag | null
  rollover_percent: number | null
  rollover_periods: number | null
  /** How many times this pool's unspent units have been carried over. Null means never. */
  rolled: number | null
  /** The maximum that each member may use. Null means that members cannot use this pool. */
  member_cap: bigint | null
  /** The end user who owns the pool of which this source is a share. Null for all other sources. */
  payer_id: string | null
  starts_at_ms: number | null
  ends_at_ms: number | null
}

interface QuoteRow {
  id: string
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
  outcome_slug: string | null
  run_id: string | null
  target: string
  input_estimate: number
  epoch: number
  reserved_at_ms: number
  dispatched_at_ms: number | null
  checkpoint: string | null
  /** Same as in `usage_records`. */
  attempts: string | null
}

/** Indexed by `sequence` only. Read with nouns/ledger-entries.ts, and written by ledger/rows-that-batch-inserts.ts. */
export interface LedgerRow {
  sequence: number
  /** Sequence number of the previous entry of the same source. */
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
  /** The granted part (money/charge-split-by-payer.ts). Null if the kind of the entry determines the granted part. */
  given: bigint | null
}

/** Indexed by application and call. An end user's records are found through ledger entries. */
export interface UsageRecordRow
  extends
    Columns<Omit<RequestRecord, 'status' | 'endUserId' | 'keyId' | 'alias' | 'payerId' | 'target'>>,
    Columns<RecordFigures> {
  /** The part of the cost at assumed rates. Null if the record was written before this column existed. */
  assumed_micros: bigint | null
  end_user_id: string
  key_id: string
  alias: string
  target: string
  usage: string
  token_source: SettleRequest['tokenSource'] | 'recovered'
  worst_micros: bigint
  wallet_posted_micros: bigint
  legs: string
  quote_id: string
  outcome_slug: string | null
  run_id: string | null
  settled_at_ms: number
  first_entry: number | null
  /** Null if no attempt failed (rows/failed-attempts-column.ts). */
  attempts: string | null
  /**
   * 1 if the account's reported costs differ from the computed costs, or if another model answered; otherwise 0. Null
   * if unknown, or if the requested model answered and the usage reports no cost.
   */
  disputed: number | null
}

export interface RequestRow extends Columns<Omit<RequestRecord, 'payerId' | 'status' | 'target'>> {
  status: Exclude<RequestRecord['status'], 'settled'>
  /** Same as in `usage_records`. Null if no target was called, or if the value is unknown. */
  target: string | null
  attempts: string | null
  /** Null if no attempt had a cost. */
  cost_micros: bigint | null
  /**
   * The part of the cost at assumed rates. Null if no rate was assumed, or if the record was written before this column
   * existed.
   */
  assumed_micros: bigint | null
}

interface UsageDayRow extends Columns<Counts>, MoneyColumns {
  end_user_id: string
  mode: Mode
  /** Number of days since January 1, 1970, UTC. */
  day: number
  key_id: string
  alias: string
  application_id: string
}

export interface CallHourRow extends FigureColumns, MoneyColumns {
  application_id: string
  mode: Mode
  /** Hours since 1970, UTC. */
  hour: number
  /** Empty if no account was called. */
  account_id: string
  /** Empty if the requested model name is not one of the application's names. */
  alias: string
  /** Empty if the bundle is unknown, or if the call was not charged. */
  bundle: string
  charged: number
}

/**
 * Same as `CallHourRow`, for one label (rows/labels-of-calls.ts): a tag, or a team as `team/<payer>`. Two further
 * labels have an empty name (`anyOf`). They count every call with any tag once, and every call with a team once.
 */
export interface TagHourRow extends CallHourRow {
  tag: string
}

export interface RunHourRow extends MoneyColumns {
  application_id: string
  mode: Mode
  /** Hours since 1970, UTC. */
  hour: number
  outcome_slug: string
  run_id: string
  end_user_id: string
  calls: number
}

export interface TargetHourRow extends FigureColumns {
  application_id: string
  mode: Mode
  /** Hours since 1970, UTC. */
  hour: number
  account_id: string
  model: string
}

export interface FigureColumns extends FailedColumns {
  calls: number
  /** Histograms of durations (domain/reports/duration-histogram.ts). */
  latency: string
  first_byte: string
}

interface CallFoldRow {
  id: number
  through_hour: number
}

interface UsageFoldRow {
  id: number
  through_day: number
  /** Number of the last run of sum-spending-of-keys.ts that has begun. */
  spending_begun: number
  /** Lists of keys are sorted by the rows of `key_spending` with this `set_number`. 0 if no sums are stored. */
  spending_set: 0 | 1 | 2
  spending_run: number
  spending_day: number
}

export interface KeySpendingRow {
  set_number: 1 | 2
  application_id: string
  mode: Mode
  end_user_id: string
  key_id: string
  run: number
  billed_micros: bigint
  charge_micros: bigint
  week_charge_micros: bigint
  month_charge_micros: bigint
}

export interface OutcomeRunRow extends Columns<Omit<OutcomeRun, 'externalId'>> {
  mode: Mode
  application_id: string
  outcome_slug: string
  capped_at_micros: bigint | null
}

export interface GrantRow extends Columns<Omit<Grant, 'done'>> {
  /** Number of end users in `pending` who have been credited. Null if no end users are pending. */
  done: number | null
  kind: CreditRequest['kind']
  request_hash: string
  /** JSON array of end-user IDs until the grant is finished, then null. */
  pending: string | null
  /** Reference of a top-up's payment. Null for every other kind. */
  payment_reference: string | null
  /** ID of the grant that a reversal takes back. Null for every other kind. */
  reverses: string | null
}

interface GrantReversalRow {
  application_id: string
  /** ID of the reversal, a row of `grants`. */
  id: string
  grant_id: string
  reversed_micros: bigint
  end_users: number
}

/** A refund of a call, or usage that was reported late. Rows are appended and never changed. */
export interface CallCorrectionRow extends Columns<Pick<RecordFigures, CorrectedName>> {
  application_id: string
  call_id: string
  number: number
  id: string
  kind: 'refund' | 'late_usage'
  end_user_id: string
  mode: Mode
  key_id: string
  alias: string
  bundle: string | null
  account_id: string
  outcome_slug: string | null
  run_id: string | null
  tags: string | null
  legs: string
  /** JSON array of the sequence numbers of ledger entries. */
  entries: string
  usage: string | null
  reason: string
  actor: string | null
  idempotency_key: string | null
  request_hash: string | null
  created_at_ms: number
  day: number
}

interface LateUsageRow {
  call_id: string
  application_id: string
  end_user_id: string
  mode: Mode
  usage: string
  created_at_ms: number
}

interface IdempotencyKeyRow extends Columns<Omit<IdempotencyAnswer, 'applicationId' | 'key'>> {
  /** Empty if the request belongs to no application. */
  application_id: string
  idempotency_key: string
}

interface OnDemandCeilingRow {
  end_user_id: string
  mode: Mode
  ceiling_micros: bigint | null
}

interface TierChangeRow extends Columns<TierChange> {
  organization_id: string
  set_at_ms: number
}

export interface BillRow extends Columns<Omit<IssuedBill, 'input'>> {
  /** rows/bill-input-column.ts reads this column. */
  input: string
}

interface OnboardingStageRow {
  organization_id: string
  mode: Mode
  stage: OnboardingStage
  finished_at_ms: number
}

export type EmitterRow = Columns<Emitter>

export interface DeliveryRow extends Columns<Delivery> {
  emitter_id: string
}

interface WriterSlotRow {
  slot: number
  batch: number
  ledger_sequence: number
  days_through: number
  days: string
}

interface EpochRow {
  epoch: number
  started_at_ms: number
  ended_at_ms: number | null
}
