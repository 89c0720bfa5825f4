import { documentTypes } from '#wire/converse/content-bound.ts'
import type { FilePart } from '#convert/neutral-format.ts'

/** Returns the format in which Converse accepts the data of a file. Null for data of another type, and for no data. */
export function formatOf({ source }: FilePart): string | null {
  return source.kind === 'data' ? (formats.get(source.mediaType) ?? null) : null
}

const formats = new Map([...documentTypes].map(([format, type]) => [type, format]))
