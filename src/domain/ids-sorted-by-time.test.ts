import { randomFillSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { epochTag, idOf, idSource, suffixFloor, suffixMs, suffixOf, tagPlace } from './ids-sorted-by-time.ts'

describe('a source of IDs', () => {
  it('IDs sort in the order of creation and never repeat', () => {
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

  it('if the clock is set back by minutes, IDs keep their order, and if it is set back by hours, IDs follow the clock', () => {
    let nowMs = 1_700_000_000_000
    const next = idSource(
      () => nowMs,
      (bytes) => randomFillSync(bytes),
    )
    const before = next()
    nowMs -= 300_000
    const soon = next()
    expect(soon > before).toBe(true)
    expect(suffixMs(soon)).toBe(1_700_000_000_000)
    nowMs -= 3_600_000
    const later = [next(), next()]
    expect(later.map(suffixMs)).toEqual([nowMs, nowMs])
    expect(later.toSorted()).toEqual(later)
  })

  it('the suffix of an ID can be read, and no other text is accepted as an ID', () => {
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

describe('the creation time of a suffix', () => {
  it('the creation time is read from a suffix, and is null for other texts', () => {
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

it('if a source of IDs has a tag, each ID contains the tag after the time, and the IDs sort in the order of creation', () => {
  const tag = epochTag(1_234)
  let ms = 1_000
  const newId = idSource(
    () => ms,
    (bytes) => bytes.fill(7),
    tag,
  )
  const ids = Array.from({ length: 100 }, (_, i) => {
    if (i % 10 === 0) ms += 1
    return newId()
  })
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(100)
  for (const id of ids.filter((_, i) => i % 10 === 0)) {
    expect(id.slice(tagPlace.from - 1, tagPlace.from - 1 + tagPlace.length)).toBe(tag)
  }
})

it('each epoch has a tag of its own, up to 32,768 epochs', () => {
  const tags = Array.from({ length: 32_768 }, (_, epoch) => epochTag(epoch))
  expect(new Set(tags).size).toBe(32_768)
  expect(epochTag(32_768)).toBe(epochTag(0))
})
