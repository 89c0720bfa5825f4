import { expect, it } from 'vitest'
import { operations } from '#operations/index.ts'
import { operationTable } from './operation-table.ts'
import { emptyHintOf } from './response-hints.ts'

it('the text for an empty list names the application and the mode only if the list depends on them', () => {
  const settings = {
    app: { value: 'acme', origin: 'test' },
    mode: { value: 'live', origin: 'test' },
  } as const
  const lists = operationTable.operations.filter(({ answer }) => answer === 'page')
  const scopeOf = new Map(operations.map(({ id, scope }) => [id, scope]))
  const ofOrganization = lists.filter(({ id }) => scopeOf.get(id) === 'organization')
  const ofApplication = lists.filter(({ id }) => scopeOf.get(id) === 'application' && id !== 'users.ledger')
  const hints = (of: typeof lists): string[] =>
    of.filter(({ id }) => emptyHintOf(id, {}, settings) !== 'No rows.').map(({ id }) => id)
  expect(hints(ofOrganization)).toEqual([])
  expect(ofOrganization.length).toBeGreaterThan(5)
  expect(hints(ofApplication)).toEqual(ofApplication.map(({ id }) => id))
})
