import { expect, it } from 'vitest'
import { returnPathOf } from './return-path.ts'

const here = 'https://tollgate.example.com'

it.each([
  ['/requests?app=a&mode=test#x', '/requests?app=a&mode=test#x'],
  ['/device?code=VVRR-JHJX', '/device?code=VVRR-JHJX'],
  ['/', '/'],
])('%j is a page of the console', (asked, path) => {
  expect(returnPathOf(asked, here)).toBe(path)
})

it.each([
  undefined,
  '',
  'requests',
  '//evil.example',
  '/\\evil.example',
  'https:evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  '/%2f%2fevil.example',
  '/%5cevil.example',
  '/.//evil.example',
  '/\tevil',
  '/ evil',
  '/sign-in?returnPath=/sign-in',
  '/setup',
])('%j returns to the overview', (asked) => {
  expect(returnPathOf(asked, here)).toBe('/')
})
