import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { readGenerateAnswer } from './non-streaming-response.ts'
import { GenerateFrameReader } from './frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'

interface Run {
  readonly body: string
  readonly tail: string
  readonly stream: PassThroughStream
}

function run(text: string, { choices = 1, isJsonArray = false, cuts = [] as readonly number[] } = {}): Run {
  const bytes = byteTextOf(text)
  const stream = new PassThroughStream(new GenerateFrameReader({ model: 'acme/fast', isJsonArray, choices }))
  let body = ''
  let from = 0
  for (const cut of [...cuts, bytes.length].toSorted((a, b) => a - b)) {
    body += stream.push(bytes.slice(from, cut))
    from = cut
  }
  body += stream.end()
  return { body: textOf(body), tail: textOf(stream.tail()), stream }
}

const frame = (answer: unknown): string => `data: ${JSON.stringify(answer)}\r\n\r\n`
const answer = (parts: unknown, more: JsonObject = {}, output = 3): string =>
  frame({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: output, totalTokenCount: 9 + output },
    modelVersion: 'gemini-x',
    responseId: 'r1',
  })
const text = (said: string, output = 3): string => answer([{ text: said }], {}, output)
const last = answer([{ text: '' }], { finishReason: 'STOP' }, 7)
const renamed = (sent: string): string =>
  sent.replaceAll('"modelVersion":"gemini-x"', '"modelVersion":"acme/fast"')

const spent = { status: 402, code: 'spend_limit_exceeded', message: 'm', param: null, details: {} }

describe('a generate stream', () => {
  it('a generate stream is forwarded unchanged except for the model name, and the frame with the finish reason is withheld', () => {
    const sent = text('Grüße ') + text('"modelVersion":"gemini-x" 世界\\n')
    const { body, tail, stream } = run(sent + last)
    expect(body).toBe(renamed(sent))
    expect(tail).toBe(renamed(last))
    expect(stream).toMatchObject({ state: 'done', textChunks: 2, usage: { input: 9, output: 7 } })
  })

  it('a stream is complete only with a finish reason', () => {
    expect(run(text('a'))).toMatchObject({ tail: '', stream: { state: 'open' } })
    expect(run(text('a') + last.slice(0, 40)).stream.state).toBe('open')
    // The last frame lacks only the empty line at its end.
    expect(run(text('a') + last.trimEnd()).stream.state).toBe('done')
  })

  it('nothing is sent before the first piece of an answer', () => {
    const traffic = frame({ usageMetadata: { trafficType: 'ON_DEMAND' }, modelVersion: 'gemini-x' })
    const stream = new PassThroughStream(
      new GenerateFrameReader({ model: 'acme/fast', isJsonArray: false, choices: 1 }),
    )
    expect(stream.push(`: ping\r\n\r\n${traffic}`)).toBe('')
    expect(stream).toMatchObject({ usage: null, hasReportedUsage: false })
    expect(stream.push(text('a'))).toBe(renamed(`: ping\r\n\r\n${traffic}${text('a')}`))
    const failing = new PassThroughStream(
      new GenerateFrameReader({ model: 'a', isJsonArray: false, choices: 1 }),
    )
    expect(failing.push(traffic + frame({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }))).toBe('')
    expect(failing).toMatchObject({ state: 'failed', failure: { type: 'RESOURCE_EXHAUSTED' } })
  })

  it('an answer without text and the response to a blocked prompt are withheld until the end of the stream', () => {
    for (const only of [
      frame({ candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }] }),
      frame({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }),
      answer([], { finishReason: 'MODEL_ARMOR' }),
    ]) {
      const { body, tail, stream } = run(only)
      expect([body, tail, stream.state]).toEqual(['', renamed(only), 'done'])
    }
    expect(run(frame({ promptFeedback: { safetyRatings: [] } })).stream.state).toBe('open')
  })

  it('the finish reason of the last candidate is withheld, for any order of candidates', () => {
    const of = (index: number, more: JsonObject = {}): string =>
      frame({ candidates: [{ content: { parts: [{ text: 'a' }] }, index, ...more }] })
    const end = { finishReason: 'STOP' }
    const early = of(0) + of(1) + of(0, end) + of(1)
    expect(run(early + of(1, end), { choices: 2 })).toMatchObject({
      body: early,
      tail: of(1, end),
      stream: { state: 'done' },
    })
    // Candidate 1 arrives after the only known candidate has finished.
    const late = of(0, end) + of(1)
    expect(run(late + of(1, end), { choices: 2 })).toMatchObject({ body: late, tail: of(1, end) })
    expect(run(of(0, end) + of(1), { choices: 2 }).stream.state).toBe('open')
  })

  it('data after the finish reason is also withheld until the end of the stream', () => {
    const more = frame({ usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 8 } })
    expect(run(text('a') + last + more)).toMatchObject({
      body: renamed(text('a')),
      tail: renamed(last) + more,
      stream: { state: 'done', usage: { output: 8 } },
    })
  })

  it('a usage with only the prompt count is not used for an answer with text', () => {
    const first = frame({
      candidates: [{ content: { parts: [{ text: 'The' }] } }],
      usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
    })
    expect(run(first).stream).toMatchObject({
      usage: null,
      hasReportedUsage: false,
      inputUsage: { input: 7 },
      outputTokens: 1,
    })
  })

  it('hidden thoughts are recognized in a generate stream', () => {
    const thinking = frame({
      candidates: [{ content: { parts: [{ text: 'a' }] } }],
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1, thoughtsTokenCount: 900 },
    })
    expect(run(thinking).stream).toMatchObject({ outputTokens: 901, outputTokensSure: 901, textChunks: 1 })
  })

  it('text, thoughts, tool calls with their names, and code count as output, and signatures and data do not', () => {
    for (const part of [
      { text: 'abcdef' },
      { text: 'abcdef', thought: true, thoughtSignature: 'x'.repeat(999) },
      { functionCall: { name: 'abcdef', id: 'x'.repeat(99) } },
      { executableCode: { code: 'abcdef' } },
    ]) {
      expect(run(frame({ candidates: [{ content: { parts: [part] } }] })).stream).toMatchObject({
        outputTokens: 2,
        textChunks: 1,
      })
    }
    const call = { functionCall: { name: 'f', args: { city: 'Rome', nights: 12 } } }
    const written = 'f{city:Rome,nights:12}'.length
    const { stream } = run(frame({ candidates: [{ content: { parts: [call] } }] }))
    expect(stream.outputTokens).toBeGreaterThanOrEqual(Math.ceil((written - 4) / 3))
    expect(stream.outputTokens).toBeLessThanOrEqual(Math.ceil((written + 4) / 3))
    const image = { inlineData: { mimeType: 'image/png', data: 'A'.repeat(9999) } }
    // An image counts as one token, because the gateway cannot count the tokens of an image.
    expect(run(frame({ candidates: [{ content: { parts: [image] } }] })).stream.outputTokens).toBe(1)
  })

  it('the model’s text is never confused with the surrounding JSON', () => {
    const sly = '{"finishReason":"STOP","error":{},"usageMetadata":{"promptTokenCount":1},"modelVersion":"x"}'
    const call = {
      functionCall: {
        name: 'f',
        args: {
          error: {},
          parts: [{ text: 'x' }],
          finishReason: 'STOP',
          modelVersion: 'gemini-x',
          usageMetadata: { promptTokenCount: 5 },
        },
      },
    }
    for (const part of [{ text: sly }, call]) {
      const sent = frame({ candidates: [{ content: { parts: [part] } }], modelVersion: 'gemini-x' })
      const { body, stream } = run(sent)
      expect(stream).toMatchObject({ state: 'open', hasReportedUsage: false, failure: null })
      expect(JSON.parse(body.slice(6))).toEqual({
        candidates: [{ content: { parts: [part] } }],
        modelVersion: 'acme/fast',
      })
    }
  })

  it.each([
    ['cut JSON', 'data: {"candidates":[{"a":"b"\r\n\r\n'],
    ['text', 'data: hello\r\n\r\n'],
    ['a string without end', 'data: {"a":"b\r\n\r\n'],
    ['more after the end', 'data: {"a":1}}\r\n\r\n'],
    ['an array', 'data: [{"a":1}]\r\n\r\n'],
  ])('a generate stream stops at a frame that is %s', (_, broken) => {
    const { stream, body } = run(text('a') + broken + text('b'))
    expect(stream.state).toBe('broken')
    expect(body).toBe(renamed(text('a')))
  })

  it('an error of the provider is not shown, and `error: null` is not an error', () => {
    const failed = run(text('a') + frame({ error: { message: 'secret key AIza', code: 500 } }))
    expect(failed.stream).toMatchObject({ state: 'failed', failure: { status: 500 } })
    expect(failed.body).not.toContain('secret')
    expect(run(frame({ error: null, candidates: [] }) + text('a') + last).stream.state).toBe('done')
  })

  it('frames of 2 MB, and frames with any line endings, are read', () => {
    const image = answer([{ inlineData: { mimeType: 'image/png', data: 'A'.repeat(2_000_000) } }])
    expect(run(image + last)).toMatchObject({ body: renamed(image), stream: { state: 'done' } })
    for (const ending of ['\n\n', '\r\r']) {
      const sent = (text('a') + text('b') + last).replaceAll('\r\n\r\n', ending)
      const { body, tail, stream } = run(sent)
      expect([body + tail, stream.state, stream.usage?.output]).toEqual([renamed(sent), 'done', 7])
    }
  })

  it('frames that are recognized without parsing give the same result as parsed frames', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 12 })
    const one = fc.oneof(
      fc.tuple(word, fc.nat(2_000_000)).map(([said, output]) => text(said, output)),
      word.map((said) => answer([{ text: said, thought: true }])),
      word.map((said) => answer([{ text: said }, { text: said }])),
      word.map((said) => frame({ candidates: [{ content: { parts: [{ text: said }] } }] })),
      fc.constant(text('"},"finishReason":"STOP"')),
    )
    fc.assert(
      fc.property(fc.array(one, { maxLength: 20 }), (frames) => {
        const together = run(frames.join(''))
        // Each frame goes to a new stream, so every frame is parsed.
        const apart = frames.map((sent) => run(sent))
        const chunks = apart.map(({ stream }) => stream.textChunks)
        expect(together.stream.textChunks).toBe(chunks.reduce((sum, count) => sum + count, 0))
        // Frames before the first piece of the answer are withheld until the first piece arrives.
        if (together.stream.textChunks > 0) {
          const lastPiece = chunks.findLastIndex((count) => count > 0)
          expect(
            together.body.startsWith(
              frames
                .slice(0, lastPiece + 1)
                .map(renamed)
                .join(''),
            ),
          ).toBe(true)
        }
        const reported = apart.findLast(({ stream }) => stream.inputUsage)?.stream.inputUsage ?? null
        expect(together.stream.inputUsage).toEqual(reported)
      }),
      sampledRuns(2000),
    )
  })

  it('clients that did not request events get one JSON array, which is closed even after an error', () => {
    const { body, tail } = run(text('a') + text('b') + last, { isJsonArray: true })
    expect(JSON.parse(body + tail)).toMatchObject([{ modelVersion: 'acme/fast' }, {}, { responseId: 'r1' }])
    const stream = new PassThroughStream(
      new GenerateFrameReader({ model: 'a', isJsonArray: true, choices: 1 }),
    )
    expect(JSON.parse(stream.errorTail(spent, 'r'))).toMatchObject([{ error: { code: 402 } }])
    const begun = stream.push(text('a'))
    expect(JSON.parse(begun + stream.spendTail(zeroUsage, spent, 'r'))).toMatchObject([
      { responseId: 'r1' },
      { usageMetadata: { totalTokenCount: 0 }, responseId: 'r1' },
      { error: { code: 402 } },
    ])
  })

  it('a stream that the spend limit ends has a usage, an error with a numeric code, and no finish reason', () => {
    const stream = new PassThroughStream(
      new GenerateFrameReader({ model: 'acme/fast', isJsonArray: false, choices: 1 }),
    )
    stream.push(text('a') + last)
    const [counted, error, end] = stream
      .spendTail({ ...zeroUsage, input: 9, output: 2 }, { ...spent, reason: 'why' }, 'req_1')
      .split('\r\n\r\n')
    expect(counted).toBe(
      'data: {"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"totalTokenCount":11},"modelVersion":"acme/fast","responseId":"r1"}',
    )
    expect(JSON.parse(error?.slice(6) ?? '')).toMatchObject({
      error: {
        code: 402,
        status: 'RESOURCE_EXHAUSTED',
        message: 'spend_limit_exceeded: m',
        details: [{ reason: 'spend_limit_exceeded', metadata: { reason: 'why' } }, {}],
      },
    })
    // LangChain ignores the error, but throws when it reads an invalid part.
    expect(end).toBe('data: {"candidates":[{"content":{"role":"model","parts":["spend_limit_exceeded"]}}]}')
  })

  it('mutated frames never cause an exception or a hang', () => {
    const call = answer([{ functionCall: { name: 'f', args: { a: [1, 'é'] } }, thoughtSignature: 'AA' }])
    const bytes = byteTextOf(text('Grüße') + text('a') + call + text('b') + last)
    const edits = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(edits, fc.boolean(), fc.constantFrom(1, 2), (all, isJsonArray, choices) => {
        let mutated = bytes
        for (const [at, byte] of all)
          mutated = mutated.slice(0, at) + String.fromCharCode(byte) + mutated.slice(at + 1)
        const passOn = (): void => {
          const stream = new PassThroughStream(new GenerateFrameReader({ model: 'a', isJsonArray, choices }))
          stream.push(mutated)
          stream.end()
          stream.tail()
          stream.spendTail(stream.usage ?? zeroUsage, spent, 'r')
          expect(stream.outputTokens).toBeGreaterThanOrEqual(0)
        }
        withinCpu(50, passOn)
      }),
      sampledRuns(20_000),
    )
  })
})

describe('readGenerateAnswer', () => {
  it('only the model name in the response changes', () => {
    const body =
      '{"candidates":[{"content":{"parts":[{"text":"abcdef","modelVersion":"gemini-x"}]}}], "modelVersion" : "gemini-x","usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2},"big":12345678901234567890}'
    const read = readGenerateAnswer(byteTextOf(body), 'alias')
    expect(textOf(read?.body ?? '')).toBe(
      body.replace('"modelVersion" : "gemini-x"', '"modelVersion" : "alias"'),
    )
    expect(read).toMatchObject({ usage: { input: 1, output: 2 }, hasReportedUsage: true })
  })

  it('if no usage is reported, the gateway counts the output without the signatures', () => {
    const parts = [{ text: 'x'.repeat(300), thoughtSignature: 'y'.repeat(999) }]
    const body = JSON.stringify({ candidates: [{ content: { parts } }] })
    expect(readGenerateAnswer(body, 'a')).toMatchObject({
      usage: null,
      hasReportedUsage: false,
      outputTokens: 100,
    })
    const doubtful = JSON.stringify({ candidates: [], usageMetadata: { promptTokenCount: -1 } })
    expect(readGenerateAnswer(doubtful, 'a')).toMatchObject({
      usage: null,
      hasReportedUsage: true,
      outputTokens: 0,
    })
  })

  it('the response to a blocked prompt is accepted', () => {
    const blocked = '{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4}}'
    expect(readGenerateAnswer(blocked, 'a')).toMatchObject({ usage: { input: 4, output: 0 }, body: blocked })
  })

  it.each(['<html></html>', '{"candidates":[', '{"error":{"code":500}}', '[]', ''])(
    '%s is not accepted as an answer of generate',
    (body) => {
      expect(readGenerateAnswer(body, 'a')).toBeNull()
    },
  )
})
