import { expect, test } from 'vitest'
import { emitterKindNames } from '#domain/emitters/emitter-kinds.ts'
import { kindNames, kinds, stateOf } from './emitter-kinds.ts'
import { emitterKinds } from '#domain/emitters/emitter-kinds.ts'
import { replayProgress } from './replay-progress.ts'

test('the form has the same emitter kinds as the server, with the same fields', () => {
  expect(kindNames.toSorted()).toEqual(emitterKindNames.toSorted())
  for (const kind of kindNames) {
    const { credential, eventName, mayNameUrl, url } = emitterKinds[kind]
    expect([kind, kinds[kind].credential?.[0] ?? null]).toEqual([kind, credential])
    expect([kind, kinds[kind].event?.[0] ?? null]).toEqual([kind, eventName])
    expect([kind, kinds[kind].url]).toEqual([
      kind,
      url === null ? 'needed' : mayNameUrl ? 'optional' : 'none',
    ])
  }
})

test('a disabled emitter is not shown as failing, and a new emitter is shown as waiting for a request', () => {
  const at = '2026-11-20T10:00:00.000Z'
  expect(stateOf({ enabled: false, failingSince: at, lastDeliveredAt: null }).words).toBe('Off')
  expect(stateOf({ enabled: true, failingSince: at, lastDeliveredAt: at }).words).toBe('Failing')
  expect(stateOf({ enabled: true, failingSince: null, lastDeliveredAt: null }).words).toBe(
    'Waiting for a request',
  )
  expect(stateOf({ enabled: true, failingSince: null, lastDeliveredAt: at }).words).toBe('Delivering')
})

test('the progress of a replay is between 0 and 1', () => {
  const span = { from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T12:00:00.000Z' }
  expect(replayProgress({ ...span, reachedAt: '2026-11-20T10:30:00.000Z' })).toBe(0.25)
  expect(replayProgress({ ...span, reachedAt: '2026-11-20T09:00:00.000Z' })).toBe(0)
  expect(replayProgress({ ...span, to: span.from, reachedAt: span.from })).toBe(1)
})
