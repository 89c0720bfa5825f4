/** The bundle contains everything that `src/` imports, so that an install needs no network. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @param to folder for the files; the bundle has no subfolders
 * @returns sorted folders of the packages whose code is in the bundle, as paths from the root such as `node_modules/pg`
 */
export async function bundle(to: string): Promise<string[]> {
  const bundled = await rolldown({
    cwd: root,
    input: { tollgate: 'src/cli/main.ts' },
    platform: 'node',
    plugins: [filesBeside],
    // Debug information would contain the paths of the modules on this machine.
    experimental: { attachDebugInfo: 'none' },
    onLog(level, log) {
      throw new Error(`the bundle is not clean: ${level} ${log.message}`)
    },
  })
  const { output } = await bundled.write({
    dir: to,
    format: 'esm',
    // Without a hash in file names, stack traces of two builds can be compared.
    chunkFileNames: '[name].js',
    sourcemap: true,
    // The source text is in the repository, at the commit that the provenance names. Stack traces are readable without
    // it, because the bundle keeps the names of functions.
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (source, map) => fromRoot(join(dirname(map), source)),
    comments: { annotation: true, jsdoc: false, legal: true },
    codeSplitting: {
      groups: [
        // The packages for tracing are loaded together, and only if a collector of traces is configured.
        { name: 'tracing', test: /node_modules\/@opentelemetry\/(?!api\/)/ },
      ],
    },
  })
  await bundled.close()
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  return [...new Set(modules.flatMap(packageFolderOf))].toSorted()
}

/**
 * Bundles files that a module loads with `new URL('./name', import.meta.url)`. Files with the code of a thread are
 * bundled, and other files are copied. The name in the module is replaced by the name in the bundle.
 */
const filesBeside: Plugin = {
  name: 'files-beside',
  transform(code, id) {
    if (!id.startsWith(join(root, 'src/')) || !code.includes('import.meta.')) return null
    let known = 0
    const written = code.replaceAll(/new URL\(\s*'([^']+)',\s*import\.meta\.url\s*\)/g, (_, name: string) => {
      known++
      const source = join(dirname(id), name)
      const fileName = bundledName(source)
      if (statSync(source).isDirectory()) {
        for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
          const path = join(source, file)
          if (file.endsWith('.ts') || statSync(path).isDirectory()) continue
          this.emitFile({ type: 'asset', fileName: `${fileName}${file}`, source: readFileSync(path) })
        }
      } else if (source.endsWith('.ts')) {
        this.emitFile({ type: 'chunk', id: source, fileName })
      } else {
        this.emitFile({ type: 'asset', fileName, source: readFileSync(source) })
      }
      return `new URL('./${fileName}', import.meta.url)`
    })
    if (code.split('import.meta.').length - 1 !== known) {
      throw new Error(`${fromRoot(id)} uses import.meta in a way that tools/package/bundle.ts does not know`)
    }
    return { code: written, map: null }
  },
}

function bundledName(source: string): string {
  const name = basename(source)
  if (source.endsWith('/')) return `${name}/`
  return source.endsWith('.ts') ? name.replace(/\.ts$/, '.js') : `assets/${name}`
}

/** `node_modules` may be a link, so the packages may be outside of the root folder. */
function packageFolderOf(id: string): string[] {
  const folder = /\/(?<folder>node_modules\/.*)/.exec(id)?.groups?.['folder']
  const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(folder ?? '')
  return found ? [found[0]] : []
}

function fromRoot(path: string): string {
  const inPackages = path.indexOf('/node_modules/')
  return inPackages === -1 ? relative(root, path) : path.slice(inPackages + 1)
}
