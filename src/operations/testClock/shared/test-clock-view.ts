import * as z from 'zod'
import { latestTestTime, timeIn } from '#domain/test-clock.ts'
import type { Application } from '#domain/application-record.ts'
import { Count, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const TestClockView = z
  .object({
    now: Timestamp.meta({ description: 'Time in test mode. The test time advances with the real time.' }),
    realNow: Timestamp.meta({ description: 'Real time, which live mode uses.' }),
    offsetMs: Count.meta({
      description:
        'Difference between the time in test mode and the real time, in milliseconds. 0 if the clock was never advanced.',
    }),
    latest: Timestamp.meta({ description: 'Latest time that the clock can currently be advanced to.' }),
  })
  .meta({ id: 'TestClock', description: "An application's clock in test mode." })

/** @param nowMs the real time */
export function testClockView(application: Application, nowMs: number): z.output<typeof TestClockView> {
  return {
    now: timeIn('test', application, nowMs),
    realNow: nowMs,
    offsetMs: application.testClockOffsetMs,
    latest: latestTestTime(nowMs),
  }
}
