import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { hasNoRecordings, recordingsOf } from '#tests/support/read-recordings.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { ResponsesFrameReader } from '#wire/responses/frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { ChatFrameReader } from '#wire/chat/frame-reader.ts'

// A frame of a known shape is not parsed, so count the parsed frames.
vi.mock('#wire/text/json-parser.ts', { spy: true })

beforeEach(() => vi.clearAllMocks())

/** Chunks as OpenAI sends them (recorded), with padding of a different length each time. */
function chatChunk(text: string, padding: string, field = 'content'): ByteText {
  return byteTextOf(
    `data: {"id":"chatcmpl-D8Z5","object":"chat.completion.chunk","created":1770933892,"model":"gpt-4.1-nano","service_tier":"default","system_fingerprint":"fp_de604bd877","choices":[{"index":0,"delta":{"${field}":${JSON.stringify(text)}},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"${padding}"}\n\n`,
  )
}

function responsesDelta(text: string, padding: string, sequence: number): ByteText {
  return byteTextOf(
    `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","content_index":0,"delta":${JSON.stringify(text)},"item_id":"msg_1","logprobs":[],"obfuscation":"${padding}","output_index":0,"sequence_number":${sequence}}\n\n`,
  )
}

/** The result of a stream whose bytes arrive in these pieces. */
function passed(pieces: readonly ByteText[]) {
  const stream = new PassThroughStream(new ChatFrameReader('acme/fast', true))
  let out = ''
  for (const piece of pieces) out += stream.push(piece)
  const { droppedFrames, outputTokens, outputTokensSure, state, textChunks } = stream
  return { out, droppedFrames, outputTokens, outputTokensSure, state, textChunks }
}

const words = [' the', '"quoted"', '\n\n', ' 世界', 'é', '\\', ' a', '\u2028']
const texts = Array.from({ length: 500 }, (_, i) => words[i % words.length] ?? '')
const paddingOf = (i: number): string => 'Qup1BsQ3dTh0zapRIdwxH'.slice(0, (i * 7) % 18)

describe('chunks with the padding that OpenAI adds', () => {
  it.each([true, false])(
    'all padded chunks after the first of 500 are recognized (usage requested: %s)',
    (wantsUsage) => {
      const stream = new PassThroughStream(new ChatFrameReader('acme/fast', wantsUsage))
      let out = ''
      let given = ''
      for (const [i, text] of texts.entries()) {
        const chunk = chatChunk(text, paddingOf(i))
        given += chunk
        out += stream.push(chunk)
      }
      expect(vi.mocked(parseJson)).toHaveBeenCalledTimes(1)
      const named = given
        .replaceAll('"model":"gpt-4.1-nano"', '"model":"acme/fast"')
        .replaceAll(',"system_fingerprint":"fp_de604bd877"', '')
      expect(out).toBe(wantsUsage ? named : named.replaceAll(',"usage":null', ''))
      expect(stream.textChunks).toBe(500)
    },
  )

  it.skipIf(hasNoRecordings)('padded chunks are recognized in recordings of OpenAI', () => {
    const recorded = recordingsOf('chat').filter(
      ({ isStream, bytes }) => isStream && bytes.includes('"obfuscation"'),
    )
    expect(recorded.length).toBeGreaterThan(0)
    for (const { bytes } of recorded) {
      vi.clearAllMocks()
      const stream = new PassThroughStream(new ChatFrameReader('acme/fast', true))
      stream.push(bytes)
      expect(stream.state).toBe('done')
      // At most four frames are parsed: the frames with the role, the first text, the finish reason and the usage.
      expect(vi.mocked(parseJson).mock.calls.length).toBeLessThanOrEqual(4)
    }
  })

  it('padded events are also recognized on the responses wire', () => {
    const stream = new PassThroughStream(new ResponsesFrameReader('acme/fast'))
    let out = ''
    let given = ''
    for (const [i, text] of texts.entries()) {
      const delta = responsesDelta(text, paddingOf(i), i)
      given += delta
      out += stream.push(delta)
    }
    expect(vi.mocked(parseJson)).toHaveBeenCalledTimes(1)
    expect(out).toBe(given)
    expect(stream.textChunks).toBe(500)
  })

  const inTurn = (choices: number): string[] =>
    texts.map((text, i) => chatChunk(text, '').replace('"index":0', `"index":${i % choices}`))

  it('padded chunks are recognized if four choices alternate', () => {
    const stream = new PassThroughStream(new ChatFrameReader('acme/fast', true))
    const out = inTurn(4).map((chunk) => stream.push(chunk))
    expect(vi.mocked(parseJson)).toHaveBeenCalledTimes(4)
    expect(out.map((chunk) => /"index":(\d)/.exec(chunk)?.[1])).toEqual(texts.map((_, i) => `${i % 4}`))
    expect(stream.textChunks).toBe(500)
  })

  it('with more than four choices, padded chunks of some choices are recognized, and chunks of the other choices are parsed', () => {
    const stream = new PassThroughStream(new ChatFrameReader('acme/fast', true))
    for (const chunk of inTurn(10)) stream.push(chunk)
    expect(vi.mocked(parseJson).mock.calls.length).toBeLessThan(400)
    expect(stream.textChunks).toBe(500)
  })

  it('the result is the same for any division into network chunks, even of malformed events', () => {
    const text = fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'grapheme', maxLength: 8 }))
    const padding = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'Z', '0'), maxLength: 20 }),
      fc.constantFrom('\n', 'a\nb', '\n\n', 'a\r\n\r\nb', '\\', '\\"', '"'),
    )
    const chunk = fc.tuple(text, padding).map(([one, pad]) => chatChunk(one, pad))
    const malformed = fc
      .constantFrom('\\\n', '\\\n\n', '\n', '\r', '\x1f', '"')
      .map((raw) => chatChunk('TEXT', 'a').replace('TEXT', raw))
    const other = fc.constantFrom(
      ': ping\n\n',
      '\n',
      '\r',
      '\r\n',
      'event: a\n',
      'data: [DONE]\n\n',
      `${chatChunk('a', 'b').slice(0, -2)}\r\n\r\n`,
      `${chatChunk('a', 'b').slice(0, -1)}data: 1\n\n`,
      chatChunk('a', 'b').slice(0, -1),
      chatChunk('a', 'b').slice(0, 50),
    )
    const events = fc.oneof({ arbitrary: chunk, weight: 12 }, malformed, other)
    const results = { open: 0, closed: 0 }
    fc.assert(
      fc.property(
        fc.array(events, { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(4000), { maxLength: 6 }),
        (sent, cuts) => {
          const bytes = chatChunk(' the', '') + sent.join('')
          const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted((a, b) => a - b)
          const pieces = ends.map((end, i) => bytes.slice(ends[i - 1] ?? 0, end))
          const divided = passed(pieces)
          expect(divided).toEqual(passed(bytes.split('')))
          results[divided.state === 'open' ? 'open' : 'closed'] += 1
        },
      ),
      { numRuns: 2000 },
    )
    expect(Math.min(results.open, results.closed)).toBeGreaterThan(100)
  })

  it('recognized frames give the same result as parsed frames, for any content', () => {
    const text = fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'grapheme', maxLength: 8 }))
    const padding = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'Z', '0'), maxLength: 20 }),
      fc.constantFrom('\\"', '","model":"x', '}', '\\\\'),
    )
    const field = fc.constantFrom('content', 'content', 'content', 'reasoning_content')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, padding, field), { maxLength: 12 }),
        fc.boolean(),
        (sent, wantsUsage) => {
          const chunks = sent.map(([one, pad, name]) => chatChunk(one, pad, name))
          const together = new PassThroughStream(new ChatFrameReader('acme/fast', wantsUsage))
          // The first frame contains two texts, so the stream learns no shape from it.
          const begin = `data: {"choices":[{"index":0,"delta":{"content":"a","reasoning":"b"}}]}\n\n`
          const out = together.push(begin) + together.push(chunks.join(''))
          let apart = begin
          let counted = 1
          for (const chunk of chunks) {
            const alone = new PassThroughStream(new ChatFrameReader('acme/fast', wantsUsage))
            alone.push(begin)
            apart += alone.push(chunk)
            counted += alone.textChunks - 1
          }
          expect(textOf(out)).toBe(textOf(apart))
          expect(together.textChunks).toBe(counted)
        },
      ),
      { numRuns: 2000 },
    )
  })
})
