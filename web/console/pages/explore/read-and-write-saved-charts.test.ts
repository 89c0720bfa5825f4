import { expect, test } from 'vitest'
import { askedOf, faultOf, rollupsFor } from './settings-in-explore-url.ts'
import { chartOf, chartsOf, textOfCharts } from './read-and-write-saved-charts.ts'

test('a saved chart is restored, and invalid saved charts are skipped', () => {
  const search = { metric: 'cost', by: 'endUser', range: '7d', app: 'acme', model: undefined }
  const charts = [{ name: 'Cost by end user', search: chartOf(search) }]
  expect(charts[0]?.search).toEqual({ metric: 'cost', by: 'endUser' })
  expect(chartsOf(textOfCharts(charts))).toEqual(charts)
  for (const text of [null, '', '{', '{}', '[1, null, {"name": 1, "search": {}}, {"name": "a"}]']) {
    expect(chartsOf(text)).toEqual([])
  }
  expect(chartsOf('[{"name":"a","search":{"by":"key","evil":"x","top":3}}]')).toEqual([
    { name: 'a', search: { by: 'key' } },
  ])
})

test('missing or invalid settings in the URL of a chart get their defaults', () => {
  expect(askedOf({ metric: 'nonsense', by: 'nonsense', top: '8', rollup: 'year' })).toMatchObject({
    metric: { id: 'charged' },
    by: 'model',
    second: null,
    rollup: null,
    top: 7,
  })
  expect(askedOf({ by: 'none', second: 'model' })).toMatchObject({ by: null, second: null })
  expect(askedOf({ by: 'key', second: 'key' })).toMatchObject({ by: 'key', second: null })
})

test('combinations of chart settings that the server rejects are reported before the request', () => {
  expect(faultOf(askedOf({ by: 'endUser', second: 'model' }))).toBeNull()
  expect(faultOf(askedOf({ by: 'endUser', second: 'bundle' }))).toMatch(/providers, bundles, tags or teams/)
  expect(faultOf(askedOf({ by: 'provider', endUserId: 'ada' }))).toMatch(/providers, bundles, tags or teams/)
  expect(faultOf(askedOf({ by: 'endUser', team: 'labs' }))).toMatch(/providers, bundles, tags or teams/)
  expect(faultOf(askedOf({ by: 'team', second: 'model' }))).toBeNull()
  expect(faultOf(askedOf({ by: 'team', tag: 'batch' }))).toMatch(/Tags and teams/)
  expect(faultOf(askedOf({ by: 'key', rollup: 'hour' }))).toMatch(/days/)
})

test('only intervals whose number of points fits into one response are offered', () => {
  const hour = 3_600_000
  expect(rollupsFor(hour)).toEqual(['minute', 'hour', 'day', 'week'])
  expect(rollupsFor(7 * 24 * hour)).toEqual(['hour', 'day', 'week'])
  expect(rollupsFor(30 * 24 * hour)).toEqual(['day', 'week'])
})
