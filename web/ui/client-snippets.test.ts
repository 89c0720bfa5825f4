import { expect, test } from 'vitest'
import { clientSnippets, keyFile, snippetClients } from './client-snippets.ts'

const given = { gateway: 'http://acme.gateway.localhost:8080/', key: 'ak_abc_secret', model: 'chat/fast' }

test('each client gets the address at which it looks for the wire that it speaks', () => {
  const texts = Object.fromEntries(clientSnippets(given).map(({ client, text }) => [client, text]))
  expect(texts['OpenAI']).toContain(`baseURL: 'http://acme.gateway.localhost:8080/v1'`)
  expect(texts['Anthropic']).toContain(`baseURL: 'http://acme.gateway.localhost:8080'`)
  expect(texts['Gemini']).toContain(`httpOptions: { baseUrl: 'http://acme.gateway.localhost:8080' }`)
  expect(texts['Claude Code']).toBe(
    'export ANTHROPIC_BASE_URL=http://acme.gateway.localhost:8080\n' +
      'export ANTHROPIC_API_KEY=ak_abc_secret\nclaude --model chat/fast\n',
  )
})

test('every snippet has the key, and every one that calls has the name', () => {
  const snippets = clientSnippets(given)
  expect(snippets.map(({ client }) => client)).toEqual(snippetClients)
  for (const { client, text } of snippets) {
    expect(text).toContain(given.key)
    expect(text.includes(given.model)).toBe(client !== '.env')
  }
})

test('a name with quotes and breaks stays one literal, and one word of the shell', () => {
  const model = `it's \\ a\n"name"`
  const texts = clientSnippets({ ...given, model })
  const call = texts.find(({ client }) => client === 'OpenAI')?.text ?? ''
  expect(call).toContain(String.raw`model: 'it\'s \\ a\n"name"',`)
  expect(texts.find(({ client }) => client === 'Claude Code')?.text).toContain(
    `--model 'it'\\''s \\ a\n"name"'\n`,
  )
})

test('the file of the environment has one line a variable, without quotes', () => {
  const lines = keyFile(given).trimEnd().split('\n')
  expect(lines).toHaveLength(6)
  for (const line of lines) expect(line).toMatch(/^[A-Z_]+=[^\s'"]+$/)
  expect(lines[0]).toBe('OPENAI_BASE_URL=http://acme.gateway.localhost:8080/v1')
})
