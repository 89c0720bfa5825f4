import { expect, test } from 'vitest'
import { reloadForUnknownHost } from './look-up-unknown-host.ts'

test('a thousand concurrent requests share one lookup, and requests that arrive during this lookup share the next lookup', async () => {
  const loads: PromiseWithResolvers<void>[] = []
  const refresh = reloadForUnknownHost(() => {
    const load = Promise.withResolvers<void>()
    loads.push(load)
    return load.promise
  })
  const first = Array.from({ length: 1000 }, refresh)
  await expect.poll(() => loads.length).toBe(1)
  const late = refresh()
  expect(late).not.toBe(first[0])
  loads[0]?.resolve()
  await Promise.all(first)
  expect(loads.length).toBe(1)
  await expect.poll(() => loads.length).toBe(2)
  loads[1]?.resolve()
  await late
})

test('a failed lookup is reported, and the next request starts a new lookup', async () => {
  let loads = 0
  const refresh = reloadForUnknownHost(async () => {
    if (++loads === 1) throw new Error('the store is away')
  })
  await expect(refresh()).rejects.toThrow('the store is away')
  await refresh()
  expect(loads).toBe(2)
})
