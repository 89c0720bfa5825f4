/** After a component failed to start or stop, the next server can use the same folder and port. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ComponentStep } from '#app/start-and-stop-components.ts'
import { readConfig, type Config } from '#app/server-configuration.ts'
import { steadyPort } from '#app/listening-ports.ts'
import { startTollgate, type Tollgate } from '#app/start-tollgate.ts'
import { inlineReaders } from '../store-conformance/engines.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { verifies } from '../support/start-product.ts'

const components = [
  'telemetry',
  'store',
  'link to other processes',
  'token counter',
  'settling of aborted requests',
  'provider connections',
  'files of end users',
  'batches of end users',
  'emitters',
  'sign-ins',
  'listeners',
  'bills',
  'invoices',
  'requests',
]

let folder: string
let config: Config
beforeAll(async () => {
  folder = newDataFolder('components')
  const port = await steadyPort('127.0.0.1')
  config = readConfig({ TOLLGATE_LISTEN: `127.0.0.1:${port}` }, { data: folder })
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Started {
  readonly server: Promise<Tollgate>
  readonly reached: Readonly<Record<ComponentStep['step'], string[]>>
  readonly unstopped: string[]
}

function start(failing?: ComponentStep): Started {
  const reached = { starting: Array<string>(), stopped: Array<string>() }
  const unstopped: string[] = []
  const write = (): void => {}
  const error = (fields: object): void => {
    if ('component' in fields) unstopped.push(String(fields.component))
  }
  const server = startTollgate(
    config,
    { debug: write, info: write, warn: write, error },
    {
      startsTokenizer: false,
      // The test starts no reader threads, because they take most of the time of a server's start.
      openReaders: inlineReaders,
      seen({ component, step }) {
        reached[step].push(component)
        if (component === failing?.component && step === failing.step) throw new Error(`${component} fails`)
      },
    },
  )
  return { server, reached, unstopped }
}

it('components start in a fixed order and stop in the reverse order', async () => {
  const { reached, server, unstopped } = start()
  await (await server).close()
  expect(reached).toEqual({ starting: components, stopped: components.toReversed() })
  expect(unstopped).toEqual([])
})

it.each(components)('if %s does not start, all started components are stopped', async (component) => {
  const { reached, server, unstopped } = start({ component, step: 'starting' })
  await expect(server).rejects.toThrow(`${component} fails`)
  const before = components.slice(0, components.indexOf(component))
  expect(reached.stopped).toEqual(before.toReversed())
  expect(unstopped).toEqual([])
})

it.each(components)('if %s fails to stop, all other components are stopped', async (component) => {
  const { reached, server, unstopped } = start({ component, step: 'stopped' })
  await expect((await server).close()).rejects.toThrow(`stop ${component}`)
  expect(reached.stopped).toEqual(components.toReversed())
  expect(unstopped).toEqual([component])
})

it('after the components have stopped, the ledger of the store adds up', async () => {
  await verifies(folder)
})
