import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pythonEnvironment } from '../../../tools/python/virtual-environment.ts'
import { run, startServer, type LocalServer } from '../../support/start-product.ts'

const environment = await pythonEnvironment('python3', ['generator'])

/** openapi-python-client 0.29 can generate all operations except those with image bodies. */
const leftOut: readonly string[] = ['POST /v1/brand/logo']

describe.skipIf(environment === null)('a Python client generated from the served document', () => {
  let server: LocalServer
  let folder: string
  let variables: Record<string, string>
  beforeAll(async () => {
    server = await startServer()
    folder = mkdtempSync(join(tmpdir(), 'tollgate-from-document-'))
    const bin = dirname(environment?.python ?? '')
    variables = {
      ...environment?.variables,
      PATH: [bin, process.env['PATH'] ?? ''].join(delimiter),
      PYTHONPATH: folder,
    }
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await server.close()
  })

  it('the Python client has every operation that the generator supports', async () => {
    const config = join(folder, 'config.json')
    // The generator's own formatter and linter are not tested.
    writeFileSync(config, JSON.stringify({ post_hooks: [] }))
    const made = await run(
      environment?.python ?? '',
      ['-m', 'openapi_python_client', 'generate', '--url', `${server.baseUrl}/v1/openapi.json`].concat(
        ['--meta', 'none', '--output-path', join(folder, 'control_plane')],
        ['--config', config],
      ),
      { ...variables, COLUMNS: '200' },
    )
    expect(made.code, made.stdout + made.stderr).toBe(0)
    const missing = (made.stdout + made.stderr).matchAll(
      /WARNING parsing (\S+ \S+) within \S+\. Endpoint will not be generated/g,
    )
    expect(Array.from(missing, ([, endpoint]) => endpoint)).toEqual(leftOut)
    expect(made.stdout + made.stderr).not.toContain('Unable to process schema')
  })

  it('the Python client signs up, sells a call, reads its cost and opens the portal', async () => {
    const program = join(import.meta.dirname, '../from-document/scenario.py')
    const ran = await run(environment?.python ?? '', [program, server.baseUrl, server.setupUrl], variables)
    expect(ran.stderr).toBe('')
    expect([ran.code, ran.stdout]).toEqual([0, 'done\n'])
  })
})
