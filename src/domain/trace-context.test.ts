import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '#tests/support/any-character.ts'
import { traceParentOf } from './trace-context.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

test('a trace context is read as the W3C specification defines', () => {
  expect(traceParentOf(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, flags: 1 })
  expect(traceParentOf(`00-${traceId}-${spanId}-00`)).toEqual({ traceId, spanId, flags: 0 })
  // A later version of the header may have more parts.
  expect(traceParentOf(`cc-${traceId}-${spanId}-09-what-the-future-is`)).toEqual({
    traceId,
    spanId,
    flags: 9,
  })
})

test.each([
  ['version 00 with more parts', `00-${traceId}-${spanId}-01-more`],
  ['a forbidden version', `ff-${traceId}-${spanId}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['upper case', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['too short', `00-${traceId}-${spanId}`],
  ['two of them', `00-${traceId}-${spanId}-01,00-${traceId}-${spanId}-01`],
  ['too long', `cc-${traceId}-${spanId}-01-${'x'.repeat(256)}`],
  ['nothing', ''],
])('the header %s is not accepted as a trace context', (_, header) => {
  expect(traceParentOf(header)).toBeNull()
})

test('for any text, the parser returns a context or null', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (text) => {
      traceParentOf(text)
    }),
  )
})
