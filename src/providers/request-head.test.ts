import { expect, it } from 'vitest'
import { requestHead } from './request-head.ts'

const headOf = (headers: readonly string[]): string =>
  requestHead({ method: 'POST', path: '/v1', headers }, 'provider.example')

it('a list of headers that is not frozen is checked for every request', () => {
  const headers = ['x-one', '1']
  expect(headOf(headers)).toContain('\r\nx-one: 1\r\n')
  headers[1] = '2'
  expect(headOf(headers)).toContain('\r\nx-one: 2\r\n')
  headers[1] = '2\r\nx-two: 3'
  expect(() => headOf(headers)).toThrow(/value of the header x-one/)
})

it('a frozen list of headers is checked before its first use, and has the same lines in every request', () => {
  const headers = Object.freeze(['x-one', '1', 'X-Two', '2'])
  expect(headOf(headers)).toContain('\r\nx-one: 1\r\nX-Two: 2\r\n')
  expect(headOf(headers)).toBe(headOf([...headers]))
  const invalid = Object.freeze(['content-length', '7'])
  for (let request = 0; request < 2; request += 1) expect(() => headOf(invalid)).toThrow(/name of a header/)
})
