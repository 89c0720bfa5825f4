import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI, { APIError } from 'openai'
import { expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { ResponsesEncoder } from './answer-encoder.ts'
import { ResponsesFrameReader } from '#wire/responses/frame-reader.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

/** The stream helper of the official client checks that the events are consistent. */
async function helped(bytes: ByteText): Promise<OpenAI.Responses.Response> {
  return await served(bytes, (client) => client.responses.stream({ model: 'm', input: 'x' }).finalResponse())
}

/** Reads the events as they arrive, without the stream helper of the official client. */
async function listened(bytes: ByteText): Promise<string[]> {
  const types: string[] = []
  await served(bytes, async (client) => {
    for await (const event of await client.responses.create({ model: 'm', input: 'x', stream: true }))
      types.push(event.type)
  }).catch((error: unknown) => {
    types.push(error instanceof APIError ? `thrown ${String(error.code)}` : String(error))
  })
  return types
}

async function served<T>(bytes: ByteText, use: (client: OpenAI) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(bytes, 'latin1')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    // The cast is safe, because a server that listens on a port has an address of this type.
    const { port } = server.address() as AddressInfo
    return await use(new OpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 }))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const request = aRequest({
  isStream: true,
  wantsUsage: true,
})
const usage = { ...zeroUsage, input: 9, output: 3 }
const spend = {
  status: 402,
  code: 'spend_limit_exceeded',
  message: 'Spent.',
  param: null,
  reason: 'reservation exhausted mid-stream',
  details: { limit: '5' },
}
const choice = 0
const signature = { wire: 'messages', origin: 'a', kind: 'signature', data: 's', id: null } as const
const events: readonly NeutralEvent[] = [
  { kind: 'start', id: 'x' },
  { kind: 'reasoning', choice, text: 'Let me ' },
  { kind: 'reasoning', choice, text: 'think 世界.' },
  { kind: 'signature', choice, signature },
  { kind: 'text', choice, text: 'Two ' },
  { kind: 'text', choice, text: 'calls.' },
  { kind: 'logprobs', choice, tokens: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }] },
  { kind: 'citation', choice, citation: { url: 'https://x', title: 'X', start: 0, end: 3 } },
  { kind: 'refusal', choice, text: 'But no.' },
  { kind: 'tool_call', choice, slot: 0, id: 'call_a', name: 'f', isCustom: false },
  { kind: 'tool_call', choice, slot: 1, id: 'call_b', name: 'g', isCustom: true },
  { kind: 'arguments', choice, slot: 1, text: 'free' },
  { kind: 'arguments', choice, slot: 0, text: '{"a":' },
  { kind: 'text', choice, text: 'Between.' },
  { kind: 'arguments', choice, slot: 0, text: '1}' },
  { kind: 'tool_call_end', choice, slot: 0 },
  { kind: 'tool_call_end', choice, slot: 1 },
]

function encoder(written: readonly NeutralEvent[]): { encoder: ResponsesEncoder; body: ByteText } {
  const one = new ResponsesEncoder(
    encoderOptions({
      alias: 'acme/fast',
      request,
    }),
  )
  return { encoder: one, body: written.reduce((out, event) => out + one.write(event), '') }
}

function whole(reason: Extract<NeutralEvent, { kind: 'finish' }>['reason']): ByteText {
  const { encoder: one, body } = encoder([...events, { kind: 'finish', choice, reason, stopSequence: null }])
  return body + one.tail(usage)
}

it('the official client’s helper accepts all events of an answer from another wire', async () => {
  const response = await helped(whole('tool_calls'))
  expect(response).toMatchObject({
    status: 'completed',
    completed_at: 1_800_000_002,
    temperature: 1,
    service_tier: 'default',
    model: 'acme/fast',
    output_text: 'Two calls.Between.',
    usage: { input_tokens: 9, output_tokens: 3, total_tokens: 12 },
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me think 世界.' }] },
      {
        type: 'message',
        content: [
          { type: 'output_text', text: 'Two calls.', annotations: [{ url: 'https://x' }] },
          { type: 'refusal', refusal: 'But no.' },
        ],
      },
      { type: 'function_call', call_id: 'call_a', arguments: '{"a":1}' },
      { type: 'custom_tool_call', call_id: 'call_b', input: 'free' },
      { type: 'message', content: [{ type: 'output_text', text: 'Between.' }] },
    ],
  })
})

it('if the output maximum truncated an answer, the official client’s helper returns it as incomplete', async () => {
  expect(await helped(whole('max_output'))).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  })
})

it.each([
  ['before anything was written', 0],
  ['while it reasons', 3],
  ['in a text', 6],
  ['in two calls', 13],
])(
  'the official client throws with the error code if the spend limit interrupts a converted answer (%s)',
  async (_, count) => {
    const { encoder: one, body } = encoder(events.slice(0, count))
    const bytes = body + one.spendTail(usage, spend, 'req_1')
    await expect(helped(bytes)).rejects.toMatchObject({ code: 'spend_limit_exceeded' })
    expect((await listened(bytes)).slice(-2)).toEqual(['response.failed', 'thrown spend_limit_exceeded'])
  },
)

it.each([
  ['in a text', 6],
  ['in two calls', 13],
])(
  'the official client throws with the error code if the spend limit interrupts an unconverted answer (%s)',
  async (_, count) => {
    const provider = encoder(events.slice(0, count)).body
    const stream = new PassThroughStream(new ResponsesFrameReader('acme/faster'))
    const bytes = stream.push(provider) + stream.spendTail(usage, spend, 'req_1')
    await expect(helped(bytes)).rejects.toMatchObject({ code: 'spend_limit_exceeded' })
    expect((await listened(bytes)).slice(-2)).toEqual(['response.failed', 'thrown spend_limit_exceeded'])
  },
)

it('the official client throws with the error code if an answer fails after its beginning', async () => {
  const { encoder: one, body } = encoder(events.slice(0, 6))
  const failure = { ...spend, status: 502, code: 'upstream_truncated' }
  await expect(helped(body + one.errorTail(failure, 'req_1'))).rejects.toMatchObject({
    code: 'upstream_truncated',
  })
})

it('the official client’s helper throws if an item does not end, which shows that the helper is strict enough for these tests', async () => {
  const { body } = encoder(events.slice(0, 6))
  const end = `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', sequence_number: 99, response: { id: 'resp_abc', output: [] } })}\n\n`
  await expect(helped(body + byteTextOf(end))).rejects.toThrow('unfinished')
})
