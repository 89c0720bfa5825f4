/**
 * A request has a cost and a sell price, but the portal shows only amounts at the price that the bundle charges. In
 * this test, every charged amount is a multiple of 1,000 micros, and every amount at the hidden price is a multiple
 * plus 7. The test therefore finds every amount at the hidden price, alone or in a sum. A failure prints its seed,
 * and `SEED=<seed>` repeats the run.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Price } from '#money/price.ts'
import { operations } from '#operations/index.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { randomFrom, seedOfRun, withSeed, type Random } from '../support/seeded-random.ts'
import { reserveCall, settleCall, signIn } from '../support/valid-request-of-every-operation.ts'

const bases = ['provider_cost', 'sell_price'] as const
const worlds = 3
const dayMs = 86_400_000

/**
 * Each call settles 50 input and 100 output tokens, and holds 100 input and 200 output tokens. Each price is a multiple
 * of 1,000 micros.
 */
const charged = (random: Random): Price => ({
  input: BigInt(random.whole(1, 40)) * 20_000_000n,
  output: BigInt(random.whole(1, 40)) * 20_000_000n,
})
/** The price is like the charged price, plus 7 micros for each settled request. */
const notCharged = (random: Random): Price => {
  const price = charged(random)
  return { ...price, input: (price.input ?? 0n) + 140_000n }
}

describe.each(testedEngines.flatMap((engine) => bases.map((basis) => ({ engine, basis }))))(
  'the portal on $engine of a bundle that debits at $basis',
  ({ basis, engine }) => {
    let control: Control
    const seed = seedOfRun()
    const random = randomFrom(seed)
    beforeAll(async () => {
      control = await openControl({ engine })
      await ready(control)
    })
    afterAll(async () => {
      await control.verify()
      await control.close()
    })
    const call = async (method: string, path: string, body: unknown) => {
      const answer = await control.call(method, path, { body })
      expect(answer.status, answer.text).toBe(200)
      return answer.body
    }

    it.each(Array.from({ length: worlds }, (_, i) => i))(
      'the portal shows only the charged amount of a request (end user %i)',
      (world) =>
        withSeed(seed, async () => {
          const prices = { [basis]: charged(random), [other(basis)]: notCharged(random) }
          const cost = prices['provider_cost'] ?? {}
          const sell = prices['sell_price'] ?? {}
          const user = `user-${basis}-${world}`
          const slug = `plan-${world}`
          await call('POST', '/v1/providers/main/price', { model: 'gpt-x', price: asSent(cost) })
          await call('PUT', `/v1/bundles/${slug}`, {
            displayName: 'Plan',
            spendLimitMicros: '900000000000000',
          })
          await call('POST', `/v1/bundles/${slug}/allow`, { models: ['acme/*'] })
          await call('POST', `/v1/bundles/${slug}/price`, {
            model: 'acme/smart',
            price: asSent(sell),
            debitBasis: basis,
          })
          const amount = String(random.whole(1, 60) * 1_000)
          await call('POST', `/v1/bundles/${slug}/include`, {
            slug: 'base',
            displayName: 'Base',
            unit: 'micros',
            amount,
          })
          await call('PUT', `/v1/end-users/${user}`, { bundle: slug })
          await call('PUT', `/v1/teams/${slug}`, { displayName: 'Team', payer: user })
          await call('POST', '/v1/grants', { endUsers: [user], amountUnits: '60000000', reason: 'test' })
          const keyId = (await call('POST', '/v1/keys', { endUserId: user })).id
          const settled: string[] = []
          for (let n = 0; n < 6; n += 1) {
            const callId = await reserveCall(control, 'acme', keyId, null, {
              id: `quote of ${slug}`,
              cost,
              sell,
              basis,
            })
            if (n === 5) break
            await settleCall(control, 'acme', callId)
            settled.push(callId)
            if (random.chance(0.5)) control.clock.nowMs += dayMs / 2
          }
          await expectOneAmount({ control, user, settled, price: prices[basis] ?? {} })
        }),
    )
  },
)

async function expectOneAmount({
  control,
  price,
  settled,
  user,
}: {
  readonly control: Control
  readonly user: string
  readonly settled: readonly string[]
  readonly price: Price
}): Promise<void> {
  const token = await signIn(control, user)
  const get = async (path: string) => {
    const answer = await control.call('GET', path, { token })
    expect([path, answer.status], answer.text).toEqual([path, 200])
    for (const [name, value] of amountsOf(answer.body))
      expect([path, name, value % 1_000n]).toEqual([path, name, 0n])
    return answer.body
  }
  const paths = operations
    .filter(({ method, path, scope }) => scope === 'end_user' && method === 'GET' && !path.includes('{'))
    .map(({ path }) => path)
  for (const path of [...paths, '/v1/portal/ledger?source=all']) await get(path)

  const expected = 50n * (price.input ?? 0n) + 100n * (price.output ?? 0n)
  const chargeMicros = String(expected / 1_000_000n)
  const { data } = await get('/v1/portal/requests')
  for (const callId of settled) {
    const listed = data.find(({ id }: { id: string }) => id === `req_${callId}`)
    const receipt = await get(`/v1/portal/requests/req_${callId}`)
    const lines = receipt.priceLines.filter((one: { price: string }) => one.price === 'charge')
    expect(lines).toHaveLength(receipt.priceLines.length)
    expect({
      listed: listed.chargeMicros,
      receipt: receipt.chargeMicros,
      settled: receipt.settle.chargeMicros,
      lines: lines.map((one: { amount: string }) => one.amount),
      legs: sumOf(receipt.settle.legs, 'micros'),
      entries: String(-BigInt(sumOf(receipt.ledger, 'amountUnits'))),
    }).toEqual({
      listed: chargeMicros,
      receipt: chargeMicros,
      settled: chargeMicros,
      lines: [chargeMicros],
      legs: chargeMicros,
      entries: chargeMicros,
    })
  }
  const { totals } = await get('/v1/portal/usage')
  expect(totals).toMatchObject({
    calls: settled.length,
    billedMicros: String(BigInt(chargeMicros) * BigInt(settled.length)),
  })
  const { models } = await get('/v1/portal/models')
  expect(models).toEqual([{ requestedModel: 'acme/smart', price: asSent(price) }])
}

/** Daily averages are excluded because they are rounded. The number of days that the balance lasts is not an amount. */
const means = new Set(['perDayMicros'])

/** Rates count as amounts of money. */
function amountsOf(json: unknown, name = ''): (readonly [name: string, value: bigint])[] {
  if (Array.isArray(json)) return json.flatMap((one) => amountsOf(one, name))
  if (typeof json === 'object' && json !== null)
    return Object.entries(json).flatMap(([field, value]) => amountsOf(value, field))
  const isAmount =
    /Micros$|^micros$|Units$|^amount$|^rate$|^input$|^output$|^(?:available|limit|used|held|requested)$/
  if (typeof json !== 'string' || !isAmount.test(name) || means.has(name)) return []
  return /^-?\d+$/.test(json) ? [[name, BigInt(json)]] : []
}

function sumOf(rows: readonly Record<string, string>[], field: string): string {
  return String(rows.reduce((sum, row) => sum + BigInt(row[field] ?? '0'), 0n))
}

function asSent({ input = 0n, output = 0n }: Price): { input: string; output: string } {
  return { input: String(input), output: String(output) }
}

function other(basis: (typeof bases)[number]): (typeof bases)[number] {
  return basis === 'sell_price' ? 'provider_cost' : 'sell_price'
}
