import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { startFakeProvider, type FakeProvider, type Script } from './fake-provider.ts'

const started: FakeProvider[] = []
afterEach(async () => {
  for (const provider of started.splice(0)) await provider.close()
})

async function start(script?: Script): Promise<FakeProvider> {
  const provider = await startFakeProvider(script)
  started.push(provider)
  return provider
}

function post(provider: FakeProvider, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(`${provider.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: signal ?? null,
  })
}

function framesOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)))
}

const stream = { model: 'm', stream: true, stream_options: { include_usage: true } }

test('a plain call is answered in full, with usage, and recorded', async () => {
  const provider = await start()
  const response = await post(provider, { model: 'm', messages: [] })
  expect(await response.json()).toMatchObject({
    model: 'm',
    usage: { prompt_tokens: 10, completion_tokens: 3 },
  })
  const call = await provider.nextCall()
  expect(call).toMatchObject({ method: 'POST', path: '/v1/chat/completions', body: { model: 'm' } })
  await call.done
  expect(provider.closedConnections).toBe(0)
})

test('a stream ends with a usage chunk and [DONE]', async () => {
  const provider = await start({ chunks: 2 })
  const text = await (await post(provider, stream)).text()
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  const frames = framesOf(text)
  expect(frames).toHaveLength(5)
  expect(frames[0]).toMatchObject({ usage: null, choices: [{ delta: { role: 'assistant' } }] })
  expect(frames[4]).toMatchObject({ choices: [], usage: { completion_tokens: 2 } })
})

test('each queued behavior is used for one request, before the script is used', async () => {
  const provider = await start((_, index) => ({ status: 500 + index }))
  provider.enqueue({ status: 429, headers: { 'retry-after': '7' } }, { redirect: 'http://127.0.0.1:1/' })
  const first = await post(provider, {})
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7'])
  expect((await post(provider, {})).status).toBe(307)
  expect((await post(provider, {})).status).toBe(502)
})

test.each(['headers', 'body', 'mid', 'before-usage'] as const)(
  'a call that hangs at %s continues after release',
  async (hang) => {
    const provider = await start({ hang })
    const answered = post(provider, stream).then((response) => response.text())
    await provider.nextCall()
    const early = await Promise.race([
      answered.then(() => 'answered'),
      new Promise((r) => setTimeout(r, 20, 'hung')),
    ])
    expect(early).toBe('hung')
    provider.release()
    expect(framesOf(await answered)).toHaveLength(6)
  },
)

test('the record of a call shows that its client disconnected', async () => {
  const provider = await start({ isEndless: true })
  const abort = new AbortController()
  const response = await post(provider, stream, abort.signal)
  const call = await provider.nextCall()
  await response.body?.getReader().read()
  abort.abort()
  await call.cut
  expect(provider.closedConnections).toBe(1)
})

test('an interrupted response delivers its beginning and then fails', async () => {
  const provider = await start({ chunks: 5, cutAfterChunks: 2 })
  // The test uses node:http, because `fetch` drops its buffer when the connection breaks.
  const sent = request(`${provider.baseUrl}/chat/completions`, { method: 'POST' })
  sent.end(JSON.stringify(stream))
  const [response]: IncomingMessage[] = await once(sent, 'response')
  let text = ''
  response?.on('data', (piece) => (text += String(piece)))
  const [error]: Error[] = await once(response ?? sent, 'error').catch((thrown: Error) => [thrown])
  expect(error?.message).toBe('aborted')
  expect(framesOf(text)).toHaveLength(3)
})

test('usage can be sent in the middle, repeatedly, with a wrong value or not at all', async () => {
  const provider = await start()
  provider.enqueue(
    { usageAt: 'middle' },
    { usageAt: 'repeated' },
    { usage: { prompt_tokens: -1 } },
    { usage: null },
  )
  const usages = async () =>
    framesOf(await (await post(provider, stream)).text()).map((frame) => Object(frame).usage ?? null)
  const usage = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 }
  expect(await usages()).toEqual([null, null, usage, null, null, null])
  expect(await usages()).toEqual([usage, usage, usage, usage, usage, usage])
  expect((await usages()).at(-1)).toEqual({ prompt_tokens: -1 })
  expect(await usages()).toEqual([null, null, null, null, null])
})

test('bytes split one by one, a broken frame and a missing end arrive as scripted', async () => {
  const provider = await start()
  provider.enqueue({ splitBytes: 1 }, { brokenFrame: '{"x":', isDoneMissing: true })
  expect(framesOf(await (await post(provider, stream)).text())).toHaveLength(6)
  const text = await (await post(provider, stream)).text()
  expect(text).toContain('data: {"x":\n\n')
  expect(text).not.toContain('[DONE]')
})

test('an HTML page, a reset and an invalid JSON body arrive as scripted', async () => {
  const provider = await start()
  provider.enqueue(
    { body: '<html></html>', contentType: 'text/html' },
    { isReset: true },
    { usage: 'many', model: 'other' },
  )
  const page = await post(provider, stream)
  expect([page.headers.get('content-type'), await page.text()]).toEqual(['text/html', '<html></html>'])
  await expect(post(provider, {})).rejects.toThrow('fetch failed')
  expect(await (await post(provider, {})).json()).toMatchObject({ usage: 'many', model: 'other' })
})
