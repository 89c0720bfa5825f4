/** Tests the contents of the build of the pages. tests/long/concurrent-builds.test.ts tests concurrent builds. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { packagesOfPages, pagesOf } from '../../tools/web/build.ts'

it('the build has no component gallery and no path of this machine, and has a compressed copy of each text file', async () => {
  const folder = await pagesOf('production')
  expect(readdirSync(folder).toSorted()).toEqual(['assets', 'build.json', 'console.html', 'portal.html'])
  const assets = readdirSync(join(folder, 'assets'))
  for (const name of assets.filter((one) => /\.(?:js|css)$/.test(one))) {
    const text = readFileSync(join(folder, 'assets', name))
    expect(text.includes(fileURLToPath(new URL('../..', import.meta.url))), name).toBe(false)
    // A development build would contain the source position of every element.
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
