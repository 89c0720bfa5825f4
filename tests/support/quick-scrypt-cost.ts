import type { ScryptCost } from '#domain/people/hash-and-check-passwords.ts'

/** A hashing cost that is low enough for every test. The tests of `Passwords` use the product's real cost. */
export const quickScryptCost: ScryptCost = { logN: 4, r: 8, p: 1 }
