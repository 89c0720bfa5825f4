/**
 * `tollgate demo`: a month of traffic in test mode, created as customers would do it. The command sets up a separate
 * application through the API, sends requests to its gateway with test keys, and advances the application's test clock
 * between them. The simulator serves the requests. Nothing is written into the past, because the clock only moves
 * forward, so the month begins now. Live mode is not affected, and no provider is called.
 */
import { Api } from '#cli/client.ts'
import type { CommonFlags } from '#cli/common-flags.ts'
import { confirmed } from '#cli/confirm.ts'
import { gatewayCall } from '#cli/gateway-call.ts'
import { moneyText } from '#cli/output/money.ts'
import { paint } from '#cli/output/style.ts'
import { withProgress } from '#cli/output/progress.ts'
import { settingsOf, type Settings } from '#cli/settings/settings.ts'
import { exit, usageError, type Terminal } from '#cli/terminal.ts'
import { dollars } from '#sdk/money.ts'
import { ApiError } from '#sdk/errors.ts'
import { chanceFrom, demoDay, type DemoCall } from './demo-traffic.ts'

export interface DemoFlags extends CommonFlags {
  readonly days?: string
  readonly calls?: string
  readonly seed?: string
  readonly remove?: boolean
}

interface App {
  readonly slug: string
  readonly name: string
  readonly gateway: string
  readonly localGateway?: string
  readonly archivedAt: string | null
}

/** Both together identify a demo application, so that no application of the customer is mistaken for one. */
const demoName = 'Demo month'
const demoSlug = /^demo-month(-\d+)?$/
/** Maximum number of concurrent requests. */
const atOnce = 6

export async function demo(flags: DemoFlags, terminal: Terminal): Promise<number> {
  const settings: Settings = { ...settingsOf(flags, terminal), mode: { value: 'test', origin: 'demo' } }
  const api = new Api({ ...settings, app: null }, terminal)
  const found = (await allApps(api)).filter(({ name, slug }) => name === demoName && demoSlug.test(slug))
  const present = found.filter(({ archivedAt }) => archivedAt === null)
  if (flags.remove === true) return remove(present, api, flags, terminal)
  const [there] = present
  if (there)
    throw usageError(`The demo ${there.slug} already exists. Remove it first with tollgate demo --remove.`)
  const days = countOf('--days', flags.days ?? '30', 60)
  const callsPerDay = countOf('--calls', flags.calls ?? '12', 200)
  const seed = countOf('--seed', flags.seed ?? '1', 2 ** 31)
  // A slug is never reused.
  const slug = found.length === 0 ? 'demo-month' : `demo-month-${found.length + 1}`
  const app = await api.call<App>('apps.create', { slug, name: demoName })
  const own = new Api({ ...settings, app: { value: slug, origin: 'demo' } }, terminal)
  const keys = await setUp(own)
  const counts = await traffic(own, app, keys, { days, callsPerDay, seed }, terminal)
  const { totals } = await own.call<{ totals: { calls: number; billedMicros: string } }>('usage')
  if (flags.json === true) {
    terminal.out.write(
      `${JSON.stringify({ app: slug, days, ...counts, settled: totals.calls, billedMicros: totals.billedMicros })}\n`,
    )
    return exit.ok
  }
  const { err } = terminal
  err.write(
    [
      `${paint(err, 'green', '✓')} Sent ${counts.sent} requests of ${keys.size} end users to ${slug} in ${days} days of its test clock: ${totals.calls} settled, ${moneyText(totals.billedMicros)} billed, ${counts.refused} rejected or failed.`,
      '  The test clock only moves forward, so the month begins today and ends in the future.',
      `  Show the usage: tollgate usage --by day --app ${slug} --mode test`,
      '  Remove the demo: tollgate demo --remove',
      '',
    ].join('\n'),
  )
  return exit.ok
}

async function allApps(api: Api): Promise<App[]> {
  const apps: App[] = []
  for (let cursor: string | null = null; ;) {
    const input: object = { limit: 200, ...(cursor !== null && { cursor }) }
    // oxlint-disable-next-line no-await-in-loop -- page by page
    const page: { data: App[]; nextCursor: string | null } = await api.call('apps.list', input)
    apps.push(...page.data)
    cursor = page.nextCursor
    if (cursor === null) return apps
  }
}

/**
 * Archives the application. Its figures can still be read with --app, as for every application, and its requests stop.
 */
async function remove(
  present: readonly App[],
  api: Api,
  flags: DemoFlags,
  terminal: Terminal,
): Promise<number> {
  if (present.length === 0) {
    terminal.err.write('There is no demo to remove.\n')
    return exit.ok
  }
  for (const { slug } of present) {
    await confirmed(`apps rm ${slug}`, flags, terminal)
    await api.call('apps.rm', { slug })
    terminal.err.write(`${slug} is archived.\n`)
  }
  return exit.ok
}

/** Sold above the simulator's cost of $1 and $4, so that the month has a realistic margin. */
const models = [
  { name: 'demo/fast', input: '1300000', output: '5200000' },
  { name: 'demo/smart', input: '2500000', output: '10000000' },
  { name: 'demo/reasoning', input: '5000000', output: '20000000' },
]

const people = [
  { id: 'ada', bundle: 'pro', credit: '20' },
  { id: 'grace', bundle: 'pro', credit: '20' },
  { id: 'alan', bundle: 'pro', credit: '10' },
  { id: 'edsger', bundle: 'starter', credit: '5' },
  { id: 'barbara', bundle: 'starter', credit: '5' },
  { id: 'katherine', bundle: 'starter', credit: '3' },
  { id: 'dennis', bundle: 'starter', credit: '2' },
  // Runs out of money in the first days, which causes the rejections.
  { id: 'trial-user', bundle: 'starter', credit: '0.02' },
]

/** @returns the key of each end user */
async function setUp(api: Api): Promise<Map<string, string>> {
  if ((await api.find('providers.show', { id: 'simulator' })) === null) {
    await api.call('providers.connect', { label: 'simulator', kind: 'simulator' })
  }
  for (const { name } of models) {
    await api.call('models.add', { name, sources: [{ provider: 'simulator', model: 'sim-1' }] })
  }
  for (const [slug, displayName, allowed] of [
    ['starter', 'Starter', ['demo/fast', 'demo/smart']],
    ['pro', 'Pro', ['demo/*']],
  ] as const) {
    const priceMicros = slug === 'pro' ? dollars('20') : null
    await api.call('bundles.create', {
      slug,
      displayName,
      // End users pay the sell price and do not see the cost.
      debitBasis: 'sell_price',
      ...(priceMicros !== null && { priceMicros, interval: 'month' }),
    })
    await api.call('bundles.allow', { slug, models: allowed })
    for (const { input, name, output } of models) {
      if (slug === 'pro' || name !== 'demo/reasoning')
        await api.call('bundles.price', { slug, model: name, price: { input, output } })
    }
  }
  // End users create keys in the portal with a cap of $5 each and a total of $20.
  await api.call('portal.configure', {
    endUsersMayMintKeys: true,
    keyCapMicros: dollars('5'),
    keyCapsTotalMicros: dollars('20'),
  })
  const keys = new Map<string, string>()
  for (const { bundle, credit, id } of people) {
    await api.call('users.create', { externalId: id, bundle })
    await api.call('grants.issue', {
      endUsers: [id],
      amountUnits: dollars(credit),
      reason: 'Demo credit',
      idempotencyKey: `demo-${id}`,
    })
    const { key } = await api.call<{ key: string }>('keys.mint', {
      endUserId: id,
      name: 'demo',
      livemode: false,
    })
    keys.set(id, key)
  }
  return keys
}

interface Month {
  readonly days: number
  readonly callsPerDay: number
  readonly seed: number
}

const dayMs = 86_400_000

async function traffic(
  api: Api,
  { gateway, localGateway }: App,
  keys: ReadonlyMap<string, string>,
  { callsPerDay, days, seed }: Month,
  terminal: Terminal,
): Promise<{ sent: number; refused: number }> {
  const chance = chanceFrom(seed)
  const { now } = await api.call<{ now: string }>('testClock.show')
  // Each day begins at midnight, so that daily sums are those of one day.
  const firstDayMs = Math.floor(Date.parse(now) / dayMs) * dayMs + dayMs
  let sent = 0
  let refused = 0
  const send = async ({ person, ...call }: DemoCall): Promise<void> => {
    const key = keys.get(person) ?? ''
    const { status } = await gatewayCall({ gateway: localGateway ?? gateway, key, ...call }, terminal)
    sent++
    if (status !== 200) refused++
  }
  await withProgress(terminal, 'demo', async ({ say }) => {
    for (let day = 0; day < days; day++) {
      for (const { atMs, calls } of demoDay(firstDayMs + day * dayMs, callsPerDay, people, chance)) {
        await advance(api, atMs)
        for (let at = 0; at < calls.length; at += atOnce)
          await Promise.all(calls.slice(at, at + atOnce).map(send))
      }
      say(`demo: day ${day + 1} of ${days}, ${sent} requests`)
    }
  })
  return { sent, refused }
}

async function advance(api: Api, toMs: number): Promise<void> {
  try {
    await api.call('testClock.advance', { to: new Date(toMs).toISOString() })
  } catch (error) {
    // Real time has passed the target in the meantime, so the requests are sent slightly later in the day.
    if (!(error instanceof ApiError && error.param === 'to')) throw error
  }
}

function countOf(flag: string, text: string, most: number): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1 || count > most)
    throw usageError(`${flag} must be an integer from 1 to ${most}, and is ${text}.`)
  return count
}
