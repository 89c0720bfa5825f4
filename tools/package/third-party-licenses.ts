import type { BundledPackage } from './bundled-packages.ts'

/** A license text that several packages share is included only once. */
export function thirdPartyLicenses(packages: readonly BundledPackage[]): string {
  const byText = new Map<string, string[]>()
  for (const { comment, license, licenseTexts, name, version } of packages) {
    if (licenseTexts.length === 0)
      throw new Error(`${name}@${version} (${license}) comes without the text of its licence`)
    const title = `${name} ${version} (${license})${comment === undefined ? '' : `. ${comment}`}`
    const text = licenseTexts.join('\n\n')
    byText.set(text, [...(byText.get(text) ?? []), title])
  }
  const sections = [...byText].map(([text, titles]) => `${titles.join('\n')}\n\n${text}\n`)
  return `Tollgate contains code and data of these packages, under their own licences.\n\n${line}\n${sections.join(`\n${line}\n`)}`
}

const line = `${'-'.repeat(80)}\n`
