/** Each field type checks a stored value once, so that no later code checks it again. */

/**
 * Returns the stored value, or null if the value has another type. `Passed` is the type that the gateway writes for the
 * field. Specify it only if it differs from `Read`.
 */
export interface Field<Read, Passed = Read> {
  (stored: unknown): Read | null
  /** Exists only so that TypeScript can infer `Passed` from a field. */
  readonly passed?: Passed
  readonly isOptional?: boolean
}

type Fields = Readonly<Record<string, Field<unknown>>>
type Optional = { readonly isOptional: true }
type ReadBy<F> = F extends Field<infer Read, infer _> ? Read : never
type PassedTo<F> = F extends { readonly passed?: infer Passed } ? Passed : never

/** Any field can be absent, because older versions did not write all fields. */
export type Stored<F extends Fields> = { readonly [Name in keyof F]?: ReadBy<F[Name]> | null }

/** All fields are required, except fields that few requests have. */
export type Written<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends Optional ? never : Name]: PassedTo<F[Name]> | null
} & {
  readonly [Name in keyof F as F[Name] extends Optional ? Name : never]?: PassedTo<F[Name]> | null
}

export const text: Field<string> = (stored) => (typeof stored === 'string' ? stored : null)

/** A count, or a duration in milliseconds. */
export const count: Field<number> = (stored) => (typeof stored === 'number' ? stored : null)

export const flag: Field<boolean> = (stored) => (typeof stored === 'boolean' ? stored : null)

/** An integer as a decimal string. */
export const amount: Field<string> = (stored) =>
  typeof stored === 'string' && /^-?\d+$/.test(stored) ? stored : null

export function optional<Read, Passed>(field: Field<Read, Passed>): Field<Read, Passed> & Optional {
  return Object.assign((stored: unknown) => field(stored), { isOptional: true } as const)
}

export function list<Read, Passed>(item: Field<Read, Passed>): Field<Read[], readonly Passed[]> {
  return (stored) => (Array.isArray(stored) ? stored.flatMap((each: unknown) => item(each) ?? []) : null)
}

/** Reads an object, or a list of its values in the order of its fields. */
export function record<F extends Fields>(fields: F): Field<Stored<F>, Written<F>> {
  const names = Object.keys(fields)
  return (stored) => {
    if (typeof stored !== 'object' || stored === null) return null
    const found: Readonly<Record<string, unknown>> = { ...stored }
    const section: Record<string, unknown> = {}
    for (const [at, name] of names.entries()) {
      const value = found[Array.isArray(stored) ? at : name]
      if (value !== undefined) section[name] = fields[name]?.(value)
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value was checked by the field of its name
    return section as Stored<F>
  }
}

/** The names have the order in which a list stores the values. */
export function namesOf<F extends Fields>(fields: F): readonly (keyof F & string)[] {
  return Object.keys(fields)
}
