import { isPortalLine } from '#domain/end-user-keys.ts'
import { type CompiledQuery, type InferResult, sql } from 'kysely'
/** Implements the `Directory` port. Compiles an application's configuration into one value. */
import { accountPrice, accountPricesChangeMs } from '#domain/prices/price-of-account.ts'
import type { AccountKey } from '#domain/billing/money-account-key.ts'
import type {
  ApplicationHost,
  Directory,
  Means,
  OverdueInvoice,
} from '#domain/gateway-directory-interface.ts'
import { gatewayRulesOf } from '#domain/gateway-settings.ts'
import type {
  Alias,
  AliasSource,
  Bundle,
  KeyRecord,
  ApplicationConfig,
  Router,
  RouterTarget,
} from '#domain/application-config.ts'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { planAt } from '#domain/billing/subscription-records.ts'
import { timeIn } from '#domain/test-clock.ts'
import { maxOf } from '#money/amount.ts'
import { balanceOf, isCurrent } from '#money/payment-sources.ts'
import type { AliasRecordSource } from '#domain/model-name-record.ts'
import { type Database, isDistributed, type Query } from '#store/sql/database-interface.ts'
import {
  aliasSourcesFromText,
  ceilingsFromText,
  priceFromText,
  stringsFromText,
  toolRulesFromText,
} from '#store/rows/json-columns.ts'
import { routerDefinitionFromText } from '#store/rows/router-definition-column.ts'
import { tagsFromText } from '#store/rows/tags-columns.ts'
import { fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { AliasRow, ApplicationRow, BundlePriceRow, BundleRow, RouterRow } from '#store/sql/schema.ts'
import { dailyLimits } from './daily-limits.ts'
import { gatewaySettings } from './gateway-settings.ts'
import { shareIn, sharesPools, teams } from './teams.ts'

/** A configuration that changes during a read is read again, at last during a transaction. */
const readTriesMax = 5

/** @param nowMs returns the time for which published prices are looked up */
export function sqlDirectory(
  database: Pick<Database, 'read' | 'transaction'>,
  nowMs: () => number = Date.now,
): Directory {
  const { read } = database
  const keyRow = isDistributed(read) ? keyLookUpOnNodes(read) : keyLookUp(read)
  return {
    config: (applicationId) => readSnapshot(database, applicationId, nowMs()),
    async configVersion(applicationId) {
      const application = await readApplication(read, applicationId)
      return application?.config_version ?? null
    },
    key: (applicationId, hash) => readKey(keyRow, applicationId, hash, nowMs()),
    async keysAmong(hashes) {
      const rows = await read.selectFrom('keys').select('hash').where('hash', 'in', hashes).execute()
      return new Set(rows.map(({ hash }) => hash))
    },
    means: (account, realMs) => readMeans(read, account, realMs),
    overdueInvoice: (account, realMs) => readOverdueInvoice(read, account, realMs),
    dayUse: (scope, dayStartsAtMs) => dailyLimits(read).use(scope, dayStartsAtMs),
    applications: () => readApplications(read),
  }
}

/**
 * Reads the parts of the configuration one after another. Each change increments the version in the same transaction,
 * so the parts are consistent if the version did not change. If changes never pause, the last read runs during an empty
 * transaction, for which all changes wait. Otherwise, a program that changes settings could make calls fail.
 */
async function readSnapshot(
  database: Pick<Database, 'read' | 'transaction'>,
  applicationId: string,
  nowMs: number,
): Promise<ApplicationConfig | null> {
  for (let tries = 0; tries < readTriesMax; tries++) {
    // oxlint-disable-next-line no-await-in-loop -- a second attempt runs only after a concurrent change
    const snapshot = await compile(database.read, applicationId, nowMs)
    if (snapshot === null) return null
    // oxlint-disable-next-line no-await-in-loop -- see above
    const after = await readApplication(database.read, applicationId)
    if (after?.config_version === snapshot.version) return snapshot
  }
  return database.transaction(() => compile(database.read, applicationId, nowMs))
}

async function compile(
  query: Query,
  applicationId: string,
  nowMs: number,
): Promise<ApplicationConfig | null> {
  const application = await readApplication(query, applicationId)
  if (application === undefined) return null
  const { organization_id: organizationId } = application
  const [
    accounts,
    prices,
    aliases,
    routers,
    bundles,
    bundlePrices,
    outcomes,
    settings,
    limits,
    brand,
    limitedTeams,
  ] = await Promise.all([
    query
      .selectFrom('provider_accounts')
      .select(['id', 'organization_id', 'label', 'kind', 'base_url', 'sealed_credential', 'on_client_left'])
      .where('organization_id', '=', organizationId)
      .execute(),
    query
      .selectFrom('account_prices')
      .innerJoin('provider_accounts', 'provider_accounts.id', 'account_prices.account_id')
      .where('organization_id', '=', organizationId)
      .select(['account_id', 'model', 'price'])
      .execute(),
    query.selectFrom('aliases').selectAll().where('application_id', '=', applicationId).execute(),
    query.selectFrom('routers').selectAll().where('application_id', '=', applicationId).execute(),
    query
      .selectFrom('bundles')
      .selectAll()
      .where('application_id', '=', applicationId)
      .where('removed_at_ms', 'is', null)
      .execute(),
    query
      .selectFrom('bundle_prices')
      .innerJoin('bundles', 'bundles.id', 'bundle_prices.bundle_id')
      .where('application_id', '=', applicationId)
      .selectAll('bundle_prices')
      .execute(),
    query
      .selectFrom('outcomes')
      .select(['slug', 'ceiling_micros', 'archived_at_ms'])
      .where('application_id', '=', applicationId)
      .execute(),
    gatewaySettings(query).of(applicationId),
    dailyLimits(query).of(organizationId),
    query
      .selectFrom('brands')
      .select(['top_up_url', 'pay_url'])
      .where('application_id', '=', applicationId)
      .executeTakeFirst(),
    teams(query).limited(applicationId),
  ])
  const accountById = new Map(accounts.map((row) => [row.id, fieldsOf(row)]))
  const overrides = new Map(
    prices.map((row) => [priceName(row.account_id, row.model), priceFromText(row.price)]),
  )
  const pricesByBundle = Map.groupBy(bundlePrices, (row) => row.bundle_id)
  const sourceOf: SourceOf = ({ accountId, model }) => {
    const account = accountById.get(accountId)
    if (account === undefined) return null
    const override = overrides.get(priceName(accountId, model)) ?? null
    return { account, model, price: accountPrice(account, model, override, nowMs) }
  }
  return {
    applicationId,
    organizationId,
    slug: application.slug,
    code: application.code,
    version: application.config_version,
    isArchived: application.archived_at_ms !== null,
    testClockOffsetMs: application.test_clock_offset_ms ?? 0,
    pricesChangeAtMs: earliest([...accountById.values()].map((row) => accountPricesChangeMs(row, nowMs))),
    aliases: new Map(aliases.map((row) => [row.name, aliasOf(row, sourceOf)])),
    routers: new Map(routers.map((row) => [row.name, routerOf(row, sourceOf)])),
    bundles: new Map(bundles.map((row) => [row.id, bundleOf(row, pricesByBundle.get(row.id) ?? [])])),
    outcomes: new Map(
      outcomes.map(({ slug, ceiling_micros: ceilingMicros, archived_at_ms: archivedAtMs }) => [
        slug,
        { slug, ceilingMicros, isArchived: archivedAtMs !== null },
      ]),
    ),
    gateway: settings && gatewayRulesOf(settings),
    ...(limitedTeams.length > 0 && {
      limitedTeams: new Map(limitedTeams.map((team) => [team.payerId, team])),
    }),
    dailyLimits: limits.filter(
      (limit) => limit.applicationId === null || limit.applicationId === applicationId,
    ),
    topUpUrl: brand?.top_up_url ?? null,
    payUrl: brand?.pay_url ?? null,
  }
}

function readApplication(query: Query, id: string): Promise<ApplicationRow | undefined> {
  return query.selectFrom('applications').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * The query is compiled once: building it takes more than twice the CPU time of running it (90 µs against 35 µs). After
 * a start, each key has to be looked up once.
 */
function keyLookUp(query: Query, isByOwner = false) {
  const compiled = query
    .selectFrom('keys')
    .innerJoin('end_users', 'end_users.id', 'keys.end_user_id')
    .innerJoin('applications', 'applications.id', 'keys.application_id')
    .leftJoin('accounts', (join) =>
      join.onRef('accounts.end_user_id', '=', 'keys.end_user_id').onRef('accounts.mode', '=', 'keys.mode'),
    )
    .select(['keys.id', 'keys.end_user_id', 'end_users.payer_id', 'keys.mode', 'end_users.bundle_id'])
    .select(['keys.line_id', 'keys.line_actor_type', 'keys.actor_type', 'keys.tags'])
    .select(['accounts.plan_ends_at_ms', 'accounts.bundle_id as own_bundle_id'])
    .select('applications.test_clock_offset_ms')
    .select(['keys.revoked_at_ms', 'keys.expires_at_ms', 'end_users.frozen_at_ms', 'end_users.removed_at_ms'])
    .where('keys.hash', '=', '')
    .where('keys.application_id', '=', '')
    .$if(isByOwner, (keys) => keys.where('keys.end_user_id', '=', ''))
    .compile()
  return async (applicationId: string, hash: string, endUserId = '') => {
    const asked: CompiledQuery<InferResult<typeof compiled>[number]> = {
      ...compiled,
      parameters: isByOwner ? [hash, applicationId, endUserId] : [hash, applicationId],
    }
    const { rows } = await query.executeQuery(asked)
    return rows[0]
  }
}

type KeyLookUp = ReturnType<typeof keyLookUp>

/**
 * On a distributed database, looking up a key needs all nodes. If a node does not respond, the key's end user is
 * searched on the other nodes. The key is then read from that end user's node.
 * @returns the look-up, which throws StoreUnavailable if the key may be on a node that does not respond
 */
function keyLookUpOnNodes(query: Query): KeyLookUp {
  const look = keyLookUp(query)
  const lookAt = keyLookUp(query, true)
  return async (applicationId, hash) => {
    try {
      return await look(applicationId, hash)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      const { rows } = await sql<{ owner: string }>`
        SELECT result AS owner FROM run_command_on_shards('keys', format(
          'SELECT coalesce(min(end_user_id), %L) FROM %%s WHERE hash = %L', '', ${hash}::text))
        WHERE success AND result <> ''`.execute(query)
      const [found] = rows
      if (found === undefined) throw error
      return lookAt(applicationId, hash, found.owner)
    }
  }
}

async function readKey(
  look: KeyLookUp,
  applicationId: string,
  hash: string,
  nowMs: number,
): Promise<KeyRecord | null> {
  const row = await look(applicationId, hash)
  if (row === undefined) return null
  const atMs = timeIn(row.mode, { testClockOffsetMs: row.test_clock_offset_ms ?? 0 }, nowMs)
  return {
    keyId: row.id,
    lineId: row.line_id ?? row.id,
    isPortalLine: isPortalLine({ actorType: row.actor_type, lineActorType: row.line_actor_type }),
    tags: tagsFromText(row.tags),
    applicationId,
    endUserId: row.end_user_id,
    mode: row.mode,
    bundleId: planAt(row.own_bundle_id ?? row.bundle_id, { planEndsAtMs: row.plan_ends_at_ms }, atMs),
    // A deleted end user has no valid key, even if the key's row says otherwise.
    revokedAtMs: row.revoked_at_ms ?? row.removed_at_ms,
    expiresAtMs: row.expires_at_ms,
    isFrozen: row.frozen_at_ms !== null,
    ...(row.payer_id !== null && { payerId: row.payer_id }),
  }
}

async function readMeans(query: Query, { endUserId, mode }: AccountKey, realMs: number): Promise<Means> {
  const [person, account, includes, sources] = await Promise.all([
    query
      .selectFrom('end_users')
      .innerJoin('applications', 'applications.id', 'end_users.application_id')
      .select(['frozen_at_ms', 'bundle_id', 'test_clock_offset_ms', 'payer_id', 'payer_cap_micros'])
      .where('end_users.id', '=', endUserId)
      .executeTakeFirst(),
    query
      .selectFrom('accounts')
      .select(['on_demand_enabled', 'on_demand_limit_micros', 'on_demand_until_ms', 'bundle_id'])
      .where('end_user_id', '=', endUserId)
      .where('mode', '=', mode)
      .executeTakeFirst(),
    query
      .selectFrom('bundle_includes')
      .select('bundle_includes.slug')
      .where(
        'bundle_includes.bundle_id',
        '=',
        sql<string>`coalesce(
          (SELECT a.bundle_id FROM accounts a WHERE a.end_user_id = ${endUserId} AND a.mode = ${mode}),
          (SELECT u.bundle_id FROM end_users u WHERE u.id = ${endUserId}))`,
      )
      .execute(),
    query
      .selectFrom('sources')
      .select(['kind', 'unit', 'posted', 'bundle_id', 'starts_at_ms', 'ends_at_ms'])
      .where('end_user_id', '=', endUserId)
      .where('mode', '=', mode)
      .execute(),
  ])
  const nowMs = timeIn(mode, { testClockOffsetMs: person?.test_clock_offset_ms ?? 0 }, realMs)
  let [micros, onDemandMicros] = [0n, 0n]
  let pools = 0
  let hasCredits = false
  let isUnlimited = false
  const hasOnDemand = account?.on_demand_enabled === 1 && (account.on_demand_until_ms ?? Infinity) > nowMs
  if (hasOnDemand) {
    if (account.on_demand_limit_micros === null) isUnlimited = true
    else onDemandMicros += account.on_demand_limit_micros
  }
  for (const source of sources) {
    const startsAtMs = source.starts_at_ms ?? 0
    if (!isCurrent({ startsAtMs, endsAtMs: source.ends_at_ms }, nowMs)) continue
    if (source.kind === 'pool' && source.bundle_id === (account?.bundle_id ?? person?.bundle_id)) pools++
    if (source.unit === 'credits') hasCredits ||= source.posted > 0n
    else if (source.kind === 'on_demand') onDemandMicros += hasOnDemand ? source.posted : 0n
    // If the wallet is below 0, its debt does not reduce the money of other sources.
    else if (source.kind !== 'team') micros += maxOf(0n, source.posted)
  }
  micros += maxOf(0n, onDemandMicros)
  if (person !== undefined && person.payer_id !== null) {
    const { payer_cap_micros: payerCapMicros, payer_id: payerId } = person
    const share = await shareIn(query, { id: endUserId, payerId, payerCapMicros }, { mode, nowMs })
    if (share?.isOpen === true) micros += balanceOf(share).posted
    if (await sharesPools(query, payerId, mode)) isUnlimited = true
  }
  return {
    isFrozen: person !== undefined && person.frozen_at_ms !== null,
    // Unknown until all pools of the period are granted, by the end user's first call in the period.
    micros: isUnlimited || pools < includes.length ? null : micros,
    hasCredits,
  }
}

async function readOverdueInvoice(
  query: Query,
  { endUserId, mode }: AccountKey,
  realMs: number,
): Promise<OverdueInvoice | null> {
  const account = await query
    .selectFrom('accounts as a')
    .innerJoin('end_users as u', 'u.id', 'a.end_user_id')
    .innerJoin('applications as p', 'p.id', 'u.application_id')
    .select(['a.on_demand_enabled', 'a.on_demand_until_ms', 'p.test_clock_offset_ms'])
    .where('a.end_user_id', '=', endUserId)
    .where('a.mode', '=', mode)
    .executeTakeFirst()
  const nowMs = timeIn(mode, { testClockOffsetMs: account?.test_clock_offset_ms ?? 0 }, realMs)
  if (account?.on_demand_enabled !== 1 || (account.on_demand_until_ms ?? Infinity) > nowMs) return null
  const invoice = await query
    .selectFrom('invoices')
    .select(['id', 'amount_micros', 'due_at_ms'])
    .where('end_user_id', '=', endUserId)
    .where('mode', '=', mode)
    .where('paid_at_ms', 'is', null)
    .where('voided_at_ms', 'is', null)
    .where('due_at_ms', '<=', nowMs)
    .orderBy('due_at_ms')
    .limit(1)
    .executeTakeFirst()
  return invoice ? { id: invoice.id, amountMicros: invoice.amount_micros, dueAtMs: invoice.due_at_ms } : null
}

async function readApplications(query: Query): Promise<readonly ApplicationHost[]> {
  const rows = await query
    .selectFrom('applications')
    .select(['id', 'slug', 'gateway_port', 'portal_port', 'archived_at_ms'])
    .execute()
  return rows.map((row) => ({
    applicationId: row.id,
    slug: row.slug,
    gatewayPort: row.gateway_port,
    portalPort: row.portal_port,
    isArchived: row.archived_at_ms !== null,
  }))
}

/** Returns null if the account was deleted. */
type SourceOf = (source: AliasRecordSource) => AliasSource | null

function aliasOf(row: AliasRow, sourceOf: SourceOf): Alias {
  return {
    name: row.name,
    createdAtMs: row.created_at_ms,
    isDisabled: row.is_disabled === 1,
    sources: aliasSourcesFromText(row.sources).flatMap((source) => sourceOf(source) ?? []),
    ceilings: ceilingsFromText(row.ceilings),
  }
}

function routerOf(row: RouterRow, sourceOf: SourceOf): Router {
  const { attempts, policy, stickyBy, targets } = routerDefinitionFromText(row.definition)
  return {
    name: row.name,
    createdAtMs: row.created_at_ms,
    policy,
    stickyBy,
    targets: targets.flatMap(({ to, ...rest }): RouterTarget[] => {
      if (to.kind !== 'source') return [{ to, ...rest }]
      const source = sourceOf(to)
      return source === null ? [] : [{ to: { kind: 'source', source }, ...rest }]
    }),
    attempts,
  }
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

function bundleOf(row: BundleRow, prices: readonly BundlePriceRow[]): Bundle {
  return {
    id: row.id,
    slug: row.slug,
    allow: stringsFromText(row.allow),
    deny: stringsFromText(row.deny),
    policy: row.termination_policy,
    maxOverdraftMicros: row.max_overdraft_micros,
    basis: row.debit_basis,
    onClientLeft: row.on_client_left,
    toolRules: row.provider_tools === null ? null : toolRulesFromText(row.provider_tools),
    prices: new Map(
      prices.map(({ alias, price, credits }) => [
        alias,
        {
          sell: price === null ? null : priceFromText(price),
          credits: credits === null ? null : priceFromText(credits),
        },
      ]),
    ),
  }
}

function priceName(accountId: string, model: string): string {
  return `${accountId}\n${model}`
}
