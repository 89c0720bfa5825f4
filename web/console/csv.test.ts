import { expect, test } from 'vitest'
import { csvText } from './csv.ts'

test('amounts are unchanged, and text that a spreadsheet would run is escaped', () => {
  expect(
    csvText(
      ['name', 'micros'],
      [
        ['=1+1', '-12'],
        ['a "b", c', 3n],
        [null, 0.5],
      ],
    ),
  ).toBe('name,micros\r\n\'=1+1,-12\r\n"a ""b"", c",3\r\n,0.5\r\n')
})
