import { describe, expect, it } from 'vitest'
import { sourceWords } from './payment-source-words.ts'

describe('the name of a payment source', () => {
  const words = (source: string, names: { poolName?: string; planName?: string } = {}): string =>
    sourceWords({ source, ...names }, 'pro')

  it('a source is named as the balance, the team, the month of on-demand usage, or credit that expires', () => {
    expect(words('wallet')).toBe('Balance')
    expect(words('team/eu_1/2026-11')).toBe('Your team, 2026-11')
    expect(words('on_demand/2026-11')).toBe('On-demand, 2026-11')
    expect(words('credit/gr_1')).toBe('Credit that expires')
  })

  it('a pool is named by its display name, and a pool of another plan also by its plan', () => {
    const own = { poolName: 'Pro tokens', planName: 'Pro' }
    expect(words('pro/tokens/2026-11-20', own)).toBe('Included: Pro tokens, from 2026-11-20')
    const earlier = { poolName: 'Tokens', planName: 'Basic' }
    expect(words('basic/tokens/2026-11-20', earlier)).toBe('Included: Tokens (Basic), from 2026-11-20')
    // The plan of this pool was deleted.
    expect(words('bun_1/tokens', { poolName: 'Tokens' })).toBe('Included: Tokens')
    expect(words('basic/tokens')).toBe('Included: tokens')
  })
})
