import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { exchangeSlice } from '#domain/limits/give-slices-of-shared-limit.ts'
import type { SliceStore } from '#domain/limits/shared-limit-slices-interface.ts'
import type { RateRule, RateSlot } from '#money/decision-types.ts'
import { SharedLimits, type SharedShare } from './enforce-shared-limits.ts'

const rule: RateRule = { measure: 'tokens', window: 'day', most: 100n, models: null }

/** A store whose exchanges take a few microtasks, and which counts all amounts in one time slot. */
function limitsInMemory(): SharedLimits {
  let taken: readonly RateSlot[] = []
  const store: SliceStore = {
    async exchange(_scope, exchanges) {
      await Promise.resolve()
      return exchanges.map((one) => {
        const grant = exchangeSlice(taken, one, { slotStartsAtMs: 0, window: 'day' })
        ;({ taken } = grant)
        return grant
      })
    },
  }
  return new SharedLimits(store, { nowMs: () => 0, monotonicMs: () => 0 })
}

async function admit(
  limits: SharedLimits,
  need: bigint,
  { isFresh = false, version = 1 } = {},
): Promise<SharedShare> {
  const share = await limits.admit({ applicationId: 'app_1', mode: 'live' }, [{ tag: null, rules: [rule] }], {
    alias: 'acme/fast',
    needs: () => need,
    needsAtLeast: () => need,
    nowMs: 0,
    version,
    isFresh,
  })
  return share ?? assert.fail('the rule applies')
}

test.each(Array.from({ length: 20 }, (_, ticks) => ticks))(
  'a request that needs a slice %i microtasks after another request is admitted',
  async (ticks) => {
    const limits = limitsInMemory()
    void admit(limits, 50n)
    // oxlint-disable-next-line no-await-in-loop -- one microtask after the other
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
    let isAdmitted = false
    void admit(limits, 50n).then(() => (isAdmitted = true))
    await nextTurn()
    expect(isAdmitted).toBe(true)
  },
)

test('a request with outdated settings is counted only if the settings were read for this request', async () => {
  const limits = limitsInMemory()
  await admit(limits, 10n, { version: 2 })
  const cached = await admit(limits, 10n, { version: 1 })
  expect(cached.limits()).toEqual([])
  const fresh = await admit(limits, 10n, { version: 1, isFresh: true })
  expect(fresh.limits()).toHaveLength(1)
})
