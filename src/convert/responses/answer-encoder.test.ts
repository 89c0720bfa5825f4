import { objectOf, parseObject, type JsonObject } from '#wire/text/json-values.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { textOf } from '#wire/text/byte-text.ts'
import type { EncoderOptions } from '#convert/codec-interface.ts'
import type { FinishReason, NeutralEvent } from '#convert/neutral-format.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { decodeResponsesAnswer, ResponsesDecoder } from './answer-decoder.ts'
import { encodeResponsesAnswer, ResponsesEncoder } from './answer-encoder.ts'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const request = aRequest({
  instructions: [{ kind: 'text', text: 'Be kind.', cache: null }],
  tools: [{ name: 'f', description: null, parameters: null, isStrict: null, custom: null, cache: null }],
  outputTokensMax: 100,
  sampling: { ...aRequest().sampling, temperature: 1 },
  isStream: true,
  wantsUsage: true,
})
const options: EncoderOptions = encoderOptions({
  createdSeconds: 1_790_000_000,
  nowSeconds: () => 1_790_000_009,
  alias: 'acme/modèle',
  request,
})
const usage = { ...zeroUsage, input: 9, output: 3 }
const spend = { status: 402, code: 'spend_limit_exceeded', message: 'Spent.', param: null, details: {} }

const text = (said: string): NeutralEvent => ({ kind: 'text', choice: 0, text: said })
const finish = (reason: FinishReason): NeutralEvent => ({
  kind: 'finish',
  choice: 0,
  reason,
  stopSequence: null,
})
const call = (slot: number, isCustom = false): NeutralEvent => ({
  kind: 'tool_call',
  choice: 0,
  slot,
  id: `call_${slot}`,
  name: 'f',
  isCustom,
})
const args = (slot: number, said: string): NeutralEvent => ({
  kind: 'arguments',
  choice: 0,
  slot,
  text: said,
})
const callEnd = (slot: number): NeutralEvent => ({ kind: 'tool_call_end', choice: 0, slot })

function framesOf(bytes: string): JsonObject[] {
  const frames = textOf(bytes).split('\n\n').slice(0, -1)
  return frames.map((frame) => {
    const [, name, data] = /^event: (\S+)\ndata: (.*)$/s.exec(frame) ?? []
    const parsed = parseObject(data ?? '')
    if (parsed === null || parsed.type !== name) throw new Error(`no frame of this wire: ${frame}`)
    return parsed
  })
}

function stream(events: readonly NeutralEvent[]): { body: JsonObject[]; tail: JsonObject[] } {
  const encoder = new ResponsesEncoder(options)
  const body = events.reduce((out, event) => out + encoder.write(event), '')
  return { body: framesOf(body), tail: framesOf(encoder.tail(usage)) }
}

const typesOf = (frames: readonly JsonObject[]): string[] =>
  frames.map(({ type }) => String(type).replace('response.', ''))

describe('ResponsesEncoder', () => {
  it('the events of a text are written in the order of the wire, and the last events are not written until `tail` is called', () => {
    const { body, tail } = stream([{ kind: 'start', id: 'x' }, text('Hel'), text('lo'), finish('end')])
    expect(typesOf(body)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
    ])
    expect(typesOf(tail)).toEqual(['completed'])
    expect([...body, ...tail].map((frame) => frame.sequence_number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(tail[0]).toMatchObject({
      response: {
        id: 'resp_abc',
        status: 'completed',
        model: 'acme/modèle',
        output: [{ type: 'message', status: 'completed', content: [{ type: 'output_text', text: 'Hello' }] }],
        usage: { input_tokens: 9, output_tokens: 3, total_tokens: 12 },
        instructions: 'Be kind.',
        tools: [{ type: 'function', name: 'f' }],
        tool_choice: 'auto',
        parallel_tool_calls: true,
        temperature: 1,
        top_p: 1,
        metadata: {},
        store: false,
        max_output_tokens: 100,
      },
    })
  })

  it('nothing is sent before the first piece of an answer', () => {
    const encoder = new ResponsesEncoder(options)
    expect(encoder.write({ kind: 'start', id: null })).toBe('')
    expect(encoder.write({ kind: 'usage', usage })).toBe('')
    expect(encoder.write(text(''))).toBe('')
    expect(encoder.write(finish('end'))).toBe('')
    expect(typesOf(framesOf(encoder.tail(usage)))).toEqual(['created', 'in_progress', 'completed'])
  })

  it('parallel tool calls are written, each with its own index', () => {
    const { body, tail } = stream([
      text('Look.'),
      call(0),
      call(1, true),
      args(1, 'free'),
      args(0, '{"a":'),
      text('More.'),
      args(0, '1}'),
      callEnd(1),
      callEnd(0),
      finish('tool_calls'),
    ])
    const indexOf = (delta: string): unknown => body.find((frame) => frame.delta === delta)?.output_index
    expect([indexOf('Look.'), indexOf('{"a":'), indexOf('free'), indexOf('More.')]).toEqual([0, 1, 2, 3])
    expect(tail[0]).toMatchObject({
      response: {
        output: [
          { id: 'msg_abc_0', type: 'message' },
          { id: 'fc_abc_1', type: 'function_call', call_id: 'call_0', name: 'f', arguments: '{"a":1}' },
          { id: 'ctc_abc_2', type: 'custom_tool_call', call_id: 'call_1', name: 'f', input: 'free' },
          { id: 'msg_abc_3', type: 'message' },
        ],
      },
    })
  })

  it('reasoning gets a tagged signature, even reasoning without text', () => {
    const signature = { wire: 'messages', origin: 'a', kind: 'signature', data: 's', id: null } as const
    const { body } = stream([
      { kind: 'reasoning', choice: 0, text: 'Hmm' },
      { kind: 'signature', choice: 0, signature },
      { kind: 'signature', choice: 0, signature: { ...signature, kind: 'redacted' } },
      text('Yes.'),
    ])
    const items = body
      .filter(({ type }) => type === 'response.output_item.done')
      .map(({ item }) => objectOf(item))
    expect(items).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hmm' }] },
      { type: 'reasoning', summary: [] },
    ])
    expect(items.every(({ encrypted_content: seal }) => typeof seal === 'string' && seal !== '')).toBe(true)
  })

  it.each([
    ['max_output', 'incomplete', { reason: 'max_output_tokens' }],
    ['context_full', 'incomplete', { reason: 'max_output_tokens' }],
    ['filtered', 'incomplete', { reason: 'content_filter' }],
    ['pause', 'incomplete', { reason: 'max_messages' }],
    ['stop_sequence', 'completed', null],
    ['refusal', 'completed', null],
    ['other', 'completed', null],
  ] as const)('an answer with the finish reason %s ends as %s', (reason, status, details) => {
    const { tail } = stream([text('a'), finish(reason)])
    expect(typesOf(tail)).toEqual([status])
    expect(tail[0]).toMatchObject({ response: { status, incomplete_details: details } })
  })

  it('a tool call that the output maximum or the spend limit truncated gets no end event', () => {
    const { body, tail } = stream([call(0), args(0, '{"a'), finish('max_output')])
    expect(typesOf(body).filter((type) => type.endsWith('.done'))).toEqual([])
    expect(tail[0]).toMatchObject({ response: { output: [{ arguments: '{"a', status: 'incomplete' }] } })

    const encoder = new ResponsesEncoder(options)
    encoder.write(text('Done.'))
    encoder.write(call(0))
    encoder.write(args(0, '{"a'))
    const end = framesOf(encoder.spendTail(usage, spend, 'req_1'))
    expect(typesOf(end)).toEqual(['failed', 'error'])
    expect(end[0]).toMatchObject({
      response: {
        status: 'failed',
        error: { code: 'spend_limit_exceeded' },
        output: [{ type: 'message' }],
        usage: { input_tokens: 9, output_tokens: 3 },
      },
    })
  })

  it('an answer that fails before it begins ends with a failed response', () => {
    const end = framesOf(
      new ResponsesEncoder(options).errorTail({ ...spend, status: 502, code: 'x' }, 'req_1'),
    )
    expect(typesOf(end)).toEqual(['created', 'in_progress', 'failed', 'error'])
    expect(end[2]).toMatchObject({ response: { usage: null } })
  })

  it('a character whose halves arrive in two pieces is complete at the end', () => {
    const { tail } = stream([text('\ud83d'), text('\ude00'), finish('end')])
    expect(tail[0]).toMatchObject({ response: { output: [{ content: [{ text: '😀' }] }] } })
  })

  it('all choices except the first are omitted', () => {
    const { body } = stream([text('a'), { kind: 'text', choice: 1, text: 'b' }])
    expect(JSON.stringify(body)).not.toContain('"b"')
  })
})

/** Each generated tool call begins, grows and ends. Generated reasoning has its signature at its end. */
const answers = fc
  .array(
    fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }).map((said) => [text(said)]),
      fc.string({ minLength: 1 }).map((said): NeutralEvent[] => [{ kind: 'refusal', choice: 0, text: said }]),
      fc
        .tuple(fc.array(fc.string({ minLength: 1 }), { maxLength: 3 }), fc.string({ minLength: 1 }))
        .map(([thoughts, data]): NeutralEvent[] => [
          ...thoughts.map((thought): NeutralEvent => ({ kind: 'reasoning', choice: 0, text: thought })),
          {
            kind: 'signature',
            choice: 0,
            signature: { wire: 'responses', origin: 'openai-1', kind: 'encrypted', data, id: 'rs_1' },
          },
        ]),
      fc
        .tuple(fc.boolean(), fc.constantFrom('{"a":1e400}', '{"b":9007199254740993,"c":1.0}', '{}'))
        .map(([isCustom, said]): NeutralEvent[] => [call(0, isCustom), args(0, said), callEnd(0)]),
      fc.tuple(fc.string({ minLength: 3 }), fc.webUrl()).map(([said, url]): NeutralEvent[] => [
        text(said),
        {
          kind: 'logprobs',
          choice: 0,
          tokens: [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [] }],
        },
        { kind: 'citation', choice: 0, citation: { url, title: 'T', start: null, end: null } },
      ]),
    ),
    { maxLength: 6 },
  )
  .map((groups) => {
    let slot = -1
    return groups.flat().map((event) => {
      if (event.kind === 'tool_call') slot++
      return 'slot' in event ? { ...event, slot, ...('id' in event && { id: `call_${slot}` }) } : event
    })
  })

describe('writing and reading an answer', () => {
  const decoderOptions = { origin: 'somebody else', callIdPrefix: 'x' }

  /** Texts before and after a citation stay separate. */
  function joined(events: readonly NeutralEvent[]): unknown[] {
    const out: { kind: string; text?: string }[] = []
    for (const event of events) {
      const last = out.at(-1)
      if (event.kind === 'start' || event.kind === 'usage') continue
      if (event.kind === 'citation') {
        const { url, title } = event.citation
        out.push({ kind: 'citation', text: `${title} ${url}` })
      } else if (last?.kind === event.kind && 'text' in event && event.kind !== 'arguments')
        last.text += event.text
      else out.push({ ...event })
    }
    return out
  }

  it('an answer that is written to a stream and read again is the same', () => {
    fc.assert(
      fc.property(
        answers,
        fc.constantFrom<FinishReason>('max_output', 'filtered', 'pause'),
        (events, reason) => {
          const sent = [...events, finish(reason)]
          const { body, tail } = stream(sent)
          const decoder = new ResponsesDecoder(decoderOptions)
          const read = [...body, ...tail].flatMap((frame) => decoder.push(frame))
          expect(joined(read)).toEqual(joined(sent))
        },
      ),
      sampledRuns(2000),
    )
  })

  it('an answer that is written without streaming and read again is the same', () => {
    fc.assert(
      fc.property(answers, (events) => {
        const sent = [...events, { kind: 'usage', usage } as const, finish('max_output')]
        const body = encodeResponsesAnswer(sent, options)
        const read = decodeResponsesAnswer(parseObject(JSON.stringify(body)) ?? {}, decoderOptions)
        const order = (each: readonly NeutralEvent[]): unknown[] =>
          joined(each.filter(({ kind }) => kind !== 'citation' && kind !== 'logprobs'))
        expect(order(read ?? [])).toEqual(order(sent))
        expect(body).toMatchObject({ usage: { input_tokens: 9 }, model: 'acme/modèle' })
      }),
      { numRuns: 1000 },
    )
  })
})
