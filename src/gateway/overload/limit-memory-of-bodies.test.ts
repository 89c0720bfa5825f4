import { expect, test, vi } from 'vitest'
import { Failure } from '#domain/errors.ts'
import { BodyIntake, type BodyOwner, type HeldBody } from './limit-memory-of-bodies.ts'

const kib = 1024
const mib = 1024 * kib

function intake(monotonicMs = () => 0): BodyIntake {
  const limits = {
    requestBytesMax: 2 * mib,
    bodyBytesMax: 16 * mib,
    bodyBytesPerSecondMin: 8 * kib,
    bodyGraceMs: 10_000,
    bodyArrivesMs: 100_000,
  }
  return new BodyIntake(limits, monotonicMs)
}

const owner = (organization: number, application = 1, key = 1): BodyOwner => ({
  organizationId: `org_${organization}`,
  applicationId: `app_${organization}_${application}`,
  keyId: `key_${organization}_${application}_${key}`,
})

function grown(bodies: BodyIntake, of: BodyOwner, bytes: number): HeldBody {
  const body = bodies.hold(of, bytes)
  body.growTo(bytes)
  return body
}

/** Null if the body is accepted. */
function refusalOf(act: () => unknown): string | null {
  try {
    act()
    return null
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [error.code, error.details['owner']].filter((part) => part !== undefined).join(' ')
  }
}

test('only received bytes count toward the limits, not the announced length', () => {
  const bodies = intake()
  const all = Array.from({ length: 100 }, (_, at) => bodies.hold(owner(1, 1, at), 2 * mib))
  expect(bodies.bytesHeld).toBe(0)
  all[0]?.growTo(100 * kib)
  expect(bodies.bytesHeld).toBe(100 * kib)
  all[0]?.giveBack()
  all[0]?.giveBack()
  expect(bodies.bytesHeld).toBe(0)
})

test.each([
  ['key', 4 * mib, (at: number) => owner(1, 1, 1 + 0 * at), owner(1, 1, 2)],
  ['application', 6 * mib, (at: number) => owner(1, 1, at), owner(1, 2)],
  ['organization', 8 * mib, (at: number) => owner(1, at, at), owner(2)],
])(
  'one %s can use only its share of the memory for large bodies, so other owners can still send bodies',
  (kind, share, ownerAt, other) => {
    const bodies = intake()
    for (let at = 0; at < share / mib; at++) grown(bodies, ownerAt(at), mib)
    expect(refusalOf(() => grown(bodies, ownerAt(0), mib))).toBe(`too_many_bodies ${kind}`)
    expect(refusalOf(() => grown(bodies, ownerAt(0), 64 * kib))).toBeNull()
    expect(refusalOf(() => grown(bodies, other, mib))).toBeNull()
  },
)

test('large bodies never use the eighth of the memory that is reserved for small bodies', () => {
  const bodies = intake()
  const large = Array.from({ length: 14 }, (_, at) => grown(bodies, owner(at), mib))
  expect(refusalOf(() => grown(bodies, owner(20), mib))).toBe('overloaded')
  for (let at = 0; at < 32; at++) grown(bodies, owner(30), 64 * kib)
  expect(refusalOf(() => grown(bodies, owner(30), 64 * kib))).toBe('overloaded')
  for (const body of large) body.giveBack()
  expect(refusalOf(() => grown(bodies, owner(20), mib))).toBeNull()
})

test('a body is rejected as soon as it grows beyond the limits, and its bytes no longer count', () => {
  const bodies = intake()
  for (let at = 0; at < 3; at++) grown(bodies, owner(1), mib)
  const body = bodies.hold(owner(1), 0)
  body.growTo(mib)
  expect(refusalOf(() => body.growTo(mib + 1))).toBe('too_many_bodies key')
  body.giveBack()
  expect(bodies.bytesHeld).toBe(3 * mib)
  expect(bodies.ownersHolding).toBe(3)
})

test('every body must arrive at the minimum rate, and a large body also within its maximum time', () => {
  vi.useFakeTimers()
  try {
    let nowMs = 0
    const bodies = intake(() => nowMs)
    const slow: string[] = []
    const small = bodies.watch(0, () => slow.push('small'))
    const large = bodies.watch(2 * mib, () => slow.push('large'))
    const pass = (ms: number): void => {
      nowMs += ms
      vi.advanceTimersByTime(ms)
    }
    pass(10_000)
    expect(slow).toEqual([])
    // Ten seconds after the grace period, 80 KiB must have arrived at the minimum rate. At the same time, a tenth of
    // the large body's announced length must have arrived.
    small.bytes = 80 * kib
    large.bytes = 2 * mib * 0.1
    pass(10_000)
    expect(slow).toEqual([])
    small.bytes = 88 * kib
    pass(1_000)
    expect(slow).toEqual(['large'])
    pass(1_000)
    expect(slow).toEqual(['large', 'small'])
  } finally {
    vi.useRealTimers()
  }
})
