import type { Mode } from '#domain/application-config.ts'
import { everyCall, type RequestFilter } from '#domain/calls/call-filter.ts'
import type { Page } from '#domain/list-page.ts'
import type { SeriesAsked } from '#domain/reports/usage-series-interface.ts'
import type { Nouns } from '#domain/store-interface.ts'
import {
  externalId,
  keyId,
  personId,
  seededAliases,
  seededApplication,
  seededBundle,
  type SeedSize,
} from '../../tools/seed/sql-that-fills-store.ts'
import type { Random } from './seeded-random.ts'

const app = seededApplication
const mode: Mode = 'live'
const page: Page = { limit: 50, after: null }
const bySpending = { by: 'spent', direction: 'desc' } as const

export type Read = (nouns: Nouns, random: Random) => Promise<unknown>

/** Each read returns all data that it has read. */
export function readsOf({
  nowMs,
  people,
}: Pick<SeedSize, 'nowMs' | 'people'>): Readonly<Record<string, Read>> {
  const today = Math.floor(nowMs / 86_400_000)
  const lastMonth = { fromDay: today - 30, toDay: today + 1 }
  const month = { fromMs: lastMonth.fromDay * 86_400_000, toMs: lastMonth.toDay * 86_400_000 }
  const series: SeriesAsked = {
    applicationId: app,
    mode,
    bucket: 'day',
    by: null,
    fromMs: (today - 6) * 86_400_000,
    toMs: (today + 1) * 86_400_000,
    alias: null,
    accountId: null,
    bundle: null,
    tag: null,
    payerId: null,
    endUserId: null,
    keyId: null,
    hasLatency: false,
    groupsMax: 7,
    order: 'chargeMicros',
  }

  const person = (random: Random): number => random.whole(0, people - 1)

  const calls = (filter: (random: Random) => Partial<RequestFilter>, inMode: Mode = mode): Read =>
    pages((nouns, at, random) => nouns.requests.list(app, inMode, { ...everyCall, ...filter(random) }, at))

  return {
    'requests.list': calls(() => ({})),
    'requests.list in a mode without requests': calls(() => ({}), 'test'),
    'requests.list of an end user': calls((random) => ({ endUserId: personId(person(random)) })),
    'requests.list of a key': calls((random) => ({ keyId: keyId(person(random)) })),
    'requests.list of a model name': calls((random) => ({ alias: random.pick(seededAliases) })),
    'requests.list of a rare model name': calls(() => ({ alias: 'acme/rare' })),
    'requests.list of a model name without requests': calls(() => ({ alias: 'acme/none' })),
    'requests.list in flight': calls(() => ({ status: 'in_flight' })),
    'requests.list settled': calls(() => ({ status: 'settled' })),
    'requests.list recovered': calls(() => ({ status: 'recovered' })),
    'requests.list refused': calls(() => ({ status: 'refused' })),
    'requests.list released': calls(() => ({ status: 'released' })),
    'requests.list of a provider account': calls(() => ({ accountId: 'pa_1' })),
    'requests.list of a provider account without responses': calls(() => ({ accountId: 'pa_2' })),
    'requests.list of successful requests': calls(() => ({ statusClass: '2xx' })),
    'requests.list of failed requests': calls(() => ({ statusClass: '5xx' })),
    'requests.list of an error code': calls(() => ({ errorCode: 'insufficient_credit' })),
    'requests.list of an error code that no request has': calls(() => ({ errorCode: 'internal' })),
    'requests.list of expensive requests': calls(() => ({ minCostMicros: 1_480n })),
    'requests.list of requests more expensive than any': calls(() => ({ minCostMicros: 1_000_000n })),
    'requests.list of one day': calls(() => ({ fromMs: nowMs - 86_400_000, toMs: nowMs - 43_200_000 })),
    'requests.list of an end user, with an error code': calls((random) => ({
      endUserId: personId(person(random)),
      errorCode: 'internal',
    })),
    'requests.explain': async (nouns, random) => {
      const endUserId = personId(person(random))
      const { rows } = await nouns.requests.list(app, mode, { ...everyCall, endUserId }, page)
      const [call] = rows
      if (call === undefined) return null
      return [
        await nouns.requests.story(app, mode, call.callId),
        await nouns.balances.ledgerOfCall(app, call.callId),
      ]
    },
    health: (nouns) => nouns.reports.health(app, mode, nowMs, [300_000, 3_600_000, 86_400_000]),
    margin: pages((nouns, at) =>
      nouns.reports.margin(app, mode, 'endUser', lastMonth, at).then(({ next }) => ({ next })),
    ),
    'margin by model': (nouns) => nouns.reports.margin(app, mode, 'model', lastMonth, page),
    'margin by bundle': (nouns) => nouns.reports.margin(app, mode, 'bundle', lastMonth, page),
    'margin by provider': (nouns) => nouns.reports.margin(app, mode, 'provider', lastMonth, page),
    'margin by day': (nouns) => nouns.reports.margin(app, mode, 'day', lastMonth, page),
    'totals of the margin': (nouns) => nouns.reports.marginTotals(app, mode, lastMonth),
    usage: (nouns) => nouns.usage.byAlias(app, mode, { endUserId: null, fromDay: null, toDay: null }),
    'usage of this month': (nouns) =>
      nouns.usage.byAlias(app, mode, { endUserId: null, fromDay: today - 30, toDay: today + 1 }),
    'usage of an end user': (nouns, random) =>
      nouns.usage.byAlias(app, mode, { endUserId: personId(person(random)), fromDay: null, toDay: null }),
    'usage.series of a week by hour': (nouns) => nouns.usage.series({ ...series, bucket: 'hour' }),
    'usage.series of a month, with latencies': (nouns) =>
      nouns.usage.series({ ...series, ...month, hasLatency: true }),
    'usage.series by model': (nouns) => nouns.usage.series({ ...series, ...month, by: 'model' }),
    'usage.series by provider': (nouns) => nouns.usage.series({ ...series, ...month, by: 'provider' }),
    'usage.series of a week by end user': (nouns) => nouns.usage.series({ ...series, by: 'endUser' }),
    'usage.series of a week by key': (nouns) => nouns.usage.series({ ...series, by: 'key' }),
    'usage.series of an end user': (nouns, random) =>
      nouns.usage.series({ ...series, ...month, endUserId: personId(person(random)) }),
    'users.list by spending': pages((nouns, at) =>
      nouns.endUsers.list(app, { bundleId: null }, { ...at, sorting: bySpending }, { mode, nowMs }),
    ),
    'users.list': pages(async (nouns, at) => {
      const listed = await nouns.endUsers.list(app, { bundleId: seededBundle }, at, { mode, nowMs })
      const ids = listed.rows.map(({ id }) => id)
      const wallets = await nouns.balances.wallets(ids, mode, nowMs)
      return { ...listed, wallets, usage: await nouns.usage.byEndUser(ids, mode) }
    }),
    'users.show': async (nouns, random) => {
      const found = await nouns.endUsers.byExternalId(app, externalId(person(random)))
      if (found === null) throw new Error('the seeding did not make this person')
      return [
        await nouns.balances.wallets([found.id], mode, nowMs),
        await nouns.balances.pools(found.id, mode, found.bundleId),
        await nouns.balances.onDemandSpent(found.id, mode, nowMs),
        await nouns.keys.held(found.id, mode),
      ]
    },
    'users.ledger': pages((nouns, at, random) =>
      nouns.balances.ledger(personId(person(random)), mode, 'all', at),
    ),
    'users.ledger of the wallet': pages((nouns, at, random) =>
      nouns.balances.ledger(personId(person(random)), mode, 'wallet', at),
    ),
    'keys.list': pages((nouns, at) => nouns.keys.list(app, { mode, endUserId: null }, at, nowMs)),
    'keys.list by spending': pages((nouns, at) =>
      nouns.keys.list(app, { mode, endUserId: null }, { ...at, sorting: bySpending }, nowMs),
    ),
    'keys.list of an end user': pages((nouns, at, random) =>
      nouns.keys.list(app, { mode, endUserId: personId(person(random)) }, at, nowMs),
    ),
    'keys.show of a key’s prefix': (nouns, random) =>
      nouns.keys.byPrefix(app, `ak_seed02_${String(person(random)).padStart(8, '0')}`),
    'grants.list': pages((nouns, at) => nouns.grants.list(app, mode, at)),
    'apps.show': (nouns) => nouns.applications.contents(app, mode),
    'outcomes.list': async (nouns) => {
      return [await nouns.outcomes.list(app, page), await nouns.outcomes.totals(app, mode)]
    },
  }
}

function pages(list: (nouns: Nouns, page: Page, random: Random) => Promise<{ next: Page['after'] }>): Read {
  return async (nouns, random) => {
    const first = await list(nouns, page, random)
    return first.next === null ? first : [first, await list(nouns, { ...page, after: first.next }, random)]
  }
}
