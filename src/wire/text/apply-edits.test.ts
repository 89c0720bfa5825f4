import { describe, expect, it } from 'vitest'
import { splice } from './apply-edits.ts'

describe('splice', () => {
  it('text outside the edits is not changed', () => {
    expect(splice('abcdef', [])).toBe('abcdef')
    expect(
      splice('abcdef', [
        { start: 4, end: 5, text: 'X' },
        { start: 1, end: 2, text: '' },
      ]),
    ).toBe('acdXf')
  })

  it('text that is inserted where other text is removed is kept, for any order of the edits', () => {
    const out = { start: 1, end: 3, text: '' }
    const put = { start: 1, end: 1, text: 'new' }
    expect(splice('abcdef', [out, put])).toBe('anewdef')
    expect(splice('abcdef', [put, out])).toBe('anewdef')
  })
})
