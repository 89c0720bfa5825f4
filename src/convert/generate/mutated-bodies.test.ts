import { generate as generateWire } from '#wire/generate/wire.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import type { NeutralRequest } from '#convert/neutral-format.ts'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseObject, printValue } from '#wire/text/json-values.ts'
import { isFault, upstreamBody } from '#wire/wire-request.ts'
import { parseGenerateCount } from '#wire/generate/count-tokens.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { generate } from './codec.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const request = byteTextOf(
  JSON.stringify({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Grüße' }, { inline_data: { mime_type: 'image/png', data: 'AAAA' } }] },
      {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          { functionCall: { name: 'f', args: { a: 1.5, b: [null] } }, thoughtSignature: 'YQ==' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'ok' } } }] },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'NUMBER' } } } },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    generationConfig: {
      maxOutputTokens: 50,
      thinkingConfig: { thinkingBudget: 10 },
      responseMimeType: 'text/plain',
    },
    svc: { outcome: 'o', outcome_id: 'r' },
  }),
)

const answer = byteTextOf(
  JSON.stringify({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Hm.', thought: true },
            {
              functionCall: {
                name: 'f',
                partialArgs: [{ jsonPath: '$.a[0].b', stringValue: 'x', willContinue: true }],
              },
            },
            { text: 'Grüße', thoughtSignature: 'YQ==' },
          ],
        },
        finishReason: 'STOP',
        index: 0,
        logprobsResult: { chosenCandidates: [{ token: 'a', logProbability: -1 }] },
        groundingMetadata: { groundingChunks: [{ web: { uri: 'https://x' } }] },
      },
    ],
    usageMetadata: {
      promptTokenCount: 9,
      candidatesTokenCount: 3,
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 2 }],
    },
    promptFeedback: { safetyRatings: [] },
    modelVersion: 'gemini-x',
    responseId: 'r',
  }),
)

function mutations(bytes: ByteText): fc.Arbitrary<ByteText> {
  const place = fc.nat(bytes.length - 1)
  const edit = fc.tuple(
    place,
    fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', 'null', '0', '-1', '1e9', '\\', 'é', '\u0000'),
  )
  const span = fc.option(fc.tuple(place, fc.nat(60), place))
  return fc.tuple(fc.array(edit, { minLength: 1, maxLength: 5 }), span).map(([edits, moved]) => {
    let out = bytes
    for (const [at, text] of edits) out = out.slice(0, at) + byteTextOf(text) + out.slice(at + 1)
    if (moved === null) return out
    const [from, length, to] = moved
    return out.slice(0, to) + out.slice(from, from + length) + out.slice(to)
  })
}

/** The result is valid JSON with wrong values. */
function misfits(bytes: ByteText): fc.Arbitrary<ByteText> {
  const odd = fc.constantFrom(null, true, -1, 1.5, 1e300, '', 'x', [], {}, [null], [[]], { text: {} })
  const swap = fc.tuple(fc.nat(1000), odd)
  return fc.array(swap, { minLength: 1, maxLength: 4 }).map((swaps) => {
    let text = textOf(bytes)
    for (const [which, value] of swaps) {
      let values = 0
      const parsed: unknown = JSON.parse(text)
      JSON.stringify(parsed, (_, inner: unknown) => (values++, inner))
      let at = 0
      const target = which % values
      text = JSON.stringify(parsed, (_, inner: unknown) => (at++ === target ? value : inner))
    }
    return byteTextOf(text)
  })
}

const any = (bytes: ByteText): fc.Arbitrary<ByteText> => fc.oneof(mutations(bytes), misfits(bytes))

const path = { model: 'm', isStream: true, isJsonArray: false }
const target = {
  model: 'gemini-3-pro',
  outputTokensMax: 5,
  outputTokensDefault: 1,
  origin: 'a',
  dialect: 'compatible',
} as const

describe('mutated bodies', () => {
  it('a mutated request is either rejected or read, and only valid JSON is sent', () => {
    fc.assert(
      fc.property(any(request), (body) => {
        withinCpu(50, () => {
          const parsed = generateWire.parseRequest(body, path)
          parseGenerateCount(body, path)
          if (isFault(parsed)) return
          expect(parsed.textTokensMax).toBeGreaterThan(0)
          for (const max of [null, 7]) {
            const sent = parseObject(textOf(upstreamBody(parsed, 'gemini-x', max)))
            expect(sent).not.toBeNull()
            expect(sent).not.toHaveProperty('svc')
          }
          const read = generate.readRequest(parsed)
          if (!isFault(read)) JSON.parse(printValue(generate.writeRequest(read, target)))
        })
      }),
      sampledRuns(10_000),
    )
  })

  it('a mutated response is either ignored or read, and only valid JSON is written', () => {
    const options = { origin: 'a', callIdPrefix: 'c' }
    const encoding = encoderOptions({
      alias: 'a',
      // The encoder of the generate wire does not read the request.
      request: {} as NeutralRequest,
      isJsonArray: true,
    })
    const parsed = generateWire.parseRequest(request, path)
    if (isFault(parsed)) throw new Error(parsed.reason)
    fc.assert(
      fc.property(any(answer), (body) => {
        withinCpu(50, () => {
          const whole = generateWire.readAnswer(body, parsed)
          if (whole) expect(whole.outputTokens).toBeGreaterThanOrEqual(0)
          const frame = parseObject(textOf(body))
          if (frame === null) return
          const decoder = generate.decoder(options)
          const events = [...decoder.push(frame), ...decoder.end()]
          const encoder = generate.encoder(encoding)
          const out = events.map((event) => encoder.write(event)).join('') + encoder.tail(zeroUsage)
          JSON.parse(textOf(out))
          JSON.parse(printValue(generate.encodeAnswer(events, encoding)))
          generate.decodeAnswer(frame, options)
        })
      }),
      sampledRuns(10_000),
    )
  })
})
