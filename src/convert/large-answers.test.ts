import { expect, it } from 'vitest'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import { printValue, type JsonObject } from '#wire/text/json-values.ts'
import type { EncoderOptions } from './codec-interface.ts'
import type { Tool } from './neutral-format.ts'
import { codecs } from './table-of-codecs.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const decoding = { origin: 'o', callIdPrefix: 'c' }

function optionsWith(tools: readonly Tool[]): EncoderOptions {
  return encoderOptions({
    alias: 'a',
    request: aRequest({ tools }),
  })
}

function converted(from: WireName, body: JsonObject, to: WireName, tools: readonly Tool[] = []): string {
  const events = codecs[from].decodeAnswer(body, decoding)
  return printValue(codecs[to].encodeAnswer(events ?? [], optionsWith(tools)))
}

const list = <Item>(length: number, item: (i: number) => Item): readonly Item[] =>
  Array.from({ length }, (_, i) => item(i))

const answered = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  choices: [{ message, finish_reason: 'stop', ...more }],
})
const said = (content: readonly JsonObject[]): JsonObject => ({
  status: 'completed',
  output: [{ type: 'message', content }],
})
const called = (i: number): JsonObject => ({
  id: `c${i}`,
  type: 'function',
  function: { name: `t${i}`, arguments: '{}' },
})

// More items than a function can have arguments.
const count = 160_000

const answers: readonly (readonly [name: string, from: WireName, body: JsonObject, last: string])[] = [
  [
    'log probabilities',
    'chat',
    answered(
      { content: 'x' },
      { logprobs: { content: list(count, (i) => ({ token: `t${i}`, logprob: -1 })) } },
    ),
    '"t159999"',
  ],
  [
    'sources',
    'chat',
    { ...answered({ content: 'x' }), citations: list(count, (i) => `https://a.test/${i}`) },
    'https://a.test/159999',
  ],
  ['tool calls', 'chat', answered({ content: 'x', tool_calls: list(count, called) }), '"t159999"'],
  [
    'annotations',
    'responses',
    said([
      {
        type: 'output_text',
        text: 'x',
        annotations: list(count, (i) => ({ type: 'url_citation', url: `https://a.test/${i}`, title: 't' })),
      },
    ]),
    'https://a.test/159999',
  ],
  ['parts', 'responses', said(list(count, (i) => ({ type: 'output_text', text: `<${i}>` }))), '<159999>'],
]

const withCitations: ReadonlySet<WireName> = new Set(['chat', 'generate', 'responses'])

it.each(answers)('an answer with 160,000 %s is converted to every wire', (name, from, body, last) => {
  for (const to of wireNames) {
    if (to === from) continue
    const isKept = name === 'tool calls' || name === 'parts' || withCitations.has(to)
    expect(`${to} ${converted(from, body, to).includes(last)}`).toBe(`${to} ${isKept}`)
  }
})

it('the work to convert tool calls does not grow with the square of the numbers of calls and tools', () => {
  const parameters = { type: 'object', properties: {} }
  const tools = list(40_000, (i): Tool => ({
    name: `t${i}`,
    description: null,
    parameters,
    isStrict: null,
    custom: null,
    cache: null,
  }))
  const body = answered({ tool_calls: list(40_000, called) })
  for (const to of wireNames) if (to !== 'chat') withinCpu(2000, () => converted('chat', body, to, tools))
})
