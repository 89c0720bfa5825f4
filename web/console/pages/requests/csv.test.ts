import { expect, it } from 'vitest'
import { csvText } from './csv.ts'

it('escapes text that a spreadsheet would run as a formula, and keeps numbers unchanged', () => {
  expect(csvText(['a'], [['=1+1'], ['+1'], ['-x'], ['@sum'], ["'quoted"], ['\tx']])).toBe(
    "a\r\n'=1+1\r\n'+1\r\n'-x\r\n'@sum\r\n''quoted\r\n'\tx\r\n",
  )
  expect(csvText(['a'], [['-17'], [-17], ['17']])).toBe('a\r\n-17\r\n-17\r\n17\r\n')
})

it('quotes text that would end a cell, and writes null as an empty cell', () => {
  expect(
    csvText(
      ['a', 'b'],
      [
        ['x, "y"', null],
        ['l\nm', true],
      ],
    ),
  ).toBe('a,b\r\n"x, ""y""",\r\n"l\nm",true\r\n')
})
