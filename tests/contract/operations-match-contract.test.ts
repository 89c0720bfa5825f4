/**
 * Compares the contract's table of operations (operations.tsv, generated from the contract's section C) with the served
 * operations.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { operations } from '#operations/index.ts'

const [, ...rows] = readFileSync(new URL('operations.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const contract = rows.map((row) => {
  const [id = '', method = '', path = ''] = row.split('\t')
  return { id, method, path }
})
const mounted = new Map(operations.map((operation) => [operation.id, operation]))

describe('the table of the contract', () => {
  it('the table of the contract lists 104 operations, each once', () => {
    expect(contract.length).toBe(104)
    expect(new Set(contract.map(({ id }) => id)).size).toBe(contract.length)
  })

  for (const { id, method, path } of contract) {
    it(`the operation ${id} is served at ${method} ${path}`, () => {
      const operation = mounted.get(id)
      expect([operation?.method, operation?.path]).toEqual([method, path])
    })
  }

  it('every operation of the server is in the contract’s table, or is marked as an extension', () => {
    const known = new Set(contract.map(({ id }) => id))
    const strangers = operations.filter(({ id, isExtension }) => !known.has(id) && !isExtension)
    expect(strangers.map(({ id }) => id)).toEqual([])
  })
})
