/**
 * Tests broken data of providers and clients. The test changes, removes, duplicates and moves bytes of recorded and
 * simulated requests and responses of all wires. Each changed text goes through every parser of the gateway, is
 * forwarded, and is converted into every other wire. No step throws or takes 50 ms, and the charge for any reported
 * usage is between zero and the hold.
 */
import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import { expect, test } from 'vitest'
import { aHold, aLeg, aWallet } from '../fixtures/build-money-values.ts'
import { settle } from '#money/settle.ts'
import { isPlausible, zeroUsage, type Usage } from '#money/usage-counts.ts'
import { play } from '../fixtures/collect-simulated-actions.ts'
import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { prepareConversion, type Conversion } from '#convert/prepare-conversion.ts'
import { convertedAnswer } from '#convert/convert-non-streaming-response.ts'
import { ConvertedStream } from '#convert/converted-stream.ts'
import type { EncoderOptions } from '#convert/codec-interface.ts'
import { codecs } from '#convert/table-of-codecs.ts'
import { wires } from '#wire/table-of-wires.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { isFault, upstreamBody, type RequestFault, type WireRequest } from '#wire/wire-request.ts'
import { recordingsOf } from '../support/read-recordings.ts'
import { randomFrom, seedOfRun, type Random } from '../support/seeded-random.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 50_000)
const seed = seedOfRun()
/** Processor time does not depend on other work of the machine. */
const slowMs = 50

/** Longer bodies may take more than 50 ms, so they are not tested. */
const bytesMax = 20_000

const asked = {
  chat: {
    model: 'm',
    max_tokens: 500,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Grüße 👍 [[tokens=12 reasoning=4]]' }] },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
    stop: ['never'],
    svc: { outcome: 'o', outcome_id: 'r' },
  },
  messages: {
    model: 'm',
    max_tokens: 5000,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    thinking: { type: 'enabled', budget_tokens: 1024 },
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Grüße 👍 [[tokens=12 reasoning=4]]' }] }],
    tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
  },
  generate: {
    contents: [{ role: 'user', parts: [{ text: 'Grüße 👍 [[tokens=12 reasoning=4]]' }] }],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] }],
    generationConfig: { maxOutputTokens: 500, thinkingConfig: { includeThoughts: true } },
  },
  responses: {
    model: 'm',
    max_output_tokens: 500,
    instructions: 'Be brief.',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Grüße 👍 [[tokens=12 reasoning=4]]' }] }],
    reasoning: { summary: 'auto' },
    tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false }],
  },
  converse: {
    system: [{ text: 'Be brief.' }],
    messages: [{ role: 'user', content: [{ text: 'Grüße 👍 [[tokens=12 reasoning=4]]' }] }],
    inferenceConfig: { maxTokens: 500 },
    toolConfig: {
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object', properties: {} } } } }],
    },
  },
  cohere: {
    model: 'm',
    max_tokens: 500,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Grüße 👍 [[tokens=12 reasoning=4]]' }] },
    ],
    thinking: { type: 'enabled', token_budget: 100 },
    documents: [{ data: { title: 'A', text: 'x' } }],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
  },
} satisfies Record<WireName, object>

const path = { model: 'm', isStream: true, isJsonArray: false }

function parsed(wire: WireName, text: ByteText): WireRequest | RequestFault {
  return wires[wire].parseRequest(text, path)
}

function isInPath(wire: WireName): boolean {
  return wire === 'generate' || wire === 'converse'
}

function requestOn(wire: WireName): WireRequest {
  const stream = isInPath(wire) ? {} : { stream: true }
  const request = parsed(wire, byteTextOf(JSON.stringify({ ...asked[wire], ...stream })))
  if (isFault(request)) throw new Error(`${wire}: ${request.reason}`)
  return request
}

function conversionOf(request: WireRequest, to: WireName): Conversion {
  const conversion = prepareConversion(request, {
    wire: to,
    model: 'model',
    origin: 'origin',
    dialect: 'openai',
  })
  if (isFault(conversion)) throw new Error(`${request.wire} to ${to}: ${conversion.reason}`)
  return conversion
}

/** Recordings (if they exist), and simulated responses. */
function answersOf(wire: WireName, isStream: boolean): readonly ByteText[] {
  const recorded = recordingsOf(wire)
    .filter((recording) => recording.isStream === isStream && recording.bytes.length <= bytesMax)
    .map(({ bytes }) => bytes)
  const stream = isStream && !isInPath(wire) ? { stream: true } : {}
  const simulated = play(wire, { ...asked[wire], ...stream }, { isStream }).text
  return [...recorded, byteTextOf(simulated)]
}

const snippets = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\n\n',
  '\r\n',
  'null',
  '-1',
  '1e15',
  '0.5',
  '\\',
  '\\u',
  '\0',
  'é',
]

function mutated(bytes: ByteText, random: Random): ByteText {
  let out = bytes
  for (let edits = random.whole(1, 6); edits > 0 && out !== ''; edits--) {
    const at = random.whole(0, out.length - 1)
    const length = random.whole(0, random.pick([1, 4, 200]))
    const rest = out.slice(at + length)
    switch (random.whole(0, 4)) {
      case 0:
        out = out.slice(0, at) + byteTextOf(random.pick(snippets)) + rest
        break
      case 1:
        out = out.slice(0, at) + rest
        break
      case 2:
        out = out.slice(0, at) + out.slice(at, at + length) + out.slice(at)
        break
      case 3: {
        const to = random.whole(0, out.length)
        out = out.slice(0, to) + out.slice(at, at + length) + out.slice(to)
        break
      }
      default:
        out =
          out.slice(0, at) +
          out.slice(at).replace(/\d+/, random.pick(['0', '-3', '99999999999', '1.5', '"7"']))
    }
  }
  return out
}

function pieces(bytes: ByteText, random: Random): readonly ByteText[] {
  const out: ByteText[] = []
  const longest = random.pick([7, 100, 5000])
  for (let at = 0; at < bytes.length;) {
    const length = random.whole(1, longest)
    out.push(bytes.slice(at, at + length))
    at += length
  }
  return out
}

const error = { status: 402, code: 'spend_limit_exceeded', message: 'm', param: null, details: {} }

function playStream(stream: AnswerStream, bytes: ByteText, random: Random): Usage | null {
  for (const piece of pieces(bytes, random)) {
    stream.push(piece)
    if (stream.state !== 'open') break
  }
  if (stream.state === 'open') stream.end()
  const counted = { ...zeroUsage, input: 9, output: stream.outputTokens }
  expect(isPlausible(counted)).toBe(true)
  expect(stream.outputTokensSure).toBeLessThanOrEqual(stream.outputTokens)
  const usage = stream.usage ?? counted
  if (stream.state === 'done') stream.tail(usage)
  else if (random.chance(0.5)) stream.spendTail(usage, error, 'req_1')
  else stream.errorTail(error, 'req_1')
  return stream.usage
}

function chargeWithinHold(usage: Usage): void {
  const hold = aHold([aLeg('wallet', 1000n)])
  const { chargeMicros } = settle({ hold, usage, sources: [aWallet(5000n, { held: 1000n })], nowMs: 1 })
  expect(chargeMicros >= 0n && chargeMicros <= 1000n).toBe(true)
}

/** A compilation or a garbage collection slows down one attempt, but not three attempts with the same bytes. */
function inTime(work: () => void): number {
  let least = Infinity
  for (let tries = 0; tries < 3 && least > slowMs; tries++) {
    const before = process.threadCpuUsage()
    work()
    const { system, user } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

test(`${rounds} mutated requests, answers and streams pass every parser without an error (SEED=${seed})`, () => {
  const requests = new Map(wireNames.map((wire) => [wire, requestOn(wire)]))
  const streams = new Map(wireNames.map((wire) => [wire, answersOf(wire, true)]))
  const wholes = new Map(wireNames.map((wire) => [wire, answersOf(wire, false)]))
  const options = (conversion: Conversion, wire: WireName, random: Random): EncoderOptions =>
    encoderOptions({
      alias: 'm',
      request: conversion.request,
      isJsonArray: wire === 'generate' && random.chance(0.3),
    })
  const decoding = { origin: 'origin', callIdPrefix: 'call_' }
  const seen = { usages: 0, answers: 0, requests: 0 }

  for (let round = 0; round < rounds; round++) {
    // `work` may run several times on a busy machine. Each run starts a new random source with the same seed, so all
    // runs use the same test data.
    const random = randomFrom(seed + round)
    const client = random.pick(wireNames)
    const provider = random.pick(wireNames)
    const request = requests.get(client)
    if (request === undefined) throw new Error('no request')
    const kind = random.pick(['stream', 'stream', 'whole', 'request'] as const)
    const from = kind === 'stream' ? streams.get(provider) : wholes.get(provider)
    const bytes = kind === 'request' ? request.text : random.pick(from ?? [])
    const broken = mutated(bytes, random)
    const shown = (cause: unknown): Error =>
      new Error(`SEED=${seed}, round ${round}, ${kind} ${client} to ${provider}: ${JSON.stringify(broken)}`, {
        cause,
      })
    let usage: Usage | null = null
    const work = (): void => {
      const chance = randomFrom(seed - round - 1)
      if (kind === 'request') {
        const again = parsed(client, broken)
        if (isFault(again)) return
        seen.requests++
        upstreamBody(again, 'model', 10)
        const to = provider === client ? null : provider
        const conversion =
          to && prepareConversion(again, { wire: to, model: 'x', origin: 'o', dialect: 'compatible' })
        if (conversion && !isFault(conversion))
          conversion.body({ outputTokensMax: null, outputTokensDefault: 100 })
      } else if (provider === client) {
        if (kind === 'stream') usage = playStream(wires[client].openStream(request), broken, chance)
        else usage = wires[client].readAnswer(broken, request)?.usage ?? null
      } else {
        const conversion = conversionOf(request, provider)
        const encoding = options(conversion, client, chance)
        if (kind === 'stream') {
          const converted = new ConvertedStream(
            conversion.decoder(decoding),
            codecs[client].encoder(encoding),
            null,
            1,
          )
          usage = playStream(converted, broken, chance)
        } else {
          const body = parseObject(textOf(broken))
          const events = body && conversion.decodeAnswer(body, decoding)
          const encode = codecs[client].encodeAnswer
          usage = (events && convertedAnswer(events, (kept) => encode(kept, encoding), 9))?.usage ?? null
          if (events) seen.answers++
        }
      }
    }
    try {
      expect(inTime(work)).toBeLessThan(slowMs)
      if (usage !== null) {
        seen.usages++
        expect(isPlausible(usage)).toBe(true)
        chargeWithinHold(usage)
      }
    } catch (cause) {
      throw shown(cause)
    }
  }
  console.info(`SEED=${seed}: ${JSON.stringify(seen)}`)
  // If the first parser rejected all bodies, the later steps would not be tested.
  expect(seen.usages).toBeGreaterThan(rounds / 100)
  expect(seen.answers).toBeGreaterThan(rounds / 100)
  expect(seen.requests).toBeGreaterThan(rounds / 100)
})
