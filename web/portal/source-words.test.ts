import { describe, expect, it } from 'vitest'
import { sourceWords } from './source-words.ts'

describe('sourceWords', () => {
  const plan = { slug: 'pro', pools: [{ slug: 'tokens', displayName: 'Pro tokens' }] }

  it('names the balance and the month of on-demand usage', () => {
    expect(sourceWords('wallet', plan)).toBe('Balance')
    expect(sourceWords('on_demand/2026-11', plan)).toBe('On-demand, 2026-11')
    expect(sourceWords('credit/gr_1', plan)).toBe('Credit that expires')
  })

  it('names a pool of the current plan by its display name, and any other pool by its slug', () => {
    expect(sourceWords('pro/tokens/2026-11-20', plan)).toBe('Included: Pro tokens, from 2026-11-20')
    expect(sourceWords('basic/tokens/2026-11-20', plan)).toBe('Included: tokens, from 2026-11-20')
    expect(sourceWords('pro/other/2026-11-20', plan)).toBe('Included: other, from 2026-11-20')
    expect(sourceWords('pro/tokens', null)).toBe('Included: tokens')
  })
})
