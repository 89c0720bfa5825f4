import { sql } from 'kysely'
import type { Mode } from '#domain/application-config.ts'
import type { DueScope, StoredSubscription, Subscriptions } from '#domain/billing/subscription-records.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { lookUps } from '#store/sql/look-up-many-ids-at-once.ts'
import type { AccountRow } from '#store/sql/schema.ts'
import { every } from '#store/nouns/read-rows-and-pages.ts'

/** Subscriptions are columns of `accounts`, so that the ledger reads their dates together with the account. */
export function subscriptions(query: Query): Subscriptions {
  const of = (mode: Mode) => query.selectFrom('accounts').selectAll().where('mode', '=', mode)
  const oneOf = lookUps(async (mode: Mode, endUserIds) => {
    const rows = await of(mode).where('end_user_id', 'in', endUserIds).execute()
    return new Map(rows.map((row) => [row.end_user_id, subscriptionOf(row)]))
  })
  return {
    of: async (endUserId, mode) => (await oneOf(mode, endUserId)) ?? null,
    async ended(endUserIds, mode, nowMs) {
      if (endUserIds.length === 0) return new Set()
      const ids = await every(
        of(mode).where('end_user_id', 'in', endUserIds).where('plan_ends_at_ms', '<=', nowMs),
        (row) => row.end_user_id,
      )
      return new Set(ids)
    },
    async ownPlans(endUserIds, mode) {
      if (endUserIds.length === 0) return new Map()
      const rows = await of(mode)
        .where('end_user_id', 'in', endUserIds)
        .where('bundle_id', 'is not', null)
        .execute()
      return new Map(rows.map((row) => [row.end_user_id, row.bundle_id ?? '']))
    },
    async put(endUserId, mode, subscription) {
      const fields = columnsOfSubscription(subscription)
      await query
        .insertInto('accounts')
        .values({ end_user_id: endUserId, mode, on_demand_enabled: 0, ...fields })
        .onConflict((conflict) => conflict.columns(['end_user_id', 'mode']).doUpdateSet(fields))
        .execute()
    },
    async due(scope, limit) {
      const { nowMs } = scope
      const all = accountsOf(query, scope).$if(scope.mode === null, (some) =>
        some.where((eb) =>
          eb.or([
            eb('a.mode', '=', 'live'),
            eb('p.test_clock_offset_ms', 'is', null),
            eb('p.test_clock_offset_ms', '=', 0),
          ]),
        ),
      )
      // Use two statements, so that each can use its own index.
      const plans = await every(
        all
          .where('a.next_invoice_at_ms', 'is not', null)
          .where('a.next_invoice_at_ms', '<=', nowMs)
          .where('u.removed_at_ms', 'is', null)
          .limit(limit),
        dueOf,
      )
      if (plans.length === limit) return plans
      const months = await every(
        all
          .where('a.on_demand_closes_at_ms', 'is not', null)
          .where('a.on_demand_closes_at_ms', '<=', nowMs)
          .limit(limit - plans.length),
        dueOf,
      )
      return [...plans, ...months]
    },
    unwatched: (limit) =>
      every(
        accountsOf(query, { applicationId: null, mode: null })
          .where('a.on_demand_enabled', '=', 1)
          .where('a.on_demand_closes_at_ms', 'is', null)
          .limit(limit),
        dueOf,
      ),
    // Search only the plans in `end_users`. A plan of test mode alone is stored in `accounts`, together with its terms.
    withoutTerms: (mode, limit) =>
      every(
        query
          .selectFrom('bundles as b')
          .innerJoin('end_users as u', 'u.bundle_id', 'b.id')
          .leftJoin('accounts as a', (join) =>
            join.onRef('a.end_user_id', '=', 'u.id').on('a.mode', '=', mode),
          )
          .select(['u.id as end_user_id', 'u.application_id', sql.lit(mode).as('mode')])
          .where('b.price_micros', '>', 0n)
          .where('u.removed_at_ms', 'is', null)
          .where('a.billing_interval', 'is', null)
          .limit(limit),
        dueOf,
      ),
  }
}

function accountsOf(query: Query, { applicationId, mode }: Omit<DueScope, 'nowMs'>) {
  return query
    .selectFrom('accounts as a')
    .innerJoin('end_users as u', 'u.id', 'a.end_user_id')
    .innerJoin('applications as p', 'p.id', 'u.application_id')
    .select(['a.end_user_id', 'a.mode', 'u.application_id'])
    .where('p.archived_at_ms', 'is', null)
    .$if(applicationId !== null, (some) => some.where('u.application_id', '=', applicationId ?? ''))
    .$if(mode !== null, (some) => some.where('a.mode', '=', mode ?? 'live'))
}

function dueOf(row: { end_user_id: string; application_id: string; mode: Mode }) {
  return { endUserId: row.end_user_id, applicationId: row.application_id, mode: row.mode }
}

type SubscriptionColumns = Omit<
  AccountRow,
  'end_user_id' | 'mode' | 'on_demand_enabled' | 'on_demand_limit_micros' | 'rate_limits' | 'spend_limits'
>

function columnsOfSubscription({
  covered,
  terms,
  ...rest
}: Omit<StoredSubscription, 'onDemandEnabled'>): SubscriptionColumns {
  return {
    bundle_id: rest.bundleId,
    subscribed_at_ms: rest.subscribedAtMs,
    bundle_since_ms: rest.bundleSinceMs,
    plan_ends_at_ms: rest.planEndsAtMs,
    on_demand_until_ms: rest.onDemandUntilMs,
    price_micros: terms?.priceMicros ?? null,
    billing_interval: terms?.interval ?? null,
    covered_bundle: covered?.bundle ?? null,
    covered_name: covered?.name ?? null,
    covered_price_micros: covered?.priceMicros ?? null,
    covered_days: covered?.days ?? null,
    covered_until_ms: covered?.untilMs ?? null,
    credit_micros: rest.creditMicros,
    invoices: rest.invoices,
    next_invoice_at_ms: rest.nextInvoiceAtMs,
    on_demand_closed_until_ms: rest.onDemandClosedUntilMs,
    on_demand_closes_at_ms: rest.onDemandClosesAtMs,
  }
}

function subscriptionOf(row: AccountRow): StoredSubscription {
  const {
    billing_interval: interval,
    covered_bundle,
    covered_days,
    covered_name,
    covered_price_micros,
    covered_until_ms,
  } = row
  return {
    bundleId: row.bundle_id,
    subscribedAtMs: row.subscribed_at_ms,
    bundleSinceMs: row.bundle_since_ms,
    planEndsAtMs: row.plan_ends_at_ms,
    onDemandUntilMs: row.on_demand_until_ms,
    terms: interval === null ? null : { interval, priceMicros: row.price_micros },
    covered:
      covered_until_ms === null
        ? null
        : {
            bundle: covered_bundle,
            name: covered_name ?? '',
            priceMicros: covered_price_micros ?? 0n,
            days: covered_days ?? 1,
            untilMs: covered_until_ms,
          },
    creditMicros: row.credit_micros ?? 0n,
    invoices: row.invoices ?? 0,
    nextInvoiceAtMs: row.next_invoice_at_ms,
    onDemandEnabled: row.on_demand_enabled === 1,
    onDemandClosedUntilMs: row.on_demand_closed_until_ms ?? 0,
    onDemandClosesAtMs: row.on_demand_closes_at_ms,
  }
}
