import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Account } from '#domain/accounts/account.ts'
import { keyRing, newMasterKey } from './encryption.ts'
import { FileTags, type FileState } from './file-ids.ts'
import { StateTags } from './stored-response-ids.ts'

const ring = keyRing(newMasterKey())
const tags = new FileTags(ring)
const ada: Account = { applicationId: 'app_1', endUserId: 'eu_ada', mode: 'live' }

const states = fc.record<FileState>({
  origin: fc.string({ minLength: 1, maxLength: 16 }),
  id: fc.string({ minLength: 1, maxLength: 128 }),
  tokens: fc.nat(),
  citedTokens: fc.nat(),
  pixels: fc.option(fc.record({ width: fc.integer({ min: 1 }), height: fc.integer({ min: 1 }) }), {
    nil: null,
  }),
})
const formats = fc.constantFrom('openai' as const, 'anthropic' as const)
const owners = fc.record<Account>({
  applicationId: fc.constantFrom('app_1', 'app_2'),
  endUserId: fc.constantFrom('eu_ada', 'eu_bob'),
  mode: fc.constantFrom('live', 'test'),
})

describe('the ID of a file', () => {
  it('is opened only for its owner and in its format, with the same state', () => {
    fc.assert(
      fc.property(states, owners, owners, formats, formats, (state, owner, other, format, another) => {
        const isSame = JSON.stringify([owner, format]) === JSON.stringify([other, another])
        expect(tags.open(other, another, tags.tagOf(owner, format, state))).toEqual(isSame ? state : null)
      }),
      { numRuns: 1_000 },
    )
  })

  it('is not accepted as the ID of a response, and the ID of a response is not accepted as the ID of a file', () => {
    const responses = new StateTags(ring)
    const response = responses.tagOf(ada, {
      origin: 'o',
      alias: 'acme/fast',
      tokens: 12,
      id: 'resp_1',
      callId: null,
    })
    const file = tags.tagOf(ada, 'openai', { origin: 'o', id: 'f', tokens: 1, citedTokens: 1, pixels: null })
    expect(tags.open(ada, 'openai', response.replace('resp_', 'file-'))).toBeNull()
    expect(responses.open(ada, file.replace('file-', 'resp_'))).toBeNull()
  })
})
