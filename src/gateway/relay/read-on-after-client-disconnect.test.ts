import { ReadsAfterDisconnect } from '#gateway/call/limit-reads-after-disconnect.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HangUp } from './read-on-after-client-disconnect.ts'

const limits = { drainMs: 30_000, drainBytesMax: 100 }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Returns the gateway's reads after the disconnects, and how many reads ended immediately. */
function leave(
  drains: ReadsAfterDisconnect,
  organizationId: string,
  count: number,
): { hangUps: HangUp[]; cut: number } {
  let cut = 0
  const hangUps = Array.from({ length: count }, () => {
    const hangUp = new HangUp(drains, limits, organizationId)
    hangUp.begin(() => cut++)
    return hangUp
  })
  return { hangUps, cut }
}

test('if all clients of one organization disconnect, the provider responses of another organization can still be read after a disconnect', () => {
  const drains = new ReadsAfterDisconnect({ drainsMax: 10, drainsOfOrganizationMax: 6 })
  const flood = leave(drains, 'org_1', 50)
  expect([flood.cut, drains.count]).toEqual([44, 6])
  const quiet = leave(drains, 'org_2', 4)
  expect([quiet.cut, drains.count]).toEqual([0, 10])
  expect(leave(drains, 'org_3', 1).cut).toBe(1)
  for (const hangUp of [...flood.hangUps, ...quiet.hangUps]) hangUp.end()
  expect(drains.count).toBe(0)
  expect(leave(drains, 'org_1', 7).cut).toBe(1)
})

test('a read that ends twice lowers the count of reads once, and a read that never started does not lower it', () => {
  const drains = new ReadsAfterDisconnect({ drainsMax: 1, drainsOfOrganizationMax: 1 })
  const { hangUps } = leave(drains, 'org_1', 2)
  for (const hangUp of [...hangUps, ...hangUps]) hangUp.end()
  expect(drains.count).toBe(0)
  expect(leave(drains, 'org_1', 1).cut).toBe(0)
})

test('reading from the provider after a disconnect ends after the maximum time or number of bytes', () => {
  const drains = new ReadsAfterDisconnect({ drainsMax: 1, drainsOfOrganizationMax: 1 })
  const hangUp = new HangUp(drains, limits, 'org_1')
  const onOver = vi.fn<() => void>()
  hangUp.begin(onOver)
  expect([hangUp.take(100), hangUp.take(1)]).toEqual([true, false])
  vi.advanceTimersByTime(limits.drainMs - 1)
  expect(onOver).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onOver).toHaveBeenCalledOnce()
})

test('after a stop, all reads end immediately and no new read begins', () => {
  const drains = new ReadsAfterDisconnect({ drainsMax: 10, drainsOfOrganizationMax: 10 })
  const ended: number[] = []
  const hangUps = [0, 1, 2].map((n) => {
    const hangUp = new HangUp(drains, limits, 'org_1')
    hangUp.begin(() => {
      ended.push(n)
      hangUp.end()
    })
    return hangUp
  })
  hangUps[1]?.end()
  drains.stop()
  expect([ended, drains.count]).toEqual([[0, 2], 0])
  drains.stop()
  expect(leave(drains, 'org_1', 1).cut).toBe(1)
  vi.advanceTimersByTime(limits.drainMs)
  expect([ended, drains.count]).toEqual([[0, 2], 0])
})
