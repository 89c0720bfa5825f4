import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  answerOf,
  connectAccount,
  makeApplication,
  startServer,
  testKeyOf,
  upstreamKey,
  type Answer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let key: string

/** An input token costs one micro, an output token two, and an image token 40. */
const rates = { input: '1000000', output: '2000000', cacheWrite: '1000000', imageInput: '1000000' }
const price = { ...rates, imageOutput: '40000000' }
const drawing = { type: 'image_generation', size: '1024x1024', quality: 'low', partial_images: 1 }
/** The maximum tokens of an image of low quality, and of one partial image. */
const imageTokensMax = 408 + 100

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, kind: 'openai' }
  await connectAccount(app, 'gpt', { ...account, model: 'gpt-5', price })
  await connectAccount(app, 'unpriced', { ...account, model: 'gpt-5', price: rates })
  key = (await app.newUser({ balanceMicros: 10_000_000n })).key
})
beforeEach(() => app.provider.script({}))
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

async function respond(body: object, by = key): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'acme/gpt',
      input: 'Draw a dot.',
      max_output_tokens: 100,
      tools: [drawing],
      ...body,
    }),
  })
  return answerOf(response)
}

/** An image in base64, which is much longer than any text of the response. */
const result = Buffer.alloc(300_000, 7).toString('base64')
const image = {
  id: 'ig_1',
  type: 'image_generation_call',
  status: 'completed',
  size: '1024x1024',
  quality: 'low',
  result,
}
const usage = { input_tokens: 1_669, output_tokens: 5, total_tokens: 1_674 }
const responseOf = (fields: object) => ({
  id: 'resp_1',
  status: 'completed',
  model: 'gpt-5',
  output: [image],
  usage,
  ...fields,
})

function answers(fields: object): void {
  const body = JSON.stringify(responseOf(fields))
  app.provider.script({ status: 200, headers: { 'content-type': 'application/json' }, body })
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const explained = (answer: Answer): Promise<any> =>
  app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const sent = (): any => app.provider.calls.at(-1)?.body
const lostOf = (answer: Answer): string | null => answer.headers.get('x-svc-conversion-lost')

describe('images that OpenAI generates', () => {
  test('an image tool is sent, held for two images, and charged as reported', async () => {
    const image_gen = {
      input_tokens: 50,
      input_tokens_details: { image_tokens: 20, text_tokens: 30 },
      output_tokens: 300,
    }
    answers({ tool_usage: { image_gen, web_search: { num_requests: 0 } } })
    const answer = await respond({ tool_choice: { type: 'image_generation' } })
    expect([answer.status, lostOf(answer)]).toEqual([200, null])
    expect(sent()).toMatchObject({
      tools: [drawing],
      tool_choice: { type: 'image_generation' },
      max_tool_calls: 5,
    })
    const { quote, reserve, settle, usage: counted } = await explained(answer)
    expect(quote.tools).toMatchObject({ kinds: ['imageGeneration'], uses: 2, usesMax: 5 })
    expect(quote.uses).toEqual({ imageOutput: 2 * imageTokensMax })
    expect(Number(reserve.firstWorstMicros)).toBe(
      quote.textTokensMax + 2 * quote.tools.tokensPerUse + 2 * 40 * imageTokensMax + 200,
    )
    expect(counted).toMatchObject({ imageOutput: 300, imageInput: 20, output: 305 })
    expect(settle).toMatchObject({ chargeMicros: String(1_669 + 50 + 10 + 40 * 300), overHoldMicros: '0' })
  })

  test('an image without reported tokens is charged by its size and quality', async () => {
    answers({})
    const { settle, usage: counted } = await explained(await respond({}))
    expect(counted).toMatchObject({ imageOutput: 272, output: 277 })
    expect(settle).toMatchObject({ chargeMicros: String(1_669 + 10 + 40 * 272), overHoldMicros: '0' })
    answers({ output: [] })
    expect((await explained(await respond({}))).settle.chargeMicros).toBe('1679')
  })

  test('the data of a streamed image does not count as text, so the stream is not cut, and is charged exactly', async () => {
    const item = { ...image, status: 'in_progress', result: null }
    const frames = [
      { type: 'response.created', response: responseOf({ status: 'in_progress', output: [], usage: null }) },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.image_generation_call.in_progress', output_index: 0, item_id: 'ig_1' },
      { type: 'response.image_generation_call.partial_image', output_index: 0, partial_image_b64: result },
      { type: 'response.output_item.done', output_index: 0, item: image },
      { type: 'response.completed', response: responseOf({}) },
    ]
    app.provider.script({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: frames
        .map((frame, at) => `data: ${JSON.stringify({ ...frame, sequence_number: at })}\n\n`)
        .join(''),
      splitBytes: 60_000,
    })
    const answer = await respond({ stream: true })
    expect(answer.text).toContain('response.completed')
    const { settle } = await explained(answer)
    expect(settle).toMatchObject({ chargeMicros: String(1_669 + 10 + 40 * 272), overHoldMicros: '0' })
  })

  test('without a rate for images, the image tool is removed, and the error for a forced image tool names the missing rate', async () => {
    answers({ output: [] })
    const answer = await respond({ model: 'acme/unpriced' })
    expect([answer.status, lostOf(answer)]).toEqual([200, 'tools.image_generation'])
    const forced = await respond({ model: 'acme/unpriced', tool_choice: { type: 'image_generation' } })
    expect([forced.status, forced.body.error.message]).toEqual([400, expect.stringContaining('imageOutput')])
  })

  test('an application can limit the images of a request', async () => {
    answers({})
    await app.api('PATCH', '/v1/gateway', { providerTools: { imageGeneration: 1 } })
    await respond({})
    expect(sent().max_tool_calls).toBe(1)
    await app.api('PATCH', '/v1/gateway', { providerTools: 'bounded' })
  })

  test('an image quality that OpenAI does not publish is rejected', async () => {
    const answer = await respond({ tools: [{ ...drawing, quality: 'max' }] })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'quality'])
  })

  test('the simulator generates images in test mode', async () => {
    const answer = await respond({ input: '[[run=1 text=Done.]]' }, await testKeyOf(app))
    expect(answer.body.output.map(({ type }: { type: string }) => type)).toEqual([
      'image_generation_call',
      'message',
    ])
    expect(answer.body.tool_usage.image_gen.output_tokens).toBe(272)
  })
})
