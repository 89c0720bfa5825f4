import { expect, it, vi } from 'vitest'
import { firstKey, holdFirstKey, listenToFirstKey } from './first-key-in-memory.ts'

it('the first key is in memory until the last component of the setup page stops listening', () => {
  const key = { key: 'ak_1', endUserId: 'ada', grantError: null }
  const dialogChanged = vi.fn<() => void>()
  const stepChanged = vi.fn<() => void>()
  const leaveDialog = listenToFirstKey(dialogChanged)
  const leaveStep = listenToFirstKey(stepChanged)
  holdFirstKey(key)
  expect(dialogChanged).toHaveBeenCalledOnce()
  expect(stepChanged).toHaveBeenCalledOnce()
  leaveDialog()
  expect(firstKey()).toEqual(key)
  leaveStep()
  expect(firstKey()).toBeNull()
})
