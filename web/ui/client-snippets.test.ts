import { expect, test } from 'vitest'
import { clientSnippets, keyFile, snippetClients } from './client-snippets.ts'

const given = { gateway: 'http://acme.gateway.localhost:8080/', key: 'ak_abc_secret', model: 'chat/fast' }

test('each client gets the base URL that it expects', () => {
  const texts = Object.fromEntries(clientSnippets(given).map(({ client, text }) => [client, text]))
  expect(texts['OpenAI']).toContain(`baseURL: 'http://acme.gateway.localhost:8080/v1'`)
  expect(texts['Anthropic']).toContain(`baseURL: 'http://acme.gateway.localhost:8080'`)
  expect(texts['Gemini']).toContain(`httpOptions: { baseUrl: 'http://acme.gateway.localhost:8080' }`)
  expect(texts['Claude Code']).toBe(
    'export ANTHROPIC_BASE_URL=http://acme.gateway.localhost:8080\n' +
      'export ANTHROPIC_API_KEY=ak_abc_secret\nclaude --model chat/fast\n',
  )
})

test('every snippet contains the key, and every snippet that sends a request contains the model', () => {
  const snippets = clientSnippets(given)
  expect(snippets.map(({ client }) => client)).toEqual(snippetClients)
  for (const { client, text } of snippets) {
    expect(text).toContain(given.key)
    expect(text.includes(given.model)).toBe(client !== '.env')
  }
})

test('a model name with quotes and line breaks is one literal and one shell word', () => {
  const model = `it's \\ a\n"name"`
  const texts = clientSnippets({ ...given, model })
  const call = texts.find(({ client }) => client === 'OpenAI')?.text ?? ''
  expect(call).toContain(String.raw`model: 'it\'s \\ a\n"name"',`)
  expect(texts.find(({ client }) => client === 'Claude Code')?.text).toContain(
    `--model 'it'\\''s \\ a\n"name"'\n`,
  )
})

test('the environment file has one line per variable, without quotes', () => {
  const lines = keyFile(given).trimEnd().split('\n')
  expect(lines).toHaveLength(6)
  for (const line of lines) expect(line).toMatch(/^[A-Z_]+=[^\s'"]+$/)
  expect(lines[0]).toBe('OPENAI_BASE_URL=http://acme.gateway.localhost:8080/v1')
})
