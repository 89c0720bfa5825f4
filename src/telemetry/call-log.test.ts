import { expect, test } from 'vitest'
import { endedCallOf } from '#tests/support/example-ended-call.ts'
import { callLog } from './call-log.ts'

function linesOf(
  share: number,
  ended: readonly Parameters<ReturnType<typeof callLog>>[0][],
  random: () => number = () => 0.5,
): object[] {
  const lines: object[] = []
  const write = callLog({
    log: { info: (fields) => void lines.push(fields) },
    share,
    random,
    monotonicMs: () => 0,
    later: () => {},
  })
  for (const call of ended) write(call)
  return lines
}

const good = endedCallOf()
const failed = endedCallOf(
  { status: 'refused', httpStatus: 402, errorCode: 'insufficient_credit', firstByteMs: null },
  { charged: null, attempts: [] },
)

test('the log line of a call contains the outcome, the duration and the cost, but no end user', () => {
  expect(linesOf(1, [good, failed])).toEqual([
    {
      requestId: 'req_01ja4t9k8h3v2c5b6n7m8p9q0r',
      application: 'acme',
      mode: 'live',
      wire: 'chat',
      model: 'fast',
      streamed: false,
      outcome: 'settled',
      httpStatus: 200,
      code: null,
      ms: 1_234,
      firstByteMs: 300,
      attempts: 1,
      inputTokens: 900,
      outputTokens: 333,
      chargedMicros: '140',
      billedMicros: '150',
      costMicros: '120',
    },
    expect.objectContaining({ outcome: 'refused', httpStatus: 402, code: 'insufficient_credit' }),
  ])
})

test('an unknown model name is not logged, because the caller can send any text as the name', () => {
  const refused = endedCallOf(
    { alias: 'made-up', target: null, status: 'refused', httpStatus: 404, errorCode: 'model_not_found' },
    { charged: null, attempts: [] },
  )
  expect(JSON.stringify(linesOf(1, [refused]))).not.toContain('made-up')
})

test('every failed call is logged, but only a share of the successful calls', () => {
  const calls = [good, failed, good, good, failed]
  expect(linesOf(1, calls)).toHaveLength(5)
  expect(linesOf(0, calls)).toHaveLength(2)
  expect(linesOf(0.01, calls)).toHaveLength(2)
  const draws = [0.005, 0.5, 0.01]
  expect(linesOf(0.01, calls, () => draws.shift() ?? 1)).toHaveLength(3)
})

test('during a flood of calls of one organization, its log lines are limited, and no line of another organization is omitted', () => {
  const clock = { nowMs: 0 }
  const lines: object[] = []
  const reports: (() => void)[] = []
  const write = callLog({
    log: { info: (fields) => void lines.push(fields) },
    share: 0,
    random: () => 0.5,
    monotonicMs: () => clock.nowMs,
    later: (_, work) => void reports.push(work),
  })
  for (let i = 0; i < 2_000; i++) write(failed)
  expect(lines).toHaveLength(500)
  write({ ...failed, organizationId: 'org_other' })
  expect(lines).toHaveLength(501)
  clock.nowMs = 1_000
  write(failed)
  expect(lines.at(-1)).toMatchObject({ code: 'insufficient_credit', suppressed: 1_500 })
  for (let i = 0; i < 600; i++) write(failed)
  expect(reports).toHaveLength(1)
  reports[0]?.()
  expect(lines.at(-1)).toEqual({ organizationId: failed.organizationId, suppressed: 101 })
})
