import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { readLimits } from '#store/sql/turns-for-statements.ts'
import { createKeysInGroups } from './create-keys-in-groups.ts'

it('has fewer requests in progress than may wait for reads, and returns the keys in order', async () => {
  let running = 0
  let most = 0
  const endUsers = Array.from({ length: 100 }, (_, i) => `end-user-${i}`)
  const keys = await createKeysInGroups(endUsers, async (endUserId) => {
    running += 1
    most = Math.max(most, running)
    await setImmediate()
    running -= 1
    return `key of ${endUserId}`
  })
  expect(most).toBeLessThan(readLimits.waitingOfCaller)
  expect(keys).toEqual(endUsers.map((endUserId) => `key of ${endUserId}`))
})
