import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { callSnippet } from './call-snippet.ts'

const call = { baseUrl: 'http://127.0.0.1:9/', model: "it's/fast", key: null } as const

describe('the code of the first request', () => {
  it('is one shell command for any model name', () => {
    const text = callSnippet({ ...call, client: 'curl' })
    // A shell function prints the arguments that curl would receive.
    const words = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${text}`], {
      env: { API_KEY: 'ak_1' },
    })
    const [url, , authorization, , , , body = ''] = words.toString().split('\n')
    expect(url).toBe('http://127.0.0.1:9/v1/chat/completions')
    expect(authorization).toBe('authorization: Bearer ak_1')
    expect(JSON.parse(body)).toEqual({
      model: "it's/fast",
      messages: [{ role: 'user', content: 'Hello' }],
    })
  })

  it('reads the key from the environment unless a key is given', () => {
    for (const client of ['curl', 'typescript', 'python'] as const) {
      expect(callSnippet({ ...call, client })).toContain('API_KEY')
      expect(callSnippet({ ...call, client, key: 'ak_1' })).not.toContain('API_KEY')
      expect(callSnippet({ ...call, client, key: 'ak_1' })).toContain('ak_1')
    }
  })
})
