import { operation } from '#operations/operation.ts'
import { TestClockView, testClockView } from './test-clock-view.ts'

export default operation({
  id: 'testClock.show',
  method: 'GET',
  path: '/v1/test-clock',
  scope: 'application',
  summary: 'Show the test clock',
  description: 'The time of the test mode of the application, in whichever mode it is asked for.',
  output: TestClockView,
  isExtension: true,
  run: async (_, { application, nowMs }) => testClockView(application, nowMs),
})
