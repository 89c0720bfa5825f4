import { errors } from '#domain/errors.ts'
import { openapiDocument } from '#http/openapi/openapi-document.ts'
import { operations } from '#operations/index.ts'
import { operationSchemas } from './command-line/operation-schemas.ts'
import { operationTable } from './command-line/operation-table.ts'
import { conversionLosses } from './conversion-losses-page.ts'
import { putReference } from './put-fields-page.ts'
import { sharedResources } from './shared-resources-page.ts'
import { staleAfterTable } from './stale-data-by-operation.ts'
import { pythonSdk } from './python/write-python-sdk.ts'
import { apiModel } from './sdk/operation-model.ts'
import { typescriptSdk } from './typescript/write-typescript-sdk.ts'

export function generatedFiles(): Record<string, string> {
  const api = apiModel(operations, errors)
  return {
    'openapi.json': `${JSON.stringify(openapiDocument(operations), null, 2)}\n`,
    'docs/reference/conversion-losses.md': conversionLosses(),
    'docs/reference/put.md': putReference(),
    'docs/reference/shared-resources.md': sharedResources(),
    ...within('sdk/typescript/src/generated', typescriptSdk(api)),
    'src/cli/generated/operations.json': operationTable(api),
    'src/cli/generated/schemas.json': operationSchemas(operations),
    'web/generated/nouns-outdated-by-operation.ts': staleAfterTable(operations),
    ...within('sdk/python/src/tollgate_client/generated', pythonSdk(api)),
  }
}

function within(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]))
}
