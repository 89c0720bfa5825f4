import { isObject, parseObject, printValue, type JsonObject } from '#wire/text/json-values.ts'
import type { Signature } from '#wire/tagged-reasoning-signatures.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { textOf } from '#wire/text/byte-text.ts'
import type { EncoderOptions } from '#convert/codec-interface.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { decodeGenerateAnswer, GenerateDecoder } from './answer-decoder.ts'
import { encodeGenerateAnswer, GenerateEncoder } from './answer-encoder.ts'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const request = aRequest({
  isStream: true,
  wantsUsage: true,
})
const options: EncoderOptions = encoderOptions({ callId: 'r7', alias: 'acme/fast', request })
const usage = { ...zeroUsage, input: 10, cacheRead: 5, output: 9, reasoning: 4 }
const spent = {
  status: 402,
  code: 'spend_limit_exceeded',
  message: 'The reservation is used up.',
  param: null,
  reason: 'reservation exhausted mid-stream',
  details: { limitSource: 'reservation', limit: '12' },
}

function encoded(events: readonly NeutralEvent[], isJsonArray = false): { body: string; tail: string } {
  const encoder = new GenerateEncoder({ ...options, isJsonArray })
  const body = events.map((event) => encoder.write(event)).join('')
  return { body: textOf(body), tail: textOf(encoder.tail(usage)) }
}

function framesOf(text: string): JsonObject[] {
  return text
    .split('\r\n\r\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      expect(frame.startsWith('data: {')).toBe(true)
      expect(frame).not.toMatch(/[\r\n]/)
      return parseObject(frame.slice(6)) ?? {}
    })
}

const text = (said: string, choice = 0): NeutralEvent => ({ kind: 'text', choice, text: said })
const finish = (reason: Extract<NeutralEvent, { kind: 'finish' }>['reason'], choice = 0): NeutralEvent => ({
  kind: 'finish',
  choice,
  reason,
  stopSequence: null,
})
const call = (slot: number, args: readonly string[], name = 'f'): NeutralEvent[] => [
  { kind: 'tool_call', choice: 0, slot, id: `c${slot}`, name, isCustom: false },
  ...args.map((piece) => ({ kind: 'arguments', choice: 0, slot, text: piece }) as const),
  { kind: 'tool_call_end', choice: 0, slot },
]
const seal = (signature: Partial<Signature> = {}): NeutralEvent => ({
  kind: 'signature',
  choice: 0,
  signature: { wire: 'messages', origin: 'a', kind: 'signature', data: 'sig', id: null, ...signature },
})

describe('GenerateEncoder', () => {
  it('text is written as it arrives, with the client’s model name, and the end is not written until `tail` is called', () => {
    const { body, tail } = encoded([{ kind: 'start', id: 'x' }, text('Grüße "'), text(''), finish('end')])
    expect(framesOf(body)).toEqual([
      {
        candidates: [{ content: { parts: [{ text: 'Grüße "' }], role: 'model' }, index: 0 }],
        modelVersion: 'acme/fast',
        responseId: 'r7',
      },
    ])
    expect(framesOf(tail)).toEqual([
      {
        candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, index: 0, finishReason: 'STOP' }],
        usageMetadata: {
          promptTokenCount: 15,
          cachedContentTokenCount: 5,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 4,
          totalTokenCount: 24,
        },
        modelVersion: 'acme/fast',
        responseId: 'r7',
      },
    ])
  })

  it('every chunk has a part, because Google’s client would drop the whole turn otherwise', () => {
    const tokens = [{ token: 'a', logprob: -0.5, bytes: null, top_logprobs: [] }]
    const events: NeutralEvent[] = [
      seal(),
      { kind: 'logprobs', choice: 0, tokens },
      { kind: 'citation', choice: 0, citation: { url: 'https://x', title: 'X', start: 1, end: 2 } },
      finish('end'),
    ]
    const { body, tail } = encoded(events)
    const answers = framesOf(body + tail).flatMap(({ candidates }) =>
      Array.isArray(candidates) ? candidates : [],
    )
    expect(answers).toMatchObject([
      {
        content: { parts: [{ thoughtSignature: expect.any(String) }, { text: '' }] },
        logprobsResult: {
          chosenCandidates: [{ token: 'a', logProbability: -0.5 }],
          topCandidates: [{ candidates: [] }],
        },
      },
      {
        content: { parts: [{ text: '' }] },
        citationMetadata: { citationSources: [{ uri: 'https://x', title: 'X' }] },
      },
    ])
  })

  it('a client that did not request server-sent events gets one JSON array', () => {
    const { body, tail } = encoded([text('a'), text('b'), finish('end')], true)
    const answers: unknown = JSON.parse(body + tail)
    expect(answers).toHaveLength(3)
    const onlyTail = encoded([finish('filtered')], true)
    expect(JSON.parse(onlyTail.body + onlyTail.tail)).toHaveLength(1)
  })

  it('a tool call is written in one piece, on one line, with numbers as the model wrote them', () => {
    const { body } = encoded(call(0, ['{\n "big": 9007199254', '740993,\n "a": 1.0}']))
    expect(body).toContain('"args":{"big":9007199254740993,"a":1.0}')
    expect(framesOf(body)).toHaveLength(1)
  })

  it('parallel tool calls are written one after the other', () => {
    const [start0, args0, end0] = call(0, ['{"a":1}'])
    const [start1, args1, end1] = call(1, [''])
    const mixed = [start0, start1, args1, args0, end1, end0].filter((event) => event !== undefined)
    const calls = framesOf(encoded(mixed).body).map((frame) => printValue(frame.candidates))
    expect(calls[0]).toContain('"id":"c1","name":"f","args":{}')
    expect(calls[1]).toContain('"id":"c0","name":"f","args":{"a":1}')
  })

  it.each(['[1]', '"x"', '{"a":', 'null'])(
    'for the arguments %s, which this wire cannot express, the finish reason reports a malformed call',
    (args) => {
      const { body, tail } = encoded([...call(0, [args]), finish('tool_calls')])
      expect(body).toBe('')
      expect(tail).toContain('"finishReason":"MALFORMED_FUNCTION_CALL"')
    },
  )

  it('a truncated tool call is never written', () => {
    expect(encoded(call(0, ['{"a":']).slice(0, 2)).body).toBe('')
  })

  it('a signature is written into the following tool call or text, or into an empty text part at the end', () => {
    const thought: NeutralEvent = { kind: 'reasoning', choice: 0, text: 'Hm.' }
    const parts = (events: readonly NeutralEvent[]): unknown[] => {
      const { body, tail } = encoded(events)
      return framesOf(body + tail).flatMap(({ candidates }) =>
        (Array.isArray(candidates) ? candidates : []).flatMap((one) => one.content.parts),
      )
    }
    const signature: unknown = expect.stringMatching(/^[\w+/]+$/)
    expect(parts([thought, seal(), ...call(0, ['{}']), finish('tool_calls')])).toEqual([
      { text: 'Hm.', thought: true },
      { functionCall: { id: 'c0', name: 'f', args: {} }, thoughtSignature: signature },
      { text: '' },
    ])
    expect(parts([thought, seal(), text('So.'), seal(), finish('end')])).toEqual([
      { text: 'Hm.', thought: true },
      { text: 'So.', thoughtSignature: signature },
      { text: '', thoughtSignature: signature },
    ])
    expect(parts([seal(), seal({ kind: 'redacted' }), finish('end')])).toHaveLength(2)
  })

  it('a refusal is written as text, with the finish reason `SAFETY`', () => {
    const { body, tail } = encoded([{ kind: 'refusal', choice: 0, text: 'I cannot.' }, finish('end')])
    expect(body).toBe('')
    expect(tail).toContain('"finishReason":"SAFETY","finishMessage":"I cannot."')
  })

  it('the last chunk contains the finish reasons of all choices', () => {
    const { tail } = encoded([text('a'), text('b', 1), finish('end', 1), finish('max_output')])
    expect(framesOf(tail)).toMatchObject([
      {
        candidates: [
          { index: 0, finishReason: 'MAX_TOKENS' },
          { index: 1, finishReason: 'STOP' },
        ],
      },
    ])
  })

  it('if the spend limit ends the stream, the stream has a usage but no finish reason, and official clients throw at its error', () => {
    for (const isJsonArray of [false, true]) {
      for (const before of [[], [text('a')], call(0, ['{']).slice(0, 2)]) {
        const encoder = new GenerateEncoder({ ...options, isJsonArray })
        const out =
          before.map((event) => encoder.write(event)).join('') + encoder.spendTail(usage, spent, 'req_1')
        // LangChain ignores the error in the stream, but throws at the invalid part that follows the error.
        const end = isJsonArray
          ? ''
          : 'data: {"candidates":[{"content":{"role":"model","parts":["spend_limit_exceeded"]}}]}\r\n\r\n'
        expect(out.endsWith(end)).toBe(true)
        const framed = out.slice(0, out.length - end.length)
        const frames: unknown = isJsonArray ? JSON.parse(framed) : framesOf(textOf(framed))
        expect(Array.isArray(frames) && frames.slice(-2)).toMatchObject([
          { usageMetadata: { totalTokenCount: 24 }, modelVersion: 'acme/fast' },
          {
            error: {
              // js-genai ignores an error whose code is not a number from 400 to 599 (docs/reference/wires.md "Errors
              // in a stream").
              code: 402,
              status: 'RESOURCE_EXHAUSTED',
              message: 'spend_limit_exceeded: The reservation is used up.',
              details: [
                {
                  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
                  reason: 'spend_limit_exceeded',
                  domain: 'tollgate',
                  metadata: {
                    reason: 'reservation exhausted mid-stream',
                    limitSource: 'reservation',
                    limit: '12',
                  },
                },
                { '@type': 'type.googleapis.com/google.rpc.RequestInfo', requestId: 'req_1' },
              ],
            },
          },
        ])
        expect(out).not.toContain('finishReason')
        expect(out).not.toContain('functionCall')
      }
    }
  })

  it('a failed stream ends with only the error, and a failed JSON array also ends with its closing bracket', () => {
    const encoder = new GenerateEncoder({ ...options, isJsonArray: true })
    const body = encoder.write(text('a'))
    const failure = { status: 502, code: 'upstream_error', message: 'm', param: null, details: {} }
    expect(JSON.parse(body + encoder.errorTail(failure, 'r'))).toMatchObject([
      {},
      { error: { code: 502, status: 'INTERNAL' } },
    ])
  })

  it('writing an answer to chunks and reading the chunks again returns the same answer', () => {
    const piece = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    const signature = fc.record({
      wire: fc.constantFrom('messages', 'responses', 'generate'),
      origin: fc.string(),
      kind: fc.constantFrom('signature', 'redacted', 'encrypted'),
      data: fc.string(),
      id: fc.option(fc.string()),
    })
    const block = fc.oneof(
      piece.map((said): NeutralEvent[] => [text(said)]),
      piece.map((said): NeutralEvent[] => [{ kind: 'reasoning', choice: 0, text: said }]),
      signature.map((one): NeutralEvent[] => [{ kind: 'signature', choice: 0, signature: one }]),
      fc.jsonValue().map((value): NeutralEvent[] => call(0, [JSON.stringify({ value })])),
    )
    const answer = fc.array(block, { maxLength: 8 }).map((blocks) => {
      // The numbers of tool calls (slots) increase within a choice.
      let slot = -1
      return blocks.flat().map((event): NeutralEvent => {
        if (event.kind === 'tool_call') slot++
        return 'slot' in event
          ? { ...event, slot, ...(event.kind === 'tool_call' && { id: `c${slot}` }) }
          : event
      })
    })
    fc.assert(
      fc.property(answer, fc.boolean(), (events, isWhole) => {
        const hasCalls = events.some(({ kind }) => kind === 'tool_call')
        const all = [...events, finish(hasCalls ? 'tool_calls' : 'end')]
        const origin = { origin: 'b', callIdPrefix: 'x' }
        let back: readonly NeutralEvent[] | null
        if (isWhole) back = decodeGenerateAnswer(encodeGenerateAnswer(all, options), origin)
        else {
          const decoder = new GenerateDecoder(origin)
          const { body, tail } = encoded(all)
          back = framesOf(body + tail).flatMap((frame) => decoder.push(frame))
        }
        const content = (back ?? []).filter(({ kind }) => kind !== 'start' && kind !== 'usage')
        expect(merged(content)).toEqual(merged(all))
      }),
      sampledRuns(2000),
    )
  })
})

/** Joins adjacent texts, because a non-streaming response does not keep the pieces. */
function merged(events: readonly NeutralEvent[]): readonly NeutralEvent[] {
  const out: NeutralEvent[] = []
  for (const event of events) {
    const last = out.at(-1)
    const isSame = last?.kind === event.kind && (event.kind === 'text' || event.kind === 'reasoning')
    if (isSame && 'text' in last) out[out.length - 1] = { ...last, text: last.text + event.text }
    else out.push(event)
  }
  return out
}

describe('encodeGenerateAnswer', () => {
  it('a non-streaming response has joined texts, the usage, and the client’s model name', () => {
    const events = [text('a'), text('b'), { kind: 'usage', usage } as const, finish('max_output')]
    expect(encodeGenerateAnswer(events, options)).toEqual({
      candidates: [
        { content: { parts: [{ text: 'ab' }], role: 'model' }, index: 0, finishReason: 'MAX_TOKENS' },
      ],
      usageMetadata: {
        promptTokenCount: 15,
        cachedContentTokenCount: 5,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 4,
        totalTokenCount: 24,
      },
      modelVersion: 'acme/fast',
      responseId: 'r7',
    })
  })

  it('an empty non-streaming answer has no parts, like an empty answer of Google', () => {
    const [candidate] = [encodeGenerateAnswer([finish('max_output')], options).candidates].flat()
    expect(isObject(candidate) && candidate.content).toEqual({ role: 'model' })
  })
})
