import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventMessage } from '#tests/support/event-stream.ts'
import { EventStreamDecoder } from './event-stream-decoder.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 60 })
const message = fc.record({
  headers: fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), text, { maxKeys: 4 }),
  payload: text,
})

function decoded(pieces: readonly Buffer[]): { headers: object; payload: string }[] {
  const decoder = new EventStreamDecoder()
  const messages = pieces.flatMap((piece) => decoder.push(piece))
  expect(decoder.isPartial).toBe(false)
  return messages.map(({ headers, payload }) => ({
    headers: Object.fromEntries(headers),
    payload: payload.toString('utf8'),
  }))
}

test('messages of an event stream are decoded wherever the chunks are split', () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 3 }), (messages) => {
      const bytes = Buffer.concat(messages.map(({ headers, payload }) => eventMessage(headers, payload)))
      const sent = messages.map(({ headers, payload }) => ({ headers: { ...headers }, payload }))
      for (let at = 0; at <= bytes.length; at++)
        expect(decoded([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(sent)
      expect(decoded(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(sent)
    }),
    { numRuns: 25 },
  )
})

test('a message with a corrupted byte is never delivered', () => {
  fc.assert(
    fc.property(message, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ headers, payload }, at, change) => {
      const bytes = eventMessage(headers, payload)
      const index = at % bytes.length
      bytes.writeUInt8(bytes.readUInt8(index) ^ change, index)
      expect(() => new EventStreamDecoder().push(bytes)).toThrow('the event stream cannot be read')
    }),
  )
})

test('a message that is too long is rejected as soon as its length arrives', () => {
  const long = eventMessage({}, 'x'.repeat(17 * 1024 * 1024))
  expect(() => new EventStreamDecoder().push(long.subarray(0, 12))).toThrow('more than')
  expect(new EventStreamDecoder().push(long.subarray(0, 11))).toEqual([])
})
