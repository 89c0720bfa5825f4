/**
 * The test brings a server into random states of three end users in test mode. In each state, the test compares every
 * amount on three pages with the API's amount, digit by digit and position by position. The test computes the expected
 * values from the responses, without the code of the pages. A shared error would otherwise remain hidden.
 */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { openPages, shown, type PageWorld } from './start-page-tests.ts'
import { randomFrom, withSeed, type Random } from './seeded-random.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- an answer, of which a check reads what it expects
type Body = any

const people = ['ada', 'grace', 'barbara'] as const
const tabs = ['activity', 'ledger', 'ledger&source=all', 'keys', 'plan'] as const
const scope = { 'x-svc-app': 'sample-month', 'x-svc-mode': 'test' }
const query = 'app=sample-month&mode=test'

/** A day is longer than any run, even on a busy machine. */
const dayMs = 24 * 3_600_000
const deadlines = { connectMs: dayMs, firstByteMs: dayMs, idleMs: dayMs, totalMs: dayMs }

/** A failure prints its seed, and SEED repeats the run. */
export async function comparePages(states: number, seed: number): Promise<void> {
  const world = await openPages({
    sampleDays: 1,
    callsPerDay: 4,
    // With these limits, a call ends immediately when its client disconnects. No call waits for another call's hold,
    // and no call ends by itself.
    limits: { drainMs: 1, heldWaitMs: 1, deadlines },
  })
  try {
    await withSeed(seed, () => walk(world, states, randomFrom(seed)))
  } finally {
    await world.close()
  }
}

async function walk(world: PageWorld, states: number, random: Random): Promise<void> {
  const product = new Product(world, random)
  await product.setUp()
  const { faults, page } = await world.openConsole(`/users?${query}`, { reducedMotion: 'reduce' })
  for (let state = 0; state < states; state++) {
    const done: string[] = []
    try {
      // oxlint-disable no-await-in-loop -- one state after the other is what it is about
      for (let changes = random.whole(1, 4); changes > 0; changes--) done.push(await product.change())
      const who = random.pick(people)
      const tab = random.pick(tabs)
      done.push(`look at ${who}, ${tab}`)
      await compareUser(world, page, who, tab)
      if (random.chance(0.5)) await compareUsers(world, page)
      else await compareKeys(world, page)
      // oxlint-enable no-await-in-loop
    } catch (cause) {
      const words = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`state ${state} (${done.join('; ')}): ${words}`, { cause })
    }
  }
  await product.end()
  assert.deepEqual(faults, [], 'nothing went wrong on the pages')
}

interface Running {
  readonly id: string
  readonly abort: AbortController
  readonly ended: Promise<unknown>
}

/** If the server rejects a change, the test compares the unchanged state. */
class Product {
  readonly #world: PageWorld
  readonly #random: Random
  readonly #keys: { id: string; key: string; of: string }[] = []
  readonly #running: Running[] = []
  #gateway = ''

  constructor(world: PageWorld, random: Random) {
    this.#world = world
    this.#random = random
  }

  async setUp(): Promise<void> {
    const price = { input: '1500001', output: '6000001' }
    await this.#call('PUT', '/v1/bundles/scale', {
      displayName: 'Scale',
      priceMicros: '49000001',
      spendLimitMicros: '40001',
      spendLimitPeriod: 'month',
      debitBasis: 'sell_price',
      creditCurrency: 'sparks',
    })
    await this.#call('POST', '/v1/bundles/scale/allow', { models: ['sample/*'] })
    for (const model of ['sample/fast', 'sample/smart']) {
      await this.#call('POST', '/v1/bundles/scale/price', {
        model,
        price,
        ...(model === 'sample/smart' && { credits: { input: '3000000', output: '9000001' } }),
      })
    }
    for (const include of [
      { slug: 'tokens', displayName: 'Included use', unit: 'micros', amount: '10001', recurring: true },
      { slug: 'sparks', displayName: 'Sparks', unit: 'credits', amount: '20001', recurring: true },
      { slug: 'welcome', displayName: 'Welcome', unit: 'micros', amount: '3001', recurring: false },
    ]) {
      await this.#call('POST', '/v1/bundles/scale/include', { ...include, thenOnDemand: true })
    }
    this.#gateway = (await this.#call('GET', '/v1/apps/sample-month')).localGateway
    for (const who of people) await this.#mint(who)
  }

  async end(): Promise<void> {
    for (const { abort } of this.#running) abort.abort()
    await Promise.allSettled(this.#running.map(({ ended }) => ended))
  }

  async change(): Promise<string> {
    const random = this.#random
    const who = random.pick(people)
    const key = random.pick(this.#keys)
    const user = `/v1/end-users/${who}`
    const micros = String(random.whole(1, 10 ** random.whole(1, 9)))
    const period = random.pick(['day', 'week', 'month', 'total'])
    const steps: readonly (readonly [number, string, () => Promise<unknown>])[] = [
      [5, `call as ${key.of}`, () => this.#ask(key.key, random.whole(1, 60), '')],
      [2, `call that runs as ${key.of}`, () => this.#begin(key.key)],
      [1, 'end what runs', () => this.#endOne()],
      [
        2,
        `grant ${micros} to ${who}`,
        () => this.#call('POST', '/v1/grants', { endUsers: [who], amountUnits: micros, reason: 'a grant' }),
      ],
      [1, `mint for ${who}`, () => this.#mint(who)],
      [
        2,
        `cap ${key.id} at ${micros} ${period}`,
        () => this.#call('POST', `/v1/keys/${key.id}/cap`, { capMicros: micros, capPeriod: period }),
      ],
      [1, `no cap for ${key.id}`, () => this.#call('POST', `/v1/keys/${key.id}/cap`, { capMicros: null })],
      [1, `revoke ${key.id}`, () => this.#revoke(key.id)],
      [
        2,
        `subscribe ${who}`,
        () =>
          this.#call('PUT', `${user}/subscription`, {
            bundle: random.pick(['starter', 'pro', 'scale', 'scale']),
          }),
      ],
      [
        2,
        `on-demand of ${who}`,
        () =>
          this.#call('POST', '/v1/subscription/on-demand', {
            endUserId: who,
            enabled: random.chance(0.7),
            ...(random.chance(0.8) && { limitMicros: random.chance(0.2) ? null : micros }),
          }),
      ],
      [
        1,
        `freeze ${who}`,
        () => this.#call('POST', `${user}/${random.pick(['freeze', 'unfreeze', 'unfreeze'])}`),
      ],
      [
        1,
        `cancel or resume ${who}`,
        () => this.#call('POST', `${user}/subscription/${random.pick(['cancel', 'resume', 'resume'])}`),
      ],
      [1, 'time goes on', () => this.#advance()],
      [1, `pay of ${who}`, () => this.#pay(who)],
    ]
    const weighted = steps.flatMap((step) => Array.from({ length: step[0] }, () => step))
    const [, words, run] = random.pick(weighted)
    await run()
    return words
  }

  async #call(method: string, path: string, body?: unknown): Promise<Body> {
    return (await this.#world.call(method, path, body, scope)).body
  }

  async #mint(who: string): Promise<void> {
    const { id, key } = await this.#call('POST', '/v1/keys', { endUserId: who, name: `key of ${who}` })
    this.#keys.push({ id, key, of: who })
  }

  /** The end user keeps at least one key, because otherwise no request would be possible. */
  async #revoke(id: string): Promise<void> {
    const at = this.#keys.findIndex((key) => key.id === id)
    const of = this.#keys[at]?.of
    if (this.#keys.filter((key) => key.of === of).length < 2) return
    this.#keys.splice(at, 1)
    await this.#call('DELETE', `/v1/keys/${id}`)
  }

  async #ask(key: string, tokens: number, order: string, signal?: AbortSignal): Promise<void> {
    const content = `${'word '.repeat(this.#random.whole(1, 200))}${order}`
    const answer = await fetch(`${this.#gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: this.#random.pick(['sample/fast', 'sample/smart']),
        max_tokens: tokens,
        messages: [{ role: 'user', content }],
      }),
      ...(signal && { signal }),
    })
    await answer.text()
  }

  /**
   * The call holds its money until the test ends the call. At most three calls are in flight, because more calls of one
   * end user would wait for each other.
   */
  async #begin(key: string): Promise<void> {
    if (this.#running.length >= 3) return this.#endOne()
    const others = await this.#inFlight()
    const abort = new AbortController()
    const ended = this.#ask(key, 50, '[[hang=headers]]', abort.signal).then(
      () => 'ended',
      () => 'ended',
    )
    // Waits until the call holds money or has been rejected.
    for (;;) {
      // oxlint-disable no-await-in-loop -- until it is one of the two
      const state = await Promise.race([ended, delay(20, 'running')])
      if (state === 'ended') return
      const id = [...(await this.#inFlight())].find((one) => !others.has(one))
      if (id !== undefined) return void this.#running.push({ id, abort, ended })
      // oxlint-enable no-await-in-loop
    }
  }

  async #endOne(): Promise<void> {
    const one = this.#running.shift()
    if (!one) return
    one.abort.abort()
    await one.ended
    // oxlint-disable-next-line no-await-in-loop -- until the store has it
    while ((await this.#inFlight()).has(one.id)) await delay(20)
  }

  async #inFlight(): Promise<ReadonlySet<string>> {
    const { data } = await this.#call('GET', '/v1/requests?status=in_flight&limit=200')
    return new Set(data.map(({ id }: Body) => id))
  }

  async #advance(): Promise<void> {
    const { now } = await this.#call('GET', '/v1/test-clock')
    const hours = this.#random.pick([1, 5, 26, 24 * 9, 24 * 32])
    await this.#call('POST', '/v1/test-clock/advance', {
      to: new Date(Date.parse(now) + hours * 3_600_000).toISOString(),
    })
  }

  async #pay(who: string): Promise<void> {
    const { data } = await this.#call('GET', `/v1/invoices?endUserId=${who}`)
    const owed = data.find(({ status }: Body) => status === 'open' || status === 'past_due')
    if (owed) await this.#call('POST', `/v1/invoices/${owed.id}/${this.#random.pick(['pay', 'void'])}`)
  }
}

interface Amount {
  readonly micros: string
  readonly text: string
}

async function amountsIn(page: Page, selector: string): Promise<string[]> {
  const all: Amount[] = await page.locator(`${selector} [data-micros]`).evaluateAll((elements) =>
    elements.map((element) => ({
      micros: element.getAttribute('data-micros') ?? '',
      text: [...element.childNodes]
        .filter(
          (node) => !(node as { hasAttribute?: (name: string) => boolean }).hasAttribute?.('data-padding'),
        )
        .map(({ textContent }) => textContent)
        .join(''),
    })),
  )
  for (const { micros, text } of all) {
    assert.equal(text.replace('+', ''), dollarsOf(micros), `${selector}: ${micros} micros read as ${text}`)
  }
  return all.map(({ micros }) => micros)
}

/** Writes all digits, and at least two digits after the decimal point. */
function dollarsOf(micros: string): string {
  const isNegative = micros.startsWith('-')
  const digits = micros.replace('-', '').padStart(7, '0')
  let decimals = digits.slice(-6)
  while (decimals.length > 2 && decimals.endsWith('0')) decimals = decimals.slice(0, -1)
  const whole = Number(digits.slice(0, -6)).toLocaleString('en-US')
  return `${isNegative ? '\u2212' : ''}$${whole}.${decimals}`
}

function unitsOf(units: string, unit: string): string {
  if (unit === 'micros') return dollarsOf(units)
  return `${dollarsOf(units)
    .replace('$', '')
    .replace(/\.?0+$/, '')} credits`
}

async function look(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href)
  await page.locator('main h1').waitFor()
  await shown(page)
}

async function compareUsers({ call }: PageWorld, page: Page): Promise<void> {
  await look(page, `/users?${query}`)
  await page.locator('tbody [data-opens]').first().waitFor()
  const { body } = await call('GET', '/v1/end-users?limit=50', undefined, scope)
  const expected = body.data.flatMap(({ balance, usage }: Body) => [
    balance.balanceUnits,
    ...(balance.reservedUnits === '0' ? [] : [balance.reservedUnits]),
    usage.billedMicros,
  ])
  assert.deepEqual(await amountsIn(page, 'tbody'), expected, 'the page of end users')
}

const ofKey = ({ capMicros, spentMicros }: Body): string[] => [
  spentMicros,
  ...(capMicros === null ? [] : [capMicros]),
]

async function compareKeys({ call }: PageWorld, page: Page): Promise<void> {
  await look(page, `/keys?${query}`)
  await page.locator('tbody [data-opens]').first().waitFor()
  const { body } = await call('GET', '/v1/keys?limit=50', undefined, scope)
  assert.deepEqual(await amountsIn(page, 'tbody'), body.data.flatMap(ofKey), 'the page of keys')
}

async function compareUser(
  { call }: PageWorld,
  page: Page,
  who: string,
  tab: (typeof tabs)[number],
): Promise<void> {
  await look(page, `/users/${who}?${query}&tab=${tab}`)
  await page.locator('[data-balance]').waitFor()
  await shown(page)
  const get = async (path: string): Promise<Body> => (await call('GET', path, undefined, scope)).body
  const user = await get(`/v1/end-users/${who}`)
  const limits = await get(`/v1/end-users/${who}/limits`)
  const { balanceUnits, reservedUnits } = user.balance
  const available = String(BigInt(balanceUnits) - BigInt(reservedUnits))
  assert.deepEqual(
    await amountsIn(page, '[aria-label="Balance"]'),
    [
      available,
      ...(reservedUnits === '0' ? [] : [reservedUnits, balanceUnits]),
      ...(limits.pace.chargedMicros === '0' ? [] : [limits.pace.perDayMicros, limits.pace.chargedMicros]),
    ],
    `the balance of ${who}`,
  )
  await compareLimits(page, user, limits, BigInt(available))
  const panel = '[role="tabpanel"]:not([hidden])'
  if (tab === 'activity') {
    const { data } = await get(`/v1/requests?endUserId=${who}&limit=50`)
    const ended = data.filter(({ status }: Body) => status !== 'in_flight')
    assert.deepEqual(
      await amountsIn(page, `${panel} tbody`),
      ended.map(({ chargeMicros }: Body) => chargeMicros),
      `the calls of ${who}`,
    )
  } else if (tab === 'keys') {
    const { data } = await get(`/v1/keys?endUserId=${who}&limit=50`)
    assert.deepEqual(await amountsIn(page, `${panel} tbody`), data.flatMap(ofKey), `the keys of ${who}`)
  } else if (tab === 'plan') {
    await comparePlan(page, panel, await call('GET', `/v1/subscription?endUserId=${who}`, undefined, scope))
  } else {
    await compareLedger(page, panel, who, tab === 'ledger' ? 'wallet' : 'all', get)
  }
}

async function compareLimits(page: Page, user: Body, limits: Body, available: bigint): Promise<void> {
  const meters: (string | null)[] = await page
    .locator('[aria-label="Limits in force"] [role="meter"]')
    .evaluateAll((elements) => elements.map((element) => element.getAttribute('aria-valuetext')))
  const bounded = limits.limits.filter(({ limitUnits }: Body) => limitUnits !== null)
  assert.deepEqual(
    meters.map((words) => words?.replace(', reached first', '')),
    bounded.map(({ availableUnits, heldUnits, limitUnits, unit, usedUnits }: Body) => {
      const left = BigInt(availableUnits)
      return [
        `${unitsOf(usedUnits, unit)} used`,
        ...(heldUnits === '0' ? [] : [`${unitsOf(heldUnits, unit)} held`]),
        left < 0n ? `${unitsOf(String(-left), unit)} over` : `${unitsOf(availableUnits, unit)} left`,
        `of ${unitsOf(limitUnits, unit)}`,
      ].join(', ')
    }),
    `the limits of ${user.externalId}`,
  )
  const binding = (await page.locator('[data-binding]').textContent()) ?? ''
  const least = leastOf(limits)
  const paying = limits.limits.filter(({ kind }: Body) => kind === 'pool')
  const known = [
    available,
    ...paying
      .filter(({ unit }: Body) => unit === 'micros')
      .map(({ availableUnits }: Body) => BigInt(availableUnits)),
  ].reduce((sum, one) => (one > 0n ? sum + one : sum), 0n)
  const isExact = paying.every(({ unit }: Body) => unit === 'micros')
  // Credits with a price count at this price. The response with the limits does not state the price.
  const have = BigInt(limits.pace.availableMicros)
  assert(isExact ? have === known : have >= known, `what ${user.externalId} has: ${have}, not ${known}`)
  if (user.frozen) assert.match(binding, /frozen/)
  else if (!limits.onPlan) assert.match(binding, /no plan/)
  else if (least === null) assert.match(binding, /spending is not limited/)
  else assert(binding.includes(`can spend up to ${dollarsOf(String(least))}.`), `${binding}: not ${least}`)
}

/** Null if the end user has no limit. */
function leastOf({ limits, onDemandBlockedSince, pace }: Body): bigint | null {
  const notBelow = (amount: bigint): bigint => (amount < 0n ? 0n : amount)
  const sums: (bigint | null)[] = [BigInt(pace.availableMicros)]
  const ceilings: bigint[] = []
  for (const { availableUnits, kind } of limits) {
    const left = availableUnits === null ? null : notBelow(BigInt(availableUnits))
    if (kind === 'bundle_limit' && left !== null) ceilings.push(left)
    if (kind === 'on_demand' && onDemandBlockedSince === null) sums.push(left)
  }
  const isOpen = sums.includes(null)
  const together = sums.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n)
  return [...(isOpen ? [] : [together]), ...ceilings].reduce<bigint | null>(
    (least, one) => (least === null || one < least ? one : least),
    null,
  )
}

async function comparePlan(
  page: Page,
  panel: string,
  { body: plan, status }: { readonly body: Body; readonly status: number },
): Promise<void> {
  if (status === 404) {
    await page.getByText('No plan', { exact: true }).waitFor()
    return
  }
  const inDollars = ({ unit }: Body): boolean => unit === 'micros'
  const pools = plan.pools
    .filter(inDollars)
    .flatMap(({ aliases, consumed, granted }: Body) => [
      granted,
      consumed,
      String(BigInt(granted) - BigInt(consumed)),
      ...aliases.map((alias: Body) => alias.consumed),
    ])
  assert.deepEqual(
    await amountsIn(page, panel),
    [
      ...(plan.priceMicros === '0' ? [] : [plan.priceMicros]),
      ...(plan.creditMicros === '0' ? [] : [plan.creditMicros]),
      ...pools,
      ...plan.invoices.map(({ amountMicros }: Body) => amountMicros),
    ],
    'the plan',
  )
  for (const { granted, unit } of plan.pools.filter((pool: Body) => !inDollars(pool))) {
    const text = unitsOf(granted, unit)
    assert((await page.locator(panel).textContent())?.includes(text), `${text} is on the page`)
  }
}

async function compareLedger(
  page: Page,
  panel: string,
  who: string,
  source: 'wallet' | 'all',
  get: (path: string) => Promise<Body>,
): Promise<void> {
  const { data, nextCursor } = await get(`/v1/end-users/${who}/ledger?limit=100&source=${source}`)
  const inDollars = data.filter(({ unit }: Body) => unit === 'micros')
  assert.deepEqual(
    await amountsIn(page, `${panel} tbody`),
    inDollars.flatMap(({ amountUnits, balanceAfterUnits }: Body) => [amountUnits, balanceAfterUnits]),
    `the ledger of ${who}`,
  )
  if (source === 'all' || data.length === 0) return
  const sum = data.reduce((total: bigint, { amountUnits }: Body) => total + BigInt(amountUnits), 0n)
  const { balance } = await get(`/v1/end-users/${who}`)
  assert.deepEqual(
    await amountsIn(page, '[data-sum]'),
    [
      ...(nextCursor === null ? [] : [String(BigInt(balance.balanceUnits) - sum)]),
      String(sum),
      balance.balanceUnits,
    ],
    'the sum of the ledger is the balance',
  )
}
