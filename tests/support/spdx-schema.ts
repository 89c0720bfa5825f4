/**
 * The parts of the SPDX 2.3 JSON schema that the product's documents use, with all requirements
 * (github.com/spdx/spdx-spec, schemas/spdx-schema.json of version 2.3; documentNamespace by its clause 6.5).
 */
const text = { type: 'string', minLength: 1 }
const spdxId = { type: 'string', pattern: '^SPDXRef-[A-Za-z0-9.-]+$' }

const externalRef = {
  type: 'object',
  required: ['referenceCategory', 'referenceLocator', 'referenceType'],
  additionalProperties: false,
  properties: {
    referenceCategory: { enum: ['OTHER', 'PERSISTENT-ID', 'SECURITY', 'PACKAGE-MANAGER'] },
    referenceLocator: {
      type: 'string',
      pattern: String.raw`^pkg:(?:npm|pypi)/(?:%40[a-z0-9.-]+/)?[a-z0-9._-]+@\d`,
    },
    referenceType: text,
  },
}

const describedPackage = {
  type: 'object',
  required: ['SPDXID', 'downloadLocation', 'name'],
  additionalProperties: false,
  properties: {
    SPDXID: spdxId,
    name: text,
    versionInfo: text,
    packageFileName: text,
    downloadLocation: text,
    filesAnalyzed: { const: false },
    primaryPackagePurpose: { enum: ['APPLICATION', 'LIBRARY', 'FRAMEWORK', 'CONTAINER', 'OTHER'] },
    licenseConcluded: text,
    licenseDeclared: { type: 'string', pattern: '^[A-Za-z0-9.+() -]+$' },
    copyrightText: text,
    comment: text,
    checksums: {
      type: 'array',
      items: {
        type: 'object',
        required: ['algorithm', 'checksumValue'],
        additionalProperties: false,
        properties: {
          algorithm: { enum: ['SHA256', 'SHA512'] },
          checksumValue: { type: 'string', pattern: '^(?:[0-9a-f]{64}|[0-9a-f]{128})$' },
        },
      },
    },
    externalRefs: { type: 'array', items: externalRef },
  },
}

export const spdxSchema = {
  type: 'object',
  required: ['SPDXID', 'creationInfo', 'dataLicense', 'documentNamespace', 'name', 'spdxVersion'],
  additionalProperties: false,
  properties: {
    SPDXID: { const: 'SPDXRef-DOCUMENT' },
    spdxVersion: { const: 'SPDX-2.3' },
    dataLicense: { const: 'CC0-1.0' },
    name: text,
    documentNamespace: { type: 'string', pattern: '^https://[^#]+$' },
    creationInfo: {
      type: 'object',
      required: ['created', 'creators'],
      additionalProperties: false,
      properties: {
        created: { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$` },
        creators: {
          type: 'array',
          minItems: 1,
          items: { type: 'string', pattern: '^(?:Person|Organization|Tool): .+' },
        },
      },
    },
    documentDescribes: { type: 'array', items: spdxId },
    packages: { type: 'array', minItems: 1, items: describedPackage },
    relationships: {
      type: 'array',
      items: {
        type: 'object',
        required: ['relatedSpdxElement', 'relationshipType', 'spdxElementId'],
        additionalProperties: false,
        properties: {
          relatedSpdxElement: spdxId,
          relationshipType: { enum: ['DESCRIBES', 'CONTAINS', 'DEPENDS_ON'] },
          spdxElementId: spdxId,
        },
      },
    },
  },
}
