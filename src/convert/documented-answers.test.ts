import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { documentedAnswers } from '#tests/fixtures/conversions/documented-answers.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'
import { withField } from '#tests/fixtures/conversions/with-field.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import { printValue, type JsonObject } from '#wire/text/json-values.ts'
import { textOf } from '#wire/text/byte-text.ts'
import type { NeutralEvent } from './neutral-format.ts'
import { codecs } from './table-of-codecs.ts'

const options = encoderOptions({
  request: aRequest({
    reasoning: { effort: 'high', budgetTokens: null, isShown: true },
    isStream: true,
    wantsUsage: true,
  }),
})
const decoding = { origin: 'o', callIdPrefix: 'call_m' }

function converted(from: WireName, body: JsonObject, to: WireName): string {
  const events = codecs[from].decodeAnswer(body, decoding)
  if (events === null) throw new Error('the response is unreadable')
  return printValue(codecs[to].encodeAnswer(events, options))
}

function streamed(from: WireName, frames: readonly JsonObject[], to: WireName): string {
  const decoder = codecs[from].decoder(decoding)
  const events = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end(true)]
  const usage = events.findLast((event) => event.kind === 'usage')?.usage ?? zeroUsage
  const encoder = codecs[to].encoder(options)
  // A finish reason is written after all content, as in ConvertedStream.
  const isFinish = ({ kind }: NeutralEvent): boolean => kind === 'finish'
  const ordered = [...events.filter((event) => !isFinish(event)), ...events.filter(isFinish)]
  return textOf(ordered.map((event) => encoder.write(event)).join('') + encoder.tail(usage))
}

describe.each(documentedAnswers)('a documented part of a response in $from', (documented) => {
  const { body, events, fields, frames, from } = documented
  const others = wireNames.filter((wire) => wire !== from)
  const plain = new Map(others.map((to) => [to, converted(from, body, to)]))
  const plainStream = new Map(others.map((to) => [to, streamed(from, frames, to)]))

  it.each(fields.map(([path, value, to, reason = '']) => ({ path, value, to, reason })))(
    '$path = $value is carried over, or dropped with a reason',
    ({ path, value, to, reason }) => {
      const changed = withField(body, path, value)
      const kept = others.filter((wire) => converted(from, changed, wire) !== plain.get(wire))
      expect({ kept, hasReason: reason !== '' }).toEqual(expectedFor(to, others))
    },
  )

  it.each(events.map(([name, at, inserted, to, reason = '']) => ({ name, at, inserted, to, reason })))(
    'the event $name is carried over, or dropped with a reason',
    ({ at, inserted, to, reason }) => {
      const changed = [...frames.slice(0, at), ...inserted, ...frames.slice(at)]
      const kept = others.filter((wire) => streamed(from, changed, wire) !== plainStream.get(wire))
      expect({ kept, hasReason: reason !== '' }).toEqual(expectedFor(to, others))
    },
  )
})

function expectedFor(
  to: 'all' | readonly WireName[],
  others: readonly WireName[],
): { readonly kept: readonly WireName[]; readonly hasReason: boolean } {
  return { kept: to === 'all' ? others : to, hasReason: to !== 'all' }
}

describe('the list of documented parts of responses', () => {
  const {
    events = [],
    fields = [],
    frames = [],
  } = documentedAnswers.find(({ from }) => from === 'responses') ?? {}
  const resources = createRequire(import.meta.url)
    .resolve('openai')
    .replace(/index\.js$/, 'resources/')
  const declared = readFileSync(`${resources}responses/responses.d.ts`, 'utf8')

  /** Events that end a response otherwise, and events of WebSocket connections, which the gateway does not serve. */
  const others = /^response\.(?:failed|incomplete|create|steer)\b/

  it('contains all stream events of OpenAI’s client', () => {
    const listed = new Set(
      [...frames, ...events.flatMap(([, , inserted]) => inserted)].map(({ type }) => type),
    )
    const known = [...declared.matchAll(/type: '(response\.[\w.]+)'/g)].map(([, type]) => type)
    expect(known.length).toBeGreaterThan(50)
    expect(known.filter((type = '') => !listed.has(type) && !others.test(type))).toEqual([])
  })

  it('contains all fields of a response in OpenAI’s client that do not repeat the request', () => {
    const listed = new Set(fields.map(([path]) => path.split('.')[0]))
    const names = fieldsOf(declared, 'Response')
    expect(names.filter((name) => !listed.has(name) && !ofRequest.has(name))).toEqual([])
  })

  it('contains all fields of a chat message in OpenAI’s client', () => {
    const ofChat = documentedAnswers.find(({ from }) => from === 'chat')
    const listed = (ofChat?.fields ?? []).map(([path]) => path.split('.').at(-1))
    const known = readFileSync(`${resources}chat/completions/completions.d.ts`, 'utf8')
    const names = [...fieldsOf(known, 'ChatCompletion'), ...fieldsOf(known, 'ChatCompletionMessage')]
    const same = ['object', 'choices', 'usage', 'role']
    expect(names.filter((name) => !listed.includes(name) && !same.includes(name))).toEqual([])
  })
})

function fieldsOf(source: string, type: string): readonly string[] {
  const [, body = ''] = new RegExp(`export interface ${type} \\{\\n(.*?)\\n\\}`, 's').exec(source) ?? []
  const names = [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name = '']) => name)
  expect(names.length).toBeGreaterThan(5)
  return names
}

/** Fields of the request that a response repeats, and fields of failed responses. */
const ofRequest = new Set(
  `object error incomplete_details instructions metadata parallel_tool_calls temperature tool_choice tools top_p
   background max_output_tokens max_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options
   prompt_cache_retention reasoning safety_identifier text top_logprobs truncation user`.split(/\s+/),
)
