import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { Failure } from '#domain/errors.ts'
import { credentialOf } from './key-in-request-headers.ts'

/** Returns the key or the error code. Joins repeated headers as node:http does. */
function found(url: string, headers: readonly (readonly [string, string])[]): string {
  const joined: Record<string, string> = {}
  for (const [name, value] of headers) {
    const known = joined[name.toLowerCase()]
    if (known === undefined) joined[name.toLowerCase()] = value
    else if (name.toLowerCase() !== 'authorization') joined[name.toLowerCase()] = `${known}, ${value}`
  }
  const request = { url, headers: joined, rawHeaders: headers.flat() } as unknown as IncomingMessage
  try {
    return credentialOf(request)
  } catch (cause) {
    if (cause instanceof Failure) return cause.code
    throw cause
  }
}

it.each([
  ['a bearer', '/', [['Authorization', 'Bearer one']], 'one'],
  ['a bearer in any case', '/', [['authorization', 'bEARER  one ']], 'one'],
  ['Anthropic’s header', '/', [['X-Api-Key', 'one']], 'one'],
  ['Google’s header', '/', [['x-goog-api-key', 'one']], 'one'],
  ['Azure’s header', '/', [['Api-Key', 'one']], 'one'],
  [
    'the same key in Azure’s header and a bearer',
    '/',
    [
      ['Authorization', 'Bearer one'],
      ['api-key', 'one'],
    ],
    'one',
  ],
  [
    'another key in Azure’s header',
    '/',
    [
      ['Authorization', 'Bearer one'],
      ['api-key', 'two'],
    ],
    'conflicting_credentials',
  ],
  ['the query', '/v1beta/models/m:generateContent?alt=sse&key=one', [], 'one'],
  ['the query, escaped', '/?key=o%6Ee', [], 'one'],
  [
    'the same key twice',
    '/?key=one',
    [
      ['Authorization', 'Bearer one'],
      ['x-api-key', 'one'],
    ],
    'one',
  ],
  ['none', '/v1/messages?beta=true', [], 'missing_credential'],
  [
    'a signature of AWS',
    '/',
    [['Authorization', 'AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/bedrock/aws4_request']],
    'signature_not_supported',
  ],
  ['another scheme', '/', [['Authorization', 'Basic b25l']], 'invalid_key'],
  [
    'a key and another scheme',
    '/',
    [
      ['Authorization', 'Basic b25l'],
      ['x-api-key', 'one'],
    ],
    'invalid_key',
  ],
  [
    'two different keys',
    '/',
    [
      ['Authorization', 'Bearer one'],
      ['x-api-key', 'two'],
    ],
    'conflicting_credentials',
  ],
  [
    'two headers',
    '/',
    [
      ['x-api-key', 'one'],
      ['x-goog-api-key', 'two'],
    ],
    'conflicting_credentials',
  ],
  ['header and query', '/?key=two', [['x-goog-api-key', 'one']], 'conflicting_credentials'],
  ['two in the query', '/?key=one&key=two', [], 'conflicting_credentials'],
  [
    'two keys in one header, of which Node keeps the first',
    '/',
    [
      ['Authorization', 'Bearer one'],
      ['authorization', 'Bearer two'],
    ],
    'conflicting_credentials',
  ],
] as const)('the key of a request is found or rejected: %s', (_, url, headers, expected) =>
  expect(found(url, headers)).toBe(expected),
)
