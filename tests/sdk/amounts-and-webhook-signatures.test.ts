import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WebhookError } from '#sdk/errors.ts'
import { dollars, formatMicros } from '#sdk/money.ts'
import { verifyWebhook } from '#sdk/webhook.ts'

describe('amounts', () => {
  it('amounts convert to dollars and back, digit by digit', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 30n), 10n ** 30n), (micros) => {
        expect(dollars(formatMicros(micros).replace('$', ''))).toBe(String(micros))
        expect(formatMicros(String(micros))).toBe(formatMicros(micros))
      }),
    )
  })

  it('an amount is the sum of a whole part and a fraction', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 20n), fc.nat(999_999), (whole, fraction) => {
        const text = `${whole}.${String(fraction).padStart(6, '0')}`
        expect(BigInt(dollars(text))).toBe(whole * 1_000_000n + BigInt(fraction))
      }),
    )
  })
})

describe('deliveries', () => {
  const nowMs = Date.UTC(2026, 10, 22)
  const batch = fc.record({
    id: fc.string(),
    type: fc.constant('usage.recorded'),
    events: fc.array(fc.jsonValue(), { maxLength: 3 }),
  })
  const secret = fc
    .uint8Array({ minLength: 16, maxLength: 64 })
    .chain((bytes) =>
      fc
        .constantFrom('base64' as const, 'base64url' as const)
        .map((form) => `whsec_${Buffer.from(bytes).toString(form)}`),
    )

  function signed(body: string, key: string): string {
    const seconds = Math.floor(nowMs / 1000)
    return `t=${seconds},v1=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`
  }

  it('signed deliveries can be verified as text and as bytes', async () => {
    await fc.assert(
      fc.asyncProperty(batch, secret, async (sent, key) => {
        const body = JSON.stringify(sent)
        const header = signed(body, key)
        expect(await verifyWebhook(body, header, key, { now: nowMs })).toEqual(JSON.parse(body))
        expect(await verifyWebhook(Buffer.from(body), header, key, { now: nowMs })).toEqual(JSON.parse(body))
      }),
    )
  })

  it('deliveries with one changed character are rejected', async () => {
    await fc.assert(
      fc.asyncProperty(batch, secret, fc.nat(), async (sent, key, at) => {
        const body = JSON.stringify(sent)
        const place = at % body.length
        const other = `${body.slice(0, place)}${body[place] === 'x' ? 'y' : 'x'}${body.slice(place + 1)}`
        const header = signed(body, key)
        const changed = header.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
        await expect(verifyWebhook(other, header, key, { now: nowMs })).rejects.toThrow(WebhookError)
        await expect(verifyWebhook(body, changed, key, { now: nowMs })).rejects.toThrow(WebhookError)
        await expect(verifyWebhook(body, header, otherThan(key), { now: nowMs })).rejects.toThrow(
          WebhookError,
        )
      }),
    )
  })

  it('deliveries are rejected if the program’s clock has an invalid time', async () => {
    const key = `whsec_${'A'.repeat(32)}`
    for (const now of [NaN, Infinity]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect(verifyWebhook('{}', signed('{}', key), key, { now })).rejects.toThrow(RangeError)
    }
  })
})

function otherThan(key: string): string {
  return key.replace(/^whsec_./, (head) => `whsec_${head.endsWith('x') ? 'y' : 'x'}`)
}
