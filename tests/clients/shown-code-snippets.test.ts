/** Runs the code that the console, the portal and the command line show, exactly as shown. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requestCode, type Wire } from '../../sdk/typescript/src/client-snippets.ts'
import { newDataFolder } from '../support/data-folder.ts'
import {
  makeApplication,
  run,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let key: string
let folder: string

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  key = await testKeyOf(app)
  folder = newDataFolder('snippets')
  for (const name of ['openai', '@anthropic-ai/sdk', '@google/genai']) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(fileURLToPath(new URL(`node_modules/${name}`, import.meta.url)), link)
  }
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await app.provider.close()
  await server.close()
})

const wires: readonly Wire[] = ['chat', 'messages', 'responses', 'generate']
const cases = wires.flatMap((wire) => [true, false].map((isStreamed) => ({ wire, isStreamed })))
const prompt = `It's "quoted".\n$HOME`

test.each(cases)('the program for $wire prints the answer, streamed: $isStreamed', async (one) => {
  const asked = { ...one, model: app.model, prompt, maxTokens: 50 }
  const program = join(folder, `${one.wire}-${one.isStreamed}.mjs`)
  writeFileSync(program, requestCode('typescript', asked, { gateway: app.gateway, key: null }))
  const { code, stderr, stdout } = await run(process.execPath, [program], { API_KEY: key })
  expect(code, stderr).toBe(0)
  expect(stdout).toContain('simulator')
})

test.each(cases)('the shell command for $wire prints the response, streamed: $isStreamed', async (one) => {
  const asked = { ...one, model: app.model, prompt }
  const command = requestCode('curl', asked, { gateway: app.gateway, key })
  const { code, stderr, stdout } = await run('sh', ['-c', command])
  expect(code, stderr).toBe(0)
  expect(stdout).not.toContain('"error":{')
  expect(stdout.includes('data: ')).toBe(one.isStreamed)
})
