import { describe, expect, test } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { endedCallOf } from '#tests/support/example-ended-call.ts'
import { readScrape, valueOf, type Scraped } from '#tests/support/read-prometheus-text.ts'
import { CallMetrics } from './call-metrics.ts'
import { scrapeOf } from './metrics-scrape-text.ts'

const read = async (...processes: CallMetrics[]): Promise<Scraped> =>
  readScrape((await scrapeOf(processes.map((calls) => calls.json()))).text)

const seriesOf = ({ samples }: Scraped, metric: string): number =>
  samples.filter(({ name }) => name === metric).length

describe('the metrics of calls', () => {
  test('the metrics count each token once, and add up money in micros', async () => {
    const calls = new CallMetrics()
    calls.add(endedCallOf())
    calls.add(endedCallOf())
    const seen = await read(calls)
    const tokens = (labels: Record<string, string>): number | null =>
      valueOf(seen, 'tollgate_tokens_total', labels)
    expect(tokens({ direction: 'input' })).toBe(1_800)
    expect(tokens({ direction: 'input', kind: 'cache_read' })).toBe(200)
    expect(tokens({ direction: 'output' })).toBe(666)
    expect(tokens({ direction: 'output', kind: 'reasoning' })).toBe(66)
    expect(valueOf(seen, 'tollgate_charged_micros_total', { model: 'fast' })).toBe(280)
    expect(valueOf(seen, 'tollgate_billed_micros_total', { model: 'fast' })).toBe(300)
    expect(valueOf(seen, 'tollgate_cost_micros_total', { model: 'fast' })).toBe(240)
  })

  test('the metrics distinguish all outcomes, and count each duration in the correct bucket', async () => {
    const calls = new CallMetrics()
    calls.add(endedCallOf({ firstByteMs: 250 }, { endedAtMs: 250 }))
    calls.add(
      endedCallOf({ status: 'released', httpStatus: 499, errorCode: 'client_left' }, { charged: null }),
    )
    calls.add(
      endedCallOf(
        { status: 'refused', httpStatus: 402, errorCode: 'insufficient_credit' },
        { charged: null, attempts: [] },
      ),
    )
    calls.add(
      endedCallOf(
        { status: 'refused', httpStatus: 503, errorCode: 'store_unavailable' },
        { charged: null, attempts: [] },
      ),
    )
    const seen = await read(calls)
    const count = (labels: Record<string, string>): number | null =>
      valueOf(seen, 'tollgate_calls_total', labels)
    expect(count({ outcome: 'settled', status: '2xx', code: 'none' })).toBe(1)
    expect(count({ outcome: 'released', status: '4xx', code: 'client_left' })).toBe(1)
    expect(count({ outcome: 'refused', status: '4xx', code: 'insufficient_credit' })).toBe(1)
    expect(count({ outcome: 'refused', status: '5xx', code: 'store_unavailable' })).toBe(1)
    const within = (le: string): number | null =>
      valueOf(seen, 'tollgate_call_duration_seconds_bucket', { le, streamed: 'false' })
    expect([within('0.1'), within('0.25'), within('1'), within('2.5'), within('+Inf')]).toEqual([
      0, 1, 1, 4, 4,
    ])
  })

  test('the metrics include the cost of attempts that no end user is charged for, and count each settled call once', async () => {
    const failed = { provider: 'openai', account: 'prov_2', model: 'gpt-5' }
    const attempt = { ...failed, status: 200, failure: 'reset', atMs: 0, durationMs: 5, costMicros: '70' }
    const calls = new CallMetrics()
    calls.add(
      endedCallOf(
        { status: 'released', httpStatus: 502, errorCode: 'upstream_truncated' },
        { charged: null, attempts: [attempt] },
      ),
    )
    // The ledger's cost of a charged call already includes its failed attempts.
    calls.add(endedCallOf({}, { attempts: [attempt, ...endedCallOf().attempts] }))
    const seen = await read(calls)
    expect(valueOf(seen, 'tollgate_cost_micros_total', { model: 'fast' })).toBe(70 + 120)
    expect(valueOf(seen, 'tollgate_attempts_total', { outcome: 'reset' })).toBe(2)
  })

  test('the metrics of several processes are added up', async () => {
    const one = new CallMetrics()
    const other = new CallMetrics()
    one.add(endedCallOf())
    other.add(endedCallOf())
    other.add(endedCallOf({ alias: 'smart' }))
    const seen = await read(one, other)
    expect(valueOf(seen, 'tollgate_calls_total', { outcome: 'settled' })).toBe(3)
    expect(valueOf(seen, 'tollgate_call_duration_seconds_bucket', { le: '+Inf', streamed: 'false' })).toBe(3)
  })
})

test('adding a call to the metrics takes less than a microsecond of CPU time', () => {
  const calls = new CallMetrics()
  const ended = Array.from({ length: 100 }, (_, i) =>
    endedCallOf({ applicationId: `app_${i % 20}`, alias: `model-${i % 7}`, streamed: i % 2 === 0 }),
  )
  const count = 50_000
  const perCallMaxMs = 0.001
  withinCpu(count * perCallMaxMs, () => {
    for (let i = 0; i < count; i++) calls.add(ended[i % ended.length] ?? endedCallOf())
  })
})

describe('the labels of metrics', () => {
  test('beyond 100 applications, 500 models and 200 accounts, metrics count new label values as `other`, and sums remain correct', async () => {
    const calls = new CallMetrics()
    const count = 1_000
    for (let i = 0; i < count; i++) {
      const attempt = {
        provider: 'openai',
        account: `prov_${i}`,
        model: 'gpt-5',
        status: 200,
        failure: null,
        atMs: 0,
        durationMs: 1,
      }
      calls.add(
        endedCallOf(
          { applicationId: `app_${i % 300}`, alias: `model-${i}` },
          { applicationSlug: `app-${i % 300}`, attempts: [attempt] },
        ),
      )
    }
    const seen = await read(calls)
    expect(valueOf(seen, 'tollgate_calls_total')).toBe(count)
    expect(valueOf(seen, 'tollgate_tokens_total', { direction: 'output' })).toBe(count * 333)
    expect(valueOf(seen, 'tollgate_attempts_total')).toBe(count)
    expect(valueOf(seen, 'tollgate_calls_total', { application: 'other' })).toBeGreaterThan(0)
    expect(valueOf(seen, 'tollgate_charged_micros_total', { model: 'other' })).toBeGreaterThan(0)
    const names = (label: string): number =>
      new Set(seen.samples.flatMap(({ labels }) => labels[label] ?? [])).size
    expect(names('application')).toBe(101)
    expect(names('model')).toBe(501)
    expect(names('account')).toBe(201)
    // Each model has a series, and each application with models counted as `other` has one more.
    expect(seriesOf(seen, 'tollgate_charged_micros_total')).toBeLessThanOrEqual(500 + 101)
  })

  test('labels contain no text that a caller sent, so a rejected call has no model name', async () => {
    const calls = new CallMetrics()
    calls.add(
      endedCallOf(
        { alias: 'made-up', target: null, status: 'refused', httpStatus: 404, errorCode: 'model_not_found' },
        { charged: null, attempts: [] },
      ),
    )
    expect((await scrapeOf([calls.json()])).text).not.toContain('made-up')
  })
})
