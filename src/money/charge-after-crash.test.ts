import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aBound, aHold, aLeg } from '#tests/fixtures/build-money-values.ts'
import { recover } from './charge-after-crash.ts'
import { zeroUsage } from './usage-counts.ts'

const bound = aBound({
  textTokens: 10,
  audioTokens: 5,
  imageTokens: 3,
  outputTokens: 100,
  serviceTier: 'flex',
})
const hold = aHold([aLeg('wallet', 100n)], { bound })
const sent = { dispatchedAtMs: 1, checkpoint: null, inputEstimate: 7 }

describe('recover', () => {
  it('recovery releases the hold of a call that was not sent to a provider', () => {
    expect(recover(hold, { ...sent, dispatchedAtMs: null })).toEqual({ kind: 'release' })
  })

  it('recovery charges a call that was sent to a provider with the usage of its last checkpoint', () => {
    const checkpoint = { ...zeroUsage, input: 9, output: 50 }
    expect(recover(hold, { ...sent, checkpoint })).toEqual({ kind: 'settle', usage: checkpoint })
  })

  it('recovery treats a checkpoint as proof that the call was sent to a provider', () => {
    const checkpoint = { ...zeroUsage, output: 50 }
    const usage = checkpoint
    expect(recover(hold, { ...sent, dispatchedAtMs: null, checkpoint })).toEqual({ kind: 'settle', usage })
  })

  it('recovery charges the input of a call that was sent but has no checkpoint, because unknown usage is not free', () => {
    const usage = { ...zeroUsage, input: 7, serviceTier: 'flex' }
    expect(recover(hold, sent)).toEqual({ kind: 'settle', usage })
    const absurd = { ...zeroUsage, output: -1 }
    expect(recover(hold, { ...sent, checkpoint: absurd })).toEqual({ kind: 'settle', usage })
  })

  it('recovery charges the storage of cached content that a provider may have stored', () => {
    const caching = { ...hold, bound: aBound({ uses: { cacheTokenHours: 24_000_000, codeSessions: 1 } }) }
    const usage = { ...zeroUsage, cacheTokenHours: 24_000_000 }
    expect(recover(caching, { ...sent, inputEstimate: 0 })).toEqual({ kind: 'settle', usage })
    expect(recover(caching, { ...sent, dispatchedAtMs: null })).toEqual({ kind: 'release' })
  })

  it('recovery never uses an input estimate above the maximum input', () => {
    expect(recover(hold, { ...sent, inputEstimate: 18 })).toMatchObject({ usage: { input: 18 } })
    expect(recover(hold, { ...sent, inputEstimate: 19 })).toMatchObject({ usage: { input: 18 } })
  })

  it('recovery throws if the input estimate is negative or not a whole number', () => {
    expect(() => recover(hold, { ...sent, inputEstimate: -1 })).toThrow(MoneyBroken)
    expect(() => recover(hold, { ...sent, inputEstimate: 0.5 })).toThrow(MoneyBroken)
  })
})
