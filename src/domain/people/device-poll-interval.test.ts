import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PollPace } from './device-poll-interval.ts'

test('a device that polls at its interval is never slowed down, and a faster device has to wait 5 s longer each time', () => {
  const clock = { nowMs: 0 }
  const pace = new PollPace(() => clock.nowMs)
  expect(pace.poll('one')).toBeNull()
  clock.nowMs += 5_000
  expect(pace.poll('one')).toBeNull()
  clock.nowMs += 1_000
  expect(pace.poll('one')).toBe(10)
  clock.nowMs += 5_000
  expect(pace.poll('one')).toBe(15)
  expect(pace.poll('two')).toBeNull()
  clock.nowMs += 15_000
  expect(pace.poll('one')).toBeNull()
  expect(pace.intervalOf('one')).toBe(15)
  for (let poll = 0; poll < 20; poll++) pace.poll('one')
  expect(pace.intervalOf('one')).toBe(60)
})

test('accepted polls are at least four seconds apart, however often the device polls', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 60 }), (gaps) => {
      const clock = { nowMs: 0 }
      const pace = new PollPace(() => clock.nowMs)
      let lastMs: number | null = null
      for (const gap of gaps) {
        clock.nowMs += gap
        const before = pace.intervalOf('one')
        const longer = pace.poll('one')
        if (longer !== null) expect(longer).toBe(Math.min(60, before + 5))
        else {
          if (lastMs !== null) expect(clock.nowMs - lastMs).toBeGreaterThanOrEqual(4_000)
          lastMs = clock.nowMs
        }
      }
    }),
  )
})

test('only a limited number of devices is tracked', () => {
  const pace = new PollPace(() => 0)
  for (let device = 0; device < 25_000; device++) pace.poll(`device ${device}`)
  expect(pace.poll('device 0')).toBeNull()
  expect(pace.poll('device 24999')).toBe(10)
})
