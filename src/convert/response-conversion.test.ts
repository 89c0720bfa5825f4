import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { totalInput, zeroUsage } from '#money/usage-counts.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import type { EncoderOptions } from './codec-interface.ts'
import { parseObject, parseValue, printValue } from '#wire/text/json-values.ts'
import type { NeutralEvent } from './neutral-format.ts'
import {
  answerOf,
  answers,
  eventsOf,
  merged,
  withObjects,
} from '#tests/fixtures/conversions/random-answers.ts'
import type { Answer, Block } from '#tests/fixtures/conversions/random-answers.ts'
import { SseSplitter } from '#wire/text/split-server-sent-events.ts'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { codecs } from './table-of-codecs.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const request = aRequest({
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'hi', cache: null }] }],
  reasoning: { effort: 'high', budgetTokens: null, isShown: true },
  isStream: true,
  wantsUsage: true,
})

const options: EncoderOptions = encoderOptions({
  alias: 'the-alias',
  request,
})
const decoding = { origin: 'client', callIdPrefix: 'call_m' }

function decoded(wire: WireName, text: ByteText): readonly NeutralEvent[] {
  const decoder = codecs[wire].decoder(decoding)
  const events: NeutralEvent[] = []
  new SseSplitter().push(text, ({ text: whole, dataStart, dataEnd }) => {
    const data = textOf(whole.slice(dataStart, dataEnd))
    if (data === '[DONE]') return
    const frame = parseObject(data)
    // After an error, an invalid event ends the stream, so that clients that overlook the error also fail.
    expect(frame !== null || events.at(-1)?.kind === 'error').toBe(true)
    if (frame) events.push(...decoder.push(frame))
  })
  return [...events, ...decoder.end()]
}

function streamed(wire: WireName, { usage, ...answer }: Answer, pieces: number): ByteText {
  const encoder = codecs[wire].encoder(options)
  const parts = eventsOf({ ...answer, usage }, pieces).map((event) => encoder.write(event))
  if (!usage) throw new Error('an answer of the model has a usage')
  return parts.join('') + encoder.tail(usage)
}

/** Changes the parts of an answer that the wire cannot express, and returns everything else unchanged. */
function spelt(wire: WireName, given: Answer, isWhole: boolean): Answer {
  const answer = { ...given, blocks: given.blocks.map((block) => sealedBy(wire, block)) }
  if (wire === 'messages' || wire === 'generate') return withObjects(answer)
  if (wire === 'converse') return inConverse(answer)
  if (wire === 'cohere') return inCohere(answer, isWhole)
  // A response on the responses wire always states its service tier.
  if (wire === 'responses' && answer.usage)
    return { ...answer, blocks: merged(answer.blocks), usage: { ...answer.usage, serviceTier: 'default' } }
  // A chat message contains one reasoning text, one text and its tool calls, in this order.
  if (wire !== 'chat' || !isWhole) return { ...answer, blocks: merged(answer.blocks) }
  const kinds = ['reasoning', 'text', 'call']
  return {
    ...answer,
    blocks: merged(kinds.flatMap((kind) => answer.blocks.filter((block) => block.kind === kind))),
  }
}

/** For Converse, the decoder drops signatures, and the usage has one input count in addition to the cache counts. */
function inConverse({ blocks, usage, ...answer }: Answer): Answer {
  const kept = blocks.filter((block) => block.kind !== 'reasoning' || block.text !== '')
  if (!usage) throw new Error('an answer of the model has a usage')
  const { cacheRead, cacheWrite, cacheWriteLong, output } = usage
  const input = totalInput(usage) - cacheRead - cacheWrite - cacheWriteLong
  const counted = { ...zeroUsage, input, cacheRead, cacheWrite, cacheWriteLong, output }
  return withObjects({ ...answer, blocks: merged(kept), usage: counted })
}

/** The usage has a single input count. In a non-streaming response, the tool calls come last. */
function inCohere({ blocks, usage, ...answer }: Answer, isWhole: boolean): Answer {
  const kept = blocks.filter((block) => block.kind !== 'reasoning' || block.text !== '')
  const isCall = (block: Block): boolean => block.kind === 'call'
  const ordered = isWhole ? [...kept.filter((block) => !isCall(block)), ...kept.filter(isCall)] : kept
  if (!usage) throw new Error('an answer of the model has a usage')
  const { output, reasoning } = usage
  return {
    ...answer,
    blocks: merged(ordered),
    usage: { ...zeroUsage, input: totalInput(usage), output, reasoning },
  }
}

/**
 * Removes the parts of a signature that are lost when an answer is written and read on this wire. A signature of the
 * same wire has no origin, and the chat, converse and cohere wires have no signatures.
 */
function sealedBy(wire: WireName, block: Block): Block {
  if (block.kind !== 'reasoning' || block.seal === null) return block
  if (wire === 'chat' || wire === 'converse' || wire === 'cohere') return { ...block, seal: null }
  return block.seal.wire === wire ? { ...block, seal: { ...block.seal, origin: null } } : block
}

/** Ignores signatures on the chat wire, because the chat decoder generates its own signatures. */
function understood(wire: WireName, events: readonly NeutralEvent[]): Answer {
  const kept = wire === 'chat' ? events.filter(({ kind }) => kind !== 'signature') : events
  const read = answerOf(kept)
  const answer = { ...read, blocks: read.blocks.map((block) => sealedBy(wire, block)) }
  return wire === 'chat' || wire === 'responses' || wire === 'cohere' ? answer : withObjects(answer)
}

describe.each(wireNames)('an answer in %s', (wire) => {
  it('a converted stream contains the same answer, with signatures for clients that can send them back', () => {
    fc.assert(
      fc.property(answers, ({ answer, pieces }) => {
        const text = streamed(wire, answer, pieces)
        expect(understood(wire, decoded(wire, text))).toEqual(spelt(wire, answer, false))
        // Responses of Converse and of Cohere's chat name no model.
        if (wire !== 'converse' && wire !== 'cohere') expect(text).toContain('"the-alias"')
      }),
      { numRuns: 400 },
    )
  })

  it('a converted non-streaming response contains the same answer', () => {
    fc.assert(
      fc.property(answers, ({ answer, pieces }) => {
        const body = codecs[wire].encodeAnswer(eventsOf(answer, pieces), options)
        const events = codecs[wire].decodeAnswer(parseObject(printValue(body)) ?? {}, decoding)
        expect(understood(wire, events ?? [])).toEqual(spelt(wire, answer, true))
      }),
      { numRuns: 400 },
    )
  })

  it('without its last events, which `tail` writes, a converted stream is incomplete', () => {
    fc.assert(
      fc.property(answers, ({ answer, pieces }) => {
        const encoder = codecs[wire].encoder(options)
        const shown = eventsOf(answer, pieces).map((event) => encoder.write(event))
        const events = decoded(wire, shown.join(''))
        expect(events.filter(({ kind }) => kind === 'finish' || kind === 'error')).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it('if the spend limit ends a stream, clients report an error, whatever text precedes the end', () => {
    const error = {
      status: 402,
      code: 'spend_limit_exceeded',
      message: 'the limit is reached',
      param: null,
      details: {},
    }
    fc.assert(
      fc.property(answers, fc.nat(20), ({ answer, pieces }, cut) => {
        const encoder = codecs[wire].encoder(options)
        const before = eventsOf(answer, pieces)
          .filter(({ kind }) => kind !== 'finish')
          .slice(0, cut)
          .map((event) => encoder.write(event))
        const { usage } = answer
        if (!usage) throw new Error('an answer of the model has a usage')
        const text = before.join('') + encoder.spendTail(usage, error, 'req_1')
        const events = decoded(wire, text)
        expect(events.some(({ kind }) => kind === 'error')).toBe(true)
        // A truncated tool call must not look like a complete one (docs/reference/wires.md "Errors in a stream"). On
        // the chat wire, no event marks the end of a tool call.
        if (wire === 'chat') return
        const ended = events.filter(({ kind }) => kind === 'tool_call_end')
        const given = eventsOf(answer, pieces).slice(0, cut)
        expect(ended.length).toBeLessThanOrEqual(given.filter(({ kind }) => kind === 'tool_call_end').length)
      }),
      { numRuns: 200 },
    )
  })

  it('a character whose halves arrive in two pieces is converted correctly', () => {
    const halves: readonly NeutralEvent[] = [
      { kind: 'start', id: null },
      { kind: 'text', choice: 0, text: 'a\ud83d' },
      { kind: 'text', choice: 0, text: '\ude00b' },
      { kind: 'finish', choice: 0, reason: 'end', stopSequence: null },
    ]
    const encoder = codecs[wire].encoder(options)
    const shown = halves.map((event) => encoder.write(event)).join('')
    expect(answerOf(decoded(wire, shown)).blocks).toEqual([{ kind: 'text', text: 'a😀b' }])
  })

  it('numbers in tool arguments are converted exactly as the model wrote them', () => {
    const written = '{"big":9007199254740993,"e":1e400,"f":1.0}'
    const answer: Answer = {
      blocks: [{ kind: 'call', id: 'call_0', name: 'f', arguments: written }],
      finish: 'tool_calls',
      usage: null,
    }
    const body = codecs[wire].encodeAnswer(eventsOf(answer, 3), options)
    const events = codecs[wire].decodeAnswer(parseObject(printValue(body)) ?? {}, decoding) ?? []
    const [call] = answerOf(events).blocks
    expect(call?.kind === 'call' && printValue(parseValue(call.arguments))).toBe(written)
  })

  // A client of the responses wire can request thoughts, but cannot turn them off.
  it.skipIf(wire === 'responses')('a client that did not request thoughts receives none', () => {
    const hiding = { ...request, reasoning: { effort: null, budgetTokens: null, isShown: false } }
    const answer: Answer = {
      blocks: [
        { kind: 'reasoning', text: 'a secret thought', seal: null },
        { kind: 'text', text: 'said' },
      ],
      finish: 'end',
      usage: null,
    }
    const encoder = codecs[wire].encoder({ ...options, request: hiding })
    const shown = eventsOf(answer, 1).map((event) => encoder.write(event))
    expect(textOf(shown.join(''))).not.toContain('secret')
    const body = codecs[wire].encodeAnswer(eventsOf(answer, 1), { ...options, request: hiding })
    expect(printValue(body)).not.toContain('secret')
  })
})
