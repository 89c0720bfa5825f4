/** The list of what is in the package, for tools that look for known faults: SPDX 2.3 as JSON. */
import { createHash } from 'node:crypto'
import type { BundledPackage } from './bundled-packages.ts'

export interface SbomSubject {
  readonly name: string
  readonly version: string
  readonly license: string
  /** When its commit was made: a document of the same content is the same document. */
  readonly created: Date
}

export function spdxDocument(subject: SbomSubject, packages: readonly BundledPackage[]): object {
  const described = 'SPDXRef-Package'
  const parts = packages.map((one) => ({
    ...one,
    id: `SPDXRef-Package-${spdxId(`${one.name}-${one.version}`)}`,
  }))
  const content = createHash('sha256')
    .update(JSON.stringify([subject, packages]))
    .digest('hex')
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${subject.name}-${subject.version}`,
    documentNamespace: `https://spdx.org/spdxdocs/${subject.name}-${subject.version}-${content}`,
    creationInfo: {
      created: subject.created.toISOString().replace(/\.\d+Z$/, 'Z'),
      creators: ['Tool: tollgate-tools-package'],
    },
    documentDescribes: [described],
    packages: [
      {
        SPDXID: described,
        name: subject.name,
        versionInfo: subject.version,
        downloadLocation: 'NOASSERTION',
        filesAnalyzed: false,
        primaryPackagePurpose: 'APPLICATION',
        licenseConcluded: 'NOASSERTION',
        licenseDeclared: subject.license,
        copyrightText: 'NOASSERTION',
        externalRefs: [packageUrl(subject)],
      },
      ...parts.map(({ comment, id, license, name, sha512, version }) => ({
        SPDXID: id,
        name,
        versionInfo: version,
        downloadLocation: archiveAt(name, version),
        filesAnalyzed: false,
        ...(sha512 !== null && { checksums: [{ algorithm: 'SHA512', checksumValue: sha512 }] }),
        licenseConcluded: 'NOASSERTION',
        licenseDeclared: license,
        copyrightText: 'NOASSERTION',
        externalRefs: [packageUrl({ name, version })],
        ...(comment !== undefined && { comment }),
      })),
    ],
    relationships: [
      {
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: described,
      },
      ...parts.map(({ id }) => ({
        spdxElementId: described,
        relationshipType: 'CONTAINS',
        relatedSpdxElement: id,
      })),
    ],
  }
}

function packageUrl({ name, version }: { readonly name: string; readonly version: string }): object {
  return {
    referenceCategory: 'PACKAGE-MANAGER',
    referenceType: 'purl',
    referenceLocator: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  }
}

function archiveAt(name: string, version: string): string {
  return `https://registry.npmjs.org/${name}/-/${name.replace(/^@[^/]+\//, '')}-${version}.tgz`
}

/** Letters, digits, dots and hyphens alone. */
function spdxId(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9.]+/g, '-').replace(/^-/, '')
}
