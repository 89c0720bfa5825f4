import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventStreamSink } from '#providers/bedrock-stream-to-events.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { EventStreamDecoder, type EventMessage } from './event-stream-decoder.ts'
import {
  chunkOf,
  converseEvents,
  eventMessage,
  eventStreamOf,
  type EventWriter,
} from './event-stream-encoder.ts'

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** The test vectors of AWS's own encoders (github.com/awslabs/aws-c-event-stream, tests/resources/test_vectors). */
test.each([
  ['empty_message', {}, '', '000000100000000005c248eb7d98c8ff'],
  ['payload_no_headers', {}, "{'foo':'bar'}", '0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936'],
  [
    'payload_one_str_header',
    { 'content-type': 'application/json' },
    "{'foo':'bar'}",
    '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
  ],
])('the published vector %s is written byte for byte', (_, headers, payload, hex) => {
  expect(bytesOf(eventMessage(headers, payload)).toString('hex')).toBe(hex)
})

const headerText = fc.stringMatching(/^[ -~]{0,300}$/)
const message = fc.record(
  {
    headers: fc.dictionary(fc.stringMatching(/^[:a-z-]{1,40}$/), headerText, {
      maxKeys: 4,
      noNullPrototype: true,
    }),
    payload: fc.string({ unit: 'grapheme', maxLength: 80 }),
  },
  { noNullPrototype: true },
)

test('written messages are decoded to the same messages, wherever the bytes are split', () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 3 }), fc.array(fc.nat()), (messages, cuts) => {
      const text = messages.map(({ headers, payload }) => eventMessage(headers, byteTextOf(payload))).join('')
      const bytes = bytesOf(text)
      const decoder = new EventStreamDecoder()
      const read: EventMessage[] = []
      const ends = [...cuts.map((cut) => cut % bytes.length), bytes.length].toSorted((a, b) => a - b)
      let start = 0
      for (const end of ends) {
        decoder.push(bytes.subarray(start, end), (one) => read.push(one))
        start = end
      }
      expect(decoder.isPartial).toBe(false)
      const told = read.map(({ headers, payload }) => ({
        headers: Object.fromEntries(headers),
        payload: payload.toString(),
      }))
      expect(told).toEqual(messages)
    }),
  )
})

function adapted(stream: string): string {
  let out = ''
  const sink = new EventStreamSink({
    onHead: () => {},
    onData: (bytes) => {
      out += Buffer.from(bytes).toString()
      return true
    },
    onEnd: () => {},
    onFailure: ({ cause }) => {
      throw cause
    },
  })
  sink.onHead(200, { contentType: 'application/vnd.amazon.eventstream', retryAfterSeconds: null })
  sink.onData(bytesOf(stream))
  sink.onEnd()
  return out
}

const chunks: EventWriter = { write: chunkOf, end: () => '' }
const fields = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
const names = ['messageStart', 'contentBlockStart', 'contentBlockDelta', 'messageStop', 'metadata'] as const

test('the adapter decodes the messages of the Converse and messages wires to the same events', () => {
  const frame = fc.tuple(fc.constantFrom(...names), fields)
  fc.assert(
    fc.property(fc.array(frame), fc.boolean(), (frames, isConverse) => {
      const events = frames.map(([name, value]) => {
        if (isConverse) return `data: ${JSON.stringify({ [name]: value })}\n\n`
        return `event: message_delta\ndata: ${JSON.stringify({ ...value, type: 'message_delta' })}\n\n`
      })
      const text = events.join('')
      expect(adapted(eventStreamOf(byteTextOf(text), isConverse ? converseEvents : chunks))).toBe(text)
    }),
  )
})

test('comments of a stream are omitted, and errors become exceptions', () => {
  expect(eventStreamOf(': a comment\n\nevent: ping\n\n', chunks)).toBe('')
  const typed = (data: object): string => {
    const decoder = new EventStreamDecoder()
    let type = ''
    const bytes = bytesOf(eventStreamOf(`event: error\ndata: ${JSON.stringify(data)}\n\n`, chunks))
    decoder.push(bytes, ({ headers, payload }) => {
      type = `${headers.get(':message-type')} ${headers.get(':exception-type')} ${JSON.parse(payload.toString()).message}`
    })
    return type
  }
  expect(typed({ type: 'error', error: { type: 'overloaded_error', message: 'Busy' } })).toBe(
    'exception serviceUnavailableException Busy',
  )
  expect(typed({ type: 'error', error: { type: 'billing_error', message: 'Spent' } })).toBe(
    'exception modelStreamErrorException Spent',
  )
  expect(typed({ error: { type: 'rate_limit_error', code: 'rate_limited', message: 'Wait' } })).toBe(
    'exception throttlingException rate_limited: Wait',
  )
  expect(typed({ exception: 'throttlingException', message: 'Wait' })).toBe(
    'exception throttlingException Wait',
  )
})
