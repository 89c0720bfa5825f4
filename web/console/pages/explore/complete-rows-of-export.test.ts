import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ExportedRows } from './received-part-of-export.ts'

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const lines = ['{"id":"ur_1","name":"Ä \\" b"}\n', '{"id":"ur_2"}\n', '{"id":"ur_3","cost":"9"}\n']
const csv = {
  head: 'note,x_UsageRecordId,cost\r\n',
  rows: ['"two\nlines, ""a""",ur_1,1\r\n', ',"ur_2",2\r\n', '"",ur_3,\r\n'],
}
const textOf = (rows: ExportedRows): Promise<string> => rows.file('text/plain').text()

it('the last complete row is found for any chunking of the bytes', async () => {
  const cases = [
    ['ndjson', '', lines],
    ['csv', csv.head, csv.rows],
  ] as const
  for (const [format, head, rows] of cases) {
    const whole = bytes(head + rows.join(''))
    // oxlint-disable-next-line no-await-in-loop -- one format after the other
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length)), async (cuts) => {
        const taken = new ExportedRows(format)
        const edges = [0, ...cuts.toSorted((one, other) => one - other), whole.length]
        for (const [at, to] of edges.entries()) if (at > 0) taken.take(whole.slice(edges[at - 1], to))
        expect([taken.rows, taken.lastId, taken.bytes]).toEqual([3, 'ur_3', whole.length])
        expect(await textOf(taken)).toBe(head + rows.join(''))
      }),
    )
  }
})

it('an interrupted export resumes after its last complete row, with every row once', async () => {
  for (const [format, head, rows] of [
    ['ndjson', '', lines],
    ['csv', csv.head, csv.rows],
  ] as const) {
    const whole = bytes(head + rows.join(''))
    for (let cut = 0; cut < whole.length; cut += 1) {
      const taken = new ExportedRows(format)
      taken.take(whole.slice(0, cut))
      taken.breakOff()
      const { lastId } = taken
      const next = lastId === null ? 0 : Number(lastId.slice(3))
      expect(taken.rows).toBe(next)
      // The server omits the header if an export continues after a row.
      const going = lastId === null ? new ExportedRows(format) : taken
      going.take(bytes((lastId === null ? head : '') + rows.slice(next).join('')))
      // oxlint-disable-next-line no-await-in-loop -- a file after the other
      expect([going.rows, going.lastId, await textOf(going)]).toEqual([3, 'ur_3', head + rows.join('')])
    }
  }
})

it('an export keeps a complete file that is larger than the export’s buffer', async () => {
  const taken = new ExportedRows('ndjson')
  const row = `{"id":"ur_1","name":"${'x'.repeat(999_976)}"}\n`
  for (let n = 0; n < 18; n += 1) taken.take(bytes(row))
  expect([taken.rows, taken.bytes]).toEqual([18, 18 * row.length])
  expect(await textOf(taken)).toBe(row.repeat(18))
})
