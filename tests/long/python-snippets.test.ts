/**
 * Runs the Python code that the console, the portal and the command line show, exactly as shown, in one Python process.
 */
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationTable } from '#cli/operations/operation-table.ts'
import { requestCode, type Wire } from '#sdk/client-snippets.ts'
import { verificationCode } from '#web/console/pages/emitters/code-that-verifies-deliveries.ts'
import { snippetOf, type SnippetScope } from '#web/console/code-for-api-calls.ts'
import {
  makeApplication,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { pythonEnvironment, pythonSdk } from '../../tools/python/virtual-environment.ts'

const environment = await pythonEnvironment('python3', ['runtime', 'clients'])
const notForTokens = /^(?:portal\.|sessions\.|passkeys\.)/
const prompt = `It's "quoted".\n$HOME`

describe.skipIf(environment === null)('Python code', () => {
  let server: LocalServer
  let app: Application
  let key: string

  beforeAll(async () => {
    server = await startServer()
    app = await makeApplication(server)
    key = await testKeyOf(app)
  })
  afterAll(async () => {
    await app.provider.close()
    await server.close()
  })

  async function outputsOf(programs: readonly string[], variables: object = {}): Promise<string[]> {
    const child = spawn(
      environment?.python ?? '',
      [join(import.meta.dirname, '../sdk/python/run_programs.py')],
      {
        env: {
          ...environment?.variables,
          PYTHONPATH: join(pythonSdk, 'src'),
          API_KEY: key,
          TOLLGATE_TOKEN: server.token,
          ...variables,
        },
      },
    )
    child.stdin.end(JSON.stringify(programs))
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    expect(stderr).toBe('')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by run_programs.py
    return JSON.parse(stdout) as string[]
  }

  test('Python code with each official client prints the answer, non-streaming and streamed', async () => {
    const wires: readonly Wire[] = ['chat', 'messages', 'responses', 'generate']
    const programs = wires.flatMap((wire) =>
      [true, false].map((isStreamed) =>
        requestCode(
          'python',
          { wire, isStreamed, model: app.model, prompt, maxTokens: 50 },
          { gateway: app.gateway, key: null },
        ),
      ),
    )
    for (const output of await outputsOf(programs)) {
      expect(output).toContain('simulator')
      expect(output).not.toContain('Traceback')
    }
  })

  test('Python code for each operation without input reads the response', async () => {
    const scope: SnippetScope = { baseUrl: server.baseUrl, app: app.slug, mode: 'test' }
    const reads = operationTable.operations.filter(
      ({ answer, flags = [], id, inPath = [], method }) =>
        method === 'GET' &&
        answer !== 'events' &&
        inPath.length === 0 &&
        !notForTokens.test(id) &&
        !flags.some(({ isRequired }) => isRequired),
    )
    expect(reads.length).toBeGreaterThan(20)
    const outputs = await outputsOf(reads.map((operation) => snippetOf('python', operation, {}, scope)))
    const failed = reads.flatMap(({ id }, n) => (outputs[n]?.includes('Traceback') ? [[id, outputs[n]]] : []))
    expect(failed).toEqual([])
  })

  test('Python code with inputs sends the inputs unchanged', async () => {
    const externalId = `it's \\ "$(odd)"`
    const scope: SnippetScope = { baseUrl: server.baseUrl, app: app.slug, mode: 'test' }
    const create = operationTable.operations.find(({ id }) => id === 'users.create')
    if (create === undefined) throw new Error('the table has users.create')
    const program = snippetOf('python', create, { externalId, email: 'odd@example.com' }, scope)
    expect(await outputsOf([`${program}print(answer.external_id, answer.email)`])).toEqual([
      `${externalId} odd@example.com\n`,
    ])
  })

  test('Python code for a receiver accepts a signed delivery and rejects an unsigned one', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const event = { idempotencyKey: 'usgr_1', billedAmountMicros: '250' }
    const body = JSON.stringify({ id: 'usgb_1', type: 'usage.recorded', events: [event] })
    const atSeconds = Math.floor(Date.now() / 1000)
    const digest = createHmac('sha256', secret).update(`${atSeconds}.${body}`).digest('hex')
    const receive = (signature: string): string => `
import asyncio, types
app = types.SimpleNamespace(post=lambda path: lambda handler: handler)
Request, Response = object, types.SimpleNamespace
record = print
${verificationCode.python}
async def body():
    return ${JSON.stringify(body)}.encode()
request = types.SimpleNamespace(body=body, headers={"svc-signature": ${JSON.stringify(signature)}})
print(asyncio.run(usage(request)).status_code)
`
    const [accepted, rejected] = await outputsOf(
      [receive(`t=${atSeconds},v1=${digest}`), receive(`t=${atSeconds},v1=${'0'.repeat(64)}`)],
      { EMITTER_SECRET: secret },
    )
    expect(accepted).toBe('usgr_1 250\n204\n')
    expect(rejected).toContain('WebhookError')
  })
})
