import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run, startServer, type LocalServer } from '../../support/start-product.ts'

const scenario = fileURLToPath(new URL('../from-document/scenario.ts', import.meta.url))
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
const types = fileURLToPath(new URL('../../../node_modules/@types', import.meta.url))

let server: LocalServer
let folder: string
beforeAll(async () => {
  server = await startServer()
  folder = mkdtempSync(join(tmpdir(), 'tollgate-from-document-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.close()
})

test('a client generated from the served document compiles', async () => {
  const ast = await openapiTypescript(new URL(`${server.baseUrl}/v1/openapi.json`))
  writeFileSync(join(folder, 'control-plane.d.ts'), astToString(ast))
  const compilerOptions = {
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    module: 'nodenext',
    target: 'esnext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    typeRoots: [types],
    types: ['node'],
    skipLibCheck: true,
    paths: { 'control-plane': [join(folder, 'control-plane.d.ts')] },
  }
  const config = join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [scenario] }))
  const compiled = await run(process.execPath, [tsc, '--project', config])
  expect(compiled.stdout).toBe('')
  expect(compiled.code, compiled.stderr).toBe(0)
})

test('a client generated from the served document signs up, sells a call, reads its cost and opens the portal', async () => {
  const ran = await run(process.execPath, [scenario, server.baseUrl, server.setupUrl])
  expect(ran.stderr).toBe('')
  expect([ran.code, ran.stdout]).toEqual([0, 'done\n'])
})
