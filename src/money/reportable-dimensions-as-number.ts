import { assertMoney } from './amount.ts'
import type { CanReport } from './decision-types.ts'

/** Returns a number from 0 to 15, with one bit per flag. The number is stored for every request. */
export function numberOfCanReport(can: CanReport): number {
  return (
    Number(can.cacheWrite) +
    Number(can.cacheWriteLong) * 2 +
    Number(can.audioOutput) * 4 +
    Number(can.imageOutput) * 8
  )
}

export function canReportOfNumber(number: number): CanReport {
  assertMoney(
    Number.isInteger(number) && number >= 0 && number < 16,
    'the flags of a call are a number from 0 to 15',
  )
  return {
    cacheWrite: (number & 1) !== 0,
    cacheWriteLong: (number & 2) !== 0,
    audioOutput: (number & 4) !== 0,
    imageOutput: (number & 8) !== 0,
  }
}

export function namesOfCanReport(can: CanReport): string[] {
  return Object.entries(can).flatMap(([name, isThere]) => (isThere ? [name] : []))
}
