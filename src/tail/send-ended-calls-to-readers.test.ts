import { afterEach, describe, expect, it } from 'vitest'
import type { TailReader, TailWanted } from '#domain/calls/requests-tail-interface.ts'
import { everyCall } from '#domain/calls/call-filter.ts'
import type { CallRecord } from '#domain/calls/call-record.ts'
import type { Nouns } from '#domain/store-interface.ts'
import { suffixFloor } from '#domain/ids-sorted-by-time.ts'
import { CallTailHub } from './send-ended-calls-to-readers.ts'

const nowMs = Date.UTC(2026, 10, 23)
const readers: TailReader[] = []
afterEach(() => {
  for (const reader of readers.splice(0)) reader.leave()
})

/** @param textLength characters of each event */
function opened(readersInAllMax: number, textLength = 1) {
  const faults: unknown[] = []
  // Contains only the fields that the hub reads.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  const nouns = {
    endedCalls: {
      byIds: async (_application: string, _mode: string, ids: readonly string[]) =>
        ids.map((callId) => ({ callId, httpStatus: 200 })),
    },
    providers: { all: async () => [] },
    teams: { slugs: async () => new Map() },
  } as unknown as Nouns
  const hub = new CallTailHub({
    store: { readFor: () => nouns },
    nowMs: () => nowMs,
    link: null,
    onFault: (error) => faults.push(error),
    readersMax: 200,
    readersInAllMax,
  })
  const follow = (organizationId: string): TailReader | null => {
    const wanted: TailWanted = {
      organizationId,
      applicationId: `app of ${organizationId}`,
      mode: 'live',
      filter: everyCall,
      after: null,
      write: (_call: CallRecord) => 'x'.repeat(textLength),
    }
    const reader = hub.follow(wanted)
    if (reader !== null) readers.push(reader)
    return reader
  }
  const next = async (reader: TailReader | null) => reader?.next(1_000, new AbortController().signal)
  return { hub, follow, next, faults }
}

describe('limits on the readers of one process', () => {
  it('if a process is full, a reader of a small organization replaces the newest reader of the largest organization', async () => {
    const { follow, next } = opened(10)
    const crowd = Array.from({ length: 10 }, () => follow('crowd'))
    expect(crowd).not.toContain(null)
    expect(follow('crowd')).toBe(null)
    for (let n = 0; n < 5; n++) expect(follow('quiet')).not.toBe(null)
    // Both organizations have five readers each.
    expect(follow('quiet')).toBe(null)
    expect(await next(crowd[9] ?? null)).toEqual({ kind: 'dropped', reason: 'crowded' })
    expect(await next(crowd[5] ?? null)).toEqual({ kind: 'dropped', reason: 'crowded' })
  })

  it('the number of characters in the queues of an organization’s readers is limited, even if the readers read nothing', async () => {
    const { faults, follow, hub, next } = opened(1_000, 100_000)
    const crowd = Array.from({ length: 100 }, () => follow('crowd'))
    const quiet = follow('quiet')
    const tell = (organization: string, n: number): void => {
      const callId = `${suffixFloor(nowMs)}${String(n).padStart(16, '0')}`
      const record = { applicationId: `app of ${organization}`, callId, latencyMs: 1, mode: 'live' } as const
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the hub reads only these members
      hub.told({ record } as unknown as Parameters<typeof hub.told>[0])
    }
    // Each event has 100,000 characters. A reader may queue at most ten events, and all readers together at most 167.
    // With five events in each queue, at most 33 readers remain.
    for (let n = 0; n < 5; n++) tell('crowd', n)
    tell('quiet', 5)
    const piece = await next(quiet)
    const pieces = await Promise.all(crowd.map((reader) => next(reader)))
    const dropped = pieces.filter((one) => one?.kind === 'dropped').length
    expect(piece?.kind).toBe('calls')
    expect(100 - dropped).toBeLessThanOrEqual(33)
    expect(100 - dropped).toBeGreaterThan(25)
    expect(faults).toEqual([])
  })
})
