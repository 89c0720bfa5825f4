/** A shell and Node.js run the snippets against the gateway that the snippets name. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import {
  clientSnippets,
  codeLanguages,
  keyFile,
  requestCode,
  snippetClients,
  type Asked,
} from '#sdk/client-snippets.ts'
import { literal } from '#sdk/values-as-source-code.ts'

const given = { gateway: 'http://acme.gateway.localhost:8080/', key: 'ak_abc_secret', model: 'chat/fast' }
const odd = `it's \\ a\n"$(rm -rf)" \`\u0000`
const asked: Asked = {
  wire: 'chat',
  model: 'acme/fast',
  prompt: `it's "here"\n$HOME`,
  maxTokens: 20,
  isStreamed: true,
}
const requests = (['chat', 'messages', 'responses', 'generate'] as const).flatMap((wire) =>
  codeLanguages.flatMap(([language]) =>
    [true, false].map((isStreamed) => ({ wire, language, asked: { ...asked, wire, isStreamed } })),
  ),
)

/** A shell function in place of curl prints its arguments. */
function curlWords(code: string, env: Readonly<Record<string, string>> = {}): string[] {
  const printing = `curl() { printf '%s\\0' "$@"; }; ${code}`
  return execFileSync('sh', ['-c', printing], { env }).toString().split('\0')
}

test('each client gets the base URL that it expects', () => {
  const texts = clientSnippets(given)
  expect(texts['OpenAI']).toContain(`baseURL: 'http://acme.gateway.localhost:8080/v1'`)
  expect(texts['Anthropic']).toContain(`baseURL: 'http://acme.gateway.localhost:8080'`)
  expect(texts['Gemini']).toContain(`httpOptions: { baseUrl: 'http://acme.gateway.localhost:8080' }`)
  expect(texts['curl']).toContain('curl http://acme.gateway.localhost:8080/v1/chat/completions ')
  expect(texts['Claude Code']).toBe(
    'export ANTHROPIC_BASE_URL=http://acme.gateway.localhost:8080\n' +
      'export ANTHROPIC_API_KEY=ak_abc_secret\nclaude --model chat/fast\n',
  )
})

test('every snippet contains the key, and every snippet that sends a request also contains the model', () => {
  const texts = clientSnippets(given)
  expect(Object.keys(texts)).toEqual(snippetClients)
  for (const [client, text] of Object.entries(texts)) {
    expect(text).toContain(given.key)
    expect(text.includes(given.model)).toBe(client !== '.env')
  }
})

test.each(requests)(
  'the snippet for $wire in $language contains the request, and reads the key',
  ({ asked: one, language }) => {
    const { gateway } = given
    const code = requestCode(language, one, { gateway, key: null })
    for (const part of ['API_KEY', 'http://acme.gateway.localhost:8080', 'acme/fast', '20'])
      expect(code).toContain(part)
    const withKey = requestCode(language, one, { gateway, key: 'ak_1' })
    expect(withKey).toContain('ak_1')
    expect(withKey).not.toContain('API_KEY')
  },
)

test('a curl command contains the exact text, and the shell expands only the variable of the key', () => {
  const one = { ...asked, model: odd.slice(0, -1), prompt: odd }
  const [, url, , , , authorization, , body = ''] = curlWords(
    requestCode('curl', one, { gateway: 'http://127.0.0.1:9/', key: null }),
    { API_KEY: 'ak_1' },
  )
  expect([url, authorization]).toEqual([
    'http://127.0.0.1:9/v1/chat/completions',
    'authorization: Bearer ak_1',
  ])
  expect(JSON.parse(body)).toMatchObject({ model: one.model, messages: [{ role: 'user', content: odd }] })
  // A placeholder may contain a key's name, which end users choose.
  const key = `the secret of $API_KEY $(echo no)`
  const words = curlWords(requestCode('curl', one, { gateway: 'http://127.0.0.1:9', key }))
  expect(words).toContain(`authorization: Bearer ${key}`)
})

test('a TypeScript literal evaluates to the original text', () => {
  for (const text of [odd, '', "'", '\\', '"', `\\"`, `\\'`, '\r\n\u2028', '\ud800']) {
    const code = literal('typescript', text)
    expect(code).not.toContain('\n')
    // oxlint-disable-next-line no-eval, typescript/no-unsafe-type-assertion -- a literal from this test
    expect((0, eval)(code) as string).toBe(text)
    // For the escapes in this text, Python has the same rules as JSON.
    expect(JSON.parse(literal('python', text))).toBe(text)
  }
  const value = { a: [1, true, null], 'b-c': { d: 2n } }
  expect(literal('typescript', value)).toBe(`{ a: [1, true, null], 'b-c': { d: '2' } }`)
  expect(literal('python', value)).toBe(`{"a": [1, True, None], "b-c": {"d": "2"}}`)
})

test('the environment file has one line per variable, without quotes', () => {
  const lines = keyFile(given).trimEnd().split('\n')
  expect(lines).toHaveLength(6)
  for (const line of lines) expect(line).toMatch(/^[A-Z_]+=[^\s'"]+$/)
  expect(lines[0]).toBe('OPENAI_BASE_URL=http://acme.gateway.localhost:8080/v1')
})
