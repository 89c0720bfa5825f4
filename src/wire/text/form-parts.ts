/**
 * Reads the parts of a form (RFC 7578) in one pass over its bytes. Rejects forms that two parsers could interpret
 * differently, and that vendors' clients do not write. These forms have text around the parts, folded headers or
 * encoded parts.
 */
import type { ByteText } from './byte-text.ts'

export interface FormPart {
  readonly name: string
  /** Null for a field that is not a file. */
  readonly filename: string | null
  readonly start: number
  readonly end: number
  /** Position of the delimiter before the part. */
  readonly from: number
  /** Position of the delimiter after the part. */
  readonly to: number
}

/** No vendor's form has so many parts. */
const partsMax = 64
const headBytesMax = 2_048

export function boundaryOf(contentType: string): string | null {
  const { quoted, token } =
    /^multipart\/form-data *; *boundary=(?:"(?<quoted>[^"]{1,70})"|(?<token>[^" ;]{1,70}))$/i.exec(
      contentType,
    )?.groups ?? {}
  const boundary = quoted ?? token ?? ''
  return /^[0-9A-Za-z'()+_,./:=?-]+$/.test(boundary) ? boundary : null
}

export function formType(boundary: string): string {
  return `multipart/form-data; boundary=${/^[\w-]+$/.test(boundary) ? boundary : `"${boundary}"`}`
}

/** A field, or a file if it has a file name. */
export interface WrittenPart {
  readonly name: string
  readonly filename?: string
  readonly value: ByteText
}

export function formText(boundary: string, parts: readonly WrittenPart[]): ByteText {
  return `${parts.map((part) => partText(boundary, part)).join('')}--${boundary}--\r\n`
}

/** The text includes the delimiter before the part. */
export function partText(boundary: string, { filename, name, value }: WrittenPart): ByteText {
  const file = filename === undefined ? '' : `; filename="${filename}"`
  return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
}

/** Returns null if the text is not a complete form. */
export function formParts(text: ByteText, boundary: string): readonly FormPart[] | null {
  const delimiter = `--${boundary}`
  if (!text.startsWith(delimiter)) return null
  const parts: FormPart[] = []
  for (let from = 0; ;) {
    const at = from + delimiter.length
    if (text.startsWith('--', at)) return isEnd(text, at + 2) ? parts : null
    if (!text.startsWith('\r\n', at) || parts.length === partsMax) return null
    const head = text.slice(at + 2, at + 2 + headBytesMax)
    const headLength = head.indexOf('\r\n\r\n')
    const named = headLength < 0 ? null : headOf(head.slice(0, headLength))
    if (named === null) return null
    const start = at + 2 + headLength + 4
    const end = text.indexOf(`\r\n${delimiter}`, start)
    if (end < 0) return null
    parts.push({ ...named, start, end, from, to: end + 2 })
    from = end + 2
  }
}

function isEnd(text: ByteText, at: number): boolean {
  return at === text.length || (at + 2 === text.length && text.endsWith('\r\n'))
}

function headOf(head: ByteText): Pick<FormPart, 'name' | 'filename'> | null {
  const headers = new Map<string, string>()
  for (const line of head.split('\r\n')) {
    const { name = '', value = '' } =
      /^(?<name>[A-Za-z-]+):[ \t]*(?<value>[^\r\n\0]*)$/.exec(line)?.groups ?? {}
    const key = name.toLowerCase()
    if (!accepted.has(key) || headers.has(key)) return null
    headers.set(key, value)
  }
  const encoding = headers.get('content-transfer-encoding') ?? 'binary'
  if (!/^(?:binary|[78]bit)$/i.test(encoding)) return null
  const { filename = null, name } =
    /^form-data; *name="(?<name>[\w[\].-]{1,64})"(?:; *filename="(?<filename>[^"\\]{0,255})")?$/i.exec(
      headers.get('content-disposition') ?? '',
    )?.groups ?? {}
  return name === undefined ? null : { name, filename }
}

const accepted: ReadonlySet<string> = new Set([
  'content-disposition',
  'content-type',
  'content-length',
  'content-transfer-encoding',
])
