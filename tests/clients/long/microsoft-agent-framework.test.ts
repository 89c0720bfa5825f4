/**
 * The tests use the framework's default client, which calls the responses wire. The client sends no `store` field,
 * and continues each response by its ID, after a tool call and at each turn.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pythonEnvironment } from '../../../tools/python/virtual-environment.ts'
import { connectAccount, run, type User } from '../../support/start-product.ts'
import { startWorld, upstreams, type UpstreamName, type World } from '../start-application-with-upstreams.ts'

const environment = await pythonEnvironment('python3', ['agents'])

/** Each token costs one micro, so the charge of an end user is the number of their tokens. */
const price = {
  input: '1000000',
  output: '1000000',
  cacheRead: '1000000',
  cacheWrite: '1000000',
  cacheWriteLong: '1000000',
}
const turns = ['[[tool=get_weather {"location":"Rome"}]]', '[[text=And tomorrow?]]']

interface Turn {
  readonly text?: string
  readonly tokens?: number
  readonly error?: string
}

describe.skipIf(environment === null)("Microsoft's Agent Framework", () => {
  let world: World
  let user: User
  beforeAll(async () => {
    world = await startWorld()
    user = await world.app.newUser({ balanceMicros: 10_000_000n })
    const { apiKey, baseUrls } = world.vendor
    const account = { kind: 'openai', baseUrl: baseUrls.openai, apiKey, model: 'gpt-5.4', price }
    await connectAccount(world.app, 'stores', account)
  })
  afterAll(() => world.close())

  async function converse(
    upstream: UpstreamName | 'stores',
    settings: object,
  ): Promise<{ turns: Turn[]; ran: string[] }> {
    const program = join(import.meta.dirname, '../agent-framework/turns.py')
    const options = [`acme/${upstream}`, JSON.stringify(settings), ...turns]
    const args = [program, `${world.app.gateway}/v1`, user.key, ...options]
    const { code, stderr, stdout } = await run(environment?.python ?? '', args, environment?.variables ?? {})
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout)
  }

  it('the agent continues stored responses with its default settings, and is charged exactly its own tokens', async () => {
    const before = (await user.balance()).balanceMicros
    const asked = world.vendor.calls.length
    const heard = await converse('stores', {})
    expect(heard.ran).toEqual(['Rome', 'Rome'])
    expect(heard.turns.map(({ error, text }) => error ?? (text ?? '').length > 0)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect([heard.turns[1]?.text, heard.turns[3]?.text]).toEqual(['And tomorrow?', 'And tomorrow?'])
    const tokens = heard.turns.reduce((sum, turn) => sum + (turn.tokens ?? NaN), 0)
    expect(before - (await user.balance()).balanceMicros).toBe(BigInt(tokens))
    // Two turns are non-streaming and two are streamed. In each pair, the first turn calls a tool.
    const calls = world.vendor.calls.slice(asked).filter(({ path }) => path === '/v1/responses')
    expect(calls.map(({ body }) => body['previous_response_id'] !== undefined)).toEqual([
      false,
      ...Array.from({ length: 5 }, () => true),
    ])
    expect(calls.map(({ body }) => 'store' in body)).not.toContain(true)
    expect((await user.balance()).reservedMicros).toBe(0n)
  })

  it.each(upstreams.filter((name) => name !== 'openai'))(
    'with store: false, the agent calls tools through an account of the wire %s, which stores nothing',
    async (upstream) => {
      const heard = await converse(upstream, { store: false })
      expect(heard.ran).toEqual(['Rome', 'Rome'])
      expect(heard.turns.map(({ error, text }) => error ?? (text ?? '').length > 0)).toEqual([
        true,
        true,
        true,
        true,
      ])
      const [failed, ...more] = (await converse(upstream, {})).turns
      expect(more).toEqual([])
      expect(failed?.error).toContain('Set store to false in the client')
    },
  )
})
