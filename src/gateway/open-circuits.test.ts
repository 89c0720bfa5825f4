import { expect, it } from 'vitest'
import { TargetHealth } from '#routing/target-health.ts'
import { openCircuits } from './open-circuits.ts'

it('tells of the circuits that are not closed, by account, model and mode', () => {
  const health = new TargetHealth()
  const failing = { kind: 'failed', failure: 'server_error', retryAfterMs: null } as const
  for (const key of ['pa_1 some/model v2', 'test pa_2 m']) {
    for (let i = 0; i < 50; i++) {
      health.begin(key, i)
      health.end(key, failing, i)
    }
  }
  health.begin('pa_3 m', 0)
  health.end('pa_3 m', { kind: 'ok', firstTokenMs: 5 }, 1)
  const found = openCircuits(health, 50)
  expect(found.map(({ accountId, mode, model, state }) => [accountId, mode, model, state])).toEqual([
    ['pa_1', 'live', 'some/model v2', 'open'],
    ['pa_2', 'test', 'm', 'open'],
  ])
  const [first] = found
  expect(first?.why).not.toBe('')
  expect(openCircuits(health, (first?.untilMs ?? 0) + 1)[0]).toMatchObject({
    state: 'half_open',
    untilMs: null,
  })
})
