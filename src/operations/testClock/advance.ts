import * as z from 'zod'
import { latestTestTime, timeIn } from '#domain/test-clock.ts'
import { clearMonths } from '#operations/billing/shared/clear-paid-on-demand-months.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { issueDueInvoices } from '#operations/billing/shared/issue-due-invoices.ts'
import { TestClockView, testClockView } from '#operations/testClock/shared/test-clock-view.ts'

export default operation({
  id: 'testClock.advance',
  method: 'POST',
  path: '/v1/test-clock/advance',
  scope: 'application',
  summary: 'Advance the test clock',
  description:
    "Advances the application's clock in test mode, starting with the next request. Periods, invoices, caps, limits and key expiry then behave as if the time had passed.\n\n- The clock cannot be moved back. The clock can be at most ten years ahead of the real time.\n- Live mode and everything that both modes share use the real time.\n- If the clock is advanced while a request is in flight, the request keeps the earlier clock until it ends.",
  body: z.strictObject({
    to: Timestamp.meta({
      description: 'New time in test mode. The time must be later than `now` and no later than `latest`.',
    }),
  }),
  output: TestClockView,
  configures: 'application',
  isExtension: true,
  changes: ['testClock', 'users', 'keys', 'subscription', 'invoices', 'grants', 'requests'],
  async run({ body }, context) {
    const { afterCommit, application, nowMs, ports, store } = context
    const now = timeIn('test', application, nowMs)
    const latest = latestTestTime(nowMs)
    if (body.to <= now || body.to > latest) {
      const reason = `to must be later than ${iso(now)}, the current time in test mode, and no later than ${iso(latest)}.`
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
