import { operation } from '#operations/kernel/declare-operation.ts'
import { TestClockView, testClockView } from '#operations/testClock/shared/test-clock-view.ts'

export default operation({
  id: 'testClock.show',
  method: 'GET',
  path: '/v1/test-clock',
  scope: 'application',
  summary: 'Show the test clock',
  description:
    "Returns the application's test time, the real time and the latest time that the clock can be advanced to. The response does not depend on the mode of the request.",
  output: TestClockView,
  isExtension: true,
  run: async (_, { application, nowMs }) => testClockView(application, nowMs),
})
