import { expect, test } from 'vitest'
import { labelOfLimit } from './label-of-limit.ts'

test('the label of a limit names its kind, its name and its period', () => {
  expect(labelOfLimit({ kind: 'team_pool', name: 'Monthly', period: null })).toBe('Team pool Monthly')
  expect(labelOfLimit({ kind: 'credit', name: 'Credit', period: null })).toBe('Credit')
  expect(labelOfLimit({ kind: 'bundle_limit', name: 'Pro', period: 'month' })).toBe(
    'Plan limit Pro, per month',
  )
  expect(labelOfLimit({ kind: 'end_user_limit', name: 'End user', period: 'total' })).toBe(
    'End user limit, in total',
  )
  expect(labelOfLimit({ kind: 'a_later_kind', name: 'New', period: null })).toBe('a_later_kind New')
})
