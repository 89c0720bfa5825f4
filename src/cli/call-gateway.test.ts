import { expect, it } from 'vitest'
import { gatewayCall } from './call-gateway.ts'

const call = {
  gateway: 'http://gateway.test',
  key: 'ak_x',
  model: 'acme/fast',
  prompt: 'Hello',
  maxTokens: 8,
}

it('Ctrl-C interrupts the request, even while the response arrives', async () => {
  const leaving = new AbortController()
  const { signal } = leaving
  const fetch: typeof globalThis.fetch = async (_, init) =>
    new Response(
      new ReadableStream({
        start(controller) {
          init?.signal?.addEventListener('abort', () => controller.error(signal.reason))
          controller.enqueue(new TextEncoder().encode('{"choices":'))
          leaving.abort()
        },
      }),
    )
  const refusal = { name: 'CommandError', message: 'Interrupted.', exitCode: 130 }
  await expect(gatewayCall(call, { fetch, signal })).rejects.toMatchObject(refusal)
})

it('if a gateway returns no response, the error names the gateway', async () => {
  const fetch = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'))
  const { signal } = new AbortController()
  await expect(gatewayCall(call, { fetch, signal })).rejects.toMatchObject({
    name: 'CommandError',
    message: 'The gateway at http://gateway.test did not return a complete response.',
    exitCode: 8,
  })
})
