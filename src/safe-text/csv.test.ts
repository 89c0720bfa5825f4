import { expect, it } from 'vitest'
import { csvLine, numeral } from './csv.ts'

it.each([
  '=HYPERLINK("http://evil")',
  '+1+1',
  '-2+3',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1+1',
  '＋1',
  '－1',
  '＠A1',
  "'=1",
])('threat 101: a spreadsheet reads %j as text and does not run it', (text) => {
  expect(csvLine([text])).toBe(`"'${text.replaceAll('"', '""')}"\r\n`)
})

it('every text in a CSV file is quoted, so that a semicolon or a tab in a text starts no new cell', () => {
  expect(csvLine(['a', 'x, "y"', 'l\nm', 'a;=1', 'a\t=1', ''])).toBe(
    '"a","x, ""y""","l\nm","a;=1","a\t=1",""\r\n',
  )
})

it('a CSV line has exact numbers, empty cells for null and undefined, and words for booleans', () => {
  expect(csvLine([-12, 3n, 0.5, numeral('-0.000277'), numeral('17'), null, undefined, true])).toBe(
    '-12,3,0.5,-0.000277,17,,,true\r\n',
  )
})

it.each(['1+1', '-', '1e5', '', '١', '1\n', '=1'])('the text %j is not written as a number', (text) => {
  expect(csvLine([numeral(text)])).toBe(csvLine([text]))
})
