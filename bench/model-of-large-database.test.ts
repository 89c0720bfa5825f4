import { describe, expect, test } from 'vitest'
import { assumptions, costsOf, simulate } from './model-of-large-database.ts'

const costs = { perBatch: 600, perRequest: 300 }
const small = {
  ...assumptions,
  seconds: 14_400,
  nodes: 10,
  shards: 40,
  requestsPerSecond: 1_000,
  hotEndUsers: 1_000,
  endUsers: 10_000_000,
}
const calm = { ...small, failureDays: Infinity, hotShare: 0, addedAtSecond: small.seconds }

describe('the model of a database with many nodes', () => {
  test('each request is served or rejected for one reason, and a seed always gives the same day', () => {
    const hot = { ...small, failureDays: 0.01, hotShare: 0.9, endUserMax: 10, coresPerNode: 1 }
    const { failures, requests } = simulate({ perBatch: 6_000, perRequest: 3_000 }, hot)
    const { delayedByMove: _delayed, sent, served, ...rejected } = requests
    expect(Object.values(rejected).every((count) => count > 0)).toBe(true)
    expect(served + rejected.nodeFailed + rejected.overloaded + rejected.tooHot).toBe(sent)
    expect(failures).toBeGreaterThan(0)
    expect(simulate(costs, small)).toEqual(simulate(costs, small))
  })

  test('without failures and hot end users, all requests are served', () => {
    const { requests, shardsMoved } = simulate(costs, calm)
    expect([requests.served, shardsMoved]).toEqual([requests.sent, 0])
  })

  test('with twice as many nodes and shards, each node needs half as much CPU time', () => {
    const one = simulate(costs, calm).allNodes.mean
    const two = simulate(costs, { ...calm, nodes: 20, shards: 80 }).allNodes.mean
    expect(two / one).toBeCloseTo(0.5, 1)
  })

  test('while shards move to an added node, requests are delayed but not rejected', () => {
    const { requests, shardsMoved } = simulate(costs, { ...calm, addedAtSecond: 200 })
    expect(shardsMoved).toBe(3)
    expect(requests.delayedByMove).toBeGreaterThan(0)
    expect(requests.served).toBe(requests.sent)
  })

  test('the model computes fixed and per-request costs from two measured loads, and these costs give the measured CPU time of both loads', () => {
    const measured = costsOf([
      { nodeMicros: 900, batches: 1 },
      { nodeMicros: 360, batches: 0.1 },
    ])
    expect(measured).toEqual(costs)
    expect(() => costsOf([{ nodeMicros: 1, batches: 1 }])).toThrow('two loads')
  })
})
