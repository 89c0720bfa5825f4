/**
 * The simulator and the readers in wire/ are written independently, from the same documentation. The readers must
 * return a simulated stream unchanged, and must read the usage that the simulator reports. No request may cost more
 * input than the gateway's hold covers.
 */
import { wireNames } from '#wire/names-of-wires-and-tasks.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { UpstreamWire } from '#domain/accounts/provider-kinds.ts'
import { totalInput } from '#money/usage-counts.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { wires } from '#wire/table-of-wires.ts'
import type { RequestPath, WireRequest } from '#wire/wire-request.ts'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { anyCharacter } from '#tests/support/any-character.ts'

describe.each(wireNames)('%s', (wire) => {
  const order = '[[reasoning=6 tokens=30 cached=4]] [[tool=f {"a":"é 🙂","b":[1.0]}]] [[tool=g]]'

  test.each(shapes)(
    'a simulated stream passes through the gateway, with the reported usage: %s',
    (_, shape) => {
      const body = bodyOf(wire, order, shape)
      const request = parsed(wire, body, true)
      const { text, end } = played(wire, body, true)
      expect(end).toBe('end')
      const stream = wires[wire].openStream(request)
      let out = ''
      const bytes = byteTextOf(text)
      for (let at = 0; at < bytes.length; at += 97) out += stream.push(bytes.slice(at, at + 97))
      out += stream.end()
      expect(stream.state).toBe('done')
      const { usage } = stream
      if (usage === null) throw new Error('the stream reported no usage')
      out += stream.tail(usage)
      // The gateway removes text that names the provider, and changes `store` to false.
      const given = bytes.replaceAll(',"system_fingerprint":"fp_simulator"', '')
      expect(out).toBe(given.replaceAll('"store":true', '"store":false'))
      // Cohere's cached tokens are not a part of the billed tokens.
      expect([usage.output, usage.cacheRead]).toEqual([expect.any(Number), wire === 'cohere' ? 0 : 4])
      expect(stream.outputTokens).toBeGreaterThan(30)
      const answer = wires[wire].readAnswer(byteTextOf(played(wire, body, false).text), request)
      expect(answer?.usage).toEqual(usage)
      // Converse reports reasoning only as a part of the output.
      expect(usage.reasoning).toBe(wire === 'converse' ? 0 : 6)
      expect(usage.output).toBeGreaterThan(6 + 30)
    },
  )

  test.each(['[[error=first]]', '[[error=early]]'])(
    'the directive %s causes an error before any output',
    (text) => {
      const body = bodyOf(wire, text, {})
      const stream = wires[wire].openStream(parsed(wire, body, true))
      expect(stream.push(byteTextOf(played(wire, body, true).text)) + stream.end()).toBe('')
      expect(stream.state).toBe('failed')
    },
  )

  test.each([
    ['[[tokens=9 error]]', 'failed'],
    ['[[tokens=9 cut=5]]', 'open'],
    ['[[tokens=9 broken]]', 'broken'],
  ])('after %s, the state of the stream is %s', (text, state) => {
    const body = bodyOf(wire, text, {})
    const stream = wires[wire].openStream(parsed(wire, body, true))
    stream.push(byteTextOf(played(wire, body, true).text))
    stream.end()
    expect(stream.state).toBe(state)
  })

  test.each([
    ['[[no-usage]]', false],
    ['[[usage=-1]]', true],
    ['[[usage=many]]', true],
  ])('the usage in %s is not accepted', (text, hasReported) => {
    for (const isStream of [true, false]) {
      const body = bodyOf(wire, text, {})
      const request = parsed(wire, body, isStream)
      const bytes = byteTextOf(played(wire, body, isStream).text)
      const stream = wires[wire].openStream(request)
      stream.push(bytes)
      stream.end()
      const answer = isStream ? stream : wires[wire].readAnswer(bytes, request)
      expect(answer).toMatchObject({ usage: null, hasReportedUsage: hasReported })
    }
  })

  test('no request costs more input than its hold covers', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.lorem({ maxCount: 40 }),
      fc.constant('🙂𠀀é\u0000\n\t  '),
    )
    const words = fc.record({ text, system: text, description: text }, { noNullPrototype: true })
    fc.assert(
      fc.property(words, ({ text: said, system, description }) => {
        // The text contains no directives and is never empty.
        const body = bodyOf(wire, `x${said.replaceAll('[', '(')}`, { system, description })
        const request = parsed(wire, body, false)
        const answer = wires[wire].readAnswer(byteTextOf(played(wire, body, false).text), request)
        if (!answer?.usage) throw new Error('the answer reported no usage')
        expect(totalInput(answer.usage)).toBeLessThanOrEqual(request.textTokensMax)
      }),
      { numRuns: 200 },
    )
  })
})

interface Shape {
  readonly system?: string
  readonly description?: string
  readonly isShown?: boolean
}

const shapes: readonly (readonly [string, Shape])[] = [
  ['plain', {}],
  ['with tools and instructions', { system: 'be brief', description: 'does things' }],
  ['thoughts shown', { isShown: true }],
]

function bodyOf(wire: UpstreamWire, text: string, { system, description, isShown }: Shape): object {
  const parameters = { type: 'object', properties: { a: { type: 'string', description } } }
  const hasTools = description !== undefined
  switch (wire) {
    case 'chat':
      return {
        model: 'some-model',
        stream_options: { include_usage: true },
        messages: [
          ...(system === undefined ? [] : [{ role: 'system', content: system }]),
          { role: 'user', content: text },
        ],
        ...(hasTools
          ? { tools: [{ type: 'function', function: { name: 'f', description, parameters } }] }
          : {}),
      }
    case 'messages':
      return {
        model: 'some-model',
        max_tokens: 4000,
        ...(system === undefined ? {} : { system }),
        messages: [{ role: 'user', content: text }],
        ...(hasTools ? { tools: [{ name: 'f', description, input_schema: parameters }] } : {}),
        ...(isShown === true
          ? { thinking: { type: 'enabled', budget_tokens: 2000, display: 'summarized' } }
          : {}),
      }
    case 'generate':
      return {
        ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
        contents: [{ role: 'user', parts: [{ text }] }],
        ...(hasTools
          ? {
              tools: [
                { functionDeclarations: [{ name: 'f', description, parametersJsonSchema: parameters }] },
              ],
            }
          : {}),
        ...(isShown === true ? { generationConfig: { thinkingConfig: { includeThoughts: true } } } : {}),
      }
    case 'responses':
      return {
        model: 'some-model',
        ...(system === undefined ? {} : { instructions: system }),
        input: text,
        ...(hasTools ? { tools: [{ type: 'function', name: 'f', description, parameters }] } : {}),
        ...(isShown === true
          ? { reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'], store: false }
          : {}),
      }
    case 'converse':
      return {
        ...(system === undefined ? {} : { system: [{ text: system }] }),
        messages: [{ role: 'user', content: [{ text }] }],
        ...(hasTools
          ? {
              toolConfig: {
                tools: [{ toolSpec: { name: 'f', description, inputSchema: { json: parameters } } }],
              },
            }
          : {}),
      }
    case 'cohere':
      return {
        model: 'some-model',
        messages: [
          ...(system === undefined ? [] : [{ role: 'system', content: system }]),
          { role: 'user', content: text },
        ],
        ...(hasTools
          ? { tools: [{ type: 'function', function: { name: 'f', description, parameters } }] }
          : {}),
        ...(isShown === true ? { thinking: { type: 'enabled' } } : {}),
      }
  }
}

const withStream = (wire: UpstreamWire, body: object, isStream: boolean): object =>
  isModelInPath(wire) || !isStream ? body : { ...body, stream: true }

const isModelInPath = (wire: UpstreamWire): boolean => wire === 'generate' || wire === 'converse'

function played(wire: UpstreamWire, body: object, isStream: boolean) {
  const answer = play(wire, withStream(wire, body, isStream), { isStream })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer
}

function parsed(wire: UpstreamWire, body: object, isStream: boolean): WireRequest {
  const inPath = isModelInPath(wire)
  const path: RequestPath = {
    model: inPath ? 'some-model' : null,
    isStream: inPath && isStream,
    isJsonArray: false,
  }
  const request = wires[wire].parseRequest(byteTextOf(JSON.stringify(withStream(wire, body, isStream))), path)
  if ('kind' in request) throw new Error(request.reason)
  return request
}
