import { describe, expect, it } from 'vitest'
import { assertDescribed } from './check-responses-against-openapi.ts'

const token = {
  id: 'apk_1',
  label: 'ci',
  prefix: 'sk_x',
  lastFour: 'abcd',
  role: 'admin',
  applicationId: null,
  memberId: null,
  createdBy: null,
  createdAt: '2026-11-20T12:00:00.000Z',
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
}
const answer = { method: 'GET', path: '/v1/application-keys', status: 200 }

describe('a response', () => {
  it('a response is accepted if the OpenAPI document describes it', () => {
    assertDescribed({ ...answer, body: { data: [token], nextCursor: null } })
    assertDescribed({ ...answer, path: '/v1/no/such', body: 'whatever' })
  })

  it.each([
    ['with an additional field', { data: [{ ...token, secret: 'x' }], nextCursor: null }, 200],
    ['with a missing field', { data: [token] }, 200],
    ['with a wrong type', { data: [{ ...token, label: 1 }], nextCursor: null }, 200],
    ['with a status that is not declared', { error: { code: 'internal' } }, 418],
    ['with a code that is not declared', { error: { code: 'in_use', message: '', requestId: '' } }, 400],
  ])('a response %s is rejected', (_, body, status) => {
    expect(() => assertDescribed({ ...answer, status, body })).toThrow(/GET|document|declare/)
  })
})
