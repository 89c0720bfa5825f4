import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Tollgate, type ClientsFor } from '../../sdk/typescript/src/index.ts'
import { makeApplication, startServer, type Application, type LocalServer } from '../support/start-product.ts'

const said = 'Hello, newcomer'
const content = `[[text=${said}]]`

let server: LocalServer
let app: Application
let client: Tollgate
let key: string

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const { baseUrl, token } = server
  client = new Tollgate({ baseUrl, token, app: app.slug, mode: 'test' })
  ;({ key } = await client.keys.mint({ endUserId: 'newcomer' }))
  await client.grants.issue({ endUsers: ['newcomer'], amountUnits: '1000000', reason: 'welcome' })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

async function answerOf(options: ClientsFor, name: string): Promise<string | null | undefined> {
  const { model } = app
  const messages = [{ role: 'user' as const, content }]
  switch (name) {
    case 'openai chat': {
      const { choices } = await new OpenAI(options.openai).chat.completions.create({ model, messages })
      return choices[0]?.message.content
    }
    case 'openai responses':
      return (await new OpenAI(options.openai).responses.create({ model, input: content })).output_text
    case 'anthropic': {
      const anthropic = new Anthropic(options.anthropic)
      const answer = await anthropic.messages.create({ model, max_tokens: 100, messages })
      return answer.content[0]?.type === 'text' ? answer.content[0].text : null
    }
    default: {
      const genai = new GoogleGenAI(options.genai)
      return (await genai.models.generateContent({ model, contents: content })).text
    }
  }
}

describe.each(['openai chat', 'openai responses', 'anthropic', 'google genai'])('%s', (name) => {
  test('the official client gets a response from the gateway of its application', async () => {
    expect(await answerOf(await client.clientFor(key), name)).toBe(said)
  })
})

test('`clientFor` returns the settings of the application that the caller names, or else of the active application', async () => {
  const { baseUrl, token } = server
  const other = await client.apps.create({ slug: 'other', name: 'Other' })
  const { openai } = await client.clientFor(key, { app: 'other' })
  expect(openai.baseURL).toBe(`${other.localGateway}/v1`)
  await client.apps.use({ slug: 'other' })
  const unnamed = new Tollgate({ baseUrl, token })
  expect((await unnamed.clientFor(key)).anthropic.baseURL).toBe(other.localGateway)
})
