/**
 * Tests Google's official client in the mode for Vertex AI, with an API key (express mode). The client sends the paths
 * of Vertex AI to the gateway.
 */
import { GoogleGenAI } from '@google/genai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  makeApplication,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let google: GoogleGenAI

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const apiKey = await testKeyOf(app)
  google = new GoogleGenAI({ vertexai: true, apiKey, httpOptions: { baseUrl: app.gateway } })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

test('the first part of a model name with a slash is sent as the publisher', async () => {
  expect(app.model).toContain('/')
  const contents = '[[text=Hi-there]]'
  const answer = await google.models.generateContent({ model: app.model, contents })
  expect(answer.text).toBe('Hi-there')
  let streamed = ''
  for await (const { text } of await google.models.generateContentStream({ model: app.model, contents }))
    streamed += text ?? ''
  expect(streamed).toBe('Hi-there')
  expect((await google.models.countTokens({ model: app.model, contents })).totalTokens).toBeGreaterThan(0)
})
