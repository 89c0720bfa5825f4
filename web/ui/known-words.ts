/**
 * The values of an enum of the API that these pages know, as literal types. A table with `satisfies Record<Known<…>, …>`
 * fails to compile if it lacks a value. A newer server may return further values.
 */
export type Known<Value> = Value extends string ? (string extends Value ? never : Value) : never
