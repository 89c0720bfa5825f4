import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { pagesOf } from '../../tools/web/build.ts'
import { filesUnder } from '../support/install-packed-product.ts'

const program = fileURLToPath(new URL('../../tools/web/main.ts', import.meta.url))

async function buildNow(to: string): Promise<string> {
  const child = spawn(process.execPath, [program, '--to', to], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (piece) => (said += String(piece)))
  const [code] = await once(child, 'close')
  expect(code, said).toBe(0)
  return said
}

it('the pages are built once for many concurrent requests, and not again without changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-build-'))
  const to = join(folder, 'web')
  const said = await Promise.all([buildNow(to), buildNow(to), buildNow(to)])
  expect(said.filter((text) => text.startsWith('Built the pages'))).toHaveLength(1)
  const made = statSync(to).ino
  expect(await buildNow(to)).toBe('')
  expect(statSync(to).ino).toBe(made)
  rmSync(join(to, 'build.json'))
  expect(await buildNow(to)).toContain('Built the pages')
  expect(filesUnder(to)).toEqual(filesUnder(await pagesOf('production')))
  rmSync(folder, { recursive: true })
})
