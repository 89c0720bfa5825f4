import { openapiDocument } from '#http/openapi.ts'
import { operations } from '#operations/index.ts'
import { conversionLosses } from './conversion-losses.ts'

/** Name from the root of the repository -> what the file must hold. */
export function generatedFiles(): Record<string, string> {
  return {
    'openapi.json': `${JSON.stringify(openapiDocument(operations), null, 2)}\n`,
    'docs/reference/conversion-losses.md': conversionLosses(),
  }
}
