/** Adds records of numbers field by field, so that the calling code need not list the fields. */

/** A number, a bigint, a record of sums, or null for an unknown value. */
type Addable = number | bigint | null | { readonly [name: string]: Addable }

export interface Sums<Of extends object> {
  /** Returns a new record of zeros, which the caller may change. */
  readonly zero: () => Of
  /**
   * Adds to the sum in place, or subtracts if `sign` is -1. Fields that the zero value lacks are ignored. If either
   * value is null, the sum is null.
   */
  readonly add: (sum: Of, more: Readonly<Of>, sign?: 1 | -1) => void
  /** Null counts as 0. */
  readonly isZero: (of: Readonly<Of>) => boolean
}

/** @param zero the fields of a sum, each with the value 0; a field may contain a record of further fields */
export function sumsOf<Of extends object>(zero: Readonly<Of>): Sums<Of> {
  // oxlint-disable typescript/no-unsafe-type-assertion -- the fields of the zero are the fields of every sum
  const fields = Object.entries(zero) as readonly [string, Addable][]
  // Two lists are used instead of pairs. `add` runs for every settled request, and destructuring a pair allocates an
  // iterator.
  const nested = fields.flatMap(([name, value]) =>
    value !== null && typeof value === 'object' ? [{ name, sums: sumsOf(value) }] : [],
  )
  const flat = fields.flatMap(([name, value]) => (typeof value === 'object' ? [] : [name]))
  const recordOf = (of: Readonly<Of>): Record<string, Addable> => of as unknown as Record<string, Addable>
  return {
    zero() {
      const sum = { ...zero }
      for (const { name, sums } of nested) recordOf(sum)[name] = sums.zero()
      return sum
    },
    add(sum, more, sign = 1) {
      const whole = recordOf(sum)
      const part = recordOf(more)
      for (const name of flat) whole[name] = added(whole[name], part[name], sign)
      for (const { name, sums } of nested) {
        const one = whole[name]
        const other = part[name]
        if (isRecord(one) && isRecord(other)) sums.add(one, other, sign)
        else whole[name] = null
      }
    },
    isZero: (of) =>
      flat.every((name) => Number(recordOf(of)[name]) === 0) &&
      nested.every(({ name, sums }) => {
        const one = recordOf(of)[name]
        return !isRecord(one) || sums.isZero(one)
      }),
  }
  // oxlint-enable typescript/no-unsafe-type-assertion
}

function added(one: Addable | undefined, other: Addable | undefined, sign: 1 | -1): Addable {
  if (typeof one === 'bigint' && typeof other === 'bigint') return sign === 1 ? one + other : one - other
  if (typeof one === 'number' && typeof other === 'number') return one + sign * other
  return null
}

function isRecord(value: Addable | undefined): value is { readonly [name: string]: Addable } {
  return typeof value === 'object' && value !== null
}
