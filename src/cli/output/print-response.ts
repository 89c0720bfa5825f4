import type { Terminal } from '#cli/terminal-interface.ts'
import { chosenOf } from './print-chosen-fields.ts'
import { recordText } from './print-document-as-lines.ts'
import { paint } from './terminal-colors.ts'
import { isRow, tableText, titleOf, type Row } from './aligned-table.ts'
import { harmless, wrapped } from './text-width.ts'

export interface Printing {
  readonly isJson: boolean
  readonly isQuiet: boolean
  /** Null means the whole response, unchanged. */
  readonly fields: readonly string[] | null
  /** Null means the default columns of the list on a terminal, and all columns in a pipe. */
  readonly columns: readonly string[] | null
  readonly defaultColumns: readonly string[] | null
  readonly secretField: string | null
  readonly emptyHint: string
  readonly byRow: { readonly head: string; readonly line: (row: Row) => string } | null
}

export function printDocument(
  text: string,
  { fields, isJson, isQuiet, secretField }: Printing,
  { out }: Terminal,
): void {
  if (isJson && fields === null) return out.write(jsonText(text, out.isTerminal))
  const document: unknown = JSON.parse(text)
  if (fields !== null && isRow(document)) {
    return out.write(jsonText(JSON.stringify(chosenOf(document, fields)), out.isTerminal))
  }
  if (!isRow(document)) return isQuiet ? undefined : out.write(`${harmless(JSON.stringify(document))}\n`)
  const secret = secretField === null ? null : document[secretField]
  if (isQuiet) {
    // The ID can be retrieved again, but the secret cannot.
    const printed = typeof secret === 'string' ? secret : idOf(document)
    return printed === null ? undefined : out.write(`${printed}\n`)
  }
  if (secretField === null || typeof secret !== 'string') return out.write(recordText(document, out))
  const { [secretField]: _, ...rest } = document
  const title = paint(out, 'bold', `${titleOf(secretField).toLowerCase()} (shown once)`)
  out.write(`${recordText(rest, out)}\n${title}  ${harmless(secret)}\n`)
}

export function printRows(text: string, printing: Printing, terminal: Terminal): void {
  const { err, out } = terminal
  const { byRow, fields, isJson } = printing
  if (isJson && fields === null) return out.write(jsonText(text, out.isTerminal))
  const { data, nextCursor, ...rest }: { data: unknown[]; nextCursor: string | null } = JSON.parse(text)
  const rows = data.filter(isRow)
  if (fields !== null) {
    out.write(jsonText(JSON.stringify(rows.map((row) => chosenOf(row, fields))), out.isTerminal))
    return tellOfMore(nextCursor, terminal)
  }
  if (byRow !== null) {
    out.write(byRow.head + rows.map((row) => byRow.line(row)).join(''))
    return tellOfMore(nextCursor, terminal)
  }
  if (printing.isQuiet) return out.write(rows.map((row) => `${idOf(row) ?? ''}\n`).join(''))
  if (rows.length === 0) {
    err.write(`${printing.emptyHint}\n`)
  } else {
    const { columns, defaultColumns } = printing
    const { leftOut, text: table } = tableText(rows, { columns, preferred: defaultColumns }, out)
    out.write(table)
    if (leftOut.length > 0 && err.isTerminal) {
      const count = `${leftOut.length} more ${leftOut.length === 1 ? 'column' : 'columns'}`
      err.write(
        `\n${wrapped(`${count} hidden. Choose columns with --columns, or print all with --json.`, err.columns ?? 80).join('\n')}\n`,
      )
    }
  }
  if (Object.keys(rest).length > 0) out.write(`\n${recordText(rest, out)}`)
  tellOfMore(nextCursor, terminal)
}

function tellOfMore(nextCursor: string | null, { err }: Terminal): void {
  if (nextCursor === null) return
  const whole = `More rows exist. Print all rows with --all, or the next page with --cursor ${nextCursor}.`
  // A cursor that is wrapped over several lines cannot be copied.
  const fits = err.columns === null || whole.length <= err.columns
  err.write(
    `\n${fits ? whole : 'More rows exist. Print all rows with --all. With --json, the cursor is printed.'}\n`,
  )
}

/** Indented on a terminal, and unchanged in a pipe, because parsing could lose digits of numbers. */
function jsonText(text: string, isForPeople: boolean): string {
  return isForPeople ? `${JSON.stringify(JSON.parse(text), null, 2)}\n` : `${text.trimEnd()}\n`
}

const idNames = ['externalId', 'id', 'slug', 'name', 'label', 'email', 'endUserId', 'requestedModel', 'day']

export function idOf(row: Row): string | null {
  for (const name of idNames) {
    const value = row[name]
    if (typeof value === 'string') return value
  }
  return null
}

/**
 * If the reader of the output is slow, printing waits for the reader.
 * @returns false if the response was empty
 */
export async function printStreamed(response: Response, { out }: Terminal): Promise<boolean> {
  let isEmpty = true
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    isEmpty &&= piece.length === 0
    out.write(decoder.decode(piece, { stream: true }))
    await out.drained()
  }
  out.write(decoder.decode())
  return !isEmpty
}
