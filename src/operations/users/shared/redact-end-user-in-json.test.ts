import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withoutPerson } from './redact-end-user-in-json.ts'

const person = { id: 'eu_1', externalId: 'ada', email: 'ada@example.com' }

describe('removing an end user from a stored JSON value', () => {
  it('the value has our own ID everywhere in place of the external ID, and null in place of the email address', () => {
    const key = { id: 'key_1', name: 'ada', endUserId: 'ada', bundle: { slug: 'ada' } }
    expect(withoutPerson({ data: [key], email: 'ada@example.com', externalId: 'ada' }, person)).toEqual({
      data: [{ id: 'key_1', name: 'eu_1', endUserId: 'eu_1', bundle: { slug: 'ada' } }],
      email: null,
      externalId: 'eu_1',
    })
  })

  it('the value no longer contains an earlier email address of the end user, or a key name that contains the external ID', () => {
    const before = { externalId: 'ada', email: 'old@example.com', name: 'Ada’s laptop' }
    expect(withoutPerson(before, person)).toEqual({ externalId: 'eu_1', email: null, name: 'eu_1' })
  })

  it('values of other end users are kept', () => {
    const other = { externalId: 'adam', email: 'adam@example.com', name: 'ada', models: ['ada'], ada: 'ada' }
    expect(withoutPerson(other, person)).toEqual(other)
    expect(withoutPerson(null, person)).toBeNull()
  })

  it('every other value is kept, and removing the end user again changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = withoutPerson(value, person)
        expect(withoutPerson(once, person)).toEqual(once)
        if (!JSON.stringify(value).includes('ada')) expect(once).toEqual(value)
      }),
    )
  })
})
