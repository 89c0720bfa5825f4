import { openapiDocument } from '#http/openapi.ts'
import { operations } from '#operations/index.ts'
import { conversionLosses } from './conversion-losses.ts'

/** Path from the root of the repository -> the text of the file. */
export function generatedFiles(): Record<string, string> {
  return {
    'openapi.json': `${JSON.stringify(openapiDocument(operations), null, 2)}\n`,
    'docs/reference/conversion-losses.md': conversionLosses(),
  }
}
