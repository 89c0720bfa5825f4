/**
 * `npm run package`: everything that is published, in `dist/`, with a statement of what it was made of. The same
 * commit gives the same bytes.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { VERSION } from 'rolldown'
import { layOutNpmPackage, writeJson } from './npm-package.ts'
import { provenance } from './provenance.ts'
import { buildTypescriptSdk } from './typescript-sdk.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Packed {
  /** The archive of the command and the server. */
  readonly tollgate: string
  /** The archive of the TypeScript SDK. */
  readonly typescriptSdk: string
  readonly provenance: string
}

/**
 * @param to folder that gets the archives and the statement
 * @param builder names who builds, in the statement
 */
export async function pack(to: string, builder: string): Promise<Packed> {
  mkdirSync(to, { recursive: true })
  const stage = mkdtempSync(join(tmpdir(), 'tollgate-package-'))
  try {
    const created = new Date(git('log', '-1', '--format=%cI'))
    await layOutNpmPackage(join(stage, 'tollgate'), created)
    await buildTypescriptSdk(join(stage, 'tollgate-sdk'))
    const [tollgate = '', typescriptSdk = ''] = npmPack(
      [join(stage, 'tollgate'), join(stage, 'tollgate-sdk')],
      to,
    )
    const statement = join(to, 'provenance.json')
    writeJson(
      statement,
      provenance([tollgate, typescriptSdk], {
        builder,
        commit: git('rev-parse', 'HEAD'),
        isTreeClean: git('status', '--porcelain') === '',
        tools: { node: process.versions.node, rolldown: VERSION },
        lockfile: join(root, 'package-lock.json'),
      }),
    )
    return { tollgate, typescriptSdk, provenance: statement }
  } finally {
    rmSync(stage, { recursive: true })
  }
}

/** npm writes archives without times and owners, sorted. @returns the archives, in the order of the folders */
function npmPack(folders: readonly string[], to: string): string[] {
  const options = ['--json', '--ignore-scripts', '--offline', '--pack-destination', to]
  const windows = process.platform === 'win32'
  const told = execFileSync('npm', ['pack', ...folders, ...options], {
    cwd: root,
    shell: windows,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const packed = JSON.parse(told) as readonly { readonly filename: string }[]
  return packed.map(({ filename }) => join(to, filename))
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      to: { type: 'string', default: join(root, 'dist') },
      builder: { type: 'string', default: 'urn:tollgate:builder:unnamed' },
    },
  })
  const packed = await pack(values.to, values.builder)
  for (const file of Object.values(packed)) {
    console.log(`${file} (${readFileSync(file).length} bytes)`)
  }
}
