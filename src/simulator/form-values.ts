import type { JsonObject } from './loose-json.ts'

/**
 * Returns the fields of a multipart form as strings, and the number and the size of its files in `files` and
 * `fileBytes`. Null if the body is not a complete form. The simulator has its own parser, because it checks the forms
 * that the gateway writes.
 */
export function formValues(body: Uint8Array): JsonObject | null {
  const text = Buffer.from(body).toString('latin1')
  const delimiter = text.slice(0, Math.max(0, text.indexOf('\r\n')))
  if (!delimiter.startsWith('--')) return null
  const parts = `\r\n${text}`.split(`\r\n${delimiter}`).slice(1)
  if (!/^--(?:\r\n)?$/.test(parts.pop() ?? '')) return null
  const values: Record<string, string | number> = {}
  let files = 0
  let fileBytes = 0
  for (const part of parts) {
    const headEnd = part.indexOf('\r\n\r\n')
    const { file, name } =
      /name="(?<name>[^"]+)"(?<file>; *filename=)?/.exec(part.slice(0, headEnd))?.groups ?? {}
    if (headEnd < 0 || name === undefined) return null
    if (file === undefined) values[name] = Buffer.from(part.slice(headEnd + 4), 'latin1').toString()
    else {
      files++
      fileBytes += part.length - headEnd - 4
    }
  }
  return { ...values, files, fileBytes }
}
