import { expect, it } from 'vitest'
import { returnPathOf } from './return-path.ts'

it.each(['/requests?app=a&mode=test#x', '/device?code=VVRR-JHJX', '/'])(
  '%j is a page of the console',
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
])('the overview is shown instead of %j', (asked) => {
  expect(returnPathOf(asked)).toBe('/')
})
