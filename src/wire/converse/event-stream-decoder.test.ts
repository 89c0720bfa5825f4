import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventMessage } from '#tests/support/encode-aws-event-stream.ts'
import { EventStreamDecoder, type EventMessage } from './event-stream-decoder.ts'

const ignore = (): void => {}

const text = fc.string({ unit: 'grapheme', maxLength: 60 })
const message = fc.record({
  headers: fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), text, { maxKeys: 4 }),
  payload: text,
})

function decoded(pieces: readonly Buffer[]): { headers: object; payload: string }[] {
  const decoder = new EventStreamDecoder()
  const messages: EventMessage[] = []
  for (const piece of pieces) decoder.push(piece, (one) => messages.push(one))
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
      expect(() => new EventStreamDecoder().push(bytes, ignore)).toThrow('the event stream cannot be read')
    }),
  )
})

test('a message that is too long is rejected as soon as its length arrives', () => {
  const long = eventMessage({}, 'x'.repeat(17 * 1024 * 1024))
  expect(() => new EventStreamDecoder().push(long.subarray(0, 12), ignore)).toThrow('more than')
  expect(() => new EventStreamDecoder().push(long.subarray(0, 11), ignore)).not.toThrow()
})

function readAll(bytes: Buffer, sizes: readonly number[]): { payloads: string[]; isFaulty: boolean } {
  const decoder = new EventStreamDecoder()
  const payloads: string[] = []
  try {
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = sizes[turn % sizes.length] ?? 1
      decoder.push(bytes.subarray(at, at + size), ({ payload }) => payloads.push(payload.toString()))
      at += size
    }
  } catch {
    return { payloads, isFaulty: true }
  }
  return { payloads, isFaulty: decoder.isPartial }
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
const stream = fc.array(message, { minLength: 1, maxLength: 4 })

test('a mutated stream delivers its messages up to the mutation, and then reports a fault', () => {
  const mutation = fc.record({
    kind: fc.constantFrom('flip', 'drop', 'insert', 'cut'),
    at: fc.nat(),
    byte: fc.integer({ min: 1, max: 255 }),
  })
  fc.assert(
    fc.property(stream, mutation, sizes, (messages, { at, byte, kind }, chunks) => {
      const bytes = Buffer.concat(messages.map(({ headers, payload }) => eventMessage(headers, payload)))
      const index = at % bytes.length
      const before = bytes.subarray(0, index)
      const behind = bytes.subarray(index + 1)
      const own = bytes.readUInt8(index)
      const mutated = {
        flip: [before, Buffer.from([own ^ byte]), behind],
        drop: [before, behind],
        insert: [before, Buffer.from([byte]), bytes.subarray(index)],
        cut: [before],
      }[kind]
      const { isFaulty, payloads } = readAll(Buffer.concat(mutated), chunks)
      const sent = messages.map(({ payload }) => payload)
      expect(payloads).toEqual(sent.slice(0, payloads.length))
      // A cut between two messages is not a fault, because the part before the cut is a valid stream.
      if (kind !== 'cut') expect(isFaulty).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('random bytes are never decoded as a message', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 400 }), sizes, (bytes, chunks) => {
      const { isFaulty, payloads } = readAll(Buffer.from(bytes), chunks)
      expect([payloads, isFaulty]).toEqual([[], true])
    }),
    { numRuns: 500 },
  )
})

test('the decoder keeps the bytes of at most one incomplete message', () => {
  fc.assert(
    fc.property(stream, sizes, (messages, chunks) => {
      const frames = messages.map(({ headers, payload }) => eventMessage(headers, payload))
      const longest = Math.max(...frames.map(({ length }) => length))
      const bytes = Buffer.concat(frames)
      const decoder = new EventStreamDecoder()
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = chunks[turn % chunks.length] ?? 1
        decoder.push(bytes.subarray(at, at + size), ignore)
        expect(decoder.bytesHeld).toBeLessThan(longest)
        at += size
      }
      expect(decoder.bytesHeld).toBe(0)
    }),
  )
})

test('messages before a fault are delivered, even if they arrive together with the fault', () => {
  const good = eventMessage({}, 'one')
  const bad = eventMessage({}, 'two')
  bad.writeUInt8(bad.readUInt8(14) ^ 1, 14)
  expect(readAll(Buffer.concat([good, bad]), [1_000])).toEqual({ payloads: ['one'], isFaulty: true })
})
