/**
 * Builds sdk/typescript/dist: one ESM and one CommonJS bundle of each entry, with their types. The folder of each
 * format declares whether its files are ESM or CommonJS, so that the types match the code.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'sdk', 'typescript')
const run = promisify(execFile)

const annexes = ['package.json', 'README.md']

/**
 * @param to folder for the complete package as it is published; if omitted, only `dist` next to the sources is built
 */
export async function buildTypescriptSdk(to: string = folder): Promise<void> {
  const dist = join(to, 'dist')
  await rm(dist, { recursive: true, force: true })
  const bundle = await rolldown({
    cwd: root,
    input: { index: join(folder, 'src/index.ts'), portal: join(folder, 'src/portal.ts') },
    platform: 'neutral',
    tsconfig: join(folder, 'tsconfig.json'),
  })
  for (const [kind, format] of [
    ['module', 'esm'],
    ['commonjs', 'cjs'],
  ] as const) {
    const outDir = join(dist, format)
    // oxlint-disable-next-line no-await-in-loop -- one bundle, written twice
    await bundle.write({
      dir: outDir,
      format,
      chunkFileNames: 'core.js',
      // Editors read comments from the types.
      comments: { annotation: true, jsdoc: false, legal: true },
    })
    await declare(outDir)
    await writeFile(join(outDir, 'package.json'), `${JSON.stringify({ type: kind })}\n`)
  }
  await bundle.close()
  if (to === folder) return
  for (const name of annexes) await cp(join(folder, name), join(to, name))
  await cp(join(root, 'LICENSE'), join(to, 'LICENSE'))
}

async function declare(outDir: string): Promise<void> {
  await mkdir(outDir, { recursive: true })
  await run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '--project',
    folder,
    '--noEmit',
    'false',
    '--declaration',
    '--emitDeclarationOnly',
    '--outDir',
    outDir,
  ])
}

if (import.meta.main) await buildTypescriptSdk()
