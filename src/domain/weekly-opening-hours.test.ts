import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isOpenAt, nextOpeningMs, openingsOf, weekdays, type WeeklyHours } from './weekly-opening-hours.ts'

const minute = 60_000
const monday = Date.UTC(2026, 10, 23)

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

const anyHours: fc.Arbitrary<WeeklyHours> = fc.record({
  days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
  from: fc.integer({ min: 0, max: 1439 }).map(clock),
  until: fc.integer({ min: 0, max: 1440 }).map(clock),
})

function minutesOf(hours: readonly WeeklyHours[]): boolean[] {
  const open = Array.from({ length: 7 * 1440 }, () => false)
  for (const { days, from, until } of hours) {
    const [start, end] = [from, until].map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)))
    const length = Number(end) - Number(start)
    for (const day of days) {
      const first = weekdays.indexOf(day) * 1440 + Number(start)
      for (let i = 0; i < (length > 0 ? length : length + 1440); i++) open[(first + i) % open.length] = true
    }
  }
  return open
}

describe('weekly hours', () => {
  it('the gateway is open exactly in the stated minutes, and the next opening is the first minute in which it is open', () => {
    fc.assert(
      fc.property(
        fc.array(anyHours, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 0, max: 7 * 1440 - 1 }),
        fc.integer({ min: -3_000, max: 3_000 }),
        fc.integer({ min: 0, max: minute - 1 }),
        (hours, at, week, ms) => {
          const open = minutesOf(hours)
          const nowMs = monday + week * 7 * 1440 * minute + at * minute + ms
          fc.pre(nowMs >= 0)
          const openings = openingsOf(hours)
          expect(isOpenAt(openings, nowMs)).toBe(open[at])
          if (open[at] === true) return
          let wait = 1
          while (open[(at + wait) % open.length] !== true) wait++
          const nextMs = nextOpeningMs(openings, nowMs)
          expect(nextMs).toBe(nowMs - ms + wait * minute)
          expect(isOpenAt(openings, nextMs)).toBe(true)
          expect(isOpenAt(openings, nextMs - 1)).toBe(false)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('weekly hours begin with the first millisecond of `from` and end with the last millisecond before `until`', () => {
    const openings = openingsOf([{ days: ['mon'], from: '08:00', until: '18:00' }])
    const opens = monday + 8 * 60 * minute
    const closes = monday + 18 * 60 * minute
    const times = [opens - 1, opens, closes - 1, closes]
    expect(times.map((ms) => isOpenAt(openings, ms))).toEqual([false, true, true, false])
    expect(nextOpeningMs(openings, closes)).toBe(opens + 7 * 1440 * minute)
  })

  it('weekly hours continue on the next day if their end is not later than their beginning, even from Sunday to Monday', () => {
    const openings = openingsOf([{ days: ['sun'], from: '22:00', until: '06:00' }])
    expect(isOpenAt(openings, monday - 60 * minute)).toBe(true)
    expect(isOpenAt(openings, monday + 5 * 60 * minute)).toBe(true)
    expect(isOpenAt(openings, monday + 6 * 60 * minute)).toBe(false)
  })
})
