/**
 * Tests the gateway's provider client with generated or mutated responses. The client must report the same responses,
 * failures and reuse of the connection as undici's client. `RESPONSES=<number>` sets the number of responses.
 */
import { expect, test } from 'vitest'
import { compareClients, scriptFrom } from '../support/compare-http-clients.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'

const responses = Number(process.env['RESPONSES'] ?? 100_000)
const parallel = 200

test(`the provider client reads ${responses} responses like undici’s client`, { timeout: 3_600_000 }, () => {
  const seed = seedOfRun()
  return withSeed(seed, async () => {
    const random = randomFrom(seed)
    for (let run = 0; run < responses; run += parallel) {
      const scripts = Array.from({ length: parallel }, () => scriptFrom(random))
      // oxlint-disable-next-line no-await-in-loop -- limits the number of concurrent comparisons
      for (const [at, { own, undici }] of (await Promise.all(scripts.map(compareClients))).entries())
        if (own !== undici) expect(own, String(scripts[at]?.pieces)).toBe(undici)
    }
  })
})
