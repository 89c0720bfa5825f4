import { expect, test } from 'vitest'
import { goals } from './goals-for-figures.ts'
import type { NeighborFigures } from './neighbor-of-overload.ts'
import type { Overload, OverloadFigures } from './overload.ts'

const atFive: OverloadFigures = {
  multiple: 5,
  arrivalsPerSecond: 5_000,
  goodputPerSecond: 1_000,
  admittedP99Ms: 500,
  refused: 0,
  refusedP99Ms: null,
  healthP99Ms: 10,
  healthMaxMs: 10,
  failed: 0,
  unsent: 0,
  streamsCut: 0,
  streamPauseMaxMs: 1_000,
  residentGrowthBytes: 0,
  normalAfterMs: 0,
  cores: { server: 1, driver: 0, others: 0 },
  cpuMicrosPerRejection: null,
}
const known: NeighborFigures = {
  multiple: 10,
  isNew: false,
  perSecond: 20,
  p50Ms: 10,
  p99Ms: 100,
  rejected: 0,
  appsShowMaxMs: 10,
  healthMaxMs: 10,
}
const overload: Overload = {
  engine: 'embedded',
  capacityPerSecond: 1_000,
  capacityAtEndPerSecond: 1_000,
  cpuMicrosPerCall: 500,
  rates: [atFive],
  patient: atFive,
  neighbors: [{ ...known, multiple: 1 }, known, { ...known, isNew: true }],
}
const missed = (changed: Partial<Overload>): string[] =>
  goals({ overload: [{ ...overload, ...changed }] })
    .filter(({ isReached }) => !isReached)
    .map(({ what }) => what)

test('the goals of an overload are missed if no request is admitted, or requests fail', () => {
  expect(missed({})).toEqual([])
  expect(missed({ rates: [{ ...atFive, admittedP99Ms: null }] })).toEqual([
    'ms of admitted calls at 5 x, p99, embedded',
  ])
  expect(missed({ capacityAtEndPerSecond: null })).toEqual([
    'capacity by the capacity after all rates, embedded',
  ])
  const none = { ...known, p50Ms: null, p99Ms: null, rejected: 200 }
  expect(missed({ neighbors: [{ ...known, multiple: 1 }, none, { ...none, isNew: true }] })).toEqual([
    'p99 of an application beside another one at 10 x, by 1 x, embedded',
    'requests of an application beside another one at 10 x that were rejected or failed, embedded',
    'ms of a new application beside another one at 10 x, p99, embedded',
    'requests of a new application beside another one at 10 x that were rejected or failed, embedded',
  ])
  expect(missed({ neighbors: [{ ...none, multiple: 1 }, known] })).toEqual([
    'p99 of an application beside another one at 10 x, by 1 x, embedded',
  ])
})
