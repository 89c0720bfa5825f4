/**
 * LlamaIndex indexes documents, and answers questions about them over several turns, at a server of OpenAI's format.
 */
import { OpenAI, OpenAIEmbedding } from '@llamaindex/openai'
import { ContextChatEngine, Document, Settings, VectorStoreIndex } from 'llamaindex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import type { Behaviour, FakeCall } from '../support/fake-provider.ts'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  upstreamKey,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application

const credit = 100_000_000n
const chatRates = { input: 2_000_003n, output: 5_000_007n }
const embeddingRates = { input: 130_001n, output: 0n }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { kind: 'openai_compatible', baseUrl: app.provider.baseUrl, apiKey: upstreamKey }
  const price = { input: String(chatRates.input), output: String(chatRates.output) }
  await connectAccount(app, 'chat', { ...account, model: 'chat-model', price })
  await connectAccount(app, 'embedding', {
    ...account,
    model: 'embedding-model',
    price: { input: String(embeddingRates.input), output: '0' },
  })
  app.provider.script(upstream)
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

/** Each cost is computed from the tokens that the upstream reported. */
const costs: bigint[] = []

const animals = ['badger', 'heron', 'otter']

/**
 * The upstream counts each word of a request as a token, and adds 7 tokens. The vector of a text counts the names of
 * animals in the text.
 */
function upstream({ body, path }: FakeCall): Behaviour {
  const given: unknown = path.endsWith('/embeddings') ? body?.['input'] : body?.messages
  const input = JSON.stringify(given).split(/\s+/).length + 7
  if (path.endsWith('/embeddings')) {
    costs.push(costMicros(embeddingRates, { input, output: 0 }))
    const data = [given].flat().map((text, index) => {
      const vector = animals.map((animal) => String(text).split(animal).length - 1 + 0.01)
      const isBase64 = body?.['encoding_format'] === 'base64'
      const embedding = isBase64 ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector
      return { object: 'embedding', index, embedding }
    })
    const usage = { prompt_tokens: input, total_tokens: input }
    return { body: { object: 'list', data, model: body?.model, usage } }
  }
  const chunks = ['It', ' eats', ' fish', '.']
  costs.push(costMicros(chatRates, { input, output: chunks.length }))
  const usage = {
    prompt_tokens: input,
    completion_tokens: chunks.length,
    total_tokens: input + chunks.length,
  }
  return { chunks, usage }
}

const documents = [
  'A badger digs its sett in dry woods.',
  'A heron stands in shallow water and waits.',
  'An otter swims at night and eats fish.',
]

test.each([false, true])(
  'the nearest document is retrieved and sent with each question of a chat, and each request is charged (streamed: %s)',
  async (isStream) => {
    const user = await app.newUser({ balanceMicros: credit })
    const first = costs.length
    const shared = { apiKey: user.key, baseURL: `${app.gateway}/v1`, maxRetries: 0 }
    Settings.embedModel = new OpenAIEmbedding({ ...shared, model: 'acme/embedding' })
    Settings.llm = new OpenAI({ ...shared, model: 'acme/chat' })
    const index = await VectorStoreIndex.fromDocuments(documents.map((text) => new Document({ text })))
    const retriever = index.asRetriever({ similarityTopK: 1 })
    const chat = new ContextChatEngine({ retriever })
    for (const [turn, animal] of ['otter', 'badger', 'heron'].entries()) {
      const message = `What does the ${animal} do?`
      // oxlint-disable-next-line no-await-in-loop -- each turn continues the chat
      const answer = await (isStream ? streamed(chat, message) : chat.chat({ message }).then(String))
      expect(answer).toBe('It eats fish.')
      const messages = app.provider.calls.at(-1)?.body?.messages ?? []
      expect(JSON.stringify(messages)).toContain(documents.find((text) => text.includes(animal)))
      // The request contains the system prompt with the document, the earlier questions and answers, and the new
      // question.
      expect(messages).toHaveLength(1 + 2 * turn + 1)
    }
    const charged = costs.slice(first)
    expect(charged.length).toBeGreaterThanOrEqual(1 + 3 + 3)
    const rows = (await user.requests()).toReversed()
    expect(rows.map(({ chargeMicros }) => BigInt(chargeMicros))).toEqual(charged)
    expect(await settledBalance(user)).toBe(credit - charged.reduce((sum, one) => sum + one))
  },
)

async function streamed(chat: ContextChatEngine, message: string): Promise<string> {
  let text = ''
  for await (const { delta } of await chat.chat({ message, stream: true })) text += delta
  return text
}
