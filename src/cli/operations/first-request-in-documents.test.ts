import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { requestCode } from '#sdk/client-snippets.ts'
import { clientsFor } from '#sdk/clients.ts'
import { requestOf, type OperationRequest } from '#tests/support/send-operations-by-id.ts'
import { firstRequest, type Choices } from './recipe-of-first-request.ts'

const choices: Choices = {
  application: { slug: 'acme', name: 'Acme' },
  provider: {
    label: 'main',
    kind: 'openai_compatible',
    baseUrl: 'https://api.example.com/v1',
    apiKey: '...',
  },
  models: [{ name: 'acme/fast', upstream: 'their-model', price: { input: '150000', output: '600000' } }],
  bundles: [{ slug: 'starter', displayName: 'Starter', allow: ['acme/*'] }],
  endUsers: [{ key: { endUserId: 'ada' }, credit: { amountUnits: '1000000', reason: 'Hello' } }],
}
const recipe = firstRequest(choices).map(({ input, operation }) => requestOf(operation, input))

function text(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
}

function requestsIn(lines: string, values: Readonly<Record<string, string>>): OperationRequest[] {
  return [...lines.matchAll(/-X (\w+)\s+\$B(\S+).*? -d '(\{.*\})'/g)].map(
    ([, method = '', path = '', body = '']) => ({
      method,
      path: `/v1${path}`,
      body: JSON.parse(body.replaceAll(/'\$(\w+)'/g, (_, name: string) => values[name] ?? '')),
    }),
  )
}

it('the guide to a first request contains the same operations as the command line, in the same order', () => {
  const values = {
    PROVIDER_URL: 'https://api.example.com/v1',
    PROVIDER_KEY: '...',
    MODEL: 'their-model',
  }
  expect(requestsIn(text('docs/guides/first-call.md'), values)).toEqual(recipe)
})

it('the README contains the same operations, except operations for resources that the first start creates', () => {
  const exists = ['/v1/apps/acme', '/v1/bundles/starter']
  expect(requestsIn(text('README.md'), {})).toEqual(recipe.filter(({ path }) => !exists.includes(path)))
})

it('the README and the guide about clients contain the code and the base URLs that the SDK generates', () => {
  const gateway = 'http://127.0.0.1:8101'
  const asked = { wire: 'chat', model: 'my-app/fast', prompt: 'Hello', isStreamed: true } as const
  expect(text('README.md')).toContain(
    `\`\`\`ts\n${requestCode('typescript', asked, { gateway, key: 'ak_...' })}\`\`\``,
  )
  const { anthropic, genai, openai } = clientsFor(gateway, '')
  const urls = [...text('docs/guides/clients.md').matchAll(/^\| ([^|]+?) +\| `(http[^`]+)` /gm)]
  expect(urls.map(([, client, url]) => [/\w+/.exec(client ?? '')?.[0], url])).toEqual([
    ['OpenAI', openai.baseURL],
    ['Mistral', gateway],
    ['Anthropic', anthropic.baseURL],
    // Claude Code in its mode for Bedrock, and in its mode for Vertex AI, in which its paths lack `/v1`.
    ['Claude', gateway],
    ['Claude', `${gateway}/v1`],
    ['Google', genai.httpOptions.baseUrl],
    ['Codex', openai.baseURL],
    ['Gemini', genai.httpOptions.baseUrl],
    ['AWS', genai.httpOptions.baseUrl],
    ['Cohere', gateway],
  ])
})
