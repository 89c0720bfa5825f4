/** The npm package `tollgate`, which requires only Node.js. */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packagesOfPages, pagesOf } from '../web/build.ts'
import { bundle } from './bundle.ts'
import { bundledPackages } from './bundled-packages.ts'
import { spdxDocument } from './sbom.ts'
import { thirdPartyLicenses } from './third-party-licenses.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @param to folder for the package; its current content is deleted
 * @param created time of the commit
 */
export async function layOutNpmPackage(to: string, created: Date): Promise<void> {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(join(to, 'bin'), { recursive: true })
  await pagesOf('production')
  const packages = bundledPackages([...(await bundle(join(to, 'dist'))), ...packagesOfPages()])
  const { description, engines, license, name, version } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const launcher = join(to, 'bin/tollgate.js')
  copyFileSync(join(root, 'tools/package/launcher.js'), launcher)
  chmodSync(launcher, 0o755)
  for (const file of ['LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, file), join(to, file))
  copyFileSync(join(root, 'tools/package/npm-readme.md'), join(to, 'README.md'))
  writeFileSync(join(to, 'THIRD-PARTY-LICENSES'), thirdPartyLicenses(packages))
  writeJson(join(to, 'sbom.spdx.json'), spdxDocument({ name, version, license, created }, packages))
  // The repository's package.json refers to sources, tools and tests, which the package does not contain.
  writeJson(join(to, 'package.json'), {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { tollgate: 'bin/tollgate.js' },
    files: ['bin', 'dist', 'CHANGELOG.md', 'THIRD-PARTY-LICENSES', 'sbom.spdx.json'],
    // The package is a command and not a library, so programs may not import its files.
    exports: { './package.json': './package.json' },
    engines,
  })
}

export function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}
