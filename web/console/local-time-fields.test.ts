import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { chooseZone } from '#web/ui/time-zone.ts'
import { localTime, utcOfLocal } from './local-time-fields.ts'

beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Berlin')
  vi.stubGlobal('localStorage', { setItem() {}, removeItem() {} })
  chooseZone('local')
})
afterEach(() => {
  chooseZone('utc')
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

it.each(['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'])(
  'an unchanged field keeps its time in the hour that is repeated when clocks are set back: %s',
  (first) => {
    expect(localTime(first)).toBe('2026-10-25T02:30')
    expect(utcOfLocal(localTime(first), first)).toBe(first)
    expect(utcOfLocal(localTime(first, 'second'), first)).toBe(first)
  },
)

it('an unchanged field has the precision that it shows, and a changed field has the typed time', () => {
  const first = '2026-10-25T01:30:12.345Z'
  expect(utcOfLocal(localTime(first), first)).toBe('2026-10-25T01:30:00.000Z')
  expect(utcOfLocal(localTime(first, 'second'), first)).toBe('2026-10-25T01:30:12.000Z')
  expect(utcOfLocal('2026-10-26T02:30', first)).toBe('2026-10-26T01:30:00.000Z')
  expect(utcOfLocal('', first)).toBe(null)
})
