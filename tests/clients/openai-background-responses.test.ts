/** In live mode, OpenAI's account serves the responses, and in test mode the simulator. */
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, settledBalance, testKeyOf, type User } from '../support/start-product.ts'
import { startWorld, type World } from './start-application-with-upstreams.ts'

const model = 'acme/openai'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

describe.each(['live', 'test'])('background responses in %s mode', (mode) => {
  let client: OpenAI
  let user: User
  let credit: bigint

  beforeAll(async () => {
    credit = 1_000_000_000n
    user = await world.app.newUser({ balanceMicros: credit })
    const apiKey = mode === 'live' ? user.key : await testKeyOf(world.app)
    client = new OpenAI({ apiKey, baseURL: `${world.app.gateway}/v1`, maxRetries: 0 })
  })

  /** Checks nothing in test mode. */
  async function expectSettled(): Promise<void> {
    if (mode === 'test') return
    const records = await user.requests()
    const charged = records.reduce((sum, { chargeMicros }) => sum + BigInt(chargeMicros), 0n)
    expect(records.every(({ status }) => status === 'settled')).toBe(true)
    expect(credit - (await settledBalance(user))).toBe(charged)
  }

  test('the client polls until a response is completed, and then continues the conversation', async () => {
    const input = '[[delay=10ms text=The answer]]'
    let response = await client.responses.create({ model, input, background: true })
    expect(response).toMatchObject({ background: true, model, output: [] })
    expect(['queued', 'in_progress']).toContain(response.status)
    response = await eventually(async () => {
      const read = await client.responses.retrieve(response.id)
      expect(read.status).toBe('completed')
      return read
    })
    expect(response.output_text).toBe('The answer')
    const next = await client.responses.create({ model, input: 'And?', previous_response_id: response.id })
    expect(next).toMatchObject({ status: 'completed', previous_response_id: response.id })
    await expectSettled()
  })

  test('the client cancels a response, and deletes it', async () => {
    const response = await client.responses.create({ model, input: '[[hang]]', background: true })
    expect(await client.responses.cancel(response.id)).toMatchObject({ id: response.id, status: 'cancelled' })
    expect(await client.responses.retrieve(response.id)).toMatchObject({ status: 'cancelled' })
    const items = await client.responses.inputItems.list(response.id)
    expect(items.data).toHaveLength(1)
    await client.responses.delete(response.id)
    await expect(client.responses.retrieve(response.id)).rejects.toThrow(OpenAI.NotFoundError)
    await expectSettled()
  })

  test('the client resumes a stream after each of its events', async () => {
    const whole: string[] = []
    let id = ''
    const body = { model, input: '[[tokens=8]]', background: true, stream: true } as const
    for await (const event of await client.responses.create(body)) {
      whole.push(event.type)
      if (event.type === 'response.created') id = event.response.id
    }
    expect(whole.at(-1)).toBe('response.completed')
    for (let last = 0; last < whole.length - 1; last++) {
      const rest: string[] = []
      // oxlint-disable-next-line no-await-in-loop -- one stream after the other
      const events = await client.responses.retrieve(id, { stream: true, starting_after: last })
      // oxlint-disable-next-line no-await-in-loop -- as above
      for await (const event of events) {
        expect(event.sequence_number).toBe(last + 1 + rest.length)
        rest.push(event.type)
        if ('response' in event) expect(event.response.id).toBe(id)
      }
      expect(rest).toEqual(whole.slice(last + 1))
    }
    await expectSettled()
  })
})
