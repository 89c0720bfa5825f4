/** Collects facts about third-party code in the bundle, from package-lock.json and the packages themselves. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** SPDX license expression, as the package declares it. */
  readonly license: string
  /**
   * The hash of the package's archive in the registry, in hex. Null if the bundled code does not come from an npm
   * archive.
   */
  readonly sha512: string | null
  readonly licenseTexts: readonly string[]
  /** The parts that were copied. Set only if they are not code of the bundle. */
  readonly comment?: string
}

interface LockedPackage {
  readonly version: string
  readonly integrity?: string
}

/** @param folders as package-lock.json writes them: `node_modules/pg` */
export function bundledPackages(folders: readonly string[]): BundledPackage[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  const all = folders.map((folder) => packageOf(folder, lock.packages[folder]))
  const prices = 'node_modules/@pydantic/genai-prices'
  all.push({
    ...packageOf(prices, lock.packages[prices]),
    comment: 'Published prices of models (prices/prices.json) are made from its data.',
  })
  all.push(scalar(), commonPasswords())
  const byPurl = new Map(all.map((one) => [`${one.name}@${one.version}`, one]))
  return [...byPurl].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, found]) => found)
}

function packageOf(folder: string, locked: LockedPackage | undefined): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  if (locked === undefined || locked.version !== manifest.version) {
    throw new Error(
      `${folder} is version ${manifest.version}, and package-lock.json has ${locked?.version ?? 'no such package'}: run npm ci`,
    )
  }
  const [algorithm, digest] = (locked.integrity ?? '').split('-')
  if (algorithm !== 'sha512' || digest === undefined) {
    throw new Error(`package-lock.json has no sha512 of ${folder}, and the list of bundled packages needs it`)
  }
  return {
    name: manifest.name,
    version: manifest.version,
    license: manifest.license,
    sha512: Buffer.from(digest, 'base64').toString('hex'),
    licenseTexts: licenseTextsIn(join(root, folder)),
  }
}

function scalar(): BundledPackage {
  const comment = 'Its dist/browser/standalone.js, unchanged, is served as a file.'
  return vendored('scalar', '@scalar/api-reference', comment)
}

function commonPasswords(): BundledPackage {
  const comment = 'The list of common passwords (vendor/common-passwords) is made from its data.'
  return vendored('common-passwords', '@zxcvbn-ts/language-common', comment)
}

function vendored(name: string, from: string, comment: string): BundledPackage {
  const folder = join(root, 'vendor', name)
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  const [, stated = ''] = readme.split(`\`${from}\` `)
  const told = /^(?<version>\S+) \((?<license>[^)]+)\)/.exec(stated)?.groups
  if (told === undefined) throw new Error(`vendor/${name}/README.md does not say version and licence`)
  const { license = '', version = '' } = told
  return { name: from, version, license, sha512: null, licenseTexts: licenseTextsIn(folder), comment }
}

/** If the package has no license file, returns the license section of its README, or an empty list. */
function licenseTextsIn(folder: string): string[] {
  const files = readdirSync(folder).toSorted()
  const named = files.filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
  if (named.length > 0) return named.map((file) => textOf(join(folder, file)))
  const readme = files.find((file) => /^readme/i.test(file))
  const section = /^#+ *licen[cs]e\b[^\n]*\n(?<text>[^#]+)/im.exec(
    readme === undefined ? '' : textOf(join(folder, readme)),
  )
  return section?.groups?.['text'] === undefined ? [] : [section.groups['text'].trim()]
}

function textOf(file: string): string {
  return readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim()
}
