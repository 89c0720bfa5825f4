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
])('threat 101: %j is text to a spreadsheet', (text) => {
  expect(csvLine([text])).toBe(`"'${text.replaceAll('"', '""')}"\r\n`)
})

it('quotes every text, so that other separators start no new cell', () => {
  expect(csvLine(['a', 'x, "y"', 'l\nm', 'a;=1', 'a\t=1', ''])).toBe(
    '"a","x, ""y""","l\nm","a;=1","a\t=1",""\r\n',
  )
})

it('writes numbers exactly, null as an empty cell and other values as words', () => {
  expect(csvLine([-12, 3n, 0.5, numeral('-0.000277'), numeral('17'), null, undefined, true])).toBe(
    '-12,3,0.5,-0.000277,17,,,true\r\n',
  )
})

it.each(['1+1', '-', '1e5', '', '١', '1\n', '=1'])('does not take %j for a number', (text) => {
  expect(csvLine([numeral(text)])).toBe(csvLine([text]))
})
