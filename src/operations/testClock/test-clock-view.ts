import * as z from 'zod'
import { latestTestTime, timeIn } from '#domain/test-clock.ts'
import type { Application } from '#domain/records.ts'
import { Count, Timestamp } from '#operations/schemas.ts'

export const TestClockView = z
  .object({
    now: Timestamp.meta({ description: 'The time in test mode. It goes on as the real time does.' }),
    realNow: Timestamp.meta({ description: 'The real time, which live mode follows.' }),
    offsetMs: Count.meta({ description: 'How far test mode is ahead, in milliseconds; 0: not at all.' }),
    latest: Timestamp.meta({ description: 'The latest time that it can be advanced to now.' }),
  })
  .meta({ id: 'TestClock', description: 'The clock of the test mode of an application.' })

/** @param nowMs the real time */
export function testClockView(application: Application, nowMs: number): z.output<typeof TestClockView> {
  return {
    now: timeIn('test', application, nowMs),
    realNow: nowMs,
    offsetMs: application.testClockOffsetMs,
    latest: latestTestTime(nowMs),
  }
}
