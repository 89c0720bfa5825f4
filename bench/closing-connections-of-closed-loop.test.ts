import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { newDataFolder } from '../tests/support/data-folder.ts'
import { Load } from './closed-loop-load-driver.ts'
import { providerCounts, startProvider } from './provider-and-proxy-processes.ts'
import { jsonCall } from './targets-and-scenarios.ts'

test.each([1, 3])(
  'closeAfterPass leaves each key with the same number of calls, with %i connections open',
  async (connections) => {
    const folder = newDataFolder('bench-load')
    const { child, target } = await startProvider(folder)
    const load = await Load.open({ target, scenario: jsonCall, connections, staggerMs: 0 })
    const firstOfSecondPass = target.keys.length + 2
    await expect.poll(() => target.answered.calls).toBeGreaterThanOrEqual(firstOfSecondPass)
    await load.closeAfterPass()
    const { calls } = await providerCounts(target.url)
    await child.stop()
    rmSync(folder, { recursive: true })
    // A call before the load reads the expected answer.
    expect((calls - 1) % target.keys.length).toBe(0)
    expect(calls).toBeGreaterThan(firstOfSecondPass)
    expect(target.answered.calls).toBe(calls)
  },
)
