/** The build of the pages: concurrent requests build once, and the build matches its sources. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { packagesOfPages, pagesOf } from '../../tools/web/build.ts'
import { filesUnder } from '../support/packed-product.ts'

const program = fileURLToPath(new URL('../../tools/web/main.ts', import.meta.url))

async function buildNow(to: string): Promise<string> {
  const child = spawn(process.execPath, [program, '--to', to], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (piece) => (said += String(piece)))
  const [code] = await once(child, 'close')
  expect(code, said).toBe(0)
  return said
}

it('the build is made once for many concurrent requests, and not again without changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-build-'))
  const to = join(folder, 'web')
  const said = await Promise.all([buildNow(to), buildNow(to), buildNow(to)])
  expect(said.filter((text) => text.startsWith('Built the pages'))).toHaveLength(1)
  const made = statSync(to).ino
  expect(await buildNow(to)).toBe('')
  expect(statSync(to).ino).toBe(made)
  // The files of an interrupted build do not count as a build.
  rmSync(join(to, 'build.json'))
  expect(await buildNow(to)).toContain('Built the pages')
  expect(filesUnder(to)).toEqual(filesUnder(await pagesOf('production')))
  rmSync(folder, { recursive: true })
})

it('the build has no page of components, no path of this machine, and a compressed copy of each text file', async () => {
  const folder = await pagesOf('production')
  expect(readdirSync(folder).toSorted()).toEqual(['assets', 'build.json', 'console.html', 'portal.html'])
  const assets = readdirSync(join(folder, 'assets'))
  for (const name of assets.filter((one) => /\.(?:js|css)$/.test(one))) {
    const text = readFileSync(join(folder, 'assets', name))
    expect(text.includes(fileURLToPath(new URL('../..', import.meta.url))), name).toBe(false)
    // This is not the development build, which contains the source position of every element.
    expect(text.includes('jsxDEV'), name).toBe(false)
    expect(brotliDecompressSync(readFileSync(join(folder, 'assets', `${name}.br`))).equals(text), name).toBe(
      true,
    )
  }
  expect(readdirSync(await pagesOf('test'))).toContain('ui.html')
})

it('the build lists the packages that it contains', async () => {
  await pagesOf('production')
  expect(packagesOfPages()).toEqual(
    expect.arrayContaining([
      'node_modules/@fontsource-variable/inter',
      'node_modules/react',
      'node_modules/react-dom',
      'node_modules/tailwindcss',
    ]),
  )
})
