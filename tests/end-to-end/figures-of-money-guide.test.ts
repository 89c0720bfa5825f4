/** Runs the month of docs/guides/money.md over HTTP, and compares every dollar figure of the page with the API. */
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { startFakeProvider, type FakeProvider } from '../support/fake-provider.ts'
import {
  apiOf,
  run,
  startServer,
  upstreamKey,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import type { TestDatabase } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'

const page = readFileSync(new URL('../../docs/guides/money.md', import.meta.url), 'utf8')
const commandFolder = fileURLToPath(new URL('../../bin', import.meta.url))
const november = 'from=2026-11-01&to=2026-12-01'

/** In micros per million tokens, for both provider accounts. */
const rates = { input: 1_000_000_000n, output: 4_000_000_000n }
const sellPrice = { input: '2000000000', output: '8000000000' }
const plans = [
  { slug: 'free', displayName: 'Free', priceMicros: null, included: null },
  { slug: 'starter', displayName: 'Starter', priceMicros: '10000000', included: '5000000' },
  { slug: 'pro', displayName: 'Pro', priceMicros: '30000000', included: '20000000' },
]
const planOf = { ada: 'starter', ben: 'pro', cleo: 'free', dan: 'free' }
type EndUser = keyof typeof planOf

/** Its provider counts the calls and computes an invoice. */
interface Account {
  readonly provider: FakeProvider
  readonly invoicedMicros: bigint
  /** The provider still bills the input. */
  failNext(): void
}

type Figure = readonly [words: string, dollars: string]

describe.each(testedEngines)('the money guide on %s', (store) => {
  let database: TestDatabase | null = null
  let server: LocalServer
  let alpha: Account
  let beta: Account
  let api: Application['api']
  let gateway: string
  const keys = new Map<string, string>()

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 1) })
    database = store === 'SQLite' ? null : await migratedDatabase()
    server = await startServer(database === null ? {} : { databaseUrl: database.url })
    alpha = await startAccount()
    beta = await startAccount()
    api = apiOf(server, 'acme')
    await setUp()
    await playNovember()
    vi.setSystemTime(Date.UTC(2026, 11, 1, 9))
  })
  afterAll(async () => {
    await alpha.provider.close()
    await beta.provider.close()
    await server.close()
    await database?.drop()
    vi.useRealTimers()
  })

  async function setUp(): Promise<void> {
    gateway = (await api('PUT', '/v1/apps/acme', { name: 'Acme' })).localGateway
    await inTurn(Object.entries({ alpha, beta }), async ([label, { provider }]) => {
      const { baseUrl } = provider
      await api('PUT', `/v1/providers/${label}`, { kind: 'openai_compatible', baseUrl, apiKey: upstreamKey })
      const price = { input: String(rates.input), output: String(rates.output) }
      await api('POST', `/v1/providers/${label}/price`, { model: 'smart-1', price })
    })
    const sources = ['alpha', 'beta'].map((provider) => ({ provider, model: 'smart-1' }))
    await api('PUT', '/v1/models/acme%2Fsmart', { sources })
    await inTurn(plans, async ({ included, slug, ...fields }) => {
      await api('PUT', `/v1/bundles/${slug}`, { ...fields, debitBasis: 'sell_price' })
      await api('POST', `/v1/bundles/${slug}/allow`, { models: ['acme/*'] })
      await api('POST', `/v1/bundles/${slug}/price`, { model: 'acme/smart', price: sellPrice })
      const include = { slug: 'usage', displayName: 'Usage', unit: 'micros', amount: included }
      if (included !== null) await api('POST', `/v1/bundles/${slug}/include`, include)
    })
  }

  async function playNovember(): Promise<void> {
    await inTurn(Object.entries(planOf), async ([endUserId, bundle]) => {
      await api('PUT', `/v1/end-users/${endUserId}`, {})
      await api('PUT', `/v1/end-users/${endUserId}/subscription`, { bundle })
      keys.set(endUserId, (await api('POST', '/v1/keys', { endUserId })).key)
    })
    await payOpenInvoices()
    await api('POST', '/v1/subscription/on-demand', { endUserId: 'ben', enabled: true })

    moveTo(3)
    await api('POST', '/v1/end-users/cleo/top-up', { amountUnits: '15000000', paymentReference: 'pi_cleo_1' })
    await give('cleo', '5000000')
    const mistake = await give('dan', '50000000')
    await ask('ada', 2)
    await ask('cleo', 2)

    moveTo(6)
    await ask('dan', 2)
    await api('POST', `/v1/grants/${mistake.id}/reverse`, { reason: 'typed 50 instead of 5' })
    await give('dan', '3000000')

    moveTo(12)
    await ask('ben', 10)
    await ask('cleo', 6)
    alpha.failNext()
    await ask('ben', 1)

    moveTo(18)
    const [useless] = await listOf('/v1/requests?endUserId=cleo')
    await api('POST', `/v1/requests/${useless.id}/refund`, { reason: 'useless response' })
    await ask('ada', 2)
    await ask('ben', 15)
  }

  const moveTo = (day: number) => vi.setSystemTime(Date.UTC(2026, 10, day, 10))
  const give = (endUser: EndUser, amountUnits: string) =>
    api('POST', '/v1/grants', { endUsers: [endUser], amountUnits, reason: 'welcome' })
  // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
  const listOf = async (path: string): Promise<any[]> => (await api('GET', path)).data
  const margin = (by: string) => api('GET', `/v1/margin?by=${by}&${november}`)

  async function inPortal(endUserId: EndUser, path: string) {
    const { url } = await api('POST', '/v1/portal-sessions', { endUserId })
    const handoff = { token: new URL(url).hash.replace('#handoff=', '') }
    const { sessionToken } = await api('POST', '/v1/portal-sessions/redeem', handoff)
    return apiOf({ ...server, token: sessionToken }, 'acme')('GET', path)
  }

  async function payOpenInvoices(): Promise<void> {
    const open = await listOf('/v1/invoices?status=open')
    await inTurn(open, ({ id }: { id: string }) => api('POST', `/v1/invoices/${id}/pay`))
  }

  async function ask(endUser: EndUser, times: number): Promise<void> {
    await inTurn(Array.from({ length: times }), async () => {
      const response = await fetch(`${gateway}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.get(endUser)}`, 'content-type': 'application/json' },
        // The text is long enough that the hold covers the 100 input tokens that the provider reports.
        body: JSON.stringify({
          model: 'acme/smart',
          max_tokens: 100,
          messages: [{ role: 'user', content: 'A question of a hundred tokens. '.repeat(4) }],
        }),
      })
      expect(await response.json()).toMatchObject({ object: 'chat.completion' })
    })
  }

  async function figuresOfApi(): Promise<readonly Figure[]> {
    const { data: earners, totals } = await margin('endUser')
    const accounts = (await margin('provider')).data
    const [ada, ben, cleo, dan] = earners
    expect(earners.map(({ endUserId }: { endUserId: string }) => endUserId)).toEqual(Object.keys(planOf))

    const bundles = await Promise.all(plans.map(({ slug }) => api('GET', `/v1/bundles/${slug}`)))
    const [, starter, pro] = bundles
    const costs = (await api('GET', '/v1/providers/alpha')).prices[0].price
    expect((await api('GET', '/v1/providers/beta')).prices[0].price).toEqual(costs)
    for (const { debitBasis, prices } of bundles) {
      expect([debitBasis, prices]).toMatchObject(['sell_price', [{ price: sellPrice }]])
    }

    const [ordinary] = await listOf('/v1/requests?endUserId=ada')
    const [answeredByBeta, ...others] = await listOf('/v1/requests?endUserId=ben&provider=beta')
    expect(others).toEqual([])
    const [failed, answered] = (await api('GET', `/v1/requests/${answeredByBeta.id}`)).attempts
    expect([failed.target, answered.target]).toEqual(['alpha/smart-1', 'beta/smart-1'])

    const ledger = async (endUser: EndUser, kind: string): Promise<bigint[]> =>
      (await listOf(`/v1/end-users/${endUser}/ledger?source=all&limit=200`))
        .filter((entry) => entry.kind === kind)
        .map(({ amountUnits }) => BigInt(amountUnits))
        .toReversed()
    const [topUp = 0n] = await ledger('cleo', 'topup')
    const [gift = 0n] = await ledger('cleo', 'grant')
    const [refund = 0n] = await ledger('cleo', 'refund')
    const [mistake = 0n, rest = 0n] = await ledger('dan', 'grant')
    const [takenBack = 0n] = await ledger('dan', 'reversal')
    const cleoPaid = sumOf(await listOf('/v1/requests?endUserId=cleo'), 'paidFromWalletMicros')
    const cleoCharged = -sum(await ledger('cleo', 'usage_debit'))
    const refunded = (await listOf('/v1/requests?endUserId=cleo')).find((one) => one.refundedMicros !== '0')
    expect(cleoPaid - refund).toBe(BigInt(cleo.paidFromWalletMicros))

    const open = await listOf('/v1/invoices?status=open')
    const owes = (endUser: EndUser, kind?: string): bigint =>
      open
        .filter(({ endUserId }) => endUserId === endUser)
        .map((invoice) => (kind === undefined ? invoice : lineOf(invoice, kind)))
        .reduce((all, { amountMicros }) => all + BigInt(amountMicros), 0n)
    const balance = async (endUser: EndUser): Promise<bigint> =>
      BigInt((await api('GET', `/v1/end-users/${endUser}`)).balance.balanceUnits)
    const fees = sumOf(await listOf('/v1/invoices?status=paid'), 'amountMicros')
    expect(fees + topUp - (await balance('cleo')) + owes('ben', 'on_demand')).toBe(
      BigInt(totals.revenueMicros),
    )

    const amounts: readonly (readonly [string, bigint | string])[] = [
      ['per million input tokens', costs.input],
      ['per million output tokens', costs.output],
      ["The sell prices of all plans are twice the accounts' prices:", sellPrice.input],
      ['and', sellPrice.output],
      ['Each request costs the end user', ordinary.chargeMicros],
      ['and costs Acme', ordinary.costMicros],
      ['Starter: Monthly price', starter.priceMicros],
      ['Starter: Included usage', starter.includes[0].amount],
      ['Pro: Monthly price', pro.priceMicros],
      ['Pro: Included usage', pro.includes[0].amount],

      [`Ada sends ${ada.calls} requests, and her plan pays the`, ada.paidFromPlanMicros],
      [`Ben sends ${ben.calls} requests. His plan pays`, ben.paidFromPlanMicros],
      ['is billed on demand', ben.onDemandMicros],
      ['Cleo tops up', topUp],
      ['Acme gives her', gift],
      [`Her ${cleo.calls} requests are charged`, cleoCharged],
      ['the gift pays the first', cleo.paidFromGiftMicros],
      ['her paid credit pays', cleoPaid],
      ['Acme refunds', refund],
      ['Acme wants to give him', mistake + takenBack + rest],
      ['but types', mistake],
      ['Dan spends', dan.paidFromGiftMicros],
      ['Ben is charged', answeredByBeta.chargeMicros],
      ['The failed attempt costs Acme', failed.costMicros],
      ['so this request costs', answeredByBeta.costMicros],

      ['paid their November fees', fees],
      ['Ada: Owes', owes('ada')],
      ['Ada: Plan fee in December', owes('ada', 'plan')],
      ['Ada: Balance', await balance('ada')],
      ['Ben: Owes', owes('ben')],
      ['Ben: Plan fee in December', owes('ben', 'plan')],
      ['Ben: On-demand usage in November', owes('ben', 'on_demand')],
      ['Ben: Balance', await balance('ben')],
      ['Cleo: Owes', owes('cleo')],
      ['Cleo: Balance', await balance('cleo')],
      ['Dan: Owes', owes('dan')],
      ['Dan: Balance', await balance('dan')],
      ['In total,', sumOf(open, 'amountMicros')],

      ['Subscriptions: Amount', totals.subscriptionMicros],
      ['Paid credit: Amount', totals.paidFromWalletMicros],
      ['On-demand: Amount', totals.onDemandMicros],
      ['Revenue: Amount', totals.revenueMicros],
      ['Provider cost: Amount', totals.costMicros],
      ['Margin: Amount', totals.marginMicros],
      ['List value of usage: Amount', totals.billedMicros],
      ['Paid by plans: Amount', totals.paidFromPlanMicros],
      ['Paid by gifts: Amount', totals.paidFromGiftMicros],
      ...Object.entries({ Ada: ada, Ben: ben, Cleo: cleo, Dan: dan }).flatMap(([name, row]) => [
        [`${name}: Revenue`, row.revenueMicros] as const,
        [`${name}: Cost`, row.costMicros] as const,
        [`${name}: Margin`, row.marginMicros] as const,
      ]),

      ['In November, Acme receives', fees + topUp],
      ['plan fees of', fees],
      ['top-up of', topUp],
      ["Cleo hasn't spent", await balance('cleo')],
      ['of on-demand usage is earned', ben.onDemandMicros],
      ['The result is the revenue of', totals.revenueMicros],

      ['`alpha`: Cost', accounts[0].costMicros],
      ['`beta`: Cost', accounts[1].costMicros],
      ['The total cost is', totals.costMicros],

      ['Acme takes back', -takenBack],
      ['that he spent', dan.paidFromGiftMicros],
      ['a second grant of', rest],
      ['returns to her paid credit', refund],
      ['The provider still charges its', refunded.costMicros],
    ]
    return amounts.map(([words, micros]) => [words, dollarsOf(BigInt(micros))])
  }

  it('the API returns every figure of the page', async () => {
    const known = await figuresOfApi()
    const found = figuresOf(page).map(([words, dollars], at) => {
      const expected = known[at]?.[0]
      return [expected !== undefined && words.includes(expected) ? expected : words, dollars]
    })
    expect(found).toEqual(known)
  })

  it('the API returns each total in the field that the page names', async () => {
    const { totals } = await margin('endUser')
    const named = [...page.matchAll(/ (\$[\d.,]+) +\| `(\w+Micros)`/g)]
    expect(named).toHaveLength(9)
    for (const [, dollars = '', field = ''] of named) {
      expect([field, dollarsOf(BigInt(totals[field]))]).toEqual([field, dollars])
    }
  })

  it('the API returns the requests, failures and cost that each account’s provider counted', async () => {
    const { data, totals } = await margin('provider')
    const rows = [...page.matchAll(/^\| `(\w+)` +\| (\d+) +\| (\d+) +\|/gm)].map((row) => row.slice(1, 4))
    const counted = Object.entries({ alpha, beta }).map(([label, { invoicedMicros, provider }], at) => {
      expect(data[at]).toMatchObject({ provider: label, costMicros: String(invoicedMicros) })
      return [label, String(data[at].calls), String(provider.calls.length - data[at].calls)]
    })
    expect(rows).toEqual(counted)
    expect(String(alpha.invoicedMicros + beta.invoicedMicros)).toBe(totals.costMicros)
  })

  it('every command of the page succeeds', async () => {
    const [settings = '', ...blocks] = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(
      ([, text = '']) => text,
    )
    const home = newDataFolder('e2e')
    const values: Readonly<Record<string, string>> = {
      TOLLGATE_BASE_URL: server.baseUrl,
      TOLLGATE_TOKEN: server.token,
      TOLLGATE_APP: 'acme',
    }
    expect([...settings.matchAll(/^export (\w+)=/gm)].map(([, name]) => name)).toEqual(Object.keys(values))
    const environment = {
      ...values,
      HOME: home,
      XDG_CONFIG_HOME: home,
      PATH: `${commandFolder}:${process.env['PATH'] ?? ''}`,
    }
    const { code, stderr, stdout } = await run('sh', ['-e', '-c', blocks.join('\n')], environment)
    rmSync(home, { recursive: true })
    expect([code, stderr]).toEqual([0, ''])
    for (const line of [
      /\bben +open +\$36\.00 /,
      /\bada +open +\$10\.00 /,
      /^ +balance +\$13\.00$/m,
      /^ben .* \$36\.00 +\$22\.90 /m,
      /^ +revenue +\$48\.00$/m,
      /^alpha +39 +\$19\.60 /m,
      /^beta +1 +\$0\.50 /m,
      /^gr_\w+ +\$50\.00 .* \$48\.00 /m,
      /^led_\w+ +reversal +-\$48\.00 .*typed 50 instead of 5/m,
      /^led_\w+ +refund +\$1\.00 +\$13\.00 .*useless response/m,
    ]) {
      expect(stdout).toMatch(line)
    }
  })

  it('the portal shows end users the amount due, and the reason of a corrected balance', async () => {
    const [renewal] = (await inPortal('ben', '/v1/portal/subscription')).invoices
    expect(renewal).toMatchObject({ status: 'open', amountMicros: '36000000' })
    const reasonsOf = async (endUser: EndUser) =>
      (await inPortal(endUser, '/v1/portal/ledger?limit=200')).data.map((entry: Entry) => [
        entry.kind,
        entry.reason,
      ])
    expect(await reasonsOf('dan')).toContainEqual(['reversal', 'typed 50 instead of 5'])
    expect(await reasonsOf('cleo')).toContainEqual(['refund', 'useless response'])
  })

  it('earnings do not change when the invoices are paid', async () => {
    const { totals } = await margin('endUser')
    const { onDemandOwedMicros } = await api('GET', '/v1/subscription?endUserId=ben')
    expect(onDemandOwedMicros).toBe(totals.onDemandMicros)
    await payOpenInvoices()
    expect(await listOf('/v1/invoices?status=open')).toEqual([])
    expect(await api('GET', '/v1/subscription?endUserId=ben')).toMatchObject({ onDemandOwedMicros: '0' })
    expect((await margin('endUser')).totals).toEqual(totals)
  })
})

async function startAccount(): Promise<Account> {
  let invoicedMicros = 0n
  let isFailing = false
  const provider = await startFakeProvider(() => {
    const output = isFailing ? 0 : 100
    isFailing = false
    invoicedMicros += (100n * rates.input + BigInt(output) * rates.output) / 1_000_000n
    return {
      chunks: output === 0 ? [] : ['A response.'],
      usage: { prompt_tokens: 100, completion_tokens: output, total_tokens: 100 + output },
    }
  })
  return {
    provider,
    get invoicedMicros() {
      return invoicedMicros
    },
    failNext() {
      isFailing = true
    },
  }
}

async function inTurn<T>(items: Iterable<T>, act: (item: T) => Promise<unknown>): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- the story has an order
  for (const item of items) await act(item)
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n)

const sumOf = (rows: readonly Readonly<Record<string, string>>[], field: string): bigint =>
  sum(rows.map((row) => BigInt(row[field] ?? 'missing')))

interface Entry {
  readonly kind: string
  readonly reason?: string
}

interface Invoice {
  readonly lines: readonly { readonly kind: string; readonly amountMicros: string }[]
}

function lineOf({ lines }: Invoice, kind: string): { readonly amountMicros: string } {
  const [line, ...others] = lines.filter((one) => one.kind === kind)
  expect(others).toEqual([])
  return line ?? { amountMicros: '0' }
}

function dollarsOf(micros: bigint): string {
  const size = micros < 0n ? -micros : micros
  expect(size % 10_000n, `${micros} micros are whole cents`).toBe(0n)
  const cents = String((size % 1_000_000n) / 10_000n).padStart(2, '0')
  const dollars = (size / 1_000_000n).toLocaleString('en-US')
  return `${micros < 0n ? '-' : ''}$${dollars}.${cents}`
}

/**
 * Includes only dollar figures outside of code blocks. For a table cell, `words` are its row and column. For other
 * figures, `words` are the text between the previous and the next figure of the line.
 */
function figuresOf(markdown: string): readonly Figure[] {
  const figures: Figure[] = []
  let heads: readonly string[] | null = null
  for (const line of markdown.replaceAll(/^```.*?^```$/gms, '').split('\n')) {
    const cells = line.startsWith('|') ? cellsOf(line) : null
    if (cells === null) {
      const texts = line.split(/-?\$\d[\d,.]*\d|-?\$\d/)
      const amounts = line.match(/-?\$\d[\d,.]*\d|-?\$\d/g) ?? []
      amounts.forEach((amount, at) => figures.push([`${texts[at]} ${texts[at + 1]}`, withCents(amount)]))
    } else if (heads !== null) {
      for (const [at, cell] of cells.entries()) {
        if (cell.includes('$')) figures.push([`${cells[0]}: ${heads[at]}`, withCents(cell)])
      }
    }
    heads = cells === null ? null : (heads ?? cells)
  }
  return figures
}

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

const withCents = (dollars: string): string => (dollars.includes('.') ? dollars : `${dollars}.00`)
