import type { Operation } from './operation.ts'
import * as table from './table.ts'

/** The order of the documentation: identity, set-up, users, results. */
export const nouns = [
  'auth',
  'tokens',
  'apps',
  'providers',
  'catalog',
  'models',
  'bundles',
  'users',
  'subscription',
  'invoices',
  'keys',
  'grants',
  'testClock',
  'usage',
  'outcomes',
  'requests',
  'health',
]
const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE']

/** The table of operations in the order of the documentation: by noun, path and method. */
export const operations: readonly Operation[] = Object.values<Operation>(table).toSorted(
  (one, other) =>
    nouns.indexOf(nounOf(one)) - nouns.indexOf(nounOf(other)) ||
    (one.path < other.path ? -1 : Number(one.path > other.path)) ||
    methods.indexOf(one.method) - methods.indexOf(other.method),
)

/** The part of an id before its verb, which is the operation's folder and its tag. */
export function nounOf({ id }: Operation): string {
  return id.split('.')[0] ?? id
}
