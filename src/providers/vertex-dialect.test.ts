import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import type { UpstreamRequest } from '#domain/provider-upstream-interface.ts'
import { vertex } from './vertex-dialect.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const keyFile = JSON.stringify({
  type: 'service_account',
  project_id: 'acme-1',
  private_key_id: 'k1',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: 'a@acme-1.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
})

function urlOf(base: string, credential: string, change: Partial<UpstreamRequest>): string {
  const url = new URL(base)
  const basePath = url.pathname.replace(/\/+$/, '')
  const scope = vertex.scopeOf?.(credential, url) ?? ''
  // The cast is safe, because the dialect reads only these fields.
  const request = {
    model: 'gemini-3.5-flash',
    wire: 'generate',
    purpose: 'answer',
    isStream: false,
    ...change,
  }
  return url.host + basePath + vertex.pathOf(request as UpstreamRequest, basePath, scope)
}

const claude = { wire: 'messages', model: 'claude-opus-5-5' } as const
const gemini = 'publishers/google/models/gemini-3.5-flash:generateContent'

test.each([
  ['https://aiplatform.googleapis.com', '/v1beta1/projects/acme-1/locations/global'],
  ['https://us-central1-aiplatform.googleapis.com', '/v1beta1/projects/acme-1/locations/us-central1'],
  ['https://aiplatform.eu.rep.googleapis.com', '/v1beta1/projects/acme-1/locations/eu'],
  ['https://aiplatform.googleapis.com/v1', '/projects/acme-1/locations/global'],
  ['https://us-east5-aiplatform.googleapis.com/v1/projects/other/locations/us-east5', ''],
])('calls to %s go to the location of the host, unless the base URL states a location', (base, place) => {
  expect(urlOf(base, keyFile, {})).toBe(`${base.slice('https://'.length)}${place}/${gemini}`)
})

test('Claude is called with the API version that its own client uses, and an API key needs no project', () => {
  const base = 'https://aiplatform.googleapis.com'
  const place = '/projects/acme-1/locations/global/publishers/anthropic/models'
  expect(urlOf(base, keyFile, claude)).toBe(`aiplatform.googleapis.com/v1${place}/claude-opus-5-5:rawPredict`)
  expect(urlOf(base, keyFile, { ...claude, isStream: true })).toBe(
    `aiplatform.googleapis.com/v1${place}/claude-opus-5-5:streamRawPredict`,
  )
  expect(urlOf(base, 'AIza123', {})).toBe(`aiplatform.googleapis.com/v1beta1/${gemini}`)
})

test('prefixes of a model ID are removed, and no model ID can change the path', () => {
  const base = 'https://aiplatform.googleapis.com'
  for (const model of ['models/gemini-3.5-flash', 'publishers/google/models/gemini-3.5-flash'])
    expect(urlOf(base, 'AIza123', { model })).toBe(`aiplatform.googleapis.com/v1beta1/${gemini}`)
  expect(urlOf(base, 'AIza123', { model: '../../x?y#z' })).toContain('/models/..%2F..%2Fx%3Fy%23z:')
})
