import type { Life } from './topups-and-refunds-of-history.ts'
import { compareInvoices, earningsOf } from './invoices-of-history.ts'
import type { Keys } from './keys-of-history.ts'
import { poolsText } from './call-and-explanation.ts'

interface RunShown {
  readonly id: string
  readonly endUserId: string
  readonly status: string
  readonly spentMicros: string
  readonly calls: number
}

export async function compareLife(life: Life, keys: Keys): Promise<void> {
  const now = life.nowMs()
  const model = life.model
  model.open(now)
  const [user, subscription, usage] = await Promise.all([
    life.world.api('GET', `/v1/end-users/${life.externalId}`),
    life.world.api('GET', `/v1/subscription?endUserId=${life.externalId}`),
    life.world.api('GET', `/v1/usage?endUserId=${life.externalId}`),
  ])
  const what = null
  life.same('balance', user.balance.balanceUnits, String(model.balance(now)), what)
  const credit: { grantId: string; remainingMicros: string }[] = user.balance.expiringCredit
  life.same(
    'credit that expires',
    poolsText(new Map(credit.map(({ grantId, remainingMicros }) => [grantId, BigInt(remainingMicros)]))),
    poolsText(model.creditLeft(now)),
    what,
  )
  life.same('held', user.balance.reservedUnits, '0', what)
  life.same('on-demand spent', subscription.onDemandSpentMicros, String(model.onDemandSpent(now)), what)
  const left = new Map<string, bigint>()
  for (const pool of subscription.pools)
    left.set(pool.slug, (left.get(pool.slug) ?? 0n) + BigInt(pool.granted) - BigInt(pool.consumed))
  life.same('pools', poolsText(left), poolsText(model.pools(now)), what)
  if (model.sources.some(({ posted, rolled }) => rolled > 0 && posted > 0n)) life.count('rolled over')
  life.same('usage calls', usage.totals.calls, model.usage.calls, what)
  life.same('usage billed', usage.totals.billedMicros, String(model.usage.billed), what)
  life.same('usage input', usage.totals.inputTokens, model.usage.input, what)
  life.same('usage output', usage.totals.outputTokens, model.usage.output, what)
  await compareInvoices(life)
  const { data } = await life.world.api('GET', `/v1/keys?endUserId=${life.externalId}&limit=200`)
  for (const { id, line } of keys.all) {
    const spent = model.spentIn(now, 'month', (key) => key.line === line)
    const shown = data.find((key: { id: string }) => key.id === id)
    life.same(`spent of the line of ${id}`, shown?.spentMicros, String(spent), what)
  }
}

/**
 * The balance in every ledger entry must be the previous balance of the same source plus the entry's amount. Every run
 * must report the spending and the number of its calls.
 */
export async function compareEnd(life: Life, keys: Keys): Promise<void> {
  await compareLife(life, keys)
  life.world.earnings.push(...earningsOf(life))
  life.world.invoiced.set(life.externalId, life.model.bills.invoiced(life.nowMs()))
  const entries: { source: string; amountUnits: string; balanceAfterUnits: string }[] = []
  let cursor: string | null = null
  do {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page: { data: typeof entries; nextCursor: string | null } = await life.world.api(
      'GET',
      `/v1/end-users/${life.externalId}/ledger?source=all&limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    entries.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null)
  const sums = new Map<string, bigint>()
  for (const entry of entries.toReversed()) {
    const sum = (sums.get(entry.source) ?? 0n) + BigInt(entry.amountUnits)
    life.same(`chain of ${entry.source}`, entry.balanceAfterUnits, String(sum), entry)
    sums.set(entry.source, sum)
  }
  life.same('all entries of the wallet', sums.get('wallet') ?? 0n, life.model.walletPosted, null)
  const runs = await runsOfPerson(life)
  for (const [id, run] of life.model.runs) {
    const shown = runs.find((each) => each.id === id)
    life.same(`spent of run ${id}`, shown?.spentMicros, String(run.spent), null)
    life.same(`calls of run ${id}`, shown?.calls, run.calls, null)
    life.same(
      `status of run ${id}`,
      shown?.status,
      run.cappedAt === null || run.cappedAt < life.world.ceiling ? 'running' : 'capped',
      null,
    )
  }
  life.same('runs', runs.length, life.model.runs.size, null)
}

async function runsOfPerson(life: Life): Promise<RunShown[]> {
  const { data }: { data: RunShown[] } = await life.world.api(
    'GET',
    `/v1/outcomes/${life.world.outcome}/runs?limit=200&endUserId=${life.externalId}`,
  )
  return data
}
