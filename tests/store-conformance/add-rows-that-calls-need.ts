import { idSource } from '#domain/ids-sorted-by-time.ts'
import type {
  CreditRequest,
  RequestRecord,
  ReserveRequest,
  ReserveResult,
  SettleRequest,
} from '#domain/ledger-interface.ts'
import type { Mode } from '#domain/application-config.ts'
import type { CallBound, Quote } from '#money/decision-types.ts'
import type { Price } from '#money/price.ts'
import { type Usage, zeroUsage } from '#money/usage-counts.ts'
import type { BundleIncludeRow, BundleRow, KeyRow, OutcomeRow } from '#store/sql/schema.ts'
import type { EngineStore } from '#store/sql/engine-store-interface.ts'

export const dayMs = 86_400_000
export const startMs = Date.UTC(2026, 10, 20, 12)

/** With this price, the cost of a call in micros equals its number of tokens. */
const price: Price = { input: 1_000_000n, output: 1_000_000n }

const quote: Quote = {
  id: 'quote_plain',
  cost: price,
  sell: price,
  basis: 'provider_cost',
  credits: null,
  policy: 'hard_token',
  maxOverdraftMicros: 0n,
}

export interface Caller {
  readonly endUserId: string
  readonly keyId: string
  readonly mode: Mode
}

export class World {
  readonly store: EngineStore
  readonly clock: { nowMs: number }
  readonly newId = makeIds()
  readonly organizationId = `org_${this.newId()}`
  readonly applicationId = `app_${this.newId()}`
  readonly bundleId = `bun_${this.newId()}`

  constructor(store: EngineStore, clock: { nowMs: number }) {
    this.store = store
    this.clock = clock
  }

  async found(bundle: Partial<BundleRow> = {}): Promise<void> {
    const { applicationId, bundleId, organizationId, clock } = this
    await this.store.database.transaction(async (tx) => {
      const common = { name: 'Acme', created_at_ms: clock.nowMs }
      await tx
        .insertInto('organizations')
        .values({ ...common, id: organizationId, code: 'acme01' })
        .execute()
      await tx
        .insertInto('applications')
        .values({
          ...common,
          id: applicationId,
          organization_id: organizationId,
          slug: 'acme',
          code: 'acme02',
          config_version: 1,
          default_bundle_id: bundleId,
          gateway_port: 8101,
          portal_port: null,
          archived_at_ms: null,
        })
        .execute()
      await tx
        .insertInto('bundles')
        .values({
          id: bundleId,
          application_id: applicationId,
          slug: 'plain',
          display_name: 'Plain',
          price_micros: null,
          billing_interval: 'month',
          spend_limit_micros: null,
          spend_limit_period: 'month',
          termination_policy: 'hard_token',
          max_overdraft_micros: 0n,
          debit_basis: 'provider_cost',
          credit_currency: null,
          allow: '["*"]',
          deny: '[]',
          created_at_ms: clock.nowMs,
          ...bundle,
        })
        .execute()
    })
  }

  async bundle(slug: string): Promise<string> {
    const id = `bun_${this.newId()}`
    await this.store.database.transaction(async (tx) => {
      const { created_at_ms: _, ...row } = await tx
        .selectFrom('bundles')
        .selectAll()
        .where('id', '=', this.bundleId)
        .executeTakeFirstOrThrow()
      await tx
        .insertInto('bundles')
        .values({ ...row, id, slug, created_at_ms: this.clock.nowMs })
        .execute()
    })
    return id
  }

  /** The end user has a key. If `micros` is above 0, the wallet contains this amount. */
  async person(micros: bigint, key: Partial<KeyRow> = {}): Promise<Caller> {
    const endUserId = `eu_${this.newId()}`
    const { applicationId, bundleId, clock } = this
    await this.store.database.transaction((tx) =>
      tx
        .insertInto('end_users')
        .values({
          id: endUserId,
          application_id: applicationId,
          external_id: endUserId,
          email: null,
          bundle_id: bundleId,
          subscribed_at_ms: clock.nowMs,
          frozen_at_ms: null,
          removed_at_ms: null,
          created_at_ms: clock.nowMs,
        })
        .execute(),
    )
    const caller = await this.key(endUserId, key)
    if (micros > 0n) await this.credit([endUserId], micros, { mode: caller.mode })
    return caller
  }

  async key(endUserId: string, key: Partial<KeyRow> = {}): Promise<Caller> {
    const row: KeyRow = {
      id: `key_${this.newId()}`,
      application_id: this.applicationId,
      end_user_id: endUserId,
      mode: 'live',
      name: 'key',
      hash: this.newId(),
      prefix: 'ak_acme02_abcdef',
      last_four: 'wxyz',
      cap_micros: null,
      cap_period: 'month',
      rate_limits: null,
      tags: null,
      actor_type: 'token',
      actor_label: null,
      created_at_ms: this.clock.nowMs,
      last_used_at_ms: null,
      revoked_at_ms: null,
      expires_at_ms: null,
      replaced_by: null,
      line_id: null,
      line_actor_type: null,
      ...key,
    }
    await this.store.database.transaction((tx) => tx.insertInto('keys').values(row).execute())
    return { endUserId, keyId: row.id, mode: row.mode }
  }

  async outcome(slug: string, ceilingMicros: bigint): Promise<void> {
    const row: OutcomeRow = {
      application_id: this.applicationId,
      slug,
      display_name: slug,
      ceiling_micros: ceilingMicros,
      created_at_ms: this.clock.nowMs,
      archived_at_ms: null,
    }
    await this.store.database.transaction((tx) => tx.insertInto('outcomes').values(row).execute())
  }

  async include(
    include: Partial<BundleIncludeRow> & Pick<BundleIncludeRow, 'slug' | 'amount'>,
  ): Promise<void> {
    const row: BundleIncludeRow = {
      bundle_id: this.bundleId,
      display_name: include.slug,
      unit: 'micros',
      price_micros: null,
      then_on_demand: 1,
      recurring: 1,
      spillover_to: '*',
      models: null,
      position: 1,
      since_ms: 0,
      since_test_ms: 0,
      is_undated: 0,
      rollover_percent: null,
      rollover_periods: null,
      member_cap: null,
      ...include,
    }
    await this.store.database.transaction((tx) => tx.insertInto('bundle_includes').values(row).execute())
  }

  credit(
    endUserIds: readonly string[],
    amountMicros: bigint,
    more: Partial<CreditRequest> = {},
  ): ReturnType<EngineStore['ledger']['credit']> {
    return this.store.ledger.credit({
      grantId: `gr_${this.newId()}`,
      applicationId: this.applicationId,
      mode: 'live',
      nowMs: this.clock.nowMs,
      kind: 'grant',
      amountMicros,
      endUserIds,
      reason: 'test',
      idempotencyKey: null,
      requestHash: 'hash',
      ...more,
    })
  }

  request(
    { endUserId, keyId, mode }: Caller,
    tokens: { input: number; output: number },
    more: Partial<ReserveRequest> = {},
  ): ReserveRequest {
    const bound: CallBound = {
      alias: 'acme/fast',
      textTokens: tokens.input,
      audioTokens: 0,
      imageTokens: 0,
      outputTokens: tokens.output,
      choices: 1,
      serviceTier: null,
      canReport: { cacheWrite: true, cacheWriteLong: true, audioOutput: true, imageOutput: true },
    }
    return {
      callId: this.newId(),
      applicationId: this.applicationId,
      configVersion: 1,
      keyId,
      endUserId,
      bundleId: this.bundleId,
      mode,
      nowMs: this.clock.nowMs,
      quote,
      bound,
      outcome: null,
      target: { accountId: 'pa_1', provider: 'simulator', model: 'sim-1' },
      inputEstimate: tokens.input,
      ...more,
    }
  }

  reserve(request: ReserveRequest): Promise<ReserveResult> {
    return this.store.ledger.reserve(request)
  }

  /** The settlement is for the outcome that the call belongs to. */
  settlement(
    request: ReserveRequest,
    used: Partial<Usage>,
    more: Partial<SettleRequest> = {},
  ): SettleRequest {
    return {
      callId: request.callId,
      nowMs: this.clock.nowMs,
      usage: { ...zeroUsage, ...used },
      tokenSource: 'provider_reported',
      record: this.record(request, 'settled'),
      ...more,
    }
  }

  settle(
    request: ReserveRequest,
    used: Partial<Usage>,
    more: Partial<SettleRequest> = {},
  ): ReturnType<EngineStore['ledger']['settle']> {
    return this.store.ledger.settle(this.settlement(request, used, more))
  }

  release(request: ReserveRequest): Promise<void> {
    const { nowMs } = this.clock
    return this.store.ledger.release({
      callId: request.callId,
      nowMs,
      record: this.record(request, 'released'),
    })
  }

  record(request: ReserveRequest, status: RequestRecord['status']): RequestRecord {
    return {
      callId: request.callId,
      applicationId: request.applicationId,
      mode: request.mode,
      endUserId: request.endUserId,
      keyId: request.keyId,
      alias: request.bound.alias,
      tags: request.bound.tags ?? null,
      ...(request.bound.payerId !== undefined && { payerId: request.bound.payerId }),
      target: request.target,
      wire: 'chat',
      streamed: false,
      status,
      httpStatus: status === 'settled' ? 200 : 502,
      errorCode: null,
      atMs: request.nowMs,
      latencyMs: 12,
      firstByteMs: 5,
      trace: '{}',
    }
  }

  async wallet({ endUserId, mode }: Caller): Promise<{ posted: bigint; held: bigint }> {
    const row = await this.store.database.read
      .selectFrom('sources')
      .select(['posted', 'held'])
      .where('end_user_id', '=', endUserId)
      .where('mode', '=', mode)
      .where('id', '=', 'wallet')
      .executeTakeFirst()
    return row ?? { posted: 0n, held: 0n }
  }
}

function makeIds(): () => string {
  let count = 0
  // Real IDs increase with time, too. Random IDs would make test failures hard to read.
  return idSource(
    () => startMs + count++,
    (bytes) => bytes.fill(7),
  )
}
