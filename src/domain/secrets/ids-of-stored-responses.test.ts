import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Account } from '#domain/billing/money-account-key.ts'
import { keyRing, newMasterKey } from './encrypt-stored-secrets.ts'
import { StateTags, type StoredState } from './ids-of-stored-responses.ts'

const masterKey = newMasterKey()
const tags = new StateTags(keyRing(masterKey))
const ada: Account = { applicationId: 'app_1', endUserId: 'eu_ada', mode: 'live' }

const states = fc.record<StoredState>({
  origin: fc.string({ minLength: 1, maxLength: 16 }),
  alias: fc.string({ minLength: 1, maxLength: 128, unit: 'grapheme' }),
  tokens: fc.option(fc.nat(), { nil: null }),
  id: fc.string({ minLength: 1, maxLength: 128 }),
  callId: fc.option(fc.string({ minLength: 1, maxLength: 26 }), { nil: null }),
})
const owners = fc.record<Account>({
  applicationId: fc.constantFrom('app_1', 'app_2', 'app_', ''),
  endUserId: fc.constantFrom('eu_ada', 'eu_bob', '1eu_ada', ''),
  mode: fc.constantFrom('live', 'test'),
})

describe('the ID of a stored response', () => {
  it('the state in the ID of a stored response can be read for its owner, and is unchanged', () => {
    fc.assert(
      fc.property(states, owners, (state, owner) => {
        expect(tags.open(owner, tags.tagOf(owner, state))).toEqual(state)
      }),
    )
  })

  it('the ID of a stored response is not accepted for another end user, application or mode', () => {
    fc.assert(
      fc.property(states, owners, owners, (state, owner, other) => {
        fc.pre(JSON.stringify(owner) !== JSON.stringify(other))
        expect(tags.open(other, tags.tagOf(owner, state))).toBeNull()
      }),
      { numRuns: 1_000 },
    )
  })

  it('the ID of a stored response is not accepted after a bit or a character was changed, removed or added', () => {
    const change = fc.record({
      kind: fc.constantFrom('bit', 'character', 'cut', 'add'),
      at: fc.nat(),
      character: fc.constantFrom('A', 'B', 'a', 'b', '0', '9', '-', '_', '=', '+', '/', '.', ' ', 'é', '\n'),
    })
    fc.assert(
      fc.property(states, change, (state, { at, character, kind }) => {
        const tag = tags.tagOf(ada, state)
        const place = at % tag.length
        const put = (text: string, removed: number): string =>
          tag.slice(0, place) + text + tag.slice(place + removed)
        const bit = String.fromCharCode(tag.charCodeAt(place) ^ (1 << (at % 7)))
        const changed = {
          bit: put(bit, 1),
          character: put(character, 1),
          cut: tag.slice(0, place),
          add: put(character, 0),
        }[kind]
        fc.pre(changed !== tag)
        expect(tags.open(ada, changed)).toBeNull()
      }),
      { numRuns: 1_000 },
    )
  })

  it('a text that was never returned as an ID is not accepted', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 5_000 }), (text) => {
        expect(tags.open(ada, text)).toBeNull()
        expect(tags.open(ada, `resp_${Buffer.from(text).toString('base64url')}`)).toBeNull()
      }),
    )
  })

  it('the ID of a stored response is accepted after the master key was replaced, while the older key is kept', () => {
    const state = { origin: 'o', alias: 'acme/fast', tokens: 12, id: 'resp_1', callId: null }
    const [newer, tag] = [newMasterKey(), tags.tagOf(ada, state)]
    expect(new StateTags(keyRing(`${newer},${masterKey}`)).open(ada, tag)).toEqual(state)
    expect(new StateTags(keyRing(newer)).open(ada, tag)).toBeNull()
  })
})
