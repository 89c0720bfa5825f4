import { describe, expect, it } from 'vitest'
import type { Refusal } from '#domain/rejected-request-facts.ts'
import { Refusals } from './count-and-log-rejections.ts'

const refusal: Refusal = {
  plane: 'control',
  operation: 'sessions.create',
  status: 401,
  code: 'sign_in_failed',
  address: '203.0.113.7',
  credentialId: null,
  requestId: 'req_1',
}

function opened() {
  const lines: { readonly suppressed?: number; readonly address?: string }[] = []
  const clock = { nowMs: 0 }
  const later: { readonly ms: number; readonly work: () => void }[] = []
  const refusals = new Refusals({
    log: { warn: (fields) => void lines.push(fields) },
    monotonicMs: () => clock.nowMs,
    later: (ms, work) => void later.push({ ms, work }),
  })
  const total = () => refusals.json().values.reduce((sum, { value }) => sum + value, 0)
  return { refusals, lines, clock, later, total }
}

describe('a rejected request', () => {
  it('a rejected request is counted by plane (gateway, control plane or portal), operation and code, and a log line describes it', () => {
    const { lines, refusals } = opened()
    refusals.note(refusal)
    refusals.note(refusal)
    refusals.note({ ...refusal, plane: 'gateway', operation: 'chat', code: 'invalid_key' })
    expect(lines[0]).toEqual(refusal)
    expect(lines).toHaveLength(3)
    expect(refusals.json().values).toEqual([
      { labels: { plane: 'control', operation: 'sessions.create', code: 'sign_in_failed' }, value: 2 },
      { labels: { plane: 'gateway', operation: 'chat', code: 'invalid_key' }, value: 1 },
    ])
  })

  it('during a flood, all rejected requests are counted, and the next log line reports how many lines were omitted', () => {
    const { clock, lines, refusals, total } = opened()
    for (let n = 0; n < 1_000; n++) refusals.note({ ...refusal, address: `203.0.113.${n % 200}` })
    expect(lines).toHaveLength(20)
    expect(total()).toBe(1_000)
    clock.nowMs = 1_000
    refusals.note(refusal)
    expect(lines.at(-1)).toEqual({ ...refusal, suppressed: 980 })
    refusals.note(refusal)
    expect(lines.at(-1)).toEqual(refusal)
  })

  it('during a flood from one address, other addresses and other error codes still have log lines', () => {
    const { lines, refusals } = opened()
    for (let n = 0; n < 1_000; n++) refusals.note(refusal)
    expect(lines).toHaveLength(5)
    refusals.note({ ...refusal, address: '198.51.100.1' })
    refusals.note({ ...refusal, code: 'invalid_token' })
    expect(lines).toHaveLength(7)
  })

  it('when a flood pauses, the number of omitted lines is logged once', () => {
    const { later, lines, refusals } = opened()
    for (let n = 0; n < 100; n++) refusals.note(refusal)
    expect(later).toHaveLength(1)
    expect(later[0]?.ms).toBe(10_000)
    later[0]?.work()
    expect(lines.at(-1)).toEqual({ plane: 'control', code: 'sign_in_failed', suppressed: 95 })
    refusals.note(refusal)
    expect(later).toHaveLength(2)
    later[1]?.work()
    expect(lines.at(-1)).toMatchObject({ suppressed: 1 })
  })
})
