import { expect, it } from 'vitest'
import { returnPathOf } from './return-path-after-sign-in.ts'

it.each(['/requests?app=a&mode=test#x', '/device?code=VVRR-JHJX', '/'])(
  'the sign-in accepts %j as the next page, because it is a page of the console',
  (path) => {
    expect(returnPathOf(path)).toBe(path)
  },
)

it.each([
  undefined,
  '',
  '//evil.example',
  '/sign-in?returnPath=/sign-in',
  '/sign-in',
  '/setup#token=a',
  '/invite/x',
])('the sign-in shows the overview instead of %j', (asked) => {
  expect(returnPathOf(asked)).toBe('/')
})
