import { expect, it } from 'vitest'
import { operationById, operationTable } from '#cli/operations/operation-table.ts'
import { emptyValues, fieldsOf, inputOf, nullOf } from './form-values-of-operation.ts'

const nowMs = Date.parse('2026-11-22T12:00:00Z')

it('a field of each kind is parsed', () => {
  const read = (id: string, values: Record<string, string | boolean>) =>
    inputOf(operationById(id), { ...emptyValues(operationById(id)), ...values }, nowMs)
  expect(
    read('keys.mint', { endUserId: ' ada ', livemode: 'false', capMicros: '$2.50', expiresAt: '+1d' }),
  ).toEqual({
    input: {
      endUserId: ' ada ',
      livemode: false,
      capMicros: '2500000',
      expiresAt: '2026-11-23T12:00:00.000Z',
    },
    faults: {},
  })
  expect(
    read('bundles.price', { slug: 'pro', model: 'a', 'price.input': '150000', [nullOf('credits')]: true }),
  ).toEqual({
    input: { slug: 'pro', model: 'a', price: { input: '150000' }, credits: null },
    faults: {},
  })
  expect(read('gateway.set', { origins: 'https://a.example\nhttps://b.example', holdWaitMs: '5' })).toEqual({
    input: { origins: ['https://a.example', 'https://b.example'], holdWaitMs: 5 },
    faults: {},
  })
  expect(read('models.add', { name: 'a', sources: 'provider=main,model=gpt-5-mini' }).input).toEqual({
    name: 'a',
    sources: [{ provider: 'main', model: 'gpt-5-mini' }],
  })
  expect(read('models.add', { name: 'a', sources: '[{"provider":"x","model":"y"}]' }).input).toEqual({
    name: 'a',
    sources: [{ provider: 'x', model: 'y' }],
  })
})

it('missing and invalid fields are reported, and omitted from the input', () => {
  const mint = operationById('keys.mint')
  const { faults, input } = inputOf(
    mint,
    { ...emptyValues(mint), livemode: 'perhaps', capMicros: 'x' },
    nowMs,
  )
  expect(Object.keys(faults)).toEqual(['endUserId', 'livemode', 'capMicros'])
  expect(faults['livemode']).toBe('--livemode must be true or false, but is perhaps.')
  expect(input).toEqual({})
})

it('the form has a field for each parameter of an operation', () => {
  for (const operation of operationTable.operations) {
    const names = fieldsOf(operation).map(({ name }) => name)
    expect(new Set(names).size, operation.id).toBe(names.length)
    for (const { isGroup, name } of operation.flags ?? []) {
      const has = names.includes(name) || (isGroup && names.some((one) => one.startsWith(`${name}.`)))
      expect(has, `${operation.id} ${name}`).toBe(true)
    }
  }
})
