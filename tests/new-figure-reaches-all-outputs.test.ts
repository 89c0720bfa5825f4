/**
 * Adds a made-up figure and two made-up dimensions to their tables, and checks that every output contains all three.
 * The test fails if code lists figures or dimensions by hand.
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type * as table from '#domain/reports/table-of-request-figures.ts'
import type * as dimensions from '#money/price-dimensions.ts'
import type * as usages from '#money/usage-counts.ts'
import type * as migrations from '#store/migrations/list-and-load-migrations.ts'
import { countedFigures, type Money, moneyNames } from '#domain/sums-of-request-figures.ts'
import type { SettledRequest } from '#domain/reports/table-of-request-figures.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import {
  allDimensions,
  type Dimension,
  type Price,
  priceFromJson,
  type TokenDimension,
} from '#money/price.ts'
import { type Usage, usageCounts, zeroUsage } from '#money/usage-counts.ts'
import { foldCallHours } from '#store/call-sums-by-hour.ts'
import { foldUsageDays } from '#store/usage-sums-by-day.ts'
import { CallMetrics } from '#telemetry/call-metrics.ts'
import { scrapeOf } from '#telemetry/metrics-scrape-text.ts'
import { wireNames } from '#wire/names-of-wires-and-tasks.ts'
import { usageFromChat, usageToChat } from '#wire/chat/usage.ts'
import { usageFromGenerate, usageToGenerate } from '#wire/generate/usage.ts'
import { usageFromMessages, usageToMessages } from '#wire/messages/usage.ts'
import { usageFromResponses, usageToResponses } from '#wire/responses/usage.ts'
import { openControl, ready, type Control } from './support/control-plane-without-socket.ts'
import { testedEngines } from './support/reduced-suite.ts'
import { endedCallOf } from './support/example-ended-call.ts'
import type { Answer } from './support/start-product.ts'
import { readScrape, valueOf } from './support/read-prometheus-text.ts'
import { reserveCall, settleCall } from './support/valid-request-of-every-operation.ts'

vi.mock('#money/price-dimensions.ts', async (original) => {
  const { dimensionFacts } = await original<typeof dimensions>()
  const videoInput = {
    side: 'media',
    counts: 'video input',
    label: 'Video input',
    units: ['video input token', 'video input tokens'],
    usage: 'Video input tokens.',
    kind: 'video',
    column: 'videoInputTokens',
    paths: {
      chat: 'prompt_tokens_details.video_tokens?',
      messages: '+video_input_tokens?',
      responses: 'input_tokens_details.video_tokens?',
      generate: 'promptTokensDetails.VIDEO?',
    },
  }
  const pageRead = {
    side: 'use',
    count: 'pageReads',
    counts: 'page read of the provider',
    label: 'Page read',
    units: ['page read', 'page reads'],
    usage: 'Number of page reads.',
    column: 'pageReads',
    paths: { messages: 'server_tool_use.page_reads?' },
  }
  return { dimensionFacts: { ...dimensionFacts, videoInput, pageRead } }
})

// The replaced functions name every count explicitly, because a loop would be slower. src/money/usage-counts.test.ts
// detects a missing count.
vi.mock('#money/usage-counts.ts', async (original) => {
  const usage = await original<typeof usages>()
  return {
    ...usage,
    zeroUsage: { ...usage.zeroUsage, videoInput: 0, pageReads: 0 },
    totalInput: (of: Usage) => usage.totalInput(of) + (of.isMediaWithin === true ? 0 : of[video]),
  }
})

vi.mock('#domain/reports/table-of-request-figures.ts', async (original) => {
  const { figures } = await original<typeof table>()
  const madeUp = {
    unit: 'micros',
    wire: 'madeUpMicros',
    property: 'made_up_micros',
    label: 'Made up',
    description: 'Made-up amount, in micros.',
    metric: { name: 'tollgate_made_up_micros_total', help: 'Made-up amount.' },
    of: ({ usage }: Pick<SettledRequest, 'usage'>) => BigInt(usage[video]),
  }
  return { figures: { ...figures, madeUpMicros: madeUp } }
})

/** In addition to its row in a table, a new figure needs only a migration that adds its columns. */
vi.mock('#store/migrations/list-and-load-migrations.ts', async (original) => {
  const list = await original<typeof migrations>()
  const tables = ['usage_days', 'application_days', 'call_hours', 'run_hours', 'tag_hours', 'usage_records']
  return {
    ...list,
    migrationsFor(engine: 'sqlite' | 'postgres') {
      const known = list.migrationsFor(engine)
      const type = engine === 'sqlite' ? 'INTEGER' : 'BIGINT'
      const add = (table: string): string =>
        `ALTER TABLE ${table} ADD COLUMN made_up_micros ${type} DEFAULT 0;`
      return [...known, { version: known.length + 1, name: 'made-up', sql: tables.map(add).join('\n') }]
    },
  }
})

// The TypeScript types do not contain the names of the made-up figure and dimensions.
const video = 'videoInput' as TokenDimension
const figure = 'madeUpMicros' as keyof Money
const usage: Usage = { ...zeroUsage, input: 50, output: 100, [video]: 7, ['pageReads' as string]: 3 }
const rates = { input: '1000000', output: '4000000', videoInput: '9000000', pageRead: '20' }

it('the tables contain the made-up figure and dimensions', () => {
  expect(allDimensions).toEqual(expect.arrayContaining(['videoInput', 'pageRead']))
  expect(usageCounts).toEqual(expect.arrayContaining(['videoInput', 'pageReads']))
  expect(moneyNames).toContain(figure)
  expect(countedFigures.map(({ name }) => name)).toContain(figure)
})

describe('usage of each wire', () => {
  const reads: Readonly<Record<string, () => Usage | null>> = {
    chat: () => usageFromChat(usageToChat(usage), null),
    messages: () => usageFromMessages(usageToMessages(usage)),
    responses: () => usageFromResponses(usageToResponses(usage), null),
    generate: () => usageFromGenerate(usageToGenerate(usage)),
  }
  // Embeddings only count their input, and Converse and Cohere's chat do not count media.
  it('the test covers every wire of conversations', () =>
    expect([...Object.keys(reads), 'converse', 'cohere'].toSorted()).toEqual(wireNames.toSorted()))

  it.each(Object.entries(reads))(
    'the %s wire writes the made-up count and reads the same count',
    (_, read) => {
      expect(read()).toMatchObject({ input: 50, output: 100, [video]: 7 })
    },
  )
})

it('metrics have the made-up kind of tokens, a counter of its uses and a counter of its money', async () => {
  const calls = new CallMetrics()
  const { charged } = endedCallOf()
  assert(charged)
  calls.add(endedCallOf({}, { charged: { ...charged, usage } }))
  const { text } = await scrapeOf([calls.json()])
  const seen = readScrape(text)
  expect(valueOf(seen, 'tollgate_tokens_total', { direction: 'input', kind: 'video' })).toBe(7)
  expect(valueOf(seen, 'tollgate_page_reads_total', {})).toBe(3)
  expect(valueOf(seen, 'tollgate_made_up_micros_total', {})).toBe(7)
  expect(text).toContain('reasoning, video)')
})

/** The types of this folder do not cover these page modules. */
interface Pages {
  readonly lineWords: (line: object, unit: string) => string
  readonly ratesOf: (price: object) => unknown
  readonly priceValues: (price: object) => Readonly<Record<string, string>>
  readonly priceOf: (values: object) => object
  readonly priceFaults: (values: object) => object
  readonly rateWords: (dimension: string) => string
  readonly runningCharge: (told: object, letters: number) => { readonly inputTokens: number }
  readonly moneyNames: readonly string[]
  readonly metrics: readonly { readonly words: string }[]
}

describe('pages', async () => {
  const modules = await Promise.all(
    [
      '#web/portal/pages/activity/receipt-in-words.ts',
      '#web/portal/pages/docs/rates-of-model.ts',
      '#web/console/prices/price-text.ts',
      '#web/console/pages/playground/running-charge.ts',
      '#web/console/request-money-figures.ts',
      '#web/console/pages/explore/metrics-and-dimensions.ts',
    ].map((path) => vi.importActual<object>(path)),
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the exports of these modules
  const pages = Object.assign({}, ...modules) as Pages
  const { lineWords, priceFaults, priceOf, priceValues, ratesOf, rateWords, runningCharge } = pages

  it('receipts and rates of the portal contain the made-up dimensions', () => {
    const line = { dimension: video, units: 7, rate: '9000000', assumed: false, exact: '63' }
    expect(lineWords(line, 'charge')).toBe('7 video input tokens at $9.00 per million')
    expect(lineWords({ ...line, dimension: 'pageRead', rate: '20' }, 'charge')).toContain(
      'page reads at $0.00002 each',
    )
    expect(ratesOf(rates)).toEqual(
      expect.arrayContaining([
        { words: 'Video input tokens', micros: '9000000', per: 'per million' },
        { words: 'Page reads', micros: '20', per: 'each' },
      ]),
    )
  })

  it('price forms of the console contain the made-up dimensions', () => {
    const values = priceValues(rates)
    expect(values[video]).toBe('9')
    expect(priceOf(values)).toMatchObject(rates)
    expect(priceFaults({ ...values, [video]: 'x' })).toHaveProperty(video)
    expect(rateWords(video)).toBe('video input')
  })

  it('the running charge of the playground includes the made-up dimensions', () => {
    const told = {
      status: 'in_flight',
      policy: { debitBasis: 'provider_cost' },
      quote: { cost: rates },
      reserve: { worstMicros: '1000000' },
      usage,
    }
    expect(runningCharge(told, 0).inputTokens).toBe(57)
  })

  it('charts, margin and the cost of a request have the figure with its label', () => {
    expect(pages.moneyNames).toContain(figure)
    expect(pages.metrics.map(({ words }) => words)).toContain('Made up')
  })
})

describe.each(testedEngines)('the control plane on %s', (engine) => {
  let control: Control
  let requestId: string
  beforeAll(async () => {
    control = await openControl({ engine })
    await ready(control)
    const priced = await control.call('POST', '/v1/providers/main/price', {
      app: 'acme',
      body: { model: 'gpt-x', price: rates },
    })
    assert.equal(priced.status, 200, priced.text)
    const { body: key } = await control.call('POST', '/v1/keys', {
      app: 'acme',
      body: { endUserId: 'user-1' },
    })
    await control.call('POST', '/v1/grants', {
      app: 'acme',
      body: { endUsers: ['user-1'], amountUnits: '1000000', reason: 'made up' },
    })
    const price = priceFromJson(rates) as Price
    const callId = await reserveCall(control, 'acme', key.id, null, {
      id: 'made-up',
      cost: price,
      sell: price,
    })
    await settleCall(control, 'acme', callId, {}, 'live', usage)
    requestId = idOf('req', callId)
    // An export contains only calls that settled more than two minutes ago.
    control.clock.nowMs += 180_000
  })
  afterAll(() => control.close())

  const get = async (path: string): Promise<Answer['body']> => {
    const answer = await control.call('GET', path, { app: 'acme' })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }

  it.each(['', '?by=model', '?by=endUser', '?bucket=hour'])(
    'usage over time contains the made-up figure%s',
    async (query) => {
      const { all, groups } = await get(`/v1/usage/series${query}`)
      for (const one of [all, ...groups]) expect(one.totals.madeUpMicros).toBe('7')
      if (query !== '?bucket=hour') expect(all.totals.inputTokens).toBe(57)
    },
  )

  it('the margin report contains the made-up figure in every grouping', async () => {
    for (const by of ['model', 'endUser', 'bundle', 'provider', 'day', 'key']) {
      // oxlint-disable-next-line no-await-in-loop -- few
      expect((await get(`/v1/margin?by=${by}`)).totals.madeUpMicros, by).toBe('7')
    }
  })

  it('exports contain the made-up figure and counts, in JSON lines and in CSV columns', async () => {
    const { text } = await control.call('GET', '/v1/usage/export', { app: 'acme' })
    const row = JSON.parse(text.split('\n')[0] ?? '')
    expect(row).toMatchObject({ madeUpMicros: '7', videoInputTokens: 7, pageReads: 3 })
    const focus = await control.call('GET', '/v1/usage/export?columns=focus', { app: 'acme' })
    expect(JSON.parse(focus.text.split('\n')[0] ?? '')).toHaveProperty('x_MadeUp', '0.000007')
    const csv = await control.call('GET', '/v1/usage/export?format=csv', { app: 'acme' })
    for (const name of ['madeUpMicros', 'videoInputTokens', 'pageReads'])
      expect(csv.text.split('\r\n')[0]?.split(',')).toContain(name)
  })

  it('the list of requests and the explanation contain the made-up figure and counts', async () => {
    const { data } = await get('/v1/requests')
    expect(data[0]).toHaveProperty('madeUpMicros', '7')
    const explained = await get(`/v1/requests/${requestId}`)
    expect(explained).toMatchObject({
      madeUpMicros: '7',
      usage: {
        [video]: 7,
        pageReads: 3,
        inWireTerms: { 'prompt_tokens_details.video_tokens': 7, prompt_tokens: 57 },
      },
    })
    const lines: readonly { dimension: Dimension; exact: string }[] = explained.priceLines[0].lines
    expect(
      lines.filter(({ dimension }) => dimension === video || (dimension as string) === 'pageRead'),
    ).toMatchObject([
      { dimension: video, units: 7, exact: '63' },
      { dimension: 'pageRead', units: 3, exact: '60' },
    ])
  })

  it('sums of past days and hours contain the made-up figure', async () => {
    control.clock.nowMs += 4 * 86_400_000
    await foldUsageDays(control.database, control.clock.nowMs)
    await foldCallHours(control.database, control.clock.nowMs)
    for (const query of ['', '?by=model', '?by=provider', '?by=bundle']) {
      // oxlint-disable-next-line no-await-in-loop -- few
      const { all, groups } = await get(`/v1/usage/series${query}`)
      for (const one of [all, ...groups]) expect(one.totals.madeUpMicros, query).toBe('7')
    }
    expect((await get('/v1/margin?by=bundle')).data[0].madeUpMicros).toBe('7')
  })

  it('`verify` finds no fault in the store’s sums of the made-up figure and counts', () => control.verify())
})
