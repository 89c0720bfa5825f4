import fc from 'fast-check'
import { expect, it } from 'vitest'
import { prefixLengths } from './prefix-lengths.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\u{1F44D}'), maxLength: 12 })

it('the result is the longest beginning of the pattern that ends at each position', () => {
  fc.assert(
    fc.property(text, text, (whole, pattern) => {
      const expected = Array.from({ length: whole.length + 1 }, (_, end) => {
        for (let length = Math.min(end, pattern.length); length > 0; length--)
          if (whole.slice(end - length, end) === pattern.slice(0, length)) return length
        return 0
      })
      expect([...prefixLengths(whole, pattern)]).toEqual(expected)
    }),
  )
})
