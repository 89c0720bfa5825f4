import { creditsText } from './credits-text.ts'
import { moneyText } from './dollars-and-micros.ts'

/**
 * Formats an amount whose unit another field of the same object states: `measure` in limits, and `unit` in ledger
 * entries, pools and included credit. Null for all other fields, and for amounts in other units such as tokens.
 * @param stated returns the value of a field of the same object
 */
export function amountInStatedUnit(
  name: string,
  value: unknown,
  stated: (field: string) => unknown,
): string | null {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return null
  if (fieldsByMeasure.has(name)) return stated('measure') === 'micros' ? moneyText(value) : null
  if (!fieldsByUnit.has(name)) return null
  const unit = stated('unit')
  return unit === 'micros' ? moneyText(value) : unit === 'credits' ? creditsText(value) : null
}

const fieldsByMeasure: ReadonlySet<string> = new Set(['available', 'held', 'most', 'used'])

const fieldsByUnit: ReadonlySet<string> = new Set([
  'amount',
  'amountUnits',
  'availableUnits',
  'balanceAfterUnits',
  'consumed',
  'granted',
  'heldUnits',
  'limitUnits',
  'memberCap',
  'rolledOver',
  'usedUnits',
])
