/** Lists the contents of the package for vulnerability scanners, as SPDX 2.3 in JSON. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { BundledPackage } from './bundled-packages.ts'

export interface SbomSubject {
  readonly name: string
  readonly version: string
  readonly license: string
  /** Time of the commit, so that the same content always produces the same document. */
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

export interface PackedSdk {
  readonly name: string
  readonly kind: 'npm' | 'pypi'
  readonly file: string
  readonly requirements: readonly { readonly name: string; readonly range: string }[]
}

/** The packages that the SDKs require are listed with their version ranges. */
export function sdksDocument(
  { created, license, version }: Omit<SbomSubject, 'name'>,
  sdks: readonly PackedSdk[],
): object {
  const archives = sdks.map((sdk) => ({
    ...sdk,
    id: `SPDXRef-Package-${spdxId(basename(sdk.file))}`,
    sha256: createHash('sha256').update(readFileSync(sdk.file)).digest('hex'),
  }))
  const ranges = new Map(
    archives.flatMap(({ requirements }) => requirements.map(({ name, range }) => [name, range])),
  )
  const requirementId = (name: string): string => `SPDXRef-Requirement-${spdxId(name)}`
  const content = createHash('sha256')
    .update(archives.map(({ sha256 }) => sha256).join())
    .digest('hex')
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `tollgate-sdks-${version}`,
    documentNamespace: `https://spdx.org/spdxdocs/tollgate-sdks-${version}-${content}`,
    creationInfo: {
      created: created.toISOString().replace(/\.\d+Z$/, 'Z'),
      creators: ['Tool: tollgate-tools-package'],
    },
    documentDescribes: archives.map(({ id }) => id),
    packages: [
      ...archives.map(({ file, id, kind, name, sha256 }) => ({
        SPDXID: id,
        name,
        versionInfo: version,
        packageFileName: basename(file),
        downloadLocation: 'NOASSERTION',
        filesAnalyzed: false,
        primaryPackagePurpose: 'LIBRARY',
        checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }],
        licenseConcluded: 'NOASSERTION',
        licenseDeclared: license,
        copyrightText: 'NOASSERTION',
        externalRefs: [packageUrl({ name, version }, kind)],
      })),
      ...[...ranges].map(([name, range]) => ({
        SPDXID: requirementId(name),
        name,
        downloadLocation: `https://pypi.org/project/${name}/`,
        filesAnalyzed: false,
        licenseConcluded: 'NOASSERTION',
        licenseDeclared: 'NOASSERTION',
        copyrightText: 'NOASSERTION',
        comment: `Not contained. An install takes a version in the range ${range}.`,
      })),
    ],
    relationships: [
      ...archives.map(({ id }) => ({
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: id,
      })),
      ...archives.flatMap(({ id, requirements }) =>
        requirements.map(({ name }) => ({
          spdxElementId: id,
          relationshipType: 'DEPENDS_ON',
          relatedSpdxElement: requirementId(name),
        })),
      ),
    ],
  }
}

function packageUrl(
  { name, version }: { readonly name: string; readonly version: string },
  kind: PackedSdk['kind'] = 'npm',
): object {
  return {
    referenceCategory: 'PACKAGE-MANAGER',
    referenceType: 'purl',
    referenceLocator: `pkg:${kind}/${name.replace('@', '%40')}@${version}`,
  }
}

function archiveAt(name: string, version: string): string {
  return `https://registry.npmjs.org/${name}/-/${name.replace(/^@[^/]+\//, '')}-${version}.tgz`
}

function spdxId(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9.]+/g, '-').replace(/^-/, '')
}
