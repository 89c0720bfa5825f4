/**
 * A command that loads more code before it runs takes longer to start. The test counts code instead of CPU time,
 * because CPU time depends on other work of the machine.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, run, startServer, type LocalServer } from '../support/start-product.ts'
import type { LoadedFile } from './hook-that-lists-loaded-files.ts'

let server: LocalServer
let home: string
beforeAll(async () => {
  server = await startServer()
  home = mkdtempSync(join(tmpdir(), 'tollgate-start-'))
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await server.close()
})

async function loadedBy(args: readonly string[]): Promise<LoadedFile[]> {
  const path = join(home, 'loaded.json')
  const { code } = await run(command, args, {
    HOME: home,
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'hook-that-lists-loaded-files.ts')}`,
    LOADED_FILES: path,
    TOLLGATE_BASE_URL: server.baseUrl,
    TOLLGATE_TOKEN: server.token,
  })
  expect(code).toBe(0)
  return JSON.parse(readFileSync(path, 'utf8'))
}

describe('a command loads little code', () => {
  it.each([
    { args: ['--help'], filesMax: 31, kibMax: 510 },
    { args: ['apps', 'list'], filesMax: 62, kibMax: 610 },
  ])('tollgate $args loads little code', async ({ args, filesMax, kibMax }) => {
    const loaded = await loadedBy(args)
    const kib = Math.ceil(loaded.reduce((sum, { bytes }) => sum + bytes, 0) / 1024)
    console.log(`tollgate ${args.join(' ')}: ${loaded.length} files, ${kib} KiB`)
    expect(loaded.filter(({ file }) => /\/src\/(?:store|gateway|domain|control|web)\//u.test(file))).toEqual(
      [],
    )
    expect(loaded.length).toBeLessThanOrEqual(filesMax)
    expect(kib).toBeLessThanOrEqual(kibMax)
  })
})
