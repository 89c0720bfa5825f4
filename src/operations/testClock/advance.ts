import * as z from 'zod'
import { latestTestTime, timeIn } from '#domain/test-clock.ts'
import { clearMonths } from '#operations/invoices/clear-months.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { Timestamp } from '#operations/schemas.ts'
import { issueDueInvoices } from '#operations/subscription/issue-due.ts'
import { TestClockView, testClockView } from './test-clock-view.ts'

export default operation({
  id: 'testClock.advance',
  method: 'POST',
  path: '/v1/test-clock/advance',
  scope: 'application',
  summary: 'Advance the test clock',
  description:
    'Sets the clock of the test mode of the application forward, from the next call on: periods, invoices, caps, limits and the expiry of keys are then as if the time had been waited for. It never goes back, and it is at most ten years ahead of the real time. Live mode, and what both modes share, stay at the real time. A call in flight ends at the clock that it began with.',
  body: z.strictObject({
    to: Timestamp.meta({
      description: 'The new time in test mode: later than `now`, no later than `latest`.',
    }),
  }),
  output: TestClockView,
  changes: 'application',
  isExtension: true,
  async run({ body }, context) {
    const { afterCommit, application, nowMs, ports, store } = context
    const now = timeIn('test', application, nowMs)
    const latest = latestTestTime(nowMs)
    if (body.to <= now || body.to > latest) {
      const reason = `to must be later than ${iso(now)}, the time in test mode now, and no later than ${iso(latest)}.`
      return refused('invalid_request', { reason }, 'to')
    }
    const advanced = { ...application, testClockOffsetMs: body.to - nowMs }
    await store.applications.setTestClock(application.id, advanced.testClockOffsetMs)
    afterCommit(async () => {
      const scope = { applicationId: application.id, mode: 'test' as const, nowMs: body.to }
      await issueDueInvoices(ports, scope)
      await clearMonths(ports, null, nowMs)
    })
    return testClockView(advanced, nowMs)
  },
})

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
