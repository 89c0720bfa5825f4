import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { metrics } from '#telemetry/metric-definitions.ts'
import {
  control,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { readScrape, type Sample, type Scraped } from '../support/read-prometheus-text.ts'
import { evaluate, namesOf, parseQuery, type Scrapes, type Vector } from '../support/evaluate-promql.ts'

const file = (name: string): string =>
  readFileSync(new URL(`../../docs/operations/${name}`, import.meta.url), 'utf8')

interface Panel {
  readonly id: number
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}
const dashboard = JSON.parse(file('grafana-dashboard.json')) as { readonly panels: readonly Panel[] }
const alerts = parse(file('prometheus-alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}
const queries = dashboard.panels.flatMap(({ targets = [], title }) =>
  targets.map(({ expr, legendFormat }) => ({ title, legendFormat, query: replaced(expr) })),
)
const rules = alerts.groups.flatMap((group) => group.rules)

function replaced(query: string): string {
  return query.replaceAll('$application', '.+').replaceAll('$__rate_interval', '5m')
}

let server: LocalServer
let app: Application
let seen: Scraped
let scrapes: Scrapes

/** Prometheus adds this sample for each server that it scrapes. */
const up: Sample = { name: 'up', labels: { job: 'tollgate', instance: 'a:8080' }, value: 1 }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const user = await app.newUser({ balanceMicros: 1_000_000_000n })
  const scrape = async (): Promise<Scraped> => readScrape((await control(server, 'GET', '/metrics')).text)
  const calls = async (): Promise<void> => {
    await app.call(user)
    await app.call(user, { stream: true })
    expect((await app.call(user, { model: 'acme/nothing' })).status).toBe(404)
    expect((await app.call({ key: 'ak_nothing' })).status).toBe(401)
  }
  await calls()
  const before = await scrape()
  await calls()
  app.provider.enqueue({ status: 500, body: { error: { message: 'down' } } })
  await app.call(user)
  seen = await scrape()
  scrapes = { before: [...before.samples, up], after: [...seen.samples, up], seconds: 15 }
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

function labelsOf(name: string): ReadonlySet<string> | null {
  if (name === 'up') return new Set(['job', 'instance'])
  const family = name.replace(/_(?:bucket|sum|count)$/, '')
  const metric = Object.values(metrics).find((known) => known.name === name || known.name === family)
  if (metric !== undefined) return new Set([...metric.labels, ...(metric.type === 'histogram' ? ['le'] : [])])
  const samples = seen.samples.filter((sample) => sample.name === name)
  return samples.length === 0 ? null : new Set(samples.flatMap(({ labels }) => Object.keys(labels)))
}

/** Metrics that have no series on a server without emitters and routers. */
const mayBeEmpty = /tollgate_(?:emitter|circuit)_/

function vectorOf(query: string): Vector {
  const value = evaluate(parseQuery(query), scrapes)
  return typeof value === 'number' ? [{ labels: {}, value }] : value
}

describe('the dashboard', () => {
  test.each(queries)(
    'the query of the panel $title names only existing metrics and labels: $query',
    ({ legendFormat, query }) => {
      for (const { labels, name } of namesOf(parseQuery(query))) {
        const known = labelsOf(name)
        expect(known, name).not.toBeNull()
        for (const label of labels) expect([name, label, known?.has(label)]).toEqual([name, label, true])
      }
      const vector = vectorOf(query)
      if (!mayBeEmpty.test(query)) expect(vector.length, 'there is something to show').toBeGreaterThan(0)
      for (const { labels, value } of vector) {
        expect(Number.isFinite(value), `${JSON.stringify(labels)} ${value}`).toBe(true)
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          expect(labels).toHaveProperty(label)
      }
    },
  )

  test('the dashboard shows calls per second, failures and dollars', () => {
    const of = (query: string): number => vectorOf(query)[0]?.value ?? NaN
    const ofTitle = (title: string): string => queries.find((found) => found.title === title)?.query ?? ''
    const settled = vectorOf(ofTitle('Requests')).find(({ labels }) => labels['outcome'] === 'settled')
    expect(settled?.value).toBeCloseTo(2 / 15)
    expect(of(ofTitle('Share of requests that return 5xx'))).toBeCloseTo(1 / 4)
    expect(of(ofTitle('Dollars an hour'))).toBeGreaterThan(0)
    expect(of(ofTitle('Database responds'))).toBe(1)
  })

  test('the dashboard shows every documented metric except those that are part of another metric, and no panels overlap', () => {
    const shown = new Set(
      queries.flatMap(({ query }) =>
        namesOf(parseQuery(query)).map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, '')),
      ),
    )
    expect(
      Object.values(metrics)
        .map(({ name }) => name)
        .filter((name) => !shown.has(name)),
    ).toEqual([])
    const cells = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  })
})

test('the reference has a row for each metric, with its type and its labels', () => {
  const page = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8')
  const rows = new Map(
    [...page.matchAll(/^\| `(tollgate_\w+)` +\| (\w+) +\| ([\w, ]*?) *\|/gm)].map(
      ([, name, type, labels = '']) => [
        name,
        { type, labels: labels.split(', ').filter((label) => label !== '') },
      ],
    ),
  )
  for (const { labels, name, type } of Object.values(metrics)) {
    expect([name, rows.get(name)]).toEqual([name, { type, labels: [...labels] }])
  }
  expect(rows.size).toBe(Object.keys(metrics).length)
})

describe('an alert', () => {
  test.each(rules)('the alert $alert names only existing metrics and labels', ({ alert, expr }) => {
    for (const { labels, name } of namesOf(parseQuery(expr))) {
      const known = labelsOf(name)
      expect(known, name).not.toBeNull()
      for (const label of labels) expect([name, label, known?.has(label)]).toEqual([name, label, true])
    }
    // A quarter of the calls have failed, so only the alert `TollgateFailing` fires. The machine may be slow, so the
    // test does not check the alerts on slowness.
    const fires = vectorOf(expr).length > 0
    if (alert === 'TollgateEventLoopLate' || alert === 'TollgateSlowCommits') return
    expect([alert, fires]).toEqual([alert, alert === 'TollgateFailing'])
  })

  test('an alert fires if its condition is met', () => {
    const changed = (name: string, labels: Record<string, string>, value: number): Scrapes => ({
      ...scrapes,
      after: [
        ...scrapes.after.filter(
          (sample) => sample.name !== name || labels['state'] !== sample.labels['state'],
        ),
        { name, labels, value },
      ],
    })
    const fires = (
      alert: string,
      name: string,
      value: number,
      labels: Record<string, string> = {},
    ): boolean => {
      const expr = rules.find((rule) => rule.alert === alert)?.expr ?? ''
      const found = evaluate(parseQuery(expr), changed(name, labels, value))
      return typeof found !== 'number' && found.length > 0
    }
    expect(fires('TollgateDown', 'up', 0, { job: 'tollgate' })).toBe(true)
    expect(fires('TollgateStoreAway', 'tollgate_store_up', 0)).toBe(true)
    expect(fires('TollgateStoreAway', 'tollgate_ledger_queue_operations', 3, { state: 'kept' })).toBe(true)
    expect(fires('TollgateInternalErrors', 'tollgate_calls_total', 1, { code: 'internal' })).toBe(true)
    expect(fires('TollgateSignInsFailing', 'tollgate_refusals_total', 500, { code: 'sign_in_failed' })).toBe(
      true,
    )
    expect(fires('TollgateHoldStuck', 'tollgate_holds_oldest_age_seconds', 5_000)).toBe(true)
    expect(fires('TollgateRecordsDropped', 'tollgate_ledger_records_dropped_total', 1)).toBe(true)
    expect(fires('TollgateCircuitOpen', 'tollgate_circuit_state', 2, { account: 'a', model: 'm' })).toBe(true)
    expect(fires('TollgateCircuitOpen', 'tollgate_circuit_state', 1, { account: 'a', model: 'm' })).toBe(
      false,
    )
    expect(fires('TollgateEventLoopLate', 'nodejs_eventloop_lag_p99_seconds', 0.5)).toBe(true)
    expect(
      fires('TollgateEventsUndelivered', 'tollgate_emitter_undelivered_events_total', 1, { emitter: 'e' }),
    ).toBe(true)
  })
})
