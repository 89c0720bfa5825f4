import { Mistral } from '@mistralai/mistralai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, upstreams, type World } from './start-application-with-upstreams.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

test.each(upstreams)(
  'Mistral’s client gets the usage at the end of a stream, and a choice in each chunk (%s)',
  async (upstream) => {
    const { key } = await world.app.newUser({ balanceMicros: 1_000_000n })
    const client = new Mistral({ apiKey: key, serverURL: world.app.gateway })
    const messages = [{ role: 'user' as const, content: 'Say hello.' }]
    const usages: object[] = []
    let text = ''
    for await (const { data } of await client.chat.stream({ model: `acme/${upstream}`, messages })) {
      // The examples of Mistral read the first choice without a check.
      const [choice] = data.choices
      if (!choice) throw new Error('a chunk without a choice')
      text += typeof choice.delta.content === 'string' ? choice.delta.content : ''
      if (data.usage) usages.push(data.usage)
    }
    expect(text).not.toBe('')
    expect(usages).toEqual([
      expect.objectContaining({ promptTokens: expect.any(Number), completionTokens: expect.any(Number) }),
    ])
  },
)

test('Mistral’s client lists the models, and finds one', async () => {
  const { key } = await world.app.newUser({ balanceMicros: 1_000_000n })
  const client = new Mistral({ apiKey: key, serverURL: world.app.gateway })
  const { data } = await client.models.list()
  expect(data).toContainEqual(expect.objectContaining({ id: 'acme/messages' }))
  expect(await client.models.retrieve({ modelId: 'acme/messages' })).toMatchObject({ id: 'acme/messages' })
})

test('other clients that do not request usage get no usage', async () => {
  const { key } = await world.app.newUser({ balanceMicros: 1_000_000n })
  const response = await fetch(`${world.app.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'acme/openai',
      stream: true,
      messages: [{ role: 'user', content: 'Say hello.' }],
    }),
  })
  expect(await response.text()).not.toContain('"usage"')
})
