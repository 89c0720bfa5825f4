import { expect, it } from 'vitest'
import { envFile, snippetsOf } from './snippets.ts'

const given = { gateway: 'https://acme.gateway.example', key: 'ak_a_b', model: 'acme/smart' }

it('includes the key, the model and the base URL that each client expects', () => {
  const snippets = snippetsOf(given)
  expect(snippets.map(({ id }) => id)).toEqual(['openai', 'anthropic', 'gemini', 'claude-code', 'curl'])
  for (const { id, text } of snippets) {
    expect(text).toContain('ak_a_b')
    expect(text).toContain('acme/smart')
    expect([id, text.includes('https://acme.gateway.example/v1')]).toEqual([
      id,
      id === 'openai' || id === 'curl',
    ])
  }
  expect(envFile(given)).toContain('OPENAI_BASE_URL=https://acme.gateway.example/v1\n')
})

it('escapes quotes in a model name', () => {
  const model = `it's "$(rm -rf)" \\ \``
  const byId = Object.fromEntries(snippetsOf({ ...given, model }).map(({ id, text }) => [id, text]))
  expect(byId['openai']).toContain(`model: ${JSON.stringify(model)},`)
  expect(byId['claude-code']).toContain(String.raw`--model 'it'\''s "$(rm -rf)" \ ` + "`'")
})
