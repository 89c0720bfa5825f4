import { randomFillSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { idOf, idSource, suffixFloor, suffixMs, suffixOf } from './id.ts'

describe('idSource', () => {
  it('makes ids that sort in the order they were made, and never repeat', () => {
    let nowMs = 1_700_000_000_000
    const next = idSource(
      () => nowMs,
      (bytes) => randomFillSync(bytes),
    )
    const ids: string[] = []
    for (let i = 0; i < 20_000; i++) {
      if (i % 3 === 0) nowMs++
      ids.push(next())
    }
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.toSorted()).toEqual(ids)
  })

  it('makes ids whose suffix can be told again, and no other text can', () => {
    const next = idSource(
      () => 1_700_000_000_000,
      (bytes) => randomFillSync(bytes),
    )
    const suffix = next()
    expect(suffixOf('req', idOf('req', suffix))).toBe(suffix)
    expect(suffixOf('req', idOf('hold', suffix))).toBeNull()
    expect(suffixOf('req', 'req_short')).toBeNull()
  })
})

describe('suffixMs', () => {
  it('tells when a suffix was made, and nothing of other texts', () => {
    const ms = 1_700_000_000_123
    const next = idSource(
      () => ms,
      (bytes) => randomFillSync(bytes),
    )
    expect(suffixMs(next())).toBe(ms)
    expect(suffixMs(suffixFloor(ms))).toBeNull()
    expect(suffixMs('U'.repeat(26))).toBeNull()
  })
})
