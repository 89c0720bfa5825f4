import { expect, test } from 'vitest'
import { figures } from '#domain/reports/table-of-request-figures.ts'
import type { UsageSeries } from '#sdk/generated/types.ts'
import { type MoneyName, moneyNames } from '../../request-money-figures.ts'
import { cumulated, explored, inWeeks } from './chart-series-of-groups.ts'
import { firstMetric, metrics } from './metrics-and-dimensions.ts'

const day = (n: number): string => new Date(Date.UTC(2026, 10, n)).toISOString()

const noMoney = Object.fromEntries(moneyNames.map((name) => [figures[name].wire, '0'])) as Record<
  (typeof figures)[MoneyName]['wire'],
  string
>

function totalsOf(chargeMicros: number): UsageSeries['all']['totals'] {
  return {
    calls: 1,
    chargedCalls: 1,
    failed: { client: 0, limit: 0, provider: 0, ours: 0 },
    inputTokens: null,
    outputTokens: null,
    ...noMoney,
    chargeMicros: String(chargeMicros),
    unattributedMicros: '0',
  }
}

/** The series starts on November 1. */
function of(charges: readonly number[]): UsageSeries['all'] {
  return {
    totals: totalsOf(charges.reduce((a, b) => a + b, 0)),
    points: charges.map((charge, n) => ({ at: day(n + 1), ...totalsOf(charge) })),
  }
}

function series(
  all: readonly number[],
  groups: Readonly<Record<string, readonly number[]>>,
  other: readonly number[] | null = null,
): UsageSeries {
  return {
    from: day(1),
    to: day(4),
    bucket: 'day',
    isWhole: true,
    all: of(all),
    groups: Object.entries(groups).map(([group, charges]) => ({ group, ...of(charges) })),
    other: other && of(other),
    latency: null,
    latencyTotals: null,
  }
}

const sumAt = (shown: readonly { values: readonly (bigint | null)[] }[], n: number): bigint =>
  shown.reduce((sum, { values }) => sum + (values[n] ?? 0n), 0n)

test('shown groups add up to the total, at each time and overall', () => {
  const base = series([10, 20, 30], { a: [5, 10, 20], b: [4, 6, 8] }, [1, 4, 2])
  for (const top of [1, 2, 7]) {
    const { shown, total, whole } = explored({ base, within: [], metric: firstMetric, top })
    expect(whole).toEqual([10n, 20n, 30n])
    for (const n of [0, 1, 2]) expect(sumAt(shown, n)).toBe(whole?.[n])
    expect(shown.reduce((sum, one) => sum + one.total, 0n)).toBe(total)
    expect(shown.map(({ name }) => name)).toEqual(['a', 'b'].slice(0, top).concat('Other'))
  }
})

test('if the groups of the second grouping do not add up to their first group, Other contains the difference', () => {
  const base = series([10, 20, 30], { a: [6, 12, 20], b: [4, 8, 10] })
  // The second grouping covers only charged requests, so its groups add up to less than the first group.
  const within = [series([5, 12, 20], { x: [5, 2, 0], y: [0, 10, 20] }), undefined]
  const { shown } = explored({ base, within, metric: firstMetric, top: 7 })
  expect(shown.map(({ name, total }) => [name, total])).toEqual([
    ['a · y', 30n],
    ['b', 22n],
    ['a · x', 7n],
    ['Other', 1n],
  ])
  for (const n of [0, 1, 2]) expect(sumAt(shown, n)).toBe(BigInt([10, 20, 30][n] ?? 0))
})

test('a chart without groups has one series, and an unknown metric has no series', () => {
  const base = series([1, 2, 3], {})
  expect(explored({ base, within: [], metric: firstMetric, top: 7 }).shown).toMatchObject([{ total: 6n }])
  const tokens = metrics.find(({ id }) => id === 'tokens-in') ?? firstMetric
  expect(explored({ base, within: [], metric: tokens, top: 7 })).toMatchObject({ total: null, shown: [] })
})

test('weeks begin on Monday and contain every day', () => {
  // November 1, 2026, is a Sunday.
  const times = Array.from({ length: 9 }, (_, n) => Date.parse(day(n + 1)))
  const { buckets, sums } = inWeeks({ times, stepMs: 86_400_000 })
  expect(buckets.times.map((ms) => new Date(ms).toISOString().slice(0, 10))).toEqual([
    '2026-10-26',
    '2026-11-02',
    '2026-11-09',
  ])
  expect(sums([1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n, 5n])).toEqual([1n, 7n, 5n])
})

test('a running sum includes all earlier values', () => {
  expect(cumulated([1n, null, 2n])).toEqual([1n, 1n, 3n])
})
