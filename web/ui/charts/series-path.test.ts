import { expect, test } from 'vitest'
import { linePath, partPath, stepPath } from './series-path.ts'

test('a line is interrupted where values are missing, and a single point draws no line', () => {
  const points = [{ x: 0, y: 1 }, { x: 1, y: 2 }, null, { x: 3, y: 4 }, null, { x: 5, y: 5 }, { x: 6, y: 5 }]
  expect(linePath(points)).toBe('M0.00 1.00L1.00 2.00M5.00 5.00L6.00 5.00')
  expect(linePath([null])).toBe('')
})

test('an area is drawn along its upper ends and back along its lower ends', () => {
  const parts = [{ x: 0, from: 10, to: 5 }, { x: 1, from: 9, to: 3 }, null, { x: 4, from: 10, to: 0 }]
  expect(partPath(parts)).toBe(
    'M0.00 5.00L1.00 3.00L1.00 9.00L0.00 10.00ZM3.00 0.00L5.00 0.00L5.00 10.00L3.00 10.00Z',
  )
})

test('each step of an area has the requested width, and parts without height are not drawn', () => {
  expect(
    stepPath(
      [
        { x: 2, from: 10, to: 6 },
        { x: 6, from: 8, to: 8 },
        { x: 10, from: 10, to: 12 },
      ],
      4,
    ),
  ).toBe('M0.00 6.00L4.00 6.00L4.00 10.00L0.00 10.00ZM8.00 12.00L12.00 12.00L12.00 10.00L8.00 10.00Z')
})
