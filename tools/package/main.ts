/**
 * `npm run package`: creates all published archives in `dist/`, with a provenance statement. The same commit always
 * produces the same bytes.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { VERSION } from 'rolldown'
import { layOutNpmPackage, writeJson } from './npm-package.ts'
import { provenance } from './provenance.ts'
import { buildPythonSdk, pythonRequirements, type PythonArchives } from './python-sdk.ts'
import { sdksDocument } from './sbom.ts'
import { buildTypescriptSdk } from './typescript-sdk.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Packed {
  readonly tollgate: string
  readonly typescriptSdk: string
  /** Null if no Python on this machine could build the archives; the reason was printed. */
  readonly pythonSdk: PythonArchives | null
  /**
   * The SBOM of the SDKs, which lists the packages that they require. The archive of the command contains its own SBOM.
   */
  readonly sbom: string
  readonly provenance: string
}

/** @param builder URI that identifies the builder in the provenance statement */
export async function pack(to: string, builder: string): Promise<Packed> {
  mkdirSync(to, { recursive: true })
  // The container build installs any archive in the folder, so delete archives of earlier versions.
  for (const file of globSync('tollgate{-,_client-}*.{tgz,whl,tar.gz}', { cwd: to })) rmSync(join(to, file))
  const stage = mkdtempSync(join(tmpdir(), 'tollgate-package-'))
  try {
    const source = checkedOut()
    await layOutNpmPackage(join(stage, 'tollgate'), source.made)
    await buildTypescriptSdk(join(stage, 'tollgate-sdk'))
    const [tollgate = '', typescriptSdk = ''] = npmPack(
      [join(stage, 'tollgate'), join(stage, 'tollgate-sdk')],
      to,
    )
    const pythonSdk = await buildPythonSdk(to, source.made)
    const python = pythonSdk === null ? [] : [pythonSdk.wheel, pythonSdk.sdist]
    const { license, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const sbom = join(to, 'sdks.spdx.json')
    writeJson(
      sbom,
      sdksDocument({ version, license, created: source.made }, [
        { name: 'tollgate-sdk', kind: 'npm', file: typescriptSdk, requirements: [] },
        ...python.map((file) => ({
          name: 'tollgate-client',
          kind: 'pypi' as const,
          file,
          requirements: pythonRequirements(),
        })),
      ]),
    )
    const statement = join(to, 'provenance.json')
    writeJson(
      statement,
      provenance([tollgate, typescriptSdk, ...python, sbom], {
        builder,
        commit: source.commit,
        isTreeClean: source.isTreeClean,
        tools: { node: process.versions.node, rolldown: VERSION, ...pythonSdk?.tools },
        lockfiles: [
          'package-lock.json',
          ...(pythonSdk === null ? [] : ['sdk/python/requirements/tools.txt']),
        ],
      }),
    )
    return { tollgate, typescriptSdk, pythonSdk, sbom, provenance: statement }
  } finally {
    rmSync(stage, { recursive: true })
  }
}

/**
 * npm writes archives with sorted files, and without times and owners.
 * @returns the archives, in the order of the folders
 */
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

interface Source {
  readonly commit: string | null
  readonly isTreeClean: boolean
  readonly made: Date
}

/** Without a git history, a fixed time is used, so that every build is the same. */
function checkedOut(): Source {
  try {
    return {
      commit: git('rev-parse', 'HEAD'),
      isTreeClean: git('status', '--porcelain') === '',
      made: new Date(git('log', '-1', '--format=%cI')),
    }
  } catch {
    return { commit: null, isTreeClean: false, made: new Date(0) }
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      to: { type: 'string', default: join(root, 'dist') },
      builder: { type: 'string', default: 'urn:tollgate:builder:unnamed' },
    },
  })
  const packed = await pack(values.to, values.builder)
  const { pythonSdk, ...files } = packed
  const python = pythonSdk === null ? [] : [pythonSdk.wheel, pythonSdk.sdist]
  for (const file of [...Object.values(files), ...python]) {
    console.log(`${file} (${readFileSync(file).length} bytes)`)
  }
}
