import { describe, expect, it } from 'vitest'
import type { RateLimit } from '#sdk/generated/types.ts'
import { draftsFault, draftsOf, limitsOfDrafts, newDraft } from './limits-as-typed.ts'

const limits: RateLimit[] = [
  { measure: 'micros', window: 'day', most: '2000001' },
  { measure: 'requests', window: 'minute', most: '60' },
  { measure: 'tokens', window: '5h', most: '2000000', models: ['acme/*', 'acme/fast'] },
  { measure: 'calls', most: '4' },
]

describe('limits in a form', () => {
  it('limits in a form are sent to the API as they were read', () => {
    const drafts = draftsOf(limits)
    expect(drafts.map(({ most }) => most)).toEqual(['2.000001', '60', '2000000', '4'])
    expect(draftsFault(drafts)).toBeUndefined()
    expect(limitsOfDrafts(drafts)).toEqual(limits)
  })

  it('limits in a form have no window if they count requests in flight', () => {
    expect(limitsOfDrafts([{ ...newDraft, measure: 'calls', most: ' 3 ' }])).toEqual([
      { measure: 'calls', most: '3' },
    ])
  })

  it.each([
    ['', 'requests'],
    ['-1', 'requests'],
    ['1.5', 'tokens'],
    ['many', 'calls'],
  ])('a form rejects the maximum %o for %s, and the error names the row', (most, measure) => {
    const drafts = [
      { ...newDraft, most: '1', window: 'day' },
      { ...newDraft, measure, most },
    ]
    expect(draftsFault(drafts)).toBe('Limit 2: Enter the maximum as a whole number.')
  })

  it('limits on spend are typed in dollars', () => {
    const draft = { ...newDraft, measure: 'micros', most: 'two' }
    expect(draftsFault([draft])).toMatch(/^Limit 1: /)
    expect(draftsFault([{ ...draft, most: '0.5' }])).toBeUndefined()
  })

  it('a form rejects two limits with the same measure, window and models', () => {
    const draft = { ...newDraft, most: '1' }
    expect(draftsFault([draft, { ...draft, most: '2' }])).toBe(
      'Limit 2: Requests per minute is already limited. Remove one of the two limits.',
    )
    expect(draftsFault([draft, { ...draft, models: 'acme/*' }, { ...draft, window: 'day' }])).toBeUndefined()
    const calls = { ...draft, measure: 'calls' }
    expect(draftsFault([calls, { ...calls, window: 'day' }])).toMatch(/^Limit 2: Requests in flight is/)
  })
})
