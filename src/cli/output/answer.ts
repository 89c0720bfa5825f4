/** What an operation answers, as it is printed. */
import type { Terminal } from '#cli/terminal.ts'
import { chosenOf } from './chosen-fields.ts'
import { recordText } from './record.ts'
import { isRow, tableText, type Row } from './table.ts'
import { harmless, wrapped } from './text-width.ts'

export interface Printing {
  readonly isJson: boolean
  readonly isQuiet: boolean
  /** Of the JSON; null: it is what was answered, unchanged. */
  readonly fields: readonly string[] | null
  /** Null: all there is room for. */
  readonly columns: readonly string[] | null
  /** A line for each row, as they come; null: what is answered as one. */
  readonly byRow: { readonly head: string; readonly line: (row: Row) => string } | null
}

/** @param text the document as it was answered */
export function printDocument(text: string, { fields, isJson, isQuiet }: Printing, { out }: Terminal): void {
  if (isJson && fields === null) return out.write(jsonText(text, out.isTerminal))
  const document: unknown = JSON.parse(text)
  if (fields !== null && isRow(document)) {
    return out.write(jsonText(JSON.stringify(chosenOf(document, fields)), out.isTerminal))
  }
  if (isQuiet) {
    const id = isRow(document) ? idOf(document) : null
    return id === null ? undefined : out.write(`${id}\n`)
  }
  out.write(isRow(document) ? recordText(document, out) : `${harmless(JSON.stringify(document))}\n`)
}

/** @param text a page of a list as it was answered */
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
    err.write('There are no rows.\n')
  } else {
    const { leftOut, text: table } = tableText(rows, printing.columns, out)
    out.write(table)
    if (leftOut.length > 0 && err.isTerminal) {
      const said = `No room for ${leftOut.join(', ')} (--columns names those to print, --json has all).`
      err.write(`\n${wrapped(said, err.columns ?? 80).join('\n')}\n`)
    }
  }
  if (Object.keys(rest).length > 0) out.write(`\n${recordText(rest, out)}`)
  tellOfMore(nextCursor, terminal)
}

function tellOfMore(nextCursor: string | null, { err }: Terminal): void {
  if (nextCursor === null) return
  err.write(`\nThere are more: --all prints them, --cursor ${nextCursor} goes on.\n`)
}

/** As it came where it is piped: not a digit of it goes through a number. With lines for people. */
function jsonText(text: string, isForPeople: boolean): string {
  return isForPeople ? `${JSON.stringify(JSON.parse(text), null, 2)}\n` : `${text.trimEnd()}\n`
}

const idNames = ['externalId', 'id', 'slug', 'name', 'label', 'email', 'endUserId', 'requestedModel', 'day']

/** What a row is called in paths. */
export function idOf(row: Row): string | null {
  for (const name of idNames) {
    const value = row[name]
    if (typeof value === 'string') return value
  }
  return null
}

/** An answer that goes on: as it comes, and no faster than it is taken. */
export async function printStreamed(response: Response, { out }: Terminal): Promise<void> {
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    out.write(decoder.decode(piece, { stream: true }))
    await out.drained()
  }
  out.write(decoder.decode())
}
