import type { JsonObject } from './read-values-of-any-shape.ts'

export interface FormPart {
  readonly name: string
  /** Null if the part is not a file. */
  readonly filename: string | null
  readonly type: string
  readonly value: Buffer
}

/**
 * Null if the body is not a complete form. The simulator has its own parser, because it checks the forms that the
 * gateway writes.
 */
export function formParts(body: Uint8Array): readonly FormPart[] | null {
  const read: FormPart[] = []
  for (const { head, type, value } of relatedParts(body) ?? []) {
    const { filename, name } =
      /name="(?<name>[^"]+)"(?:; *filename="(?<filename>[^"]*)")?/.exec(head)?.groups ?? {}
    if (name === undefined) return null
    read.push({ name, filename: filename ?? null, type, value })
  }
  return read.length === 0 ? null : read
}

interface RelatedPart {
  readonly head: string
  readonly type: string
  readonly value: Buffer
}

/** Null if the body is not a complete multipart body. Parts need not have names. */
export function relatedParts(body: Uint8Array): readonly RelatedPart[] | null {
  const text = Buffer.from(body).toString('latin1')
  const delimiter = text.slice(0, Math.max(0, text.indexOf('\r\n')))
  if (!delimiter.startsWith('--')) return null
  const parts = `\r\n${text}`.split(`\r\n${delimiter}`).slice(1)
  if (!/^--(?:\r\n)?$/.test(parts.pop() ?? '')) return null
  const read: RelatedPart[] = []
  for (const part of parts) {
    const headEnd = part.indexOf('\r\n\r\n')
    if (headEnd < 0) return null
    const head = Buffer.from(part.slice(0, headEnd), 'latin1').toString()
    const { type = 'application/octet-stream' } = /content-type: *(?<type>[^\r\n]+)/i.exec(head)?.groups ?? {}
    read.push({ head, type, value: Buffer.from(part.slice(headEnd + 4), 'latin1') })
  }
  return read
}

/**
 * `files` is the number of files, `fileBytes` their size, and `fileHead` the first bytes of the first file, as Latin-1.
 * Null if the body is not a complete form.
 */
export function formValues(body: Uint8Array): JsonObject | null {
  const parts = formParts(body)
  if (parts === null) return null
  const files = parts.filter(({ filename }) => filename !== null)
  const fields = parts.filter(({ filename }) => filename === null)
  return {
    ...Object.fromEntries(fields.map(({ name, value }) => [name, value.toString()])),
    files: files.length,
    fileBytes: files.reduce((sum, { value }) => sum + value.length, 0),
    fileHead: files[0]?.value.toString('latin1', 0, 36) ?? '',
  }
}

/**
 * Returns the name of the field in errors. `formValues` adds the facts about the files, which are not fields of the
 * form.
 * @param fileField the form's field for files
 */
export function fieldInError(name: string, fileField: string): string {
  return fileFacts.has(name) ? fileField : name
}

const fileFacts: ReadonlySet<string> = new Set(['files', 'fileBytes', 'fileHead'])
