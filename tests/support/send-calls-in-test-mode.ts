import assert from 'node:assert/strict'
import type { PageWorld } from './start-page-tests.ts'

export interface TestCaller {
  readonly key: string
  readonly gateway: string
  /** @returns the ID of the call, `req_…`, once its response was read completely */
  readonly send: (prompt?: string, model?: string) => Promise<string>
}

export function testHeaders({ app }: PageWorld): Record<string, string> {
  return { 'x-svc-app': app, 'x-svc-mode': 'test' }
}

/** @param known a key of the end user; omit to create a key */
export async function testCaller(world: PageWorld, endUserId: string, known?: string): Promise<TestCaller> {
  const headers = testHeaders(world)
  const settings = await world.call('GET', '/v1/gateway', undefined, headers)
  assert.equal(settings.status, 200, settings.text)
  const gateway: string = settings.body.localGateway ?? settings.body.gateway
  const key = known ?? (await newKey(world, endUserId))
  return {
    key,
    gateway,
    async send(prompt = 'Hello', model = 'sample/fast') {
      const response = await fetch(`${gateway}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, max_tokens: 20, messages: [{ role: 'user', content: prompt }] }),
      })
      await response.text()
      return response.headers.get('x-request-id') ?? ''
    },
  }
}

async function newKey(world: PageWorld, endUserId: string): Promise<string> {
  const minted = await world.call('POST', '/v1/keys', { endUserId, livemode: false }, testHeaders(world))
  assert.equal(minted.status, 200, minted.text)
  return minted.body.key
}
