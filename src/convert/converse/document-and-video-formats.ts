import { documentTypes } from '#wire/converse/content-bound.ts'
import type { FilePart } from '#convert/neutral-format.ts'

/** Null if the file has no data, or data that Converse does not accept. */
export function formatOf({ source }: FilePart): string | null {
  return source.kind === 'data' ? (formats.get(source.mediaType) ?? null) : null
}

const formats = new Map([...documentTypes].map(([format, type]) => [type, format]))

export function videoFormatOf({ source }: FilePart): string | null {
  return source.kind === 'data' ? (videoFormats.get(source.mediaType) ?? null) : null
}

/** The video formats whose length the gateway can read (docs/reference/tokens.md "Video"). */
const videoFormats = new Map([
  ['video/mp4', 'mp4'],
  ['video/webm', 'webm'],
  ['video/mov', 'mov'],
  ['video/quicktime', 'mov'],
  ['video/3gpp', 'three_gp'],
])
