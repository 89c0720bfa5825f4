/**
 * `tollgate sample`: creates a month of traffic in test mode, with the same requests that a customer would send. The
 * command sets up a separate application through the API, and sends requests to its gateway with test keys. The
 * simulator serves the requests, so no provider is called and live mode is not affected. Between the requests, the
 * command advances the application's test clock. The clock only moves forward, so the month begins now and nothing is
 * written into the past.
 */
import { Api } from '#cli/api-client.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { confirmed } from '#cli/confirm-change.ts'
import { gatewayCall } from '#cli/call-gateway.ts'
import {
  firstRequest,
  performed,
  usual,
  type Choices,
  type Performed,
} from '#cli/operations/recipe-of-first-request.ts'
import { moneyText } from '#cli/output/dollars-and-micros.ts'
import { paint } from '#cli/output/terminal-colors.ts'
import { withProgress } from '#cli/output/progress-indicator.ts'
import { settingsOf, type Settings } from '#cli/settings/settings.ts'
import { exit, usageError, type Terminal } from '#cli/terminal-interface.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { dollars } from '#sdk/money.ts'
import { gatewayOf } from '#sdk/clients.ts'
import { ApiError } from '#sdk/errors.ts'
import type { Application } from '#sdk/generated/types.ts'
import { chanceFrom, sampleDay, type SampleCall } from './requests-of-sample-day.ts'

export interface SampleFlags extends CommonFlags {
  readonly days?: string
  readonly calls?: string
  readonly seed?: string
  readonly remove?: boolean
}

/**
 * The name and the form of the slug together identify a sample application, so that an application of the customer is
 * never mistaken for a sample.
 */
const sampleName = 'Sample month'
const sampleSlug = /^sample-month(-\d+)?$/
const atOnce = 6

export async function sample(flags: SampleFlags, terminal: Terminal): Promise<number> {
  const settings: Settings = { ...settingsOf(flags, terminal), mode: { value: 'test', origin: 'sample' } }
  const api = new Api({ ...settings, app: null }, terminal)
  const found = (await allApps(api)).filter(({ name, slug }) => name === sampleName && sampleSlug.test(slug))
  const present = found.filter(({ archivedAt }) => archivedAt === null)
  if (flags.remove === true) return remove(present, api, flags, terminal)
  const [there] = present
  if (there)
    throw usageError(
      `The sample application ${there.slug} already exists. Remove it first with tollgate sample --remove.`,
    )
  const days = countOf('--days', flags.days ?? '30', 60)
  const callsPerDay = countOf('--calls', flags.calls ?? '12', 200)
  const seed = countOf('--seed', flags.seed ?? '1', 2 ** 31)
  // The slug of an application is never reused.
  const slug = found.length === 0 ? 'sample-month' : `sample-month-${found.length + 1}`
  const own = new Api({ ...settings, app: { value: slug, origin: 'sample' } }, terminal)
  const made = await performed(firstRequest(choicesOf(slug)), own.call.bind(own))
  const counts = await traffic(own, made, { days, callsPerDay, seed }, terminal)
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
      `${paint(err, 'green', '✓')} Sent ${counts.sent} requests of ${made.keys.size} end users to ${slug} in ${days} days of its test clock: ${totals.calls} settled, ${moneyText(totals.billedMicros)} billed, ${counts.refused} rejected or failed.`,
      '  The test clock moves only forward, so the sample traffic begins today and ends in the future.',
      `  Show the usage: tollgate usage --by day --app ${slug} --mode test`,
      '  Remove the sample application: tollgate sample --remove',
      '',
    ].join('\n'),
  )
  return exit.ok
}

async function allApps(api: Api): Promise<Application[]> {
  const apps: Application[] = []
  for (let cursor: string | null = null; ;) {
    const input: object = { limit: 200, ...(cursor !== null && { cursor }) }
    // oxlint-disable-next-line no-await-in-loop -- page by page
    const page: { data: Application[]; nextCursor: string | null } = await api.call('apps.list', input)
    apps.push(...page.data)
    cursor = page.nextCursor
    if (cursor === null) return apps
  }
}

/** The application's data can still be read with --app, and further requests are rejected. */
async function remove(
  present: readonly Application[],
  api: Api,
  flags: SampleFlags,
  terminal: Terminal,
): Promise<number> {
  if (present.length === 0) {
    terminal.err.write('There is no sample application to remove.\n')
    return exit.ok
  }
  for (const { slug } of present) {
    await confirmed(`apps rm ${slug}`, flags, terminal)
    await api.call('apps.rm', { slug })
    terminal.err.write(`${slug} is archived.\n`)
  }
  return exit.ok
}

/** Above the simulator's cost of $1 and $4 per million tokens, so that the month has a margin. */
const prices = {
  'sample/fast': { input: '1300000', output: '5200000' },
  'sample/smart': { input: '2500000', output: '10000000' },
  'sample/reasoning': { input: '5000000', output: '20000000' },
}

const endUsers = [
  { id: 'ada', bundle: 'pro', credit: '20' },
  { id: 'grace', bundle: 'pro', credit: '20' },
  { id: 'alan', bundle: 'pro', credit: '10' },
  { id: 'edsger', bundle: 'starter', credit: '5' },
  { id: 'barbara', bundle: 'starter', credit: '5' },
  { id: 'katherine', bundle: 'starter', credit: '3' },
  { id: 'dennis', bundle: 'starter', credit: '2' },
  // This end user spends the whole credit in the first days, so later requests are rejected.
  { id: 'trial-user', bundle: 'starter', credit: '0.02' },
]

function choicesOf(slug: string): Choices {
  const sold = Object.entries(prices).map(([model, price]) => ({ model, price }))
  // End users pay the sell price and do not see the cost.
  const debitBasis = 'sell_price'
  return {
    application: { slug, name: sampleName },
    provider: { label: 'simulator', kind: 'simulator' },
    models: sold.map(({ model }) => ({ name: model, upstream: usual.upstream })),
    bundles: [
      {
        slug: 'starter',
        displayName: 'Starter',
        debitBasis,
        allow: ['sample/fast', 'sample/smart'],
        prices: sold.filter(({ model }) => model !== 'sample/reasoning'),
      },
      {
        slug: 'pro',
        displayName: 'Pro',
        debitBasis,
        priceMicros: dollars('20'),
        interval: 'month',
        allow: ['sample/*'],
        prices: sold,
      },
    ],
    // End users create keys in the portal with a cap of $5 each and a total of $20.
    portal: { endUsersMayMintKeys: true, keyCapMicros: dollars('5'), keyCapsTotalMicros: dollars('20') },
    endUsers: endUsers.map(({ bundle, credit, id }) => ({
      key: { endUserId: id, bundle, name: 'sample', livemode: false },
      credit: { amountUnits: dollars(credit), reason: 'Sample credit', idempotencyKey: `sample-${id}` },
    })),
  }
}

interface Month {
  readonly days: number
  readonly callsPerDay: number
  readonly seed: number
}

async function traffic(
  api: Api,
  { application, keys }: Performed,
  { callsPerDay, days, seed }: Month,
  terminal: Terminal,
): Promise<{ sent: number; refused: number }> {
  const chance = chanceFrom(seed)
  const gateway = gatewayOf(application)
  const { now } = await api.call<{ now: string }>('testClock.show')
  // Each day begins at midnight, so that the sum of a day contains one day of traffic.
  const firstDayMs = Math.floor(Date.parse(now) / dayMs) * dayMs + dayMs
  let sent = 0
  let refused = 0
  const send = async ({ person, ...call }: SampleCall): Promise<void> => {
    const key = keys.get(person) ?? ''
    const { status } = await gatewayCall({ gateway, key, ...call }, terminal)
    sent++
    if (status !== 200) refused++
  }
  await withProgress(terminal, 'sample', async ({ say }) => {
    for (let day = 0; day < days; day++) {
      for (const { atMs, calls } of sampleDay(firstDayMs + day * dayMs, callsPerDay, endUsers, chance)) {
        await advance(api, atMs)
        for (let at = 0; at < calls.length; at += atOnce)
          await Promise.all(calls.slice(at, at + atOnce).map(send))
      }
      say(`sample: day ${day + 1} of ${days}, ${sent} requests`)
    }
  })
  return { sent, refused }
}

async function advance(api: Api, toMs: number): Promise<void> {
  try {
    await api.call('testClock.advance', { to: new Date(toMs).toISOString() })
  } catch (error) {
    // The test clock has already passed this time, so the requests are sent slightly later in the day.
    if (!(error instanceof ApiError && error.param === 'to')) throw error
  }
}

function countOf(flag: string, text: string, most: number): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1 || count > most)
    throw usageError(`${flag} must be an integer from 1 to ${most}, but is ${text}.`)
  return count
}
