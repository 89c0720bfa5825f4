import { describe, expect, test } from 'vitest'
import { evaluate, parseQuery, type Scrapes } from './evaluate-promql.ts'
import type { Sample } from './read-prometheus-text.ts'

const sample = (name: string, labels: Record<string, string>, value: number): Sample => ({
  name,
  labels,
  value,
})
const scrapes: Scrapes = {
  seconds: 10,
  before: [sample('calls', { code: 'a', app: 'x' }, 10), sample('calls', { code: 'b', app: 'x' }, 0)],
  after: [
    sample('calls', { code: 'a', app: 'x' }, 30),
    sample('calls', { code: 'b', app: 'x' }, 10),
    sample('open', { app: 'y' }, 7),
    sample('seconds_bucket', { le: '1' }, 50),
    sample('seconds_bucket', { le: '2' }, 90),
    sample('seconds_bucket', { le: '+Inf' }, 100),
  ],
}
const values = (query: string): unknown => {
  const found = evaluate(parseQuery(query), scrapes)
  return typeof found === 'number' ? found : found.map(({ labels, value }) => [labels, value])
}

test.each([
  ['1 + 2 * 3 - 4 / 2', 5],
  ['(1 + 2) * 3', 9],
  ['open', [[{ app: 'y' }, 7]]],
  ['open > 7', []],
  ['open >= 7', [[{ app: 'y' }, 7]]],
  ['sum(calls)', [[{}, 40]]],
  [
    'sum by (code) (rate(calls[5m]))',
    [
      [{ code: 'a' }, 2],
      [{ code: 'b' }, 1],
    ],
  ],
  ['sum(increase(calls{code!="a"}[1h]))', [[{}, 10]]],
  ['sum(rate(calls{code=~"a|b"}[5m])) / sum(rate(calls[5m]))', [[{}, 1]]],
  ['sum by (app) (calls) - sum by (app) (calls)', [[{ app: 'x' }, 0]]],
  ['sum(calls{code="c"}) or vector(0)', [[{}, 0]]],
  ['topk(1, calls)', [[{ code: 'a', app: 'x' }, 30]]],
  ['clamp_min(open, 1e1)', [[{ app: 'y' }, 10]]],
  // The expected values were computed by hand. Rank 50 is at the end of the first bucket, rank 70 in the middle of the
  // second, and rank 99 beyond the last bound.
  ['histogram_quantile(0.5, sum by (le) (seconds_bucket))', [[{}, 1]]],
  ['histogram_quantile(0.7, sum by (le) (seconds_bucket))', [[{}, 1.5]]],
  ['histogram_quantile(0.99, seconds_bucket)', [[{}, 2]]],
])('the value of %s equals the value that Prometheus computes', (query, expected) => {
  expect(values(query)).toEqual(expected)
})

describe('rejected queries', () => {
  test.each([
    ['sum(calls', /, is expected/],
    ['sum(calls))', /is left/],
    ['rates(calls[5m])', /function rates is not known/],
    ['calls{code}', /in calls\{code\}/],
    ['rate(calls[5])', /a range of time/],
    ['rate(calls)', /rate takes a range/],
    ['calls[5m]', /a range of calls is no value/],
    ['calls{code="a"} calls', /is left/],
    ['histogram_quantile(0.5, sum(seconds_bucket))', /grouped by le/],
  ])('the query %s is rejected', (query, reason) => {
    expect(() => values(query)).toThrow(reason)
  })
})
