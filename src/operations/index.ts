import { nounOf, nouns } from '#operations/kernel/list-of-nouns.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import * as table from './table.ts'

const order = Object.keys(nouns)
const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE']

/** In documentation order: by noun, path and method. */
export const operations: readonly Operation[] = Object.values<Operation>(table).toSorted(
  (one, other) =>
    order.indexOf(nounOf(one)) - order.indexOf(nounOf(other)) ||
    (one.path < other.path ? -1 : Number(one.path > other.path)) ||
    methods.indexOf(one.method) - methods.indexOf(other.method),
)
