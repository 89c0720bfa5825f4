import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aBound, aHold, aLeg } from '#tests/oracles/money-builders.ts'
import { recover } from './recover.ts'
import { zeroUsage } from './usage.ts'

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
  it('releases what no provider saw', () => {
    expect(recover(hold, { ...sent, dispatchedAtMs: null })).toEqual({ kind: 'release' })
  })

  it('settles a dispatched call at its checkpoint', () => {
    const checkpoint = { ...zeroUsage, input: 9, output: 50 }
    expect(recover(hold, { ...sent, checkpoint })).toEqual({ kind: 'settle', usage: checkpoint })
  })

  it('takes a checkpoint as proof that the call was dispatched', () => {
    const checkpoint = { ...zeroUsage, output: 50 }
    const usage = checkpoint
    expect(recover(hold, { ...sent, dispatchedAtMs: null, checkpoint })).toEqual({ kind: 'settle', usage })
  })

  it('charges the input of a dispatched call without one: unknown is not free', () => {
    const usage = { ...zeroUsage, input: 7, serviceTier: 'flex' }
    expect(recover(hold, sent)).toEqual({ kind: 'settle', usage })
    const absurd = { ...zeroUsage, output: -1 }
    expect(recover(hold, { ...sent, checkpoint: absurd })).toEqual({ kind: 'settle', usage })
  })

  it('never takes an estimate above what the input can be', () => {
    expect(recover(hold, { ...sent, inputEstimate: 18 })).toMatchObject({ usage: { input: 18 } })
    expect(recover(hold, { ...sent, inputEstimate: 19 })).toMatchObject({ usage: { input: 18 } })
  })

  it('has no answer for what cannot have happened', () => {
    expect(() => recover(hold, { ...sent, inputEstimate: -1 })).toThrow(MoneyBroken)
    expect(() => recover(hold, { ...sent, inputEstimate: 0.5 })).toThrow(MoneyBroken)
  })
})
