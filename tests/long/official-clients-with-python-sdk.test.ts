/** With only the values that the Python SDK returns for an official client, the client can call the gateway. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeApplication, run, startServer, testKeyOf } from '../support/start-product.ts'
import { pythonEnvironment, pythonSdk } from '../../tools/python/virtual-environment.ts'

const environment = await pythonEnvironment('python3', ['runtime', 'clients'])

it.skipIf(environment === null)(
  'every official client gets a response, with the sync and the async SDK',
  async () => {
    const server = await startServer()
    const app = await makeApplication(server)
    try {
      const key = await testKeyOf(app)
      const program = join(import.meta.dirname, '../sdk/python/official_clients.py')
      const args = [program, server.baseUrl, server.token, app.slug, app.model, key, 'Hello, newcomer']
      const variables = { ...environment?.variables, PYTHONPATH: join(pythonSdk, 'src') }
      const ran = await run(environment?.python ?? '', args, variables)
      expect([ran.code, ran.stdout], ran.stderr).toEqual([0, 'done\n'])
    } finally {
      await app.provider.close()
      await server.close()
    }
  },
)
