import { afterAll, describe } from 'vitest'
import { type Citus, hasCitus, startCitus } from '../support/start-citus-cluster.ts'
import { startServersOn } from '../support/start-product.ts'

describe.skipIf(!hasCitus)('on Citus', { timeout: 300_000 }, () => {
  const clusters: Citus[] = []
  // Hooks run in reverse order, so the servers of the test files are closed before the clusters end.
  afterAll(() => Promise.all(clusters.map((citus) => citus.end())))
  startServersOn(async () => {
    const citus = await startCitus()
    clusters.push(citus)
    return citus.url
  })
  describe('batches', async () => void (await import('../end-to-end/anthropic-batches.test.ts')))
  describe('batches of two processes', async () =>
    void (await import('../end-to-end/batches-of-two-processes.test.ts')))
  describe('batches of OpenAI', async () => void (await import('../end-to-end/openai-batches.test.ts')))
  describe('errors of batches of OpenAI', async () =>
    void (await import('../end-to-end/no-secrets-in-openai-batch-errors.test.ts')))
})
